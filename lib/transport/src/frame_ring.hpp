// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

/// @file
/// Frames in memory that the ranks of a machine share.

namespace deed::transport::detail {

/// Frames on their way to one rank: any of its neighbours writes, it alone reads. Each is a record
/// of whole lines: a word that says from whom and how long it is, then the frame, in one piece.
///
/// Lies in memory that is zero before the first of its processes looks at it, and holds no address.
/// Threads: one writer at a time per process, one reader; nobody waits for anybody. A writer that
///   stops between `write`'s first step and its last holds up the reader, and no other writer.
class frame_ring {
 public:
  struct record {
    int from;
    std::span<const std::byte> bytes;  ///< Until `give_back`.
  };

  static constexpr std::size_t line = 64;
  /// What a writer alone knows.
  struct writer {
    std::uint64_t free_until = 0;
  };
  /// What the reader alone knows.
  struct reader {
    std::uint64_t read = 0, given_back = 0;
  };

  /// `memory` is aligned to a line, and has a power of two of them behind the first two.
  explicit frame_ring(std::span<std::byte> memory) noexcept
      : ends_(memory.data()),
        lines_(memory.data() + 2 * line),
        capacity_(memory.size() / line - 2) {}
  [[nodiscard]] static constexpr std::size_t bytes_of(std::size_t lines) noexcept {
    return (lines + 2) * line;
  }

  /// Writes a frame of so many bytes, which `fill(address)` copies there. @return whether there was
  /// room.
  template <class Fill>
  bool write(int from, std::size_t bytes, writer& own, Fill fill) noexcept {
    const std::uint64_t lines = lines_of(bytes);
    auto written = word(ends_);
    std::uint64_t at = written.load(std::memory_order_relaxed);
    std::uint64_t skipped = 0;
    do {
      const std::uint64_t to_the_end = capacity_ - (at & (capacity_ - 1));
      skipped = lines > to_the_end ? to_the_end : 0;
      const std::uint64_t end = at + skipped + lines;
      if (end > own.free_until) {
        // Acquire: what the reader gives back it has cleared before.
        own.free_until = word(ends_ + line).load(std::memory_order_acquire) + capacity_;
        if (end > own.free_until) return false;
      }
      // Sequentially consistent for `anything`: see `shared_waker`.
    } while (!written.compare_exchange_weak(at, at + skipped + lines, std::memory_order_seq_cst,
                                            std::memory_order_relaxed));
    if (skipped > 0) {
      word(address_of(at)).store(skip_to_the_end, std::memory_order_release);
      at += skipped;
    }
    std::byte* const here = address_of(at);
    fill(here + sizeof(std::uint64_t));
    // Release: who sees the word sees the frame.
    word(here).store(std::uint64_t{bytes} << 32 | static_cast<std::uint32_t>(from + 1),
                     std::memory_order_release);
    return true;
  }

  /// The next frame, if it is there.
  [[nodiscard]] std::optional<record> next(reader& own) const noexcept {
    while (own.read - own.given_back < capacity_) {
      std::byte* const here = address_of(own.read);
      // A small frame is two lines, and each comes from another core: both at once.
      __builtin_prefetch(here + line);
      const std::uint64_t says = word(here).load(std::memory_order_acquire);
      if (says == 0) break;
      if (says == skip_to_the_end) {
        own.read += capacity_ - (own.read & (capacity_ - 1));
        continue;
      }
      const std::size_t bytes = says >> 32;
      own.read += lines_of(bytes);
      return record{static_cast<int>(static_cast<std::uint32_t>(says)) - 1,
                    {here + sizeof(std::uint64_t), bytes}};
    }
    return std::nullopt;
  }

  /// All that `next` returned is done with: its lines say again that nothing is there.
  void give_back(reader& own) noexcept {
    if (own.given_back == own.read) return;
    for (; own.given_back != own.read; ++own.given_back) {
      word(address_of(own.given_back)).store(0, std::memory_order_relaxed);
    }
    word(ends_ + line).store(own.read, std::memory_order_release);
  }

  /// Whether a frame is there or on its way that nobody gave back. Threads: any of the reader's.
  [[nodiscard]] bool anything() const noexcept {
    return word(ends_).load(std::memory_order_seq_cst) !=
           word(ends_ + line).load(std::memory_order_seq_cst);
  }

 private:
  static constexpr std::uint64_t skip_to_the_end = ~std::uint64_t{0};

  [[nodiscard]] static std::uint64_t lines_of(std::size_t bytes) noexcept {
    return (sizeof(std::uint64_t) + bytes + line - 1) / line;
  }
  [[nodiscard]] static std::atomic_ref<std::uint64_t> word(std::byte* at) noexcept {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(at));
  }
  [[nodiscard]] std::byte* address_of(std::uint64_t position) const noexcept {
    return lines_ + (position & (capacity_ - 1)) * line;
  }

  std::byte* ends_;  // How many lines were written, and on a line of its own, how many are free.
  std::byte* lines_;
  std::uint64_t capacity_;
};

}  // namespace deed::transport::detail
