// SPDX-License-Identifier: MIT
#pragma once

#include "flow/control.hpp"
#include "flow/function.hpp"

#include <optional>

/// @file
/// What the steps of a loop have in common.

namespace deed::check {

/// `base + offset`, where `base` is a variable, an extent or nothing.
struct linear {
  std::string base;
  std::int64_t offset = 0;
};
[[nodiscard]] std::optional<linear> linear_of(const value_ref& v);
/// As the base of a `linear`, the extent of a view in one dimension.
[[nodiscard]] std::string extent_name(int dimension, const path& view);
/// The size of a list. A pointer into a tile counts elements, too, but the tile's extents do not
/// end it.
[[nodiscard]] std::string size_name(const path& list);

/// One loop of a function; `loop` is the block with its condition.
class loop_steps {
 public:
  loop_steps(const program& all, const function& f, const control& decisions, int loop)
      : all_(all), f_(f), decisions_(decisions), loop_(loop) {}

  /// Whether the loop decides if the block runs.
  [[nodiscard]] bool has(int block) const;
  /// Whether one block leads to another within one step.
  [[nodiscard]] bool leads_to(int from, int to) const;
  /// Whether what the condition of an inner loop looks at is the same at the begin of that loop in
  /// every step. What it does not know is not.
  [[nodiscard]] bool begins_alike(int inner) const;

 private:
  struct given {
    const event* by = nullptr;
    int block = 0;
  };

  [[nodiscard]] bool is_steady(const value_ref& v, int inner, int depth) const;
  [[nodiscard]] bool is_steady(const path& variable, int inner, int depth) const;
  [[nodiscard]] bool is_steady_length(const path& list, int inner, int depth) const;
  [[nodiscard]] bool are_steady_steps(const path& way, int inner, int depth) const;
  [[nodiscard]] bool is_given_alike(const std::vector<given>& values, int inner, int depth) const;
  [[nodiscard]] std::optional<std::vector<given>> values_of(const path& variable, bool length,
                                                            int inner) const;
  [[nodiscard]] bool in_every_step(int block) const;

  const program& all_;
  const function& f_;
  const control& decisions_;
  const int loop_;
};

}  // namespace deed::check
