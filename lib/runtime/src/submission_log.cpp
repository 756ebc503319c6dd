// SPDX-License-Identifier: MIT
#include "submission_log.hpp"

#include <deed/runtime/tile_records.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace deed::runtime {
namespace {

constexpr std::size_t kept_calls = 1024, kept_steps = 65536, kept_messages = 256,
                      kept_collectives = 512;

}  // namespace

void dealing_sums::grow() {
  std::vector<dealings_so_far> before(std::max<std::size_t>(8, 2 * places_.size()));
  before.swap(places_);
  for (const dealings_so_far& each : before) {
    if (each.count > 0) place_of(each.peer) = each;
  }
}

void submission_log::add(const common_step& step) {
  std::uint64_t own = mix(step.tag, static_cast<std::uint64_t>(step.is));
  own = mix(own, static_cast<std::uint64_t>(static_cast<std::int64_t>(step.rank)));
  own = mix(own, step.type == nullptr ? 0 : step.type->type_hash);
  if (step.tiles != nullptr) own = mix(own, step.tiles->hash);
  steps_hash_ = mix(steps_hash_, mix(own, step.bytes));
  if (steps_.size() == kept_steps) {
    steps_.pop_front();
    ++forgotten_steps_;
    if (runs_.size() > 1 && runs_[1].first == forgotten_steps_) runs_.pop_front();
  }
  if (!continues(step)) runs_.push_back({step, round_, forgotten_steps_ + steps_.size()});
  steps_.push_back({step.tag, steps_hash_, step.rank, step.i, step.j});
}

bool submission_log::continues(const common_step& step) const noexcept {
  if (runs_.empty() || runs_.back().round != round_) return false;
  const common_step& last = runs_.back().alike;
  const auto line = [](place of) { return std::pair(of.line(), of.file_name()); };
  return last.is == step.is && last.tiles == step.tiles && last.type == step.type &&
         last.bytes == step.bytes && last.shape == step.shape &&
         last.name.data() == step.name.data() && last.name.size() == step.name.size() &&
         line(last.where) == line(step.where);
}

void submission_log::add(std::uint32_t peer, const dealing& one, std::uint64_t follow) {
  dealings_so_far& with = with_.with(peer);
  const std::uint64_t pair =
      rank_ < peer ? (std::uint64_t{rank_} << 32) | peer : (std::uint64_t{peer} << 32) | rank_;
  const std::uint64_t term = mix(one.own() + with.count, pair);
  dealings_sum_ += rank_ < peer ? term : ~term + 1;
  const std::uint32_t index = with.count++;
  const std::uint64_t sum = std::exchange(with.sum, with.sum + term);
  const std::uint64_t number = dealings_++;
  if (ring_.size() < room_) {
    ring_.push_back(one);
  } else if (follow < room_) {
    ring_[number % room_] = one;
  } else {
    return;  // Nobody will see it.
  }
  dealing& stored = ring_[number % room_];
  stored.peer = peer;
  stored.index = index;
  stored.round = round_;
  stored.sum = sum;
}

void submission_log::add(const sent_message& one) {
  if (messages_.size() < kept_messages) {
    messages_.push_back(one);
  } else {
    messages_[message_count_ % kept_messages] = one;
  }
  ++message_count_;
}

std::uint64_t submission_log::add(collective_made one, calls_so_far& of_group) {
  if (collectives_.size() == kept_collectives) collectives_.pop_front();
  one.before = of_group.hash;
  collectives_.push_back(one);
  of_group.hash = mix(of_group.hash, mix(one.is, one.type));
  return of_group.count++;
}

std::uint64_t submission_log::begin_round(const call& what) {
  if (calls_.size() == kept_calls) calls_.pop_front();
  calls_.push_back(what);
  return round_++;
}

const submission_log::call* submission_log::call_of(std::uint64_t round) const noexcept {
  if (round >= round_ || round_ - round > calls_.size()) return nullptr;
  return &calls_[calls_.size() - static_cast<std::size_t>(round_ - round)];
}

std::uint64_t submission_log::steps_before(std::uint64_t round) const noexcept {
  const auto at = std::ranges::upper_bound(runs_, round, {}, &run_of_steps::round);
  return at == runs_.end() ? forgotten_steps_ + steps_.size()
                           : std::max(at->first, forgotten_steps_);
}

std::optional<common_step> submission_log::step(std::uint64_t index) const noexcept {
  if (index < forgotten_steps_ || index - forgotten_steps_ >= steps_.size()) return std::nullopt;
  const one_step& one = steps_[static_cast<std::size_t>(index - forgotten_steps_)];
  common_step whole =
      std::prev(std::ranges::upper_bound(runs_, index, {}, &run_of_steps::first))->alike;
  whole.tag = one.tag;
  whole.hash = one.hash;
  whole.rank = one.rank;
  whole.i = one.i;
  whole.j = one.j;
  return whole;
}

std::vector<dealings_so_far> submission_log::dealings_before(std::uint64_t round) const {
  std::map<std::uint32_t, dealings_so_far> by_peer;
  with_.for_each([&](const dealings_so_far& each) { by_peer[each.peer] = each; });
  for (std::uint64_t i = dealings_; i-- > dealings_ - ring_.size();) {
    const dealing& one = ring_[i % room_];
    if (one.round <= round) break;
    by_peer[one.peer] = {one.peer, one.index, one.sum};
  }
  std::vector<dealings_so_far> all;
  for (const auto& [_, each] : by_peer) {
    if (each.count > 0) all.push_back(each);
  }
  return all;
}

std::vector<dealing> submission_log::dealings_with(std::uint32_t peer, std::uint64_t round) const {
  std::vector<dealing> found;
  for (std::uint64_t i = dealings_ - ring_.size(); i < dealings_; ++i) {
    const dealing& one = ring_[i % room_];
    if (one.peer == peer && one.round <= round) found.push_back(one);
  }
  return found;
}

template <class Is>
const sent_message* submission_log::newest(const messages_alike& those, Is is) const noexcept {
  for (std::size_t i = messages_.size(); i-- > 0;) {
    const sent_message& one = messages_[(message_count_ + i) % messages_.size()];
    const bool alike = one.peer == those.peer && one.tag == those.tag &&
                       one.channel == those.channel && one.type->type_hash == those.type_hash;
    if (alike && is(one)) return &one;
  }
  return nullptr;
}

const sent_message* submission_log::newest_of_size(const messages_alike& those,
                                                   std::uint64_t bytes) const noexcept {
  return newest(those, [&](const sent_message& one) {
    return one.bytes == bytes || one.bytes == transport::any_size;
  });
}

const sent_message* submission_log::newest_but(const messages_alike& those,
                                               std::uint64_t newer) const noexcept {
  return newest(those, [&](const sent_message&) { return newer-- == 0; });
}

}  // namespace deed::runtime
