// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// @file
/// Synthetic runs with known faults, written by the real recorder.

namespace deed::viewer {

struct generator_options {
  std::string path;
  int ranks = 4;
  int workers = 2;
  int tiles = 6;             ///< Per side of the matrix.
  std::uint64_t events = 0;  ///< Repeat until there are so many; 0: once.
  std::uint64_t seed = 7;
  std::map<std::string, int> inject;  ///< Fault -> how often.
};

struct injected_fault {
  std::string kind;
  std::uint32_t handle = ~std::uint32_t{0};
  std::uint32_t version = 0;
  int src = -1;
  int dst = -1;
  std::int64_t at = 0;
};

/// What one rank sent to another.
struct sent_messages {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t redundant = 0;  ///< Of the bytes: what a better program would not have sent.
};

struct truth {
  std::uint64_t seed = 0;
  std::uint64_t events = 0;
  std::uint64_t tasks = 0;
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;
  std::map<std::pair<int, int>, sent_messages> comm_matrix;  ///< By source and destination.
  std::vector<injected_fault> faults;
  std::vector<std::string> not_injected;  ///< Asked for, but the run had no place for it.
};

/// The faults that can be injected, and who has to find them:
///
/// | fault | what happens | found by |
/// |---|---|---|
/// | dup_flush, dup_capacity | a version is sent again, for its copy was dropped | why-twice |
/// | dup_race | a version is asked for again before it is there | why-twice |
/// | ping_pong | a datum migrates, and back without a write | why-twice |
/// | stale_read, pending_read | a task reads what is old, or not there yet | check |
/// | two_owners, unheld_send | a rank gives away, or sends, what it has not | check |
/// | borrow_leak | a borrow never ends | check |
/// | use_after_release | a task uses what is unregistered | check |
/// | divergent_submit | a rank submits a write that others do not | check |
/// | deadlock, lost_recv | two ranks wait for each other; one for nobody | waits |
[[nodiscard]] std::vector<std::string> fault_names();

/// A tiled Cholesky factorisation with owners, a cache and a network, on a virtual clock. Equal
/// options give equal bytes. Writes `truth.json` beside the ranks.
/// @throws deed::error D006 if the path cannot be written.
truth generate(const generator_options& options);

}  // namespace deed::viewer
