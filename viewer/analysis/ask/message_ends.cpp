// SPDX-License-Identifier: MIT
#include "analysis/ask/message_ends.hpp"

#include "analysis/ask/program_stays.hpp"
#include "analysis/say/sentence.hpp"

namespace deed::viewer {
message_ends::message_ends(const model& of, std::uint32_t only) : of_(of) {
  const auto is_asked_for = [&](const wait_span& each) {
    if (only == none) return true;
    const int rank = of.events().lanes()[each.lane].rank;
    return rank == of.transfers()[only].src || rank == of.transfers()[only].dst;
  };
  for (const wait_span& each : of.waits()) {
    if (!is_asked_for(each)) continue;
    if (const std::uint32_t message = message_of_wait(of, each); message != none) {
      const event begin = of.events().events()[each.event];
      // Recordings of before name no peer, and no message that is sent.
      const bool sends = of.events().rank_of(begin) == of.transfers()[message].src &&
                         of.events().get(begin, field::peer, trace::nothing) != trace::nothing;
      (sends ? sends_ : receives_).try_emplace(message, each.event);
    }
  }
}

std::string message_ends::sent_as(std::uint32_t transfer) const {
  const auto& x = of_.transfers()[transfer];
  return version_name(of_, x.handle, x.version);
}

std::string message_ends::received_as(std::uint32_t transfer) const {
  const auto received = of_.received_as(transfer);
  return received ? version_name(of_, received->handle, received->version) : sent_as(transfer);
}

std::string message_ends::sent_at(std::uint32_t transfer) const {
  const std::string called = of_.sent_at(transfer);
  return called.empty() ? line(sends_, transfer) : called;
}

std::string message_ends::received_at(std::uint32_t transfer) const {
  const std::string called = of_.received_at(transfer);
  return called.empty() ? line(receives_, transfer) : called;
}

std::string message_ends::line(const waits_of_messages& of, std::uint32_t transfer) const {
  const auto found = of.find(transfer);
  if (found == of.end()) return {};
  const run& r = of_.events();
  const event e = r.events()[found->second];
  const int rank = r.rank_of(e);
  const auto place = r.get32(e, field::id);
  return of_.is_place(rank, place) ? of_.place(rank, place) : std::string{};
}

}  // namespace deed::viewer
