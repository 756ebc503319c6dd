// SPDX-License-Identifier: MIT
#include "matching.hpp"

#include <deed/base/planted.hpp>
#include <deed/base/random.hpp>

#include <algorithm>

namespace deed::transport::detail {
namespace {

std::size_t hash_of(transfer_kind kind, int peer, std::uint64_t tag) noexcept {
  const auto from = static_cast<std::uint64_t>(peer);
  return mix(tag ^ mix((from << 2) + static_cast<std::uint64_t>(kind)));
}

/// Takes the first of a list that `fits`.
template <class Predicate>
arrival* unlink(lane& from, Predicate fits) noexcept {
  arrival* before = nullptr;
  for (arrival* at = from.first; at != nullptr; before = at, at = at->next) {
    if (!fits(*at)) continue;
    (before == nullptr ? from.first : before->next) = at->next;
    if (from.last == at) from.last = before;
    return at;
  }
  return nullptr;
}

}  // namespace

std::byte* arrival::room(std::size_t size) {
  bytes = size;
  if (size <= small.size()) {
    if (large) spare_ = std::move(large);
    return small.data();
  }
  if (!large) large = std::move(spare_);
  if (!large || large_bytes_ < size) {
    large = std::make_unique_for_overwrite<std::byte[]>(size);
    large_bytes_ = size;
  }
  return large.get();
}

arrival* arrival_pool::take() {
  if (free_ == nullptr) {
    all_.push_back(std::make_unique<arrival>());
    return all_.back().get();
  }
  arrival* const taken = free_;
  free_ = taken->next;
  taken->next = nullptr;
  taken->own = nullptr;
  taken->bytes = 0;
  return taken;
}

void arrival_pool::give_back(arrival* used) noexcept {
  bytes_ -= used->bytes;
  used->next = free_;
  free_ = used;
}

void arrival_pool::count(std::size_t copied) noexcept {
  bytes_ += copied;
  most_ = std::max(most_, bytes_);
}

void lane::push(arrival& came) noexcept {
  came.next = nullptr;
  (last == nullptr ? first : last->next) = &came;
  last = &came;
}

arrival* lane::take(std::uint64_t version) noexcept {
  return unlink(*this, [=](const arrival& a) { return a.head.version == version; });
}

arrival* lane::take_older(std::uint64_t version) noexcept {
  return unlink(*this, [=](const arrival& a) { return a.head.version < version; });
}

operation_state* lane::take_expected(std::uint64_t version) noexcept {
  return expected.take([=](const operation_state& o) {
    return o.receiving->what.version == version || planted(planted_bug::stale_version_matched);
  });
}

bool lane::is_past(std::uint64_t version) const noexcept {
  return kind == transfer_kind::datum && !expected.empty() &&
         version < expected.back()->receiving->what.version;
}

lane_table::lane_table() : slots_(64, nullptr) {}

std::size_t lane_table::home(const lane& of) const noexcept {
  return hash_of(of.kind, of.peer, of.tag) & (slots_.size() - 1);
}

lane& lane_table::at(transfer_kind kind, int peer, std::uint64_t tag) {
  if (2 * used_ >= slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash_of(kind, peer, tag) & mask;
  for (; slots_[i] != nullptr; i = (i + 1) & mask) {
    lane& there = *slots_[i];
    if (there.tag == tag && there.peer == peer && there.kind == kind) return there;
  }
  if (free_ == nullptr) {
    all_.push_back(std::make_unique<lane>());
    free_ = all_.back().get();
  }
  lane& fresh = *free_;
  free_ = fresh.next_free;
  fresh.next_free = nullptr;
  fresh.kind = kind;
  fresh.peer = peer;
  fresh.tag = tag;
  slots_[i] = &fresh;
  ++used_;
  return fresh;
}

void lane_table::tidy(lane& used) noexcept {
  if (!used.empty()) return;
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = home(used);
  while (slots_[hole] != &used) hole = (hole + 1) & mask;
  // Whoever probed past the hole moves into it, unless his home lies behind it.
  for (std::size_t i = (hole + 1) & mask; slots_[i] != nullptr; i = (i + 1) & mask) {
    if (((i - home(*slots_[i])) & mask) < ((i - hole) & mask)) continue;
    slots_[hole] = slots_[i];
    hole = i;
  }
  slots_[hole] = nullptr;
  --used_;
  used.next_free = free_;
  free_ = &used;
}

void lane_table::grow() {
  std::vector<lane*> old(2 * slots_.size(), nullptr);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (lane* const moved : old) {
    if (moved == nullptr) continue;
    std::size_t i = home(*moved);
    while (slots_[i] != nullptr) i = (i + 1) & mask;
    slots_[i] = moved;
  }
}

}  // namespace deed::transport::detail
