// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>

#include "../data/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

/// The first byte chooses one of twelve kinds of messages; the rest is read as one.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    messages::read(data[0] % messages::kind_count, std::as_bytes(std::span(data + 1, size - 1)));
  } catch (const deed::error&) {  // Damaged, and said so.
  }
  return 0;
}
