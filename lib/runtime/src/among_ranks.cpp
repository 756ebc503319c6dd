// SPDX-License-Identifier: MIT
#include "among_ranks.hpp"

#include <algorithm>
#include <cstddef>

namespace deed::runtime {
namespace {

sent_text travelling(std::string_view from) { return {from.begin(), from.end()}; }

}  // namespace

std::string message_of(const std::exception& thrown) {
  const std::string_view all = thrown.what();
  const auto* known = dynamic_cast<const error*>(&thrown);
  if (known == nullptr) return std::string(all);
  const std::string_view line = all.substr(0, all.find('\n'));
  std::string message(line.substr(line.find(' ') + 1));
  for (const error::fact& each : known->facts()) message += ", " + each.label + " " + each.text;
  return message;
}

std::vector<sent_text> told_by_all(session& all, std::string_view mine, place where) {
  return all.gather(value(travelling(mine)), to{0}, where);
}

std::string said_by(session& all, int rank, std::string mine, place where) {
  constexpr std::size_t at_once = std::size_t{4} << 20;
  const bool says = all.rank() == rank;
  std::string heard;
  std::size_t done = 0, whole = mine.size();
  do {
    const std::string_view piece =
        std::string_view(mine).substr(says ? done : 0, says ? at_once : 0);
    const auto [bytes, now] =
        all.broadcast(value(std::pair(whole, travelling(piece))), from{rank}, where);
    whole = bytes;
    done += now.size();
    if (says) continue;
    heard.reserve(whole);
    heard.append(now.begin(), now.end());
  } while (done < whole);
  return says ? std::move(mine) : heard;
}

std::string as_string(const sent_text& from) { return {from.data(), from.size()}; }

std::string of_rank(std::size_t rank, std::string_view said) {
  return "rank " + std::to_string(rank) + ": " + std::string(said);
}

std::string first_of(std::span<const sent_text> failures) {
  const auto failed = std::ranges::find_if_not(failures, &sent_text::empty);
  if (failed == failures.end()) return {};
  return of_rank(static_cast<std::size_t>(failed - failures.begin()), as_string(*failed));
}

}  // namespace deed::runtime
