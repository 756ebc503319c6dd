// SPDX-License-Identifier: MIT
#include "settings.hpp"

#include <deed/base/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

namespace deed::runtime {
namespace {

using std::string_view;

template <class Number>
bool read_number(string_view text, Number& into, Number least, Number most) {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) return false;
  if (number < least || number > most) return false;
  into = number;
  return true;
}

constexpr int most_ranks = 1 << 20;

bool read_ranks(settings& all, string_view text) {
  constexpr string_view threads = "inproc:";
  all.world = world_kind::simulated;
  if (text.starts_with(threads)) {
    all.world = world_kind::threads;
    text.remove_prefix(threads.size());
  }
  return read_number(text, all.ranks, 1, most_ranks);
}

bool read_trace(settings& all, const char* name, string_view text) {
  all.session.trace.set(name, std::string(text));  // Throws D007 itself.
  return true;
}

/// "64M": a number, maybe with K, M, G or T behind it.
template <class Number>
bool read_bytes(string_view text, Number& into, Number least) {
  constexpr string_view units = "KMGT";
  Number unit = 1;
  if (!text.empty() && units.find(text.back()) != units.npos) {
    unit = Number{1} << (10 * (units.find(text.back()) + 1));
    text.remove_suffix(1);
  }
  Number count = 0;
  if (!read_number(text, count, least, (Number{1} << 62) / unit)) return false;
  into = count * unit;
  return true;
}

/// "cache=2G"
bool read_memory(settings& all, string_view text) {
  constexpr string_view cache = "cache=";
  if (!text.starts_with(cache)) return false;
  std::uint64_t bytes = 0;
  if (!read_bytes(text.substr(cache.size()), bytes, std::uint64_t{0})) return false;
  all.session.cache = bytes != 0;
  if (bytes != 0) all.session.cache_bytes = bytes;
  return true;
}

/// "cuda,hip", "emulated:2", "none".
bool read_devices(gpu::device_options& wanted, string_view text) {
  constexpr string_view emulated = "emulated:";
  if (text == "auto") return wanted.cuda = wanted.hip = true;
  wanted.cuda = wanted.hip = false;
  if (text == "none") return true;
  while (!text.empty()) {
    const string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    if (one == "cuda") {
      wanted.cuda = true;
    } else if (one == "hip") {
      wanted.hip = true;
    } else if (!one.starts_with(emulated) ||
               !read_number(one.substr(emulated.size()), wanted.emulated.devices, 1, 64)) {
      return false;
    }
  }
  return true;
}

struct setting {
  string_view name;  // As in `--deed-name`; the variable is in capitals, with `_` for `-`.
  string_view values;
  string_view standard;
  string_view sentence;
  bool (*read)(settings&, string_view);
};

// The one table: parser, help and tests are made from it.
constexpr std::array table{
    setting{"help", "1", "off", "print this table and end",
            [](settings& all, string_view text) { return all.help = text == "1" || text.empty(); }},
    setting{"ranks", "N or inproc:N", "4 as threads", "virtual ranks: N simulated, or N as threads",
            read_ranks},
    setting{"seed", "number", "1", "the order of a simulated run",
            [](settings& all, string_view text) {
              return read_number(text, all.seed, std::uint64_t{0},
                                 std::numeric_limits<std::uint64_t>::max());
            }},
    setting{
        "fault", "plan", "none",
        "what goes wrong on virtual ranks: `kill 1 after 20`, `delay 4 5000`, `stall 2 at 0 for 9`",
        [](settings& all, string_view text) {
          all.faults = transport::parse(text);  // Throws D007 itself.
          return true;
        }},
    setting{"workers", "count", "one per core of the launcher's mask",
            "threads of a rank that run tasks",
            [](settings& all, string_view text) {
              return read_number(text, all.session.workers, 1, 4096);
            }},
    setting{"bind", "auto or off", "auto",
            "cores of its own for each worker, inside the launcher's mask",
            [](settings& all, string_view text) {
              all.session.bind = text == "auto";
              return all.session.bind || text == "off";
            }},
    setting{"window", "tasks", "4096", "tasks that may wait before insert_task helps to run them",
            [](settings& all, string_view text) {
              return read_number(text, all.session.window, std::size_t{1}, std::size_t{1} << 40);
            }},
    setting{
        "devices", "auto, none, or of cuda,hip,emulated:N", "auto",
        "devices that run tasks; an emulated one shows the errors of a real one",
        [](settings& all, string_view text) { return read_devices(all.session.devices, text); }},
    setting{"gpu-mem", "bytes", "9/10 of what is free", "memory that deed takes of each device",
            [](settings& all, string_view text) {
              auto& devices = all.session.devices;
              const bool read = read_bytes(text, devices.memory_limit_bytes, std::size_t{1});
              if (read) devices.emulated.memory_bytes = devices.memory_limit_bytes;
              return read;
            }},
    setting{"gpu-sync", "0 or 1", "0", "wait for each task on a device, to pin a fault on it",
            [](settings& all, string_view text) {
              all.session.device_sync = text == "1";
              return text == "0" || text == "1";
            }},
    setting{"summary", "text or a file", "off",
            "what all ranks did: a table at the end, or a file of JSON",
            [](settings& all, string_view text) {
              all.session.summary = text;
              return !text.empty();
            }},
    setting{"on-exception", "stop or propagate", "stop",
            "a task that throws ends all ranks, or cancels what depends on it",
            [](settings& all, string_view text) {
              all.session.exceptions =
                  text == "propagate" ? on_exception::propagate : on_exception::abort;
              return text == "propagate" || text == "stop";
            }},
    setting{"memory", "cache=BYTES", "no limit", "of copies of other ranks' data; cache=0: none",
            read_memory},
    setting{
        "progress", "1", "off", "a line every two seconds of what is done",
        [](settings& all, string_view text) { return all.progress = text == "1" || text.empty(); }},
    setting{"trace", "folder", "off", "record the run there, for deed-trace and deed-view",
            [](settings& all, string_view text) { return read_trace(all, "path", text); }},
    setting{"trace-mode", "full or ring:BYTES", "full", "keep all events, or the last ones",
            [](settings& all, string_view text) { return read_trace(all, "mode", text); }},
    setting{"trace-events", "list of categories", "all but place", "what is recorded",
            [](settings& all, string_view text) { return read_trace(all, "events", text); }},
    setting{"trace-packet", "64K to 4M", "256K", "the unit of writing",
            [](settings& all, string_view text) { return read_trace(all, "packet", text); }},
    setting{"trace-limit", "bytes", "none", "per rank; from there on only the last events are kept",
            [](settings& all, string_view text) { return read_trace(all, "limit", text); }},
};

std::string variable_of(string_view name) {
  std::string variable = "DEED_";
  for (const char c : name) variable += c == '-' ? '_' : static_cast<char>(c - 'a' + 'A');
  return variable;
}

std::size_t distance(string_view one, string_view two) {
  std::vector<std::size_t> row(two.size() + 1);
  for (std::size_t j = 0; j <= two.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    std::size_t corner = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= two.size(); ++j) {
      const std::size_t changed = corner + (one[i - 1] != two[j - 1]);
      corner = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
    }
  }
  return row.back();
}

