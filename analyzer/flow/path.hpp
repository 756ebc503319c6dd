// SPDX-License-Identifier: MIT
#pragma once

#include "flow/model.hpp"
#include "flow/source.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// @file
/// What a datum is reached by, and what a number is made of. Small trees that know no Clang.

namespace deed::check {

struct value;
using value_ref = std::shared_ptr<const value>;
using variable_id = std::uint32_t;  // 0: no variable

/// One step from an object to a part of it.
struct part {
  enum class kind { field, index, element };  // element: some member of a container
  kind what = kind::field;
  std::string name;                // of the field, or of the call: "operator()", "front"
  std::vector<value_ref> indices;  // of an index
  bool pointer = false;            // an index of a pointer, which may point to any element
  std::string function = {};       // of an index that the program itself looks up: its USR

  /// A view of some of the elements, which counts from its own first: `v.subspan(1)`.
  [[nodiscard]] bool is_piece() const { return what == kind::field && name.starts_with("piece "); }
};

/// A variable, or a part of it: `grid`, `grid.rows`, `now(i, j)`.
struct path {
  variable_id root = 0;
  std::vector<part> parts;

  [[nodiscard]] bool known() const { return root != 0; }
  /// Whether it names the same object each time: no element of a container.
  [[nodiscard]] bool stable() const {
    if (root == 0) return false;
    for (const part& p : parts) {
      if (p.what != part::kind::field) return false;
    }
    return true;
  }
};

/// `x.at(i)` is `x[i]`.
[[nodiscard]] inline const std::string& index_name(const part& index) {
  static const std::string element = "operator[]";
  return index.name == "at" ? element : index.name;
}

/// Equal keys name the same object at one point of the program. Empty for an unknown path, and for
/// one through an unknown index.
[[nodiscard]] std::string key(const path& p);

/// A token of `datum`, as an argument of a call.
struct token_use {
  mode access = mode::none;
  path datum;
  span at;
};

/// What a number or a condition is made of.
struct value {
  enum class kind {
    unknown,     // nothing is known
    uniform,     // not known, but equal on all ranks
    rank_local,  // not known, and free to differ between ranks: a file, a clock
    constant,
    text,       // `text`, in quotes: the key of an element
    variable,   // `where`
    rank,       // of the session
    ranks,      // how many there are
    owner_of,   // `where` is the datum
    guard,      // `access` says owner or participant; `tokens` what for
    content,    // of the datum that the borrow `where` lends, or of its member `text`
    call,       // of the function `text` with `arguments`
    operation,  // `text` is the operator, `arguments` its one, two or three operands
  };
  kind what = kind::unknown;
  std::int64_t number = 0;
  path where;
  std::string text;
  std::vector<value_ref> arguments;
  std::vector<token_use> tokens;
  span at;
  variable_id session = 0;  // of rank, ranks and guards
};

/// What a user says in the environment, as a call of this name does, is mostly the same for all
/// ranks.
[[nodiscard]] inline bool asks_environment(const std::string& function) {
  return function.ends_with("getenv");
}

/// The element of a container that a value is: `*it`, `x[i]`. Unknown of another value.
[[nodiscard]] path element_of(const value& v);

/// Which member of what a borrow lends is reached through it: "mean.x" of `view->mean.x`, up to an
/// index; empty of all of it.
[[nodiscard]] std::string lent_member(const path& through);

/// Whether a part of it is read through a borrow.
[[nodiscard]] bool reads_content(const value_ref& v);

/// Whether it is how many elements a container has, or where they begin or end.
[[nodiscard]] bool asks_for_length(const value& v);

/// Equal keys are equal values at one point of the program; empty where that is not known.
[[nodiscard]] std::string key(const value_ref& v);

[[nodiscard]] inline value_ref constant(std::int64_t number) {
  return std::make_shared<const value>(value{.what = value::kind::constant,
                                             .number = number,
                                             .where = {},
                                             .text = {},
                                             .arguments = {},
                                             .tokens = {},
                                             .at = {}});
}

}  // namespace deed::check
