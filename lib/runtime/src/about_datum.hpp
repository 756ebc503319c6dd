// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error.hpp>
#include <deed/trace/events.hpp>

#include <cstdint>
#include <utility>

/// @file
/// What a recording tells of an error beside its text.

namespace deed::runtime {

/// The datum that an error is about, as this rank knows it.
struct about_datum {
  std::uint32_t handle = trace::nothing;  ///< The number of its registration.
  std::uint32_t version = trace::no_version;
  std::uint64_t expected = 0, actual = 0;  ///< Equal: it is not about a number.
};

/// An `Error` with its datum; whoever catches an `Error` sees nothing of it.
template <class Error>
class error_about : public Error, public about_datum {
 public:
  error_about(const about_datum& what, Error known) : Error(std::move(known)), about_datum(what) {}
};

}  // namespace deed::runtime