/// `spell` makes a name what the user would write: `--deed-ranks` or `DEED_RANKS`.
template <class Spell>
const setting& find(string_view given, Spell&& spell) {
  const auto found =
      std::ranges::find_if(table, [&](const setting& each) { return spell(each.name) == given; });
  if (found != table.end()) return *found;
  const auto nearest = std::ranges::min_element(
      table, {}, [&](const setting& each) { return distance(spell(each.name), given); });
  throw error(error_code::bad_setting, std::string(given) + ": no such setting", {},
              "did you mean " + spell(nearest->name) + "? `DEED_HELP=1` lists all");
}

void apply(settings& all, const setting& one, string_view given, string_view value) {
  if (one.read(all, value)) return;
  throw error(error_code::bad_setting,
              std::string(given) + "=" + std::string(value) + ": not a value of this setting",
              {{"wanted", std::string(one.values)}, {"default", std::string(one.standard)}},
              "`DEED_HELP=1` lists all settings");
}

}  // namespace

settings read_settings(int argc, char** argv, char** environment) {
  settings all;
  for (char** each = environment; each != nullptr && *each != nullptr; ++each) {
    const string_view text = *each;
    if (!text.starts_with("DEED_")) continue;
    const auto equals = std::min(text.find('='), text.size());
    const string_view name = text.substr(0, equals);
    apply(all, find(name, variable_of), name, text.substr(std::min(equals + 1, text.size())));
  }
  const auto option_of = [](string_view name) { return "--deed-" + std::string(name); };
  for (int i = 1; i < argc; ++i) {
    const string_view text = argv[i];
    if (!text.starts_with("--deed-")) {
      all.rest.emplace_back(text);
      continue;
    }
    const auto equals = std::min(text.find('='), text.size());
    const string_view name = text.substr(0, equals);
    apply(all, find(name, option_of), name, text.substr(std::min(equals + 1, text.size())));
  }
  return all;
}

std::string describe_settings() {
  std::size_t names = 0, values = 0;
  for (const setting& each : table) {
    names = std::max(names, variable_of(each.name).size());
    values = std::max(values, each.values.size());
  }
  std::string text = "settings of deed, as a variable or as an option (--deed-ranks=N):\n";
  for (const setting& each : table) {
    std::string line = "  " + variable_of(each.name);
    line.resize(2 + names + 2, ' ');
    line += each.values;
    line.resize(2 + names + 2 + values + 2, ' ');
    text += line + std::string(each.sentence) + " (default: " + std::string(each.standard) + ")\n";
  }
  return text;
}

}  // namespace deed::runtime
