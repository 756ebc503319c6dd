// SPDX-License-Identifier: MIT
#include "collectives.hpp"

#include <deed/base/planted.hpp>

#include "faults.hpp"

#include <algorithm>
#include <utility>

namespace deed::transport::detail {
namespace {

std::uint64_t combine(std::uint16_t with, std::uint64_t a, std::uint64_t b) noexcept {
  switch (static_cast<reduce_with>(with)) {
    case reduce_with::min:
      return std::min(a, b);
    case reduce_with::max:
      return std::max(a, b);
    case reduce_with::sum:
      break;
  }
  return a + b;
}

}  // namespace

tree_place::tree_place(int self, int ranks) noexcept
    : parent(self == 0 ? -1 : (self - 1) / 2), children{-1, -1}, number_of_children(0) {
  for (const int child : {2 * self + 1, 2 * self + 2}) {
    if (child < ranks) children[static_cast<std::size_t>(number_of_children++)] = child;
  }
}

collectives::reduction& collectives::at(std::uint64_t number, std::size_t words,
                                        std::uint16_t with) {
  reduction& there = open_[number];
  if (!there.begun) {
    there.begun = true;
    there.missing = place_.number_of_children + 1;
    there.with = with;
    there.words.assign(words, with == static_cast<std::uint16_t>(reduce_with::min)
                                  ? ~std::uint64_t{0}
                                  : std::uint64_t{0});
  }
  return there;
}

void collectives::start(std::span<const std::uint64_t> words, reduce_with with,
                        done_function done) {
  const std::uint64_t number = next_++;
  reduction& mine = at(number, words.size(), static_cast<std::uint16_t>(with));
  mine.done = std::move(done);
  add(number, mine, words);
}

void collectives::add(std::uint64_t number, reduction& into, std::span<const std::uint64_t> words) {
  const std::size_t both = std::min(words.size(), into.words.size());
  for (std::size_t i = 0; i < both; ++i) {
    into.words[i] = combine(into.with, into.words[i], words[i]);
  }
  if (--into.missing > 0) return;
  if (place_.parent < 0) return finish(number, into.words);
  emit(frame_kind::reduce, place_.parent, number, into.with, into.words);
}

std::exception_ptr collectives::arrived(int peer, const decoded& frame) {
  std::vector<std::uint64_t> words(frame.payload.size() / 8);
  std::ranges::copy(frame.payload, std::as_writable_bytes(std::span(words)).begin());
  if (static_cast<frame_kind>(frame.head.kind) == frame_kind::reduced) {
    finish(frame.head.tag, std::move(words));
    return nullptr;
  }
  reduction& there = at(frame.head.tag, words.size(), frame.head.members);
  const bool differ = there.words.size() != words.size() || there.with != frame.head.members;
  const auto error =
      differ ? collectives_differ(rank{peer}, frame.head.tag, there.words.size(), words.size())
             : nullptr;
  add(frame.head.tag, there, words);
  return error;
}

void collectives::finish(std::uint64_t number, std::vector<std::uint64_t> result) {
  const auto found = open_.find(number);
  if (found == open_.end()) return;
  const int forgotten = planted(planted_bug::collective_forgets_a_child) ? 1 : 0;
  for (int i = 0; i < place_.number_of_children - forgotten; ++i) {
    emit(frame_kind::reduced, place_.children[static_cast<std::size_t>(i)], number,
         found->second.with, result);
  }
  calls_.push([done = std::move(found->second.done), words = std::move(result)] {
    if (done) done(words);
  });
  open_.erase(found);
}

void collectives::emit(frame_kind kind, int to, std::uint64_t number, std::uint16_t with,
                       std::span<const std::uint64_t> words) {
  header h;
  h.kind = static_cast<std::uint8_t>(kind);
  h.tag = number;
  h.members = with;
  h.bytes = words.size_bytes();
  peers_.emit(peers_.at(to), h,
              {reinterpret_cast<const std::byte*>(words.data()), words.size_bytes()});
}

}  // namespace deed::transport::detail
