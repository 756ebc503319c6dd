// SPDX-License-Identifier: MIT
#include "analysis/read/event_list.hpp"

#include <algorithm>
#include <bit>

namespace deed::viewer {

event_list::event_list(std::size_t size, std::span<const event_file> files)
    : stored_(size), starts_((size + block - 1) / block) {
  std::uint64_t end = 0;
  for (const event_file& each : files) {
    const std::uint64_t parts = (each.bytes.size() >> part_bits) + 1;
    file_of_part_.resize(file_of_part_.size() + parts, static_cast<std::uint32_t>(files_.size()));
    files_.push_back({each.bytes.data(), end, each.lane});
    end += parts << part_bits;
  }
  time_shift_ = what_bits + static_cast<int>(std::bit_width(end));
  address_mask_ = (std::uint64_t{1} << time_shift_) - (std::uint64_t{1} << what_bits);
}

bool event_list::put(std::size_t number, std::span<const entry> events) {
  const std::int64_t start = events.front().time;
  const std::uint64_t most_after = ~std::uint64_t{0} >> time_shift_;
  starts_[number] = start;
  std::uint64_t* into = stored_.data() + number * block;
  for (const entry& each : events) {
    const auto after = static_cast<std::uint64_t>(each.time - start);
    *into++ =
        after << time_shift_ | each.address << what_bits | static_cast<std::uint64_t>(each.what);
  }
  return static_cast<std::uint64_t>(events.back().time - start) <= most_after;
}

void event_list::put_times(std::size_t number, std::span<const std::int64_t> times) {
  starts_[number] = ~static_cast<std::int64_t>(far_.size() / block);
  far_.resize(far_.size() + block);
  std::ranges::copy(times, far_.end() - block);
}

}  // namespace deed::viewer
