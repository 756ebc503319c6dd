// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/place.hpp>
#include <deed/ownership/registrar.hpp>

#include <cstddef>

/// @file
/// The untyped side of a reduction.

namespace deed {

/// How many ranks a rank listens to in the tree of a reduction; at least 1.
struct arity {
  std::size_t count;
};

namespace runtime {

class core;

/// What contributions of one datum are made from and added up by. Threads: any.
class contribution_rule {
 public:
  explicit contribution_rule(bool in_order) : in_order_(in_order) {}
  contribution_rule(const contribution_rule&) = delete;
  contribution_rule& operator=(const contribution_rule&) = delete;
  virtual ~contribution_rule() = default;

  /// Constructs the value that changes nothing.
  virtual void construct(void* at) const = 0;
  virtual void combine(void* into, const void* from) const = 0;
  /// Contributions of one rank are added up in the order of the program.
  [[nodiscard]] bool in_order() const noexcept { return in_order_; }

 private:
  bool in_order_;
};

/// Closes the reduction of a datum. `count` 0: by size and number of contributors.
void close_reduction(core& home, ownership::slot datum, arity wanted, place where);

}  // namespace runtime
}  // namespace deed
