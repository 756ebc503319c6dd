// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/data/detail/sizes.hpp>
#include <deed/data/lacks_memory.hpp>

#include <cstring>
#include <string>

namespace deed::data::detail {

void refuse_size(std::uint64_t came, std::uint64_t expected) {
  throw error(
      error_code::message_sizes_differ, "a value of another size arrives",
      {{"here", std::to_string(expected) + " bytes"}, {"arrives", std::to_string(came) + " bytes"}},
      "register it with the same extents on all ranks");
}

void refuse_memory(std::uint64_t wanted) { throw lacks_memory(wanted); }

void require_whole(std::uint64_t bytes, std::size_t element_bytes) {
  if (bytes % element_bytes == 0) return;
  throw error(error_code::message_damaged, "a message ends within an element",
              {{"arrives", std::to_string(bytes) + " bytes"},
               {"an element", std::to_string(element_bytes) + " bytes"}},
              "check the network, and that all ranks run the same program");
}

void append_rows(const const_memory_block& from, packed_buffer& to) {
  if (from.contiguous()) return to.append(from.address, from.bytes());
  for (std::size_t row = 0; row < from.rows; ++row) {
    to.append(from.address + row * from.pitch, from.row_bytes);
  }
}

void spread_rows(std::span<const std::byte> from, const memory_block& to) noexcept {
  if (from.empty()) return;
  if (to.contiguous()) {
    std::memcpy(to.address, from.data(), from.size());
    return;
  }
  for (std::size_t row = 0; row < to.rows; ++row) {
    std::memcpy(to.address + row * to.pitch, from.data() + row * to.row_bytes, to.row_bytes);
  }
}

}  // namespace deed::data::detail
