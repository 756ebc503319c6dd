// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/ask.hpp"
#include "analysis/clock/clock_fit.hpp"
#include "analysis/say/answer.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// The command line of deed-trace.

namespace deed::viewer {

/// A wrong command line; the text says what to write instead.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Behind the name of a datum that a run does not have.
inline constexpr const char* who_is_there = "; `deed-trace state RUN` names those that are";

struct options {
  std::vector<std::string> words;
  std::map<std::string, std::string> named;
  style how = style::text;
  std::size_t limit = 1'000;
  bool strict = false;
  bool quiet = false;
  std::optional<time_range> range;
  std::set<int> ranks;  ///< Empty: all.
  std::string where;    ///< A query; empty: everything.
  clock_correction clock = clock_correction::nothing;
};

/// @throws usage_error
[[nodiscard]] options parse(int argc, char** argv);
/// The part of the run that was asked about. @throws usage_error if nothing of the run is in it.
[[nodiscard]] run_part part_of(const model& of, const options& given);
/// A time that rounds to the end, as answers print it, is the end.
[[nodiscard]] std::int64_t as_printed(const run& of, std::int64_t time);
/// @throws usage_error if nothing of the run is in the range.
void refuse_empty(const run& of, const std::optional<time_range>& range);
/// @throws usage_error if `--ranks` names one that a run of so many has not.
void refuse_absent_ranks(int ranks, const options& given);
/// "3", "1e6". @throws usage_error
[[nodiscard]] std::uint64_t number(const std::string& text);
/// "12.3ms". @throws usage_error
[[nodiscard]] std::int64_t time_of(const std::string& text);
/// "0,3-5". @throws usage_error
[[nodiscard]] std::set<int> ranks_of(const std::string& text);
/// At commas.
[[nodiscard]] std::vector<std::string> split(const std::string& text);
/// ": did you mean check?", of the few words that are known; empty: none of them is near.
[[nodiscard]] std::string meant(const std::string& word, const std::vector<std::string>& known);
/// "there is no codelet `gem` in this run: did you mean gemm?" @throws usage_error if a query names
/// what the run does not have.
void refuse_unknown_names(const model& of, const std::string& query);
/// "`foo` is no rule; the rules are a, b". @throws usage_error if `word` is none of those known.
void refuse_unknown(std::string_view what, const std::string& word,
                    const std::vector<std::string>& known);

}  // namespace deed::viewer
