// SPDX-License-Identifier: MIT
#pragma once

#include <deed/data/detail/boost_names.hpp>
#include <deed/data/layout.hpp>
#include <deed/data/type_name.hpp>
#include <deed/ownership/value.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// @file
/// How a type is written into the archive: decided once per type, in one place.

namespace deed::data {

class oarchive;
class iarchive;

/// Stands in the place of an unwanted overload: see `has_free_serialize`.
namespace decoy {
struct refused {};
template <class>
struct version_number {
  operator unsigned() const noexcept;
};
/// As general as the overload of Boost.Serialization that takes every type: where only these two
/// would do, the call is ambiguous, and so the type has no `serialize` of its own.
template <class Archive, class T>
refused serialize(Archive&, T&, unsigned);
}  // namespace decoy

namespace detail {

/// The version that a free `serialize` is called with. Its argument makes the compiler look into
/// `boost::serialization`, where such functions stand by custom.
template <class>
struct version_number {
  unsigned number;
  operator unsigned() const noexcept { return number; }
};
using version_argument = version_number<boost::serialization::access>;

template <class T, class Archive>
concept has_free_serialize =
    requires(Archive& ar, T& x, decoy::version_number<boost::serialization::access> version) {
      { serialize(ar, x, version) } -> std::same_as<void>;
    };

template <class T, class Archive>
concept has_member_serialize = requires(Archive& ar, T& x) { x.serialize(ar, 0u); };

template <class T>
concept has_save_and_load = requires(oarchive& o, iarchive& i, const T& from, T& to) {
  from.save(o, 0u);
  to.load(i, 0u);
};

struct with_serialize {
  int serialize;
};
template <class T>
struct two_serializes : T, with_serialize {};

/// True where `T` has a member of this name, private or not: then the name is ambiguous.
template <class T>
constexpr bool names_serialize() {
  if constexpr (std::is_class_v<T> && !std::is_final_v<T>) {
    return !requires { &two_serializes<T>::serialize; };
  } else {
    return std::is_final_v<T>;  // Cannot be asked; then the benefit of the doubt.
  }
}

/// A private `serialize` that Boost's `access` is a friend of.
template <class T>
concept has_private_serialize = names_serialize<T>() && !has_member_serialize<T, oarchive> &&
                                complete<late<boost::serialization::access, T>>;

/// Written for the archives of Boost.MPI and no others.
template <class T>
concept has_mpi_serialize = requires(boost::mpi::packed_oarchive& o, boost::mpi::packed_iarchive& i,
                                     T& x,
                                     decoy::version_number<boost::serialization::access> version) {
  { serialize(o, x, version) } -> std::same_as<void>;
  { serialize(i, x, version) } -> std::same_as<void>;
} || requires(boost::mpi::packed_oarchive& o, boost::mpi::packed_iarchive& i, T& x) {
  x.serialize(o, 0u);
  x.serialize(i, 0u);
};

template <class T>
concept serializable = has_free_serialize<T, oarchive> || has_member_serialize<T, oarchive> ||
                       has_save_and_load<T> || has_private_serialize<T>;

template <class T>
constexpr bool is_standard =
    type_name<T>.starts_with("std::") || type_name<T>.starts_with("boost::container::");

template <class T>
concept optional_like = is_standard<T> && requires(T& x) {
  { x.has_value() } -> std::same_as<bool>;
  x.emplace();
  x.reset();
  *x;
};

template <class T>
inline constexpr bool is_variant = false;
template <class... A>
inline constexpr bool is_variant<std::variant<A...>> = true;

/// Found by name. Its own loader computes with the index that it read, and a damaged one overflows.
template <class T>
inline constexpr bool is_boost_variant = false;
template <template <class...> class Template, class... A>
inline constexpr bool is_boost_variant<Template<A...>> =
    type_name<Template<A...>>.starts_with("boost::variant<");

template <class T>
inline constexpr bool is_array = std::is_array_v<T>;
template <class T, std::size_t N>
inline constexpr bool is_array<std::array<T, N>> = true;

template <class T>
inline constexpr bool is_tuple = false;
template <class... A>
inline constexpr bool is_tuple<std::tuple<A...>> = true;
template <class A, class B>
inline constexpr bool is_tuple<std::pair<A, B>> = true;

template <class T>
constexpr bool bytes_are_value(bool with_bool);

template <class... M>
constexpr bool all_bytes_are_values(bool with_bool, std::type_identity<std::tuple<M...>>) {
  return (bytes_are_value<M>(with_bool) && ...);
}

/// The bytes in memory are the value. Where a class with private parts has `serialize`, too, its
/// author knows better what is in there, unless Boost's mark says that bytes will do.
///
/// `with_bool`: false for input that may be damaged. A `bool` has two values only, and so have the
/// hidden ones of `optional` and `variant`; those are read one by one and checked.
template <class T>
constexpr bool bytes_are_value(bool with_bool) {
  if constexpr (std::is_array_v<T>) {
    return bytes_are_value<std::remove_all_extents_t<T>>(with_bool);
  } else if constexpr (std::is_const_v<T>) {
    return bytes_are_value<std::remove_const_t<T>>(with_bool);
  } else if constexpr (is_tuple<T>) {
    // A pair with a constant part, as a map has them, is trivially copyable for Clang and not for
    // GCC; and Boost marks the pair without that part, where both have the mark, and not this one.
    return false;
  } else if constexpr (with_layout<T>) {
    return laid_out_as_bytes<T>;
  } else if constexpr (marked_bitwise<T>() && !std::is_arithmetic_v<T>) {
    return true;
  } else if constexpr (!std::is_trivially_copyable_v<T> || ownership::holds_address<T>) {
    return false;
  } else if constexpr (!std::is_class_v<T>) {
    return with_bool || !std::is_same_v<T, bool>;
  } else if constexpr (is_array<T>) {
    return bytes_are_value<typename T::value_type>(with_bool);
  } else if constexpr (optional_like<T> || is_variant<T>) {
    return false;
  } else if constexpr (ownership::visible_aggregate<T>) {
    return all_bytes_are_values(with_bool, std::type_identity<ownership::member_types<T>>{});
  } else {
    return is_standard<T> || !serializable<T>;
  }
}

template <class T>
inline constexpr bool any_bytes_are_value = bytes_are_value<T>(false);

template <class T>
concept range = requires(T& x, const T& c) {
  typename T::value_type;
  { c.size() } -> std::convertible_to<std::size_t>;
  c.begin() != c.end();
  x.clear();
};

/// Elements lie in a row and are written in one piece: vector and string.
template <class T>
concept contiguous_range = range<T> && requires(T& x, std::size_t n) {
  x.resize(n);
  { x.data() } -> std::same_as<typename T::value_type*>;
} && any_bytes_are_value<typename T::value_type>;

template <class T>
concept standard_range = is_standard<T> && range<T>;

template <class T>
concept valarray_like = is_standard<T> && requires(T& x, std::size_t n, int shift) {
  x.resize(n);
  x.cshift(shift);
};

template <class T>
concept forward_list_like = is_standard<T> && requires(T& x) {
  x.before_begin();
  x.reverse();
};

/// The name of the template that `T` is made from is `name`.
template <class T>
constexpr bool is_called(std::string_view name) {
  return type_name<T>.substr(0, type_name<T>.find('<')).ends_with(name);
}

/// `std::unique_ptr` with the usual deleter, found by name: <memory> is expensive to include.
template <class T>
concept is_unique = is_standard<T> && is_called<T>("::unique_ptr") &&
                    is_called<typename T::deleter_type>("::default_delete") &&
                    requires(T& x) { x.reset(new typename T::element_type()); };

/// The ways of writing a type, in the order in which they are tried.
enum class way : std::uint8_t {
  boost_wrapper,  ///< Only where Boost's headers are: nvp, array_wrapper, collection_size_type.
  layout,         ///< The user says where the bytes lie.
  boolean,        ///< Checked when read: any other byte than 0 and 1 is damage.
  bytes,
  string_of_bytes,  ///< A count and one block.
  elements,         ///< A count and the elements.
  valarray,
  forward_list,
  members_of_tuple,
  optional,
  variant,
  unique,
  array,
  serialize,
  members,
  mpi_archive,  ///< In an archive of Boost.MPI, as its `serialize` wants it.
  address,      ///< Refused: D903.
  none,         ///< Refused: D901.
};

template <class T>
inline constexpr bool is_boost_wrapper =
    std::is_same_v<T, boost::serialization::collection_size_type>;
template <class T>
inline constexpr bool is_boost_wrapper<boost::serialization::nvp<T>> = true;
template <class T>
inline constexpr bool is_boost_wrapper<boost::serialization::array_wrapper<T>> = true;

template <class T>
constexpr way way_of() {
  using enum way;
  if constexpr (is_boost_wrapper<T>)
    return boost_wrapper;
  else if constexpr (laid_out_in_memory<T>)
    return layout;
  else if constexpr (std::is_same_v<T, bool>)
    return boolean;
  else if constexpr (std::is_array_v<T>)
    return array;
  else if constexpr (any_bytes_are_value<T>)
    return bytes;
  else if constexpr ((is_standard<T> || type_name<T>.starts_with("boost::")) &&
                     ownership::holds_address<T>)
    return address;
  else if constexpr (is_array<T>)
    return array;
  else if constexpr (is_tuple<T>)
    return members_of_tuple;
  else if constexpr (is_variant<T> || is_boost_variant<T>)
    return variant;
  else if constexpr (is_unique<T>)
    return unique;
  else if constexpr (optional_like<T>)
    return optional;
  else if constexpr (standard_range<T> && contiguous_range<T>)
    return string_of_bytes;
  else if constexpr (standard_range<T>)
    return elements;
  else if constexpr (valarray_like<T>)
    return valarray;
  else if constexpr (forward_list_like<T>)
    return forward_list;
  else if constexpr (serializable<T>)
    return serialize;
  else if constexpr (has_mpi_serialize<T>)
    return mpi_archive;
  else if constexpr (ownership::holds_address<T>)
    return address;
  else if constexpr (ownership::visible_aggregate<T>)
    return members;
  else
    return none;
}

template <class T>
constexpr std::size_t least_bytes();

template <class... M>
constexpr std::size_t sum_of_least(std::type_identity<std::tuple<M...>>) {
  return (least_bytes<M>() + ... + 0);
}

/// Bytes that the encoding of any `T` takes at least; 0 where only `serialize` knows.
template <class T>
constexpr std::size_t least_bytes() {
  constexpr way w = way_of<T>();
  if constexpr (w == way::boolean || w == way::optional || w == way::unique) {
    return 1;
  } else if constexpr (w == way::bytes) {
    return sizeof(T);
  } else if constexpr (w == way::string_of_bytes || w == way::elements || w == way::valarray ||
                       w == way::forward_list || w == way::mpi_archive || w == way::layout) {
    return sizeof(std::uint64_t);
  } else if constexpr (w == way::variant) {
    return sizeof(std::uint32_t);
  } else if constexpr (w == way::array) {
    return (sizeof(T) / sizeof(std::declval<T&>()[0])) *
           least_bytes<std::remove_cvref_t<decltype(std::declval<T&>()[0])>>();
  } else if constexpr (w == way::members) {
    return sum_of_least(std::type_identity<ownership::member_types<T>>{});
  } else {
    return 0;
  }
}

template <class Range>
struct loose {
  using type = typename Range::value_type;
};
template <class Range>
  requires requires { typename Range::mapped_type; }
struct loose<Range> {
  using type = std::pair<typename Range::key_type, typename Range::mapped_type>;
};
/// The type of an element before it is put into its place.
template <class Range>
using loose_value = typename loose<Range>::type;

template <class T>
auto element_of(T& x) -> decltype(*x);
template <class T>
  requires is_array<T>
auto element_of(T& x) -> decltype(x[0]);

/// Why a type cannot travel, found by looking through containers and members, so that the one
/// error stands at the top and not below the instantiations of half an archive.
enum class fault : std::uint8_t { none, cannot_travel, uncallable_serialize, constant, address };

template <class T, class... Seen>
consteval fault fault_of();

template <class... M, class... Seen>
consteval fault first_fault(std::type_identity<std::tuple<M...>>, std::tuple<Seen...>*) {
  fault found = fault::none;
  (void)((found = fault_of<M, Seen...>(), found != fault::none) || ...);
  return found;
}

template <class... A>
consteval std::type_identity<std::tuple<A...>> arguments_of(std::variant<A...>*);
template <template <class...> class Template, class... A>
  requires is_boost_variant<Template<A...>>
consteval std::type_identity<std::tuple<A...>> arguments_of(Template<A...>*);
template <class... A>
consteval std::type_identity<std::tuple<A...>> arguments_of(std::tuple<A...>*);
template <class A, class B>
consteval std::type_identity<std::tuple<A, B>> arguments_of(std::pair<A, B>*);

template <class T, class... Seen>
consteval fault fault_of() {
  constexpr way w = way_of<T>();
  using seen = std::tuple<T, Seen...>;
  if constexpr ((std::is_same_v<T, Seen> || ...)) {
    return fault::none;  // A tree of itself: looked at already.
  } else if constexpr (std::is_const_v<T>) {
    return fault::constant;
  } else if constexpr (w == way::address) {
    return fault::address;
  } else if constexpr (w == way::none) {
    return names_serialize<T>() ? fault::uncallable_serialize : fault::cannot_travel;
  } else if constexpr (w == way::members) {
    return first_fault(std::type_identity<ownership::member_types<T>>{},
                       static_cast<seen*>(nullptr));
  } else if constexpr (w == way::members_of_tuple || w == way::variant) {
    return first_fault(decltype(arguments_of(static_cast<T*>(nullptr))){},
                       static_cast<seen*>(nullptr));
  } else if constexpr (w == way::elements || w == way::forward_list || w == way::valarray) {
    return fault_of<loose_value<T>, T, Seen...>();
  } else if constexpr (w == way::optional || w == way::unique || w == way::array) {
    return first_fault(
        std::type_identity<
            std::tuple<std::remove_cvref_t<decltype(element_of(std::declval<T&>()))>>>{},
        static_cast<seen*>(nullptr));
  } else {
    return fault::none;
  }
}

/// Says what keeps a type from travelling. Who calls it has a deduced return type, too, up to what
/// the user calls: such functions are looked into where they are called, so that an error names the
/// user's line.
template <class T>
constexpr auto require_travels() {
  constexpr fault found = fault_of<T>();
  static_assert(found != fault::address,
                "deed[D903] a pointer would travel: its address means nothing on another rank; "
                "send what it points to, or an index");
  static_assert(found != fault::constant,
                "deed[D902] a constant is saved but cannot be loaded; make the member variable");
  static_assert(found != fault::uncallable_serialize,
                "deed[D901] the serialize() of this type cannot be called; make it public, or "
                "befriend boost::serialization::access and include "
                "<boost/serialization/access.hpp>");
  static_assert(found != fault::cannot_travel,
                "deed[D901] this type cannot travel: no layout, not trivially copyable, no plain "
                "aggregate, no serialize(); add "
                "template <class A> void serialize(A& ar, unsigned) { ar & member_; }");
}

}  // namespace detail

/// A `T` can be written into the archive, as far as its outside shows.
template <class T>
concept travels = detail::fault_of<T>() == detail::fault::none;

}  // namespace deed::data
