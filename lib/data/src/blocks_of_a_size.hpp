// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <vector>

/// @file
/// What a `block_pool` has of one size.

namespace deed::data::detail {

struct found_block {
  void* at = nullptr;
  bool used_before = false;  // If not, it is zero.
};

/// Pages of the system. Zero; none if there is no memory.
class pages {
 public:
  explicit pages(std::size_t bytes) noexcept;
  pages(pages&& other) noexcept;
  pages& operator=(pages&&) = delete;
  ~pages();

  [[nodiscard]] std::byte* begin() const noexcept { return begin_; }
  [[nodiscard]] std::byte* end() const noexcept { return begin_ + bytes_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::byte* begin_;
  std::size_t bytes_;
};

/// Blocks of one size in pieces of memory. Threads: one at a time.
class blocks_of_a_size {
 public:
  /// @param bytes of a block.
  explicit blocks_of_a_size(std::size_t bytes) noexcept : block_(bytes) {}

  /// None if there is no memory. @throws std::bad_alloc likewise.
  [[nodiscard]] found_block take();
  /// Whether of its piece nothing is used now.
  bool give_back(void* block) noexcept;
  /// Returns the piece, of which nothing is used, to the system.
  /// @return its bytes that were idle.
  std::size_t release_piece_of(void* block) noexcept;
  /// The same with all pieces of which nothing is used.
  std::size_t release_idle() noexcept;
  [[nodiscard]] std::size_t held_bytes() const noexcept;

 private:
  struct piece {
    pages memory;
    std::size_t blocks, used = 0;
  };
  using pieces = std::map<std::byte*, piece>;

  [[nodiscard]] pieces::iterator piece_of(void* block) noexcept;
  std::size_t release(pieces::iterator which) noexcept;
  bool grow();

  const std::size_t block_;
  std::size_t blocks_ = 0;  // In all pieces.
  pieces pieces_;           // By the address of their first block.
  std::vector<std::byte*> idle_;
  std::byte* fresh_ = nullptr;  // Of the newest piece, what nobody has had, and its end.
  std::byte* fresh_end_ = nullptr;
};

}  // namespace deed::data::detail
