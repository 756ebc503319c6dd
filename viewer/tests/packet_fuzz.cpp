// SPDX-License-Identifier: MIT
#include <deed/trace/recorder.hpp>

#include "analysis/read/metadata.hpp"
#include "analysis/read/packets.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

// The first byte chooses: what follows is a metadata text, or a file of packets.

namespace {

using namespace deed::viewer;

/// What a recorder writes beside its streams.
const rank_layout& recorded_layout() {
  static const rank_layout layout = [] {
    std::string form = (std::filesystem::temp_directory_path() / "deed-fuzz-XXXXXX").string();
    const std::string folder = ::mkdtemp(form.data());
    deed::trace::recorder_options options;
    options.path = folder;
    options.synchronous = true;
    deed::trace::recorder(options, {}).close();
    std::ifstream file(folder + "/rank-000000/metadata");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    std::filesystem::remove_all(folder);
    return rank_layout(parse_metadata(text), 0);
  }();
  return layout;
}

void read_text(std::string_view text) {
  try {
    const rank_layout layout(parse_metadata(text), 0);
  } catch (const unreadable&) {
  }
}

void read_file(std::span<const std::byte> file) {
  const rank_layout& layout = recorded_layout();
  std::uint64_t stamp = 0;
  static_cast<void>(first_stamp(layout, file, stamp));
  stream_content content;
  read_packets(layout, stamp_scale(layout.metadata, stamp), 0, file, 0, "file: ", content);
  for (const stored_event& each : content.events)
    if (each.offset > file.size()) std::abort();
  // Headers repeat at most once per 71 bytes, events once per 10.
  if (content.events.size() > file.size() / 10 || content.incomplete.size() > file.size())
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  if (data[0] % 4 == 0) {
    read_text({reinterpret_cast<const char*>(data + 1), size - 1});
  } else {
    read_file({reinterpret_cast<const std::byte*>(data + 1), size - 1});
  }
  return 0;
}
