// SPDX-License-Identifier: MIT
#pragma once

#include <deed/deed.hpp>

#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// @file
/// What ranks tell each other when all do the same and each may fail. All calls are steps.

namespace deed::runtime {

using sent_text = std::vector<char>;  ///< As it travels.

/// On one line, to stand among the facts of another error.
[[nodiscard]] std::string message_of(const std::exception& thrown);

/// Why this rank failed, or nothing.
template <class Work>
[[nodiscard]] std::string failure_of(Work&& work) {
  try {
    work();
    return {};
  } catch (const std::exception& thrown) {
    return message_of(thrown);
  }
}

/// At the first rank, what each rank told it; elsewhere nothing.
[[nodiscard]] std::vector<sent_text> told_by_all(session& all, std::string_view mine, place where);
/// What one rank says to all. A long text goes in pieces: no rank has it twice.
[[nodiscard]] std::string said_by(session& all, int rank, std::string mine, place where);
[[nodiscard]] inline std::string said_by_first(session& all, std::string mine, place where) {
  return said_by(all, 0, std::move(mine), where);
}

[[nodiscard]] std::string as_string(const sent_text& from);
/// "rank 3: " before it.
[[nodiscard]] std::string of_rank(std::size_t rank, std::string_view said);
/// The first that is not empty, and whose it is.
[[nodiscard]] std::string first_of(std::span<const sent_text> failures);

}  // namespace deed::runtime
