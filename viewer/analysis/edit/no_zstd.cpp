// SPDX-License-Identifier: MIT
#include "analysis/edit/edit.hpp"
#include "analysis/read/unpacked.hpp"

namespace deed::viewer {
namespace {

[[noreturn]] packing without() {
  throw unreadable("this deed-trace was built without zstd (libzstd-dev)");
}

}  // namespace

std::optional<mapped_file> unpack(std::span<const std::byte>) { return {}; }
packing pack(const std::string&, int, bool) { without(); }
packing unpack_run(const std::string&) { without(); }

}  // namespace deed::viewer
