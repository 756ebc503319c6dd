// SPDX-License-Identifier: MIT
#include "analysis/ask/message_ends.hpp"

#include "analysis/ask/program_stays.hpp"

#include <algorithm>
#include <ranges>

namespace deed::viewer {
namespace {

std::string version_name(const model& of, std::uint32_t handle, std::uint32_t version) {
  return of.handle_name(handle) + " v" + std::to_string(version);
}

/// Where its receiver asked for it; `none` if that is not recorded.
std::uint32_t receive_of(const model& of, std::uint32_t index) {
  const transfer& x = of.transfers()[index];
  const event_list& events = of.events().events();
  if (!x.is_message() || x.post_receive == never) return none;
  const auto all = std::views::iota(std::size_t{0}, events.size());
  auto at = std::ranges::lower_bound(all, x.post_receive, {},
                                     [&](std::size_t i) { return events.time(i); });
  for (; at != all.end() && events.time(*at) == x.post_receive; ++at) {
    if (events.what(*at) != record::xfer_post) continue;
    const event e = events[*at];
    if (of.events().rank_of(e) == x.dst && of.events().get(e, field::dir) != 0 &&
        is_message(of.events().get(e, field::reason)) && of.message_of(e) == index)
      return static_cast<std::uint32_t>(*at);
  }
  return none;
}

}  // namespace

message_ends::message_ends(const model& of) : of_(of) {
  for (const wait_span& each : of.waits())
    if (const std::uint32_t message = awaited_message(of, each); message != none) {
      const event begin = of.events().events()[each.event];
      // Recordings of before name no peer, and no message that is sent.
      const bool sends = of.events().rank_of(begin) == of.transfers()[message].src &&
                         of.events().get(begin, field::peer, trace::nothing) != trace::nothing;
      (sends ? sends_ : receives_).try_emplace(message, each.event);
    }
}

std::string message_ends::sent_as(std::uint32_t transfer) const {
  const auto& x = of_.transfers()[transfer];
  return version_name(of_, x.handle, x.version);
}

std::string message_ends::received_as(std::uint32_t transfer) const {
  const std::uint32_t receive = receive_of(of_, transfer);
  if (receive == none) return sent_as(transfer);
  const run& r = of_.events();
  const event e = r.events()[receive];
  return version_name(of_, r.get32(e, field::handle), r.get32(e, field::version));
}

std::string message_ends::sent_at(std::uint32_t transfer) const { return line(sends_, transfer); }

std::string message_ends::received_at(std::uint32_t transfer) const {
  return line(receives_, transfer);
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
