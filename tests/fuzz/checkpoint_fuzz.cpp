// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>

#include "checkpoint_store.hpp"
#include "memory_folder.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Any bytes as a checkpoint: the first says whether the manifest is sealed, so that its lines are
/// looked at, the second how many of the others are the file of values; the rest is the manifest.

namespace {

using namespace deed::runtime;

/// As `text_of` ends one.
std::string sealed(std::string_view content) {
  manifest none;
  const std::string empty = text_of(none, "");
  const std::string first = empty.substr(0, empty.find('\n') + 1);
  std::string text = first + std::string(content);
  const std::uint64_t hash = hash_of(std::as_bytes(std::span(text)));
  text += "end\t";
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[hash >> shift & 15];
  return text + '\n';
}

std::vector<saved_value> values_in(const manifest& all) {
  std::vector<saved_value> values;
  visit_values(all, [&](const saved_value& each) { values.push_back(each); });
  return values;
}

/// What was read is written as it was read.
void read_back(const manifest& all) {
  const std::vector<saved_value> values = values_in(all);
  const manifest again = parse_manifest(text_of(all, lines_of(values)), "again");
  const manifest_head &before = all, &after = again;
  if (before != after || values_in(again) != values) std::abort();
}

void read_values(const manifest& all) {
  const std::string path = file_of(memory_folder(), 1, 0);
  try {
    verify_file(path, all, 0);
  } catch (const deed::error&) {
  }
  for (const saved_value& each : values_in(all)) {
    try {
      manifest first = all;
      first.generation = 1;
      saved_value here = each;
      here.file = 0;
      if (read_value(memory_folder(), first, here).size() != each.bytes) std::abort();
    } catch (const deed::error&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data + 2), size - 2);
  const std::size_t of_values = std::min<std::size_t>(data[1], rest.size());
  const std::string_view content = rest.substr(of_values);
  try {
    const manifest all =
        parse_manifest(data[0] % 2 == 0 ? sealed(content) : std::string(content), "manifest");
    read_back(all);
    std::filesystem::create_directory(folder_of(memory_folder(), 1));
    std::ofstream(file_of(memory_folder(), 1, 0), std::ios::binary) << rest.substr(0, of_values);
    read_values(all);
  } catch (const deed::error&) {  // No manifest, and said so.
  }
  return 0;
}
