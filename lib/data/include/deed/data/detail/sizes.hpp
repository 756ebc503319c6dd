// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/memory.hpp>
#include <deed/data/packed_buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

/// @file
/// What all types that travel as bytes share, so that it is compiled once.

namespace deed::data::detail {

/// @throws deed::error D509: `came` bytes for a value of `expected`.
[[noreturn]] void refuse_size(std::uint64_t came, std::uint64_t expected);
/// @throws deed::error D008: there is no memory for a value of `wanted` bytes.
[[noreturn]] void refuse_memory(std::uint64_t wanted);
/// @throws deed::error D004 unless `bytes` is a whole number of elements.
void require_whole(std::uint64_t bytes, std::size_t element_bytes);

/// Appends the rows of `from`, without what lies between them.
void append_rows(const const_memory_block& from, packed_buffer& to);
/// Puts as many bytes as `to` has rows for into them. `from` has exactly `to.bytes()` bytes.
void spread_rows(std::span<const std::byte> from, const memory_block& to) noexcept;

}  // namespace deed::data::detail
