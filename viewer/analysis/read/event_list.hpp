// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/read/records.hpp"
#include "analysis/store/unset_vector.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

/// @file
/// Events in time order, 8 bytes each.

namespace deed::viewer {

/// One event; its fields stay in the mapped file.
struct event {
  std::int64_t time = 0;  ///< Nanoseconds since the start of the run.
  const std::byte* payload = nullptr;
  std::uint32_t lane = 0;
  record what = record::unknown;
};

/// Asks for the memory of fields, of which most are shorter than this and a cache line.
inline void fetch_fields(const std::byte* payload) noexcept {
  __builtin_prefetch(payload);
  __builtin_prefetch(payload + 32);
}

/// What was read of an event. `offset` says where in its file its fields lie.
struct stored_event {
  std::uint64_t time_and_what = 0;  ///< The time above, the record in the lowest byte.
  std::uint32_t handle = 0;         ///< Of the datum that it names; `no_handle`: it names none.
  std::uint32_t offset = 0;
  [[nodiscard]] std::uint64_t time() const noexcept { return time_and_what >> 8; }
  [[nodiscard]] record what() const noexcept { return static_cast<record>(time_and_what & 0xff); }
};
inline constexpr std::uint32_t no_handle = ~std::uint32_t{0};

/// A file with events, and who wrote them.
struct event_file {
  std::span<const std::byte> bytes;
  std::uint32_t lane = 0;
};

/// Gives events by value: they are put together when they are asked for.
class event_list {
 public:
  class iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = event;
    using difference_type = std::ptrdiff_t;
    using reference = event;
    struct pointer {
      event value;
      const event* operator->() const noexcept { return &value; }
    };

    iterator() = default;
    iterator(const event_list& of, std::size_t at) : of_(&of), at_(at) {}
    event operator*() const { return (*of_)[at_]; }
    pointer operator->() const { return {(*of_)[at_]}; }
    event operator[](difference_type n) const { return *(*this + n); }
    iterator& operator++() { return ++at_, *this; }
    iterator operator++(int) { return {*of_, at_++}; }
    iterator& operator--() { return --at_, *this; }
    iterator operator--(int) { return {*of_, at_--}; }
    iterator& operator+=(difference_type n) {
      at_ = static_cast<std::size_t>(static_cast<difference_type>(at_) + n);
      return *this;
    }
    iterator& operator-=(difference_type n) { return *this += -n; }
    friend iterator operator+(iterator from, difference_type n) { return from += n; }
    friend iterator operator+(difference_type n, iterator from) { return from += n; }
    friend iterator operator-(iterator from, difference_type n) { return from -= n; }
    friend difference_type operator-(const iterator& a, const iterator& b) {
      return static_cast<difference_type>(a.at_) - static_cast<difference_type>(b.at_);
    }
    friend bool operator==(const iterator& a, const iterator& b) { return a.at_ == b.at_; }
    friend auto operator<=>(const iterator& a, const iterator& b) { return a.at_ <=> b.at_; }

   private:
    const event_list* of_ = nullptr;
    std::size_t at_ = 0;
  };

  event_list() = default;
  /// Of `size` events, which `put` has to bring.
  event_list(std::size_t size, std::span<const event_file> files);

  static constexpr std::size_t block = 256;
  /// An event that is brought: `address` is that of its fields.
  struct entry {
    std::int64_t time = 0;
    std::uint64_t address = 0;
    record what = record::unknown;
  };
  /// The address of a file's first byte; those of the others follow.
  [[nodiscard]] std::uint64_t address_of_file(std::size_t file) const { return files_[file].start; }
  /// Brings the events of one block, or those at the end. Threads may bring different blocks at
  /// once. False: they lie too far apart in time; `put_times` has to follow.
  [[nodiscard]] bool put(std::size_t number, std::span<const entry> events);
  /// By one thread alone.
  void put_times(std::size_t number, std::span<const std::int64_t> times);

  [[nodiscard]] std::size_t size() const noexcept { return stored_.size(); }
  [[nodiscard]] bool empty() const noexcept { return stored_.size() == 0; }
  [[nodiscard]] event operator[](std::size_t i) const noexcept {
    const std::uint64_t stored = stored_[i];
    const placed_file& file = file_of(stored);
    return {time(i), file.bytes + (address_of(stored) - file.start), file.lane, what_of(stored)};
  }
  [[nodiscard]] std::int64_t time(std::size_t i) const noexcept {
    const std::int64_t start = starts_[i / block];
    return start < 0 ? far_[static_cast<std::size_t>(~start) * block + i % block]
                     : start + static_cast<std::int64_t>(stored_[i] >> time_shift_);
  }
  [[nodiscard]] record what(std::size_t i) const noexcept { return what_of(stored_[i]); }
  /// For who goes from event to event: the fields of a later one are asked for already. They lie in
  /// as many places as there are streams, where the processor sees no order.
  void fetch_fields(std::size_t i) const noexcept {
    const placed_file& file = file_of(stored_[i]);
    viewer::fetch_fields(file.bytes + (address_of(stored_[i]) - file.start));
  }
  [[nodiscard]] event front() const { return (*this)[0]; }
  [[nodiscard]] event back() const { return (*this)[stored_.size() - 1]; }
  [[nodiscard]] iterator begin() const { return {*this, 0}; }
  [[nodiscard]] iterator end() const { return {*this, stored_.size()}; }
  [[nodiscard]] auto rbegin() const { return std::reverse_iterator(end()); }
  [[nodiscard]] auto rend() const { return std::reverse_iterator(begin()); }

 private:
  // All files lie behind each other, each from a full part on.
  static constexpr int part_bits = 16, what_bits = 6;
  static_assert(static_cast<std::size_t>(record::unknown) < std::size_t{1} << what_bits);
  struct placed_file {
    const std::byte* bytes = nullptr;
    std::uint64_t start = 0;
    std::uint32_t lane = 0;
  };

  [[nodiscard]] static record what_of(std::uint64_t stored) noexcept {
    return static_cast<record>(stored & ((1u << what_bits) - 1));
  }
  [[nodiscard]] std::uint64_t address_of(std::uint64_t stored) const noexcept {
    return (stored & address_mask_) >> what_bits;
  }
  [[nodiscard]] const placed_file& file_of(std::uint64_t stored) const noexcept {
    return files_[file_of_part_[address_of(stored) >> part_bits]];
  }

  // From above: the time after the first event of its block, the address, the record.
  unset_vector<std::uint64_t> stored_;
  std::vector<std::int64_t>
      starts_;  // Of the blocks; ~n: the times are in the n-th block of `far_`.
  std::vector<std::int64_t> far_;
  int time_shift_ = what_bits;
  std::uint64_t address_mask_ = 0;
  std::vector<placed_file> files_;
  std::vector<std::uint32_t> file_of_part_;
};

}  // namespace deed::viewer
