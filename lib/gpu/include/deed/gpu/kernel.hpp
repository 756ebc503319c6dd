// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/launch.hpp>
#include <deed/gpu/ptr.hpp>
#include <deed/gpu/space.hpp>
#include <deed/gpu/span.hpp>
#include <deed/gpu/tile.hpp>

/// @file
/// All that a .cu or .hip file includes. C++20 without ranges views, which hipcc's clang 15 cannot
/// compile with libstdc++ 12.

namespace deed::gpu {

/// The number of threads per block that suits a kernel of one element per thread.
inline constexpr unsigned default_block = 256;

/// Blocks for `elements` threads, `block` each.
[[nodiscard]] constexpr unsigned blocks_for(std::size_t elements,
                                            unsigned block = default_block) noexcept {
  return static_cast<unsigned>((elements + block - 1) / block);
}

}  // namespace deed::gpu
