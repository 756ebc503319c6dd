// SPDX-License-Identifier: MIT
#pragma once

#include "flow/function.hpp"

#include <map>
#include <memory>

namespace deed::check {

/// What stands for the variables of a callee, and what the reference members of objects stand for.
struct substitution {
  std::map<variable_id, path> variables;
  std::map<variable_id, std::map<std::string, path>> members;  // by object, and by key

  [[nodiscard]] bool empty() const { return variables.empty() && members.empty(); }
};
[[nodiscard]] path substituted(const path& p, const substitution& names);
[[nodiscard]] value_ref substituted(const value_ref& v, const substitution& names);

/// `root` with the calls of known functions replaced by their bodies, several calls deep. Events
/// keep their places; `depth` and `called_from` say how they were reached. Recursion and what is
/// too large stay calls.
[[nodiscard]] std::unique_ptr<function> inlined(const program& all, const function& root);

/// Whether some calls of known functions stayed closed: the whole would be too large, or they are
/// too deep, or recursive.
[[nodiscard]] bool is_cut(const program& all, const function& opened);

/// `std::exit(0)`, `std::abort()`: nothing of the process runs behind it.
[[nodiscard]] bool ends_process(const event& e);

}  // namespace deed::check
