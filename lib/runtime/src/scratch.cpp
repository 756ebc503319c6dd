// SPDX-License-Identifier: MIT
#include "scratch.hpp"

#include <deed/base/error.hpp>
#include <deed/data/lacks_memory.hpp>
#include <deed/runtime/scratch.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace deed::runtime {

std::size_t scratch_bytes(data::extents shape, std::size_t element_bytes, place where) {
  constexpr std::size_t line = 64;
  constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() - line;
  const bool fits =
      shape.cols == 0 || shape.rows == 0 ||
      (shape.cols <= most / element_bytes && shape.rows <= most / (shape.cols * element_bytes));
  if (!fits) {
    throw error(error_code::impossible_extent,
                "scratch of " + text_of_extents(shape) + " elements is larger than any memory",
                {{"asked for", to_string(where)}},
                "give positive extents whose product fits the machine");
  }
  return (shape.rows * shape.cols * element_bytes + line - 1) / line * line;
}

std::string text_of_extents(data::extents shape) {
  return std::to_string(shape.rows) + " x " + std::to_string(shape.cols);
}

std::byte* scratch_room::take(std::size_t bytes) {
  if (bytes > bytes_) {
    memory_.reset();  // First: nothing in it is kept.
    bytes_ = 0;
    memory_.reset(static_cast<std::byte*>(::operator new(bytes, alignment, std::nothrow)));
    if (memory_ == nullptr) {
      throw data::lacks_memory(
          "no memory for the scratch", bytes,
          "ask for less scratch, or run fewer tasks at once, each of which has its own: "
          "DEED_WORKERS");
    }
    bytes_ = bytes;
  }
  return bytes == 0 ? nullptr : memory_.get();
}

}  // namespace deed::runtime
