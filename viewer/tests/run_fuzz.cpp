// SPDX-License-Identifier: MIT
#include "../../tests/fuzz/memory_folder.hpp"
#include "analysis/ask/ask.hpp"
#include "analysis/export/export.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/model.hpp"
#include "analysis/read/metadata.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/// @file
/// Damage to the files of a small recorded run, which is then opened and asked every question: any
/// bytes as places and what stands there now. What is left of a run is still told, or refused.

namespace {

using namespace deed::viewer;

struct recorded_file {
  std::string path;
  std::string bytes;
  std::size_t used = 0;  ///< What lies behind is room.
};

/// A run with each kind of record that a generated one has, and something wrong with it.
std::vector<recorded_file> recorded_files() {
  generator_options options;
  options.path = memory_folder() + "/run";
  options.ranks = 2;
  options.workers = 1;
  options.tiles = 3;
  options.inject = {{"dup_flush", 1}, {"stale_read", 1}, {"lost_recv", 1}};
  generate(options);
  std::vector<recorded_file> files;
  for (const auto& each : std::filesystem::recursive_directory_iterator(options.path)) {
    if (!each.is_regular_file() || each.path().filename() == "truth.json") continue;
    std::ifstream in(each.path(), std::ios::binary);
    recorded_file file{each.path().string(), {std::istreambuf_iterator<char>(in), {}}};
    file.used = file.bytes.find_last_not_of('\0') + 1;
    files.push_back(std::move(file));
  }
  std::ranges::sort(files, {}, &recorded_file::path);  // The same for every process.
  return files;
}

void write(const recorded_file& file, const std::string& bytes) {
  std::ofstream(file.path, std::ios::binary) << bytes;
}

/// One change: which file, where in it, how, and what.
constexpr std::size_t change_size = 5;

void apply(std::span<const std::uint8_t, change_size> change, const recorded_file& to,
           std::string& bytes) {
  const std::size_t at =
      (change[1] | std::size_t{change[2]} << 8) % std::max(to.used, std::size_t{1});
  if (at >= bytes.size()) return;
  const char value = static_cast<char>(change[4]);
  switch (change[3] % 4) {
    case 0:
      bytes[at] = value;
      break;
    case 1:
      std::fill_n(bytes.begin() + std::ptrdiff_t(at), std::min(bytes.size() - at, std::size_t{4}),
                  value);
      break;
    case 2:
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << change[4] % 8);
      break;
    default:
      bytes.resize(at);
      break;
  }
}

void ask_everything(const model& of) {
  std::ostringstream nowhere;
  const std::int64_t end = of.events().end();
  const auto say = [&](const answer& each) { nowhere << render(each, style::text, {}, 100); };
  say(info(of));
  say(print(of, {}, {}, 1000));
  say(stats(of, {}));
  say(cache(of));
  say(comm_matrix(of));
  say(why_twice(of, {}));
  say(redundant(of, loss_by::cause));
  say(redundant(of, loss_by::handle));
  say(at_first_error(of, {}));
  say(state(of, end));
  say(say_check(of, ""));
  say(waits(of, end));
  say(breakdown(of, {}));
  say(say_critical_path(of));
  say(diff(of, of));
  say(print(of, {}, run_part(of, {}, {0}, "handle:A[1,*]"), 1000));
  for (std::uint32_t handle = 0; handle < std::min(of.data().size(), std::size_t{8}); ++handle) {
    say(who_owned(of, handle, end));
    say(history(of, handle));
  }
  export_chrome(of, nowhere);
  export_perfetto(of, nowhere);
  export_paje(of, nowhere);
  export_tasks(of, nowhere);
  export_transfers(of, nowhere);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<recorded_file> files = recorded_files();
  std::vector<std::string> changed(files.size());
  std::vector<bool> is_changed(files.size());
  for (; size >= change_size; data += change_size, size -= change_size) {
    const std::size_t which = data[0] % files.size();
    if (!is_changed[which]) changed[which] = files[which].bytes;
    is_changed[which] = true;
    apply(std::span<const std::uint8_t, change_size>(data, change_size), files[which],
          changed[which]);
  }
  for (std::size_t i = 0; i < files.size(); ++i)
    if (is_changed[i]) write(files[i], changed[i]);
  try {
    const run damaged(memory_folder() + "/run");
    ask_everything(model(damaged));
  } catch (const unreadable&) {  // Nothing is left that could be told.
  }
  for (std::size_t i = 0; i < files.size(); ++i)
    if (is_changed[i]) write(files[i], files[i].bytes);
  return 0;
}
