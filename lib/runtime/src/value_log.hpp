// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error.hpp>
#include <deed/base/place.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// @file
/// What the values of one rank were, so that two runs of a program can be compared.

namespace deed::runtime {

/// Hashes of the values that a rank owns, at each of its calls of `wait()`.
///
/// Threads: one at a time.
class value_log {
 public:
  void add(place where, std::string name, std::uint64_t hash);

  /// How a run in which ranks left out tasks differs from this one, in which each inserted all.
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  [[nodiscard]] std::optional<error> difference_to(const value_log& pruned) const;

 private:
  struct value {
    place where;  // Of the call.
    std::string name;
    std::uint64_t hash;
    [[nodiscard]] bool is_like(const value& other) const {
      return name == other.name && where.line() == other.where.line();
    }
  };
  [[nodiscard]] std::string told(std::size_t index) const;

  std::vector<value> values_;
};

}  // namespace deed::runtime
