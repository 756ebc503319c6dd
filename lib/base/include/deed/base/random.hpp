// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// @file
/// Random numbers and mixing that are equal on every machine, from a seed that someone passed in.

namespace deed {

/// Mixes 64 bits so that every input bit reaches every output bit.
/// Source: the finaliser of splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// A rolling hash: the order of what is added matters.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t next) noexcept {
  return mix(hash * 0x9e3779b97f4a7c15u + next + 0x632be59bd9b4e019u);
}

/// A small generator, one for each purpose, so that a new draw does not shift the others.
/// Not for secrets. Source: splitmix64.
class random_source {
 public:
  using result_type = std::uint64_t;
  constexpr explicit random_source(std::uint64_t seed) noexcept : state_(seed) {}

  constexpr std::uint64_t operator()() noexcept { return mix(state_ += 0x9e3779b97f4a7c15u); }
  /// Uniform in `[0, bound)`; `bound` at least 1. The bias is under bound / 2^64.
  constexpr std::uint64_t below(std::uint64_t bound) noexcept {
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<wide>((*this)()) * bound) >> 64);
  }
  /// True once in `n` draws.
  constexpr bool one_in(std::uint64_t n) noexcept { return below(n) == 0; }

  static constexpr std::uint64_t min() noexcept { return 0; }
  static constexpr std::uint64_t max() noexcept { return ~std::uint64_t{0}; }

 private:
  std::uint64_t state_;
};

}  // namespace deed
