// SPDX-License-Identifier: MIT
#include "analysis/read/event_list.hpp"

#include "analysis/read/merge.hpp"

#include <algorithm>

namespace deed::viewer {

event_list::event_list(std::unique_ptr<stored_event[]> stored, std::size_t size,
                       std::vector<event_file> files, std::int64_t shift)
    : size_(size), files_(std::move(files)), shift_(shift) {
  if (!are_near(stored.get())) {
    far_ = std::move(stored);
    return;
  }
  near_ = std::make_unique_for_overwrite<near_event[]>(size);
  starts_.resize((size + block - 1) / block);
  constexpr std::size_t blocks_at_once = 1'024;
  in_parallel((starts_.size() + blocks_at_once - 1) / blocks_at_once, [&](std::size_t part) {
    const std::size_t last = std::min(starts_.size(), (part + 1) * blocks_at_once);
    for (std::size_t b = part * blocks_at_once; b < last; ++b) {
      const std::uint64_t start = stored[b * block].time();
      starts_[b] = static_cast<std::int64_t>(start) - shift;
      for (std::size_t i = b * block; i < std::min(size, (b + 1) * block); ++i) {
        const auto what = static_cast<std::uint32_t>(stored[i].time_and_what & 0xff);
        near_[i] = {static_cast<std::uint32_t>(stored[i].time() - start), stored[i].offset,
                    stored[i].file << 8 | what};
      }
    }
  });
}

bool event_list::are_near(const stored_event* stored) const {
  if (files_.size() > near_event::most_files) return false;
  for (std::size_t first = 0; first < size_; first += block) {
    const std::size_t last = std::min(size_, first + block) - 1;
    if (stored[last].time() - stored[first].time() > near_event::most_after) return false;
  }
  return true;
}

}  // namespace deed::viewer
