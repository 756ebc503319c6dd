// SPDX-License-Identifier: MIT
#pragma once

#include <deed/deed.hpp>

#include <functional>
#include <string>

/// @file
/// The worlds in which the rows of the list of semantics are run: the same tests are linked twice,
/// once for ranks inside this process and once for MPI.

namespace semantics {

using program = std::function<void(deed::session&)>;

/// The neighbours of a rank in a ring; itself, if it is alone.
inline int next(const deed::session& session) { return (session.rank() + 1) % session.size(); }
inline int before(const deed::session& session) {
  return (session.rank() + session.size() - 1) % session.size();
}

/// Runs `row` as every rank of a session: on simulated ranks with random orders and delays, on
/// threads, or on the ranks of MPI. What it throws is a failure. Not run on fewer ranks than
/// `fewest`. Workers are chosen by the world.
void run(const program& row, int fewest = 1, const deed::session_options& options = {});

/// How many ranks of the session share the memory of this process: all, or this one alone.
[[nodiscard]] int ranks_here(const deed::session& session);

/// Runs `row` on `ranks` simulated ranks, in either executable, and returns all that was thrown.
[[nodiscard]] std::string reports_of(const program& row, int ranks = 2);

}  // namespace semantics
