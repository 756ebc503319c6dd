// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/read/records.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

/// @file
/// Events in time order, 12 bytes each.

namespace deed::viewer {

/// One event; its fields stay in the mapped file.
struct event {
  std::int64_t time = 0;  ///< Nanoseconds since the start of the run.
  const std::byte* payload = nullptr;
  std::uint32_t lane = 0;
  record what = record::unknown;
};

/// What was read of an event. `file` and `offset` say where its fields lie.
struct stored_event {
  std::uint64_t time_and_what = 0;  ///< The time above, the record in the lowest byte.
  std::uint32_t file = 0;
  std::uint32_t offset = 0;
  [[nodiscard]] std::uint64_t time() const noexcept { return time_and_what >> 8; }
};

/// Where the fields of a file's events lie, and who wrote them.
struct event_file {
  const std::byte* bytes = nullptr;
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
  /// `shift` is taken from all times.
  event_list(std::unique_ptr<stored_event[]> stored, std::size_t size,
             std::vector<event_file> files, std::int64_t shift);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] event operator[](std::size_t i) const noexcept {
    if (far_) {
      const stored_event& s = far_[i];
      const event_file& file = files_[s.file];
      return {static_cast<std::int64_t>(s.time()) - shift_, file.bytes + s.offset, file.lane,
              static_cast<record>(s.time_and_what & 0xff)};
    }
    const near_event& s = near_[i];
    const event_file& file = files_[s.file()];
    return {starts_[i / block] + s.after, file.bytes + s.offset, file.lane, s.what()};
  }
  [[nodiscard]] record what(std::size_t i) const noexcept {
    return far_ ? static_cast<record>(far_[i].time_and_what & 0xff) : near_[i].what();
  }
  /// For who goes from event to event: the fields of a later one are asked for already. They lie in
  /// as many places as there are streams, where the processor sees no order.
  void fetch_fields(std::size_t i) const noexcept {
    constexpr std::size_t ahead = 16;
    if (far_ || i + ahead >= size_) return;
    const near_event& s = near_[i + ahead];
    const std::byte* const fields = files_[s.file()].bytes + s.offset;
    __builtin_prefetch(fields);
    __builtin_prefetch(fields + 32);  // Most events are shorter than that and a cache line.
  }
  [[nodiscard]] event front() const { return (*this)[0]; }
  [[nodiscard]] event back() const { return (*this)[size_ - 1]; }
  [[nodiscard]] iterator begin() const { return {*this, 0}; }
  [[nodiscard]] iterator end() const { return {*this, size_}; }
  [[nodiscard]] auto rbegin() const { return std::reverse_iterator(end()); }
  [[nodiscard]] auto rend() const { return std::reverse_iterator(begin()); }

 private:
  static constexpr std::size_t block = 256;

  /// Its time counts from the first event of its block.
  struct near_event {
    static constexpr std::uint64_t most_after = ~std::uint32_t{0};  // 4.29 seconds.
    static constexpr std::uint32_t most_files = 1u << 24;
    std::uint32_t after = 0;
    std::uint32_t offset = 0;
    std::uint32_t file_and_what = 0;
    [[nodiscard]] std::uint32_t file() const noexcept { return file_and_what >> 8; }
    [[nodiscard]] record what() const noexcept { return static_cast<record>(file_and_what & 0xff); }
  };

  [[nodiscard]] bool are_near(const stored_event* stored) const;

  std::unique_ptr<near_event[]> near_;
  std::vector<std::int64_t> starts_;     // Of the blocks.
  std::unique_ptr<stored_event[]> far_;  // Instead, where a block lasts too long.
  std::size_t size_ = 0;
  std::vector<event_file> files_;
  std::int64_t shift_ = 0;
};

}  // namespace deed::viewer
