// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/launch.hpp>
#include <deed/gpu/ptr.hpp>
#include <deed/gpu/space.hpp>
#include <deed/gpu/span.hpp>
#include <deed/gpu/tile.hpp>
#if defined(__HIPCC__)  // nvcc includes its own by itself.
#include <hip/hip_runtime.h>
#endif
/// @file All that a .cu or .hip file includes. No ranges views: Debian's hipcc cannot compile them.

namespace deed::gpu {

/// The number of threads per block that suits a kernel of one element per thread.
inline constexpr unsigned default_block = 256;

/// Blocks for `elements` threads, `block` each.
[[nodiscard]] constexpr unsigned blocks_for(std::size_t elements,
                                            unsigned block = default_block) noexcept {
  return static_cast<unsigned>((elements + block - 1) / block);
}

}  // namespace deed::gpu
