// SPDX-License-Identifier: MIT
#pragma once

#include <deed/data/detail/sizes.hpp>
#include <deed/data/layout.hpp>
#include <deed/data/packed_buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

/// @file
/// The payload of types whose `layout` names memory, into buffers and back.

namespace deed::data::detail {

template <laid_out_in_memory T>
void append_payload(const T& x, packed_buffer& to) {
  const memory_block from = payload(x);
  if constexpr (layout_packs<T>) {
    if (from.address == nullptr) return layout<T>::pack(x, to.extend(payload_bytes(x)));
  }
  append_rows(from, to);
}

/// Room for `bytes`; no address where the value wants `unpack`.
/// @throws deed::error D509 if the layout cannot be of that size.
template <laid_out_in_memory T>
memory_block make_room(T& x, std::uint64_t bytes) {
  if constexpr (layout_resizes<T>) layout<T>::resize(x, bytes);
  if (const std::uint64_t room = payload_bytes(x); room != bytes) refuse_size(bytes, room);
  return payload(x);
}

template <laid_out_in_memory T>
void spread_payload(T& x, std::span<const std::byte> from) {
  const memory_block to = make_room(x, from.size());
  if constexpr (layout_packs<T>) {
    if (to.address == nullptr) return layout<T>::unpack(x, from.data());
  }
  spread_rows(from, to);
}

}  // namespace deed::data::detail
