// SPDX-License-Identifier: MIT
#pragma once

#include <deed/runtime/group.hpp>
#include <deed/runtime/session.hpp>

#include "tasks.hpp"

#include <functional>
#include <optional>
#include <vector>

/// @file
/// Collectives of a plan, on data and on lists of data.

namespace oracle {

struct collective_call {
  deed::session& session;
  const step& what;
  const deed::group* group;  ///< Null: all ranks.
  int root;                  ///< As the call counts it.
};

/// `then` belongs to a scatter. @return a request where the call makes one.
std::optional<deed::request> collect(const collective_call& call, any_handle& given,
                                     any_handle& taken, std::function<void()> then);

/// @return at the root, a hash of the values that came together.
std::optional<std::uint64_t> gather_values(deed::session& session, const step& s,
                                           std::vector<any_handle>& handles);
void scatter_values(deed::session& session, const plan& program, const step& s,
                    std::vector<any_handle>& handles, std::size_t index);

}  // namespace oracle
