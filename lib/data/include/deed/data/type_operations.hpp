// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/memory.hpp>
#include <deed/data/packed_buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// @file
/// What the untyped core knows of a datum's type.

namespace deed::data {

class block_pool;

/// How the value of a type crosses from rank to rank.
enum class wire_form : std::uint8_t {
  fixed,      ///< Bytes straight from memory; their number follows from the extents.
  resizable,  ///< Contiguous bytes straight from memory; their number comes with the message.
  packed,     ///< Through the archive.
};

/// What another rank needs in order to make room: extents of a tile; length of a span as `cols`.
struct extents {
  std::size_t rows = 1;
  std::size_t cols = 1;
  friend constexpr bool operator==(const extents&, const extents&) = default;
};

/// The untyped face of a datum's type: one constant object per type, made by `operations_of`.
///
/// Keeps: nothing; `storage` is `storage_bytes` bytes, aligned to `storage_alignment`, of the
/// caller. Threads: any, one at a time per storage; `source`, `bytes` and `pack` also together.
struct type_operations {
  std::uint64_t type_hash;     ///< Equal on all ranks of one build; name, size and version.
  std::string_view type_name;  ///< As the compiler writes it, for messages.
  wire_form form;
  std::size_t storage_bytes;
  std::size_t storage_alignment;
  std::size_t element_bytes;  ///< Of a tile or span; of the whole, for all other types.

  /// Makes an empty value. Tiles and spans take their memory at the first `prepare` or write view,
  /// from `pool`, which outlives them, or from the heap if that is null.
  void (*construct)(void* storage, const extents& shape, block_pool* pool);
  void (*destroy)(void* storage) noexcept;
  /// Bytes of the payload now; `packed`: an estimate, for choosing where to run.
  std::uint64_t (*bytes)(const void* storage);
  /// Where the payload lies. No address: packed, nothing there yet, or a `layout` that packs now;
  /// `pack` then gives the bytes.
  const_memory_block (*source)(const void* storage);
  /// Makes room for `bytes` bytes, all of which are to arrive: new memory holds anything. No
  /// address: packed, or a `layout` that packs now; receive elsewhere and `unpack`.
  /// @throws deed::error D509 if a fixed type has another size; D004 if `bytes` is no whole number
  ///   of elements; then the value is as before.
  memory_block (*prepare)(void* storage, std::uint64_t bytes);
  /// Appends the payload; for fixed and resizable types the same bytes that `source` shows.
  void (*pack)(const void* storage, packed_buffer& to);
  /// Rebuilds the value. @throws deed::error D004 if the bytes are not what `pack` wrote.
  void (*unpack)(void* storage, std::span<const std::byte> from);

  /// Whether a storage is its payload, so that the bytes may be used wherever they lie.
  bool is_payload;
  /// Makes a value in `storage` whose payload is `memory`, in place; to be destroyed before that
  /// memory ends. Null: no such value can be made.
  void (*wrap)(void* storage, const extents& shape, std::byte* memory);
};

}  // namespace deed::data
