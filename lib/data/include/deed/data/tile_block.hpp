// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error.hpp>
#include <deed/base/memory.hpp>
#include <deed/data/tile.hpp>
#include <deed/data/type_operations.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

/// @file
/// The memory behind tiles and spans: taken at first touch, or the user's own.

namespace deed::data {

class block_pool;
enum class filling : std::uint8_t;

namespace detail {

/// Rows of bytes, owned or wrapped; what `tile_block` and `span_block` have in common.
class block {
 public:
  /// Takes its memory from `pool`, which outlives it, or from the heap.
  block(extents shape, std::size_t element_bytes, block_pool* pool);
  /// Wraps memory of the user, who keeps it while the datum lives. `pitch`: bytes from row to row.
  block(extents shape, std::size_t element_bytes, void* memory, std::size_t pitch) noexcept;
  block(block&& other) noexcept;
  block& operator=(block&& other) noexcept;
  block(const block&) = delete;
  ~block();

  [[nodiscard]] extents shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t pitch() const noexcept { return pitch_; }
  [[nodiscard]] bool wraps() const noexcept { return memory_ != nullptr && owned_ == nullptr; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return row_bytes_ * shape_.rows; }
  /// Null until the first `touch`.
  [[nodiscard]] void* memory() const noexcept { return memory_; }
  /// The memory; if there was none, takes it now, filled with zeros.
  void* touch() {
    if (memory_ == nullptr) [[unlikely]]
      take();
    return memory_;
  }

  [[nodiscard]] const_memory_block source() const noexcept;
  /// The memory, of which all is about to be written: new memory holds anything.
  memory_block prepare(std::uint64_t bytes);

 private:
  void take();
  void take(filling with);

  extents shape_;
  std::size_t row_bytes_;
  std::size_t pitch_;
  void* memory_ = nullptr;
  void* owned_ = nullptr;
  block_pool* pool_ = nullptr;
};

}  // namespace detail

/// The storage of a `handle<tile<E>>`: `rows * cols` elements, or the user's own strided memory.
///
/// Memory is taken at the first write view, `fill` or `prepare`, 64-byte aligned, and zero but for
/// `prepare`; until then the block is a few words, so that a rank can know of a matrix it holds no
/// part of. It comes from a pool, which outlives the block, or from the heap.
/// @throws deed::error D906 if the extents are not possible.
template <class E>
class tile_block {
  static_assert(!std::is_const_v<E>,
                "deed[D203] a handle of constant elements can never be written; "
                "register deed::tile<double> and read it as deed::tile<const double>");
  static_assert(
      std::is_trivially_copyable_v<E>,
      "deed[D901] elements of a tile travel as bytes; use a std::vector of such elements");

 public:
  using element_type = E;
  explicit tile_block(extents shape, block_pool* pool = nullptr) : block_(shape, sizeof(E), pool) {}
  tile_block(std::size_t rows, std::size_t cols) : tile_block(extents{rows, cols}) {}
  /// Wraps what `view` shows, in place. Keeps: the user keeps that memory.
  explicit tile_block(tile<E> view) noexcept
      : block_({view.rows(), view.cols()}, sizeof(E), view.data(), view.row_stride() * sizeof(E)) {}
  /// Wraps bytes that lie without gaps. Keeps: the caller keeps that memory.
  [[nodiscard]] static tile_block wrapped(extents shape, std::byte* memory) noexcept {
    return tile_block(tile<E>(reinterpret_cast<E*>(memory), shape.rows, shape.cols));
  }

  [[nodiscard]] tile<E> write_view() {
    return {static_cast<E*>(block_.touch()), block_.shape().rows, block_.shape().cols, stride()};
  }
  /// Empty rows (no address) if nothing was ever written.
  [[nodiscard]] tile<const E> read_view() const noexcept {
    return {static_cast<const E*>(block_.memory()), block_.shape().rows, block_.shape().cols,
            stride()};
  }
  void fill(const E& value) {
    for (const std::span<E> row : write_view()) {
      for (E& element : row) element = value;
    }
  }
  [[nodiscard]] extents shape() const noexcept { return block_.shape(); }
  [[nodiscard]] bool has_memory() const noexcept { return block_.memory() != nullptr; }
  [[nodiscard]] bool wraps() const noexcept { return block_.wraps(); }
  [[nodiscard]] detail::block& bytes() noexcept { return block_; }
  [[nodiscard]] const detail::block& bytes() const noexcept { return block_; }

 private:
  [[nodiscard]] std::size_t stride() const noexcept { return block_.pitch() / sizeof(E); }
  detail::block block_;
};

/// The storage of a `handle<std::span<E>>`: on the owner the user's memory, elsewhere its own.
template <class E>
class span_block {
  static_assert(
      std::is_trivially_copyable_v<E>,
      "deed[D901] elements of a span travel as bytes; use a std::vector of such elements");

 public:
  using element_type = E;
  explicit span_block(extents shape, block_pool* pool = nullptr)
      : block_({1, shape.rows * shape.cols}, sizeof(E), pool) {}
  explicit span_block(std::span<E> memory) noexcept
      : block_({1, memory.size()}, sizeof(E), memory.data(), memory.size_bytes()) {}
  /// Wraps bytes. Keeps: the caller keeps that memory.
  [[nodiscard]] static span_block wrapped(extents shape, std::byte* memory) noexcept {
    return span_block(std::span<E>(reinterpret_cast<E*>(memory), shape.rows * shape.cols));
  }

  [[nodiscard]] std::span<E> write_view() {
    return {static_cast<E*>(block_.touch()), block_.shape().cols};
  }
  [[nodiscard]] std::span<const E> read_view() const noexcept {
    const auto* const memory = static_cast<const E*>(block_.memory());
    return {memory, memory == nullptr ? 0 : block_.shape().cols};
  }
  [[nodiscard]] extents shape() const noexcept { return block_.shape(); }
  [[nodiscard]] bool has_memory() const noexcept { return block_.memory() != nullptr; }
  [[nodiscard]] bool wraps() const noexcept { return block_.wraps(); }
  [[nodiscard]] detail::block& bytes() noexcept { return block_; }
  [[nodiscard]] const detail::block& bytes() const noexcept { return block_; }

 private:
  detail::block block_;
};

}  // namespace deed::data
