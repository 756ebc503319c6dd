// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>

#include "core.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace deed::transport {
namespace {

constexpr std::size_t fields = 6;
constexpr std::array<std::string_view, fields> names{
    "size of its words", "limits", "archive version", "build", "features", "settings"};
using values = std::array<std::uint64_t, fields>;
using done_function = std::function<void(std::exception_ptr)>;

values values_of(const hello_card& card, const endpoint_limits& limits,
                 const engine_options& options) {
  return {sizeof(void*) * 256 + sizeof(long double),
          (std::uint64_t{limits.frame_bytes} << 40) + (std::uint64_t{options.chunk_log2} << 32) +
              options.eager_bytes * 2 + (options.checksums ? 1 : 0),
          card.archive_version,
          card.build_id,
          card.features,
          card.settings};
}

std::exception_ptr differ(std::size_t field, std::uint64_t low, std::uint64_t high,
                          std::uint64_t low_rank, std::uint64_t high_rank) {
  return std::make_exception_ptr(error(
      error_code::programs_differ, "ranks run different programs",
      {{"rank " + std::to_string(low_rank), std::string(names[field]) + " " + std::to_string(low)},
       {"rank " + std::to_string(high_rank),
        std::string(names[field]) + " " + std::to_string(high)}},
      "start the same executable with the same settings everywhere"));
}

}  // namespace

/// One reduction tells whether all are equal; only if not, a second one names a rank of each side.
void engine::hello(const hello_card& mine, done_function done) {
  const values card = values_of(mine, core_->limits, core_->options());
  std::array<std::uint64_t, 2 * fields> words;  // The smallest, and the complement of the largest.
  for (std::size_t i = 0; i < fields; ++i) {
    words[2 * i] = card[i];
    words[2 * i + 1] = ~card[i];
  }
  const auto self = static_cast<std::uint64_t>(core_->limits.self.value);
  all_reduce(words, reduce_with::min,
             [this, card, self, done = std::move(done)](std::span<const std::uint64_t> all) {
               for (std::size_t i = 0; i < fields; ++i) {
                 const std::uint64_t low = all[2 * i], high = ~all[2 * i + 1];
                 if (low == high) continue;
                 const std::array<std::uint64_t, 2> holders{card[i] == low ? self : ~0ull,
                                                            card[i] == high ? self : ~0ull};
                 return all_reduce(holders, reduce_with::min,
                                   [=](std::span<const std::uint64_t> ranks) {
                                     done(differ(i, low, high, ranks[0], ranks[1]));
                                   });
               }
               done(nullptr);
             });
}

}  // namespace deed::transport
