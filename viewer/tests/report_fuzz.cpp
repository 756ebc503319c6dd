// SPDX-License-Identifier: MIT
#include "../../tests/fuzz/memory_folder.hpp"
#include "analysis/ask/hang.hpp"
#include "analysis/read/json.hpp"
#include "analysis/read/metadata.hpp"
#include "analysis/read/notes.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

// The first byte chooses: what follows is the report of a deadlock, or what stands beside a run.

namespace {

using namespace deed::viewer;

void write(const char* name, std::string_view text) {
  std::ofstream(memory_folder() + "/" + name, std::ios::binary) << text;
}

void read_report(std::string_view text) {
  write("hang.json", text);
  try {
    const hang known = read_hang(memory_folder() + "/hang.json");
    for (const style how : {style::text, style::json}) {
      const std::string said = render(say_hang(known), how, {}, 100);
      if (how == style::json && !json::parse(said)) std::abort();
    }
  } catch (const unreadable&) {
  }
}

void read_beside(std::string_view text) {
  write("notes.json", text);
  write("view.json", text);
  const run_notes known = read_notes(memory_folder());
  if (!write_notes(memory_folder(), known)) std::abort();
  if (read_notes(memory_folder()) != known) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  data[0] % 4 == 0 ? read_beside(text) : read_report(text);
  return 0;
}
