// SPDX-License-Identifier: MIT
#include "packet_supply.hpp"

#include "packet_layout.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace deed::trace::detail {
namespace {

constexpr std::size_t largest_segment = std::size_t{64} << 20;
// Shared memory is small in containers, and what has been copied is free again.
constexpr std::size_t largest_in_memory = std::size_t{4} << 20;
constexpr std::size_t ring_segments = 4;

}  // namespace

packet_supply::packet_supply(const supply_settings& settings, identity who)
    : settings_(settings), who_(std::move(who)) {
  prepare();
}

std::string packet_supply::file_name(std::uint32_t number) const {
  std::array<char, 16> suffix{};
  std::snprintf(suffix.data(), suffix.size(), ".%03u", number);
  return who_.name + suffix.data();
}

std::string packet_supply::path(std::uint32_t number, bool hidden) const {
  return settings_.live + (hidden ? "/." : "/") + file_name(number);
}

/// The writer is done with a segment. A full disk leaves it in memory, where a reader finds it.
void packet_supply::retire(std::uint32_t number) noexcept {
  if (copies()) static_cast<void>(move_file(settings_.live, file_name(number), settings_.folder));
}

void packet_supply::remove(std::uint32_t number) noexcept {
  remove_file(path(number, false));
  if (copies()) remove_file(settings_.folder + "/" + file_name(number));
}

std::vector<std::string> packet_supply::written() {
  const std::uint32_t writing = between_.used();
  std::vector<std::string> found;
  for (std::uint32_t n = next_written_; n <= writing; ++n)
    found.push_back(settings_.folder + "/" + file_name(n));
  next_written_ = writing;
  return found;
}

std::byte* packet_supply::take() noexcept {
  if (current_ == nullptr || taken_ == current_->packets) {
    if (settings_.synchronous) prepare();
    segment* next = between_.take();
    // The helper thread is behind: an event without a packet would be one of the newest.
    if (next == nullptr && settings_.gives_up_the_oldest()) {
      prepare();
      next = between_.take();
    }
    if (next == nullptr) return nullptr;
    new_segment_ = current_ != nullptr && settings_.ring_bytes != 0;
    current_ = next;
    taken_ = 0;
  }
  return current_->memory.data() + settings_.packet_bytes * taken_++;
}

void packet_supply::opened() noexcept {
  if (taken_ != 1) return;
  between_.uses(current_->number);
  if (!settings_.synchronous) settings_.wake();
}

std::size_t packet_supply::next_packets() const noexcept {
  const std::size_t most = std::max<std::size_t>(
      1, (copies() ? largest_in_memory : largest_segment) / settings_.packet_bytes);
  if (settings_.ring_bytes != 0)
    return std::clamp<std::size_t>(settings_.ring_bytes / ring_segments / settings_.packet_bytes, 1,
                                   most);
  const std::size_t doubled =
      std::clamp<std::size_t>(last_packets_ * 2, settings_.synchronous ? 1 : 2, most);
  if (settings_.limit_bytes == 0) return doubled;
  // Small enough that recycling four of them stays near the limit.
  return std::clamp<std::size_t>(settings_.limit_bytes / 16 / settings_.packet_bytes, 1, doubled);
}

void packet_supply::prepare() noexcept {
  // A handler that writes the last event may have interrupted this very thread in here.
  if (preparer_.load(std::memory_order_relaxed) == std::this_thread::get_id()) return;
  const std::scoped_lock lock(preparing_);
  preparer_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  prepare_locked();
  preparer_.store({}, std::memory_order_relaxed);
}

void packet_supply::prepare_locked() noexcept {
  const std::uint32_t writing = between_.used();
  while (!segments_.empty() && segments_.front()->number < writing) {
    const std::uint32_t number = segments_.front()->number;
    segments_.pop_front();
    retire(number);
  }
  if (failed_ || !between_.wants_one()) return;
  try {
    auto made = std::make_unique<segment>();
    made->number = next_number_;
    made->packets = next_packets();
    const std::string hidden = path(made->number, true);
    made->memory =
        mapped_file(hidden, made->packets * settings_.packet_bytes, !settings_.synchronous);
    if (!made->memory) {
      failed_ = true;  // The disk is full: what comes is counted as discarded.
      return;
    }
    write_headers(*made);
    if (!rename_file(hidden, path(made->number, false))) {
      failed_ = true;
      return;
    }
    settings_.used_bytes->fetch_add(made->memory.size(), std::memory_order_relaxed);
    file_bytes_.push_back(made->memory.size());
    last_packets_ = made->packets;
    next_sequence_ += made->packets;
    ++next_number_;
    segments_.push_back(std::move(made));
    keep_ring();
    between_.offer(*segments_.back());
  } catch (const std::bad_alloc&) {
    failed_ = true;
  }
}

void packet_supply::write_headers(const segment& made) noexcept {
  for (std::size_t i = 0; i < made.packets; ++i) {
    const packet_header header{.magic = packet_magic,
                               .stream_id = who_.stream_id,
                               .packet_bits = settings_.packet_bytes * 8,
                               .content_bits = sizeof(packet_header) * 8,
                               .begin = settings_.far_stamp,
                               .end = settings_.far_stamp,
                               .discarded = 0,
                               .sequence = next_sequence_ + i,
                               .kind = who_.kind,
                               .index = who_.index};
    std::memcpy(made.memory.data() + i * settings_.packet_bytes, &header, sizeof header);
  }
}

void packet_supply::keep_ring() noexcept {
  if (who_.stream_id == definitions_id) return;  // Never recycled: everything else refers to them.
  const auto too_much = [&] {
    const std::size_t files = file_bytes_.size();
    // Without a helper thread, the one that is made ready is taken at once.
    if (settings_.ring_bytes != 0) return files > ring_segments + (settings_.synchronous ? 0 : 1);
    return settings_.limit_bytes != 0 && files > 2 &&
           settings_.used_bytes->load(std::memory_order_relaxed) > settings_.limit_bytes;
  };
  // Never what the writer is in, nor the one made ready.
  while (too_much() && oldest_file_ < between_.used()) {
    remove(oldest_file_++);
    settings_.used_bytes->fetch_sub(file_bytes_.front(), std::memory_order_relaxed);
    file_bytes_.pop_front();
  }
}

void packet_supply::finish() noexcept {
  if (segment* const unused = between_.take()) remove_file(path(unused->number, false));
  if (current_ != nullptr) {
    const std::uint32_t number = current_->number;
    const std::uint32_t first = segments_.front()->number;
    segments_.clear();  // Unmapped before it is cut.
    current_ = nullptr;
    cut_file(path(number, false), taken_ * settings_.packet_bytes);
    for (std::uint32_t each = first; each <= number; ++each) retire(each);
  }
  segments_.clear();
  failed_ = true;
}

}  // namespace deed::trace::detail
