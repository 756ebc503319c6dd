// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

/// @file
/// Names of Boost that a user's type may mention. Declared here and never included: each is
/// complete only where the user's own code included its header, and only then does deed look
/// inside. So types written for Boost.Serialization and Boost.MPI travel, and those who have none
/// pay nothing.

namespace boost {
namespace serialization {
class access;
struct binary_object;
class collection_size_type;
class library_version_type;
template <class T>
class nvp;
template <class T>
class array_wrapper;
template <class T>
struct version;
template <class T>
struct is_bitwise_serializable;
}  // namespace serialization
namespace mpi {
class communicator;
class packed_iarchive;
class packed_oarchive;
template <typename T>
struct is_mpi_datatype;
}  // namespace mpi
}  // namespace boost

namespace deed::data::detail {

/// Of Boost's archives, whose functions for types ask which of their own formats to write.
inline constexpr unsigned library_version = 19;

/// `Name`, looked at no earlier than `T` is known.
template <class Name, class T>
using late = typename std::enable_if<sizeof(T*) != 0, Name>::type;

template <class T>
concept complete = requires { sizeof(T); };

/// Boost's `BOOST_CLASS_VERSION`, 0 without one.
template <class T>
constexpr unsigned version_of() {
  if constexpr (requires { boost::serialization::version<T>::value; }) {
    return static_cast<unsigned>(boost::serialization::version<T>::value);
  } else {
    return 0;
  }
}

/// `BOOST_IS_BITWISE_SERIALIZABLE`: its author says that the bytes are the value.
template <class T>
constexpr bool marked_bitwise() {
  if constexpr (requires { boost::serialization::is_bitwise_serializable<T>::value; }) {
    return boost::serialization::is_bitwise_serializable<T>::value;
  } else {
    return false;
  }
}

}  // namespace deed::data::detail
