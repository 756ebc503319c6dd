// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

/// @file
/// A pool that keeps the memory of tiles warm.

namespace deed::data {

namespace detail {
class blocks_of_a_size;
}

/// What a block holds when it is taken: a caller that fills all of it needs no zeros first.
enum class filling : std::uint8_t { zeros, anything };

/// Memory of tiles and spans that was used and waits to be used again, and large pieces for what is
/// to come: the first touch of a page costs as much as copying it, in a virtual machine several
/// times that, and a general allocator returns such memory to the system as soon as it can.
///
/// Blocks of one size lie side by side in pieces, each as large as all before it of that size, up
/// to 4 MiB; from 2 MiB on in huge pages. A piece of which nothing is used goes back to the system
/// when more than `most_idle` bytes wait, or when memory ends. Under an address sanitizer every
/// block comes from the heap, so that the sanitizer sees its ends and its life.
///
/// Threads: any, at any time. Cost: a lock, and two searches by size and address.
class block_pool {
 public:
  explicit block_pool(std::size_t most_idle = std::size_t{64} << 20);
  block_pool(const block_pool&) = delete;
  block_pool& operator=(const block_pool&) = delete;
  /// All blocks were given back.
  ~block_pool();

  /// Of more than no bytes, aligned to 64 bytes; null if there is no memory.
  [[nodiscard]] void* take(std::size_t bytes, filling with = filling::zeros) noexcept;
  /// `bytes`: as it was taken.
  void give_back(void* block, std::size_t bytes) noexcept;

  /// Of blocks that were given back.
  [[nodiscard]] std::size_t idle_bytes() const;
  /// That the system has given, idle or not.
  [[nodiscard]] std::size_t held_bytes() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::size_t, detail::blocks_of_a_size> sizes_;
  std::size_t idle_bytes_ = 0;
  const std::size_t most_idle_;
};

}  // namespace deed::data
