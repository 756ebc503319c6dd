// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

/// @file
/// Memory as transport and devices see it: a space, an address, and a shape in bytes.

namespace deed {

/// Who can read an address.
enum class memory_space : std::uint8_t {
  host,    ///< The processor and the network.
  pinned,  ///< As host, and devices copy from it without a stop.
  device,  ///< One device; the host must not dereference it.
};

/// Bytes that may be written: `rows` rows of `row_bytes`, `pitch` bytes from row to row.
/// Contiguous memory is one row.
struct memory_block {
  std::byte* address = nullptr;
  std::size_t row_bytes = 0;
  std::size_t rows = 1;
  std::size_t pitch = 0;
  memory_space space = memory_space::host;

  [[nodiscard]] constexpr std::size_t bytes() const noexcept { return row_bytes * rows; }
  [[nodiscard]] constexpr bool contiguous() const noexcept {
    return rows <= 1 || pitch == row_bytes;
  }
};

/// Bytes that are only read; otherwise as `memory_block`.
struct const_memory_block {
  const std::byte* address = nullptr;
  std::size_t row_bytes = 0;
  std::size_t rows = 1;
  std::size_t pitch = 0;
  memory_space space = memory_space::host;

  constexpr const_memory_block() noexcept = default;
  constexpr const_memory_block(const std::byte* where, std::size_t bytes) noexcept
      : address(where), row_bytes(bytes) {}
  constexpr const_memory_block(
      const memory_block& block) noexcept  // Reading what may be written is safe.
      : address(block.address),
        row_bytes(block.row_bytes),
        rows(block.rows),
        pitch(block.pitch),
        space(block.space) {}

  [[nodiscard]] constexpr std::size_t bytes() const noexcept { return row_bytes * rows; }
  [[nodiscard]] constexpr bool contiguous() const noexcept {
    return rows <= 1 || pitch == row_bytes;
  }
};

}  // namespace deed
