// SPDX-License-Identifier: MIT
#pragma once

#include "backend/device_api.hpp"
#include "memory/events.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

namespace deed::gpu {

/// Memory of one device, or pinned memory: slabs from the vendor's runtime, cut into blocks.
///
/// A block that comes back carries the events that still use it; whoever gets it next must be
/// ordered behind them. Sizes: multiples of 256 bytes; up to 1 MiB in classes of a quarter power of
/// two, whose blocks are kept whole; above that best fit with merging.
/// Threads: that of the device step.
class arena {
 public:
  using get_slab = std::function<status(std::size_t bytes, void*& address)>;
  using put_slab = std::function<status(void* address)>;

  struct block {
    std::byte* address = nullptr;
    std::size_t bytes = 0;  ///< What it takes, at least what was asked for.
    explicit operator bool() const noexcept { return address != nullptr; }
  };

  arena(get_slab get, put_slab put, std::size_t limit_bytes, std::size_t slab_bytes);
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;
  ~arena();

  /// `out_of_memory` if the limit or the vendor says so; then nothing changed.
  status allocate(std::size_t bytes, block& into, event_list& behind);
  void release(block old, event_list users);
  /// Gives slabs back that nobody uses and no event holds; the bytes that went.
  std::size_t trim();
  /// The device is gone: its memory went with it.
  void forget_all() noexcept;

  /// Whether the address lies in one of its slabs.
  [[nodiscard]] bool owns(const std::byte* address) const noexcept;
  /// What a request of so many bytes takes.
  [[nodiscard]] static std::size_t rounded(std::size_t bytes) noexcept;
  [[nodiscard]] std::size_t limit() const noexcept { return limit_; }
  void lower_limit(std::size_t bytes) noexcept { limit_ -= bytes < limit_ ? bytes : limit_; }
  [[nodiscard]] std::size_t reserved() const noexcept { return reserved_; }
  [[nodiscard]] std::size_t used() const noexcept { return used_; }
  [[nodiscard]] std::size_t peak() const noexcept { return peak_; }
  [[nodiscard]] std::uint64_t slabs_made() const noexcept { return slabs_made_; }

 private:
  struct range {
    std::size_t bytes = 0;
    bool free = false;
    bool first = false;  ///< Of its slab: nothing merges across it.
    event_list users;
    std::multimap<std::size_t, std::byte*>::iterator by_size;
  };
  using ranges = std::map<std::byte*, range>;

  struct kept {
    block whole;
    event_list users;
  };

  bool take_kept(std::size_t bytes, block& into, event_list& behind);
  bool take_fitting(std::size_t bytes, block& into, event_list& behind);
  status add_slab(std::size_t bytes);
  void free_range(ranges::iterator at, event_list users);
  void flush_kept();

  get_slab get_;
  put_slab put_;
  std::size_t limit_;
  std::size_t slab_bytes_;
  std::size_t reserved_ = 0;
  std::size_t used_ = 0;
  std::size_t peak_ = 0;
  std::uint64_t slabs_made_ = 0;
  ranges ranges_;
  std::multimap<std::size_t, std::byte*> free_;
  std::unordered_map<std::size_t, std::vector<kept>> kept_;
  std::map<std::byte*, std::size_t> slabs_;
};

}  // namespace deed::gpu
