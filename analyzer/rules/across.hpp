// SPDX-License-Identifier: MIT
#pragma once

#include "rules/rule.hpp"

#include <functional>
#include <string>

/// @file
/// What rules about several ranks share.

namespace deed::check {

/// "rank 1", "rank 1 of 3" where the number of ranks is news.
[[nodiscard]] std::string rank_name(int rank);
/// Whether a value is made of one of the kinds that are wanted, through variables of the function,
/// too.
[[nodiscard]] bool is_made_of(const function& f, const value_ref& v, bool (*wanted)(value::kind));
/// The nearest condition that decides whether a call is made and that depends on the rank; else the
/// nearest one that may differ between ranks. Nowhere if there is none.
struct decision {
  span at;
  value_ref condition;
  bool loop = false;
  bool guard = false;  // it asks who owns, or who takes part
};
[[nodiscard]] decision decided_by(const across_ranks& seen, const occurrence& o);

/// Disagreements of one kind that show for every number of ranks that was run to the end, one for
/// each place, with the smallest number of ranks.
void for_each_lasting(const std::map<int, std::vector<disagreement>>& all,
                      disagreement::kind wanted,
                      const std::function<void(const disagreement&)>& look);

/// Numbers that must be in `[0, P)` and are not, for 2, 3 and 4 ranks, with the smallest witness.
void for_each_out_of_range(
    const across_ranks& seen,
    const std::function<std::optional<std::int64_t>(const occurrence&)>& number,
    const std::function<void(const occurrence&, int rank, int ranks, std::int64_t number)>& look);

/// Mismatches of one kind that show for every number of ranks for which the messages are known.
void for_each_unmatched(const across_ranks& seen, mismatch wanted,
                        const std::function<void(const unmatched&, int ranks)>& look);

/// Whether ranks make one call for different data since a condition on the rank chooses the rounds:
/// then a step is missing, and none is another one.
[[nodiscard]] bool is_other_round(const across_ranks& seen, const disagreement& x);

/// A step that some ranks reach and others do not, of those that `wanted` names.
struct missing_step {
  int code;
  bool (*wanted)(const std::string& step);
  std::string (*headline)(const event& call);
  const char* help;
};
void report_missing_steps(const across_ranks& seen, const missing_step& how, const sink& report);
/// "from rank 0 to rank 1, tag 3".
[[nodiscard]] std::string described(const message_end& m);

[[nodiscard]] diagnostic found_across(int code, const across_ranks& seen, const occurrence& o,
                                      std::string headline, label primary);
[[nodiscard]] const operand* argument(const event& call, noun kind);
[[nodiscard]] span argument_at(const event& call, noun kind);
/// "`a`", as it is spelled at a call.
[[nodiscard]] std::string name_of(const across_ranks& seen, const path& p);
[[nodiscard]] std::string where(const across_ranks& seen, const span& at);  // "ring.cpp:14"

}  // namespace deed::check
