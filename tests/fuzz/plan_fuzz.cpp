// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/transport/fault_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

/// Any text as a fault plan: it is refused, or what it says can be written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string once = to_string(deed::transport::parse(text));
    if (to_string(deed::transport::parse(once)) != once) std::abort();
  } catch (const deed::error&) {  // No plan, and said so.
  }
  return 0;
}
