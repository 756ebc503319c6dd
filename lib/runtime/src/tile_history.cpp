// SPDX-License-Identifier: MIT
#include "tile_history.hpp"

#include <algorithm>

namespace deed::runtime {

std::uint32_t logged_call::executor(std::int64_t i, std::int64_t j) const {
  const tile_form written = uses.front().form();
  return static_cast<std::uint32_t>(owners->owner(static_cast<std::size_t>(written.row.at(i, j)),
                                                  static_cast<std::size_t>(written.col.at(i, j))));
}

owner_period logged_call::period() const {
  return period_along(uses.front().form(), owners->owners.period());
}

bool logged_call::may_write(std::uint64_t matrix, std::int64_t r, std::int64_t c) const {
  return writes_in(matrix) && !pairs_that_name(uses.front().form(), r, c, region).empty();
}

bool logged_call::has_written(std::uint64_t matrix, std::int64_t r, std::int64_t c) const {
  if (!writes_in(matrix)) return false;
  const pair_box found = pairs_that_name(uses.front().form(), r, c, region);
  if (found.empty()) return false;
  const std::int64_t first =
      region.below ? std::max(found.first_row, found.first_col + 1) : found.first_row;
  return number(first, found.first_col) < until;
}

bool logged_call::repeats(const logged_call& before) const noexcept {
  return before.until == all && region == before.region && owners == before.owners &&
         uses == before.uses;
}

void tile_history::add(std::uint64_t matrix, const std::shared_ptr<const logged_call>& call) {
  constexpr std::size_t most = 16;  // Loops of more calls than these are kept as they are.
  for (std::size_t back = 1; back <= std::min(most, calls.size()); ++back) {
    const auto& before = calls[calls.size() - back];
    if (before == nullptr || before->writes_in(matrix) || call->writes_in(matrix)) break;
    if (call->repeats(*before)) return;
  }
  calls.push_back(call);
  bytes += call->bytes();
}

void tile_history::add_flush() {
  if (calls.empty() || calls.back() == nullptr) return;
  calls.push_back(nullptr);
  bytes += sizeof(calls.back());
}

std::size_t tile_history::newest_write(std::uint64_t matrix, std::int64_t r, std::int64_t c) const {
  for (std::size_t at = calls.size(); at-- > 0;) {
    if (calls[at] != nullptr && calls[at]->has_written(matrix, r, c)) return at;
  }
  return 0;
}

}  // namespace deed::runtime
