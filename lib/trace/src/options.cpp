// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/base/words.hpp>
#include <deed/trace/events.hpp>
#include <deed/trace/options.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

namespace deed::trace {
namespace {

struct category_name {
  std::string_view name;
  category what;
};
constexpr std::array category_names{
    category_name{"task", category::task},       category_name{"access", category::access},
    category_name{"xfer", category::transfer},   category_name{"cache", category::cache},
    category_name{"owner", category::ownership}, category_name{"gpu", category::gpu},
    category_name{"wait", category::wait},       category_name{"mem", category::memory},
    category_name{"place", category::place},     category_name{"digest", category::digest}};

[[noreturn]] void refuse(const std::string& name, const std::string& value, std::string_view help) {
  throw error(error_code::bad_setting, "the trace setting `" + name + "` cannot be `" + value + "`",
              {}, help);
}

// "64M", "256K", "1024".
std::uint64_t bytes_of(const std::string& name, std::string_view value) {
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(value.data() + value.size() - end));
  const int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
  if (failed != std::errc{} || shift < 0 || number > (std::uint64_t{1} << 30))
    refuse(name, std::string(value), "give a size such as 64K, 64M or 2G");
  return number << shift;
}

// "5s", "500ms".
std::chrono::milliseconds time_of(const std::string& name, std::string_view value) {
  constexpr std::int64_t most = 86'400;
  std::int64_t number = 0;
  const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(value.data() + value.size() - end));
  if (failed == std::errc{} && number > 0 && number <= most && unit == "s")
    return std::chrono::seconds(number);
  if (failed == std::errc{} && number > 0 && number <= most * 1000 && unit == "ms")
    return std::chrono::milliseconds(number);
  refuse(name, std::string(value), "give a time such as 5s or 500ms");
}

std::uint32_t categories_of(const std::string& value) {
  std::uint32_t bits = 0;
  for (const std::string_view word : words_of(value)) {
    const auto known = std::ranges::find(category_names, word, &category_name::name);
    if (known == category_names.end())
      refuse("events", std::string(word),
             "use task, access, xfer, cache, owner, gpu, wait, mem, place, digest");
    bits |= static_cast<std::uint32_t>(known->what);
  }
  return bits;
}

}  // namespace

void recorder_options::set(const std::string& name, const std::string& value) {
  if (name == "path") {
    path = value;
  } else if (name == "mode") {
    if (value == "off") {
      path.clear();
    } else if (value == "full") {
      mode = recording::full;
    } else if (value == "ring" || value.starts_with("ring:")) {
      if (value != "ring") ring_bytes = bytes_of(name, std::string_view(value).substr(5));
      if (ring_bytes == 0) refuse(name, value, "a ring keeps something: ring:64M");
      mode = recording::ring;
    } else {
      refuse(name, value, "use full, ring:64M or off");
    }
  } else if (name == "events") {
    categories = categories_of(value);
  } else if (name == "packet") {
    const std::uint64_t bytes = bytes_of(name, value);
    if (!std::has_single_bit(bytes) || bytes < (64u << 10) || bytes > (4u << 20))
      refuse(name, value, "use a power of two from 64K to 4M");
    packet_bytes = bytes;
  } else if (name == "limit") {
    limit_bytes = bytes_of(name, value);
  } else if (name == "io") {
    if (value != "mmap" && value != "shm") refuse(name, value, "use mmap or shm");
    io = value == "shm" ? packet_place::shared_memory : packet_place::folder;
  } else if (name == "sync") {
    sync = time_of(name, value);
  } else {
    refuse(name, value, "the settings are path, mode, events, packet, limit, io and sync");
  }
}

recorder_options recorder_options::from_environment() {
  constexpr std::array<std::pair<const char*, const char*>, 7> variables{
      {{"DEED_TRACE", "path"},
       {"DEED_TRACE_EVENTS", "events"},
       {"DEED_TRACE_PACKET", "packet"},
       {"DEED_TRACE_LIMIT", "limit"},
       {"DEED_TRACE_IO", "io"},
       {"DEED_TRACE_SYNC", "sync"},
       {"DEED_TRACE_MODE", "mode"}}};
  recorder_options options;
  for (const auto& [variable, name] : variables)
    if (const char* const value = std::getenv(variable)) options.set(name, value);
  return options;
}

std::string names_of(std::uint32_t categories) {
  std::string list;
  for (const auto& [name, what] : category_names) {
    if ((categories & static_cast<std::uint32_t>(what)) == 0) continue;
    list += (list.empty() ? "" : ",") + std::string(name);
  }
  return list;
}

bool path_taken(const std::string& path) {
  std::error_code failed;
  return std::filesystem::exists(path, failed) && !std::filesystem::is_empty(path, failed);
}

std::string other_path(const std::string& path, const run_identity& run, std::uint64_t number) {
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), "-%08x", static_cast<unsigned>(run.run_id[0]));
  return path + digits.data() + (number < 2 ? "" : "-" + std::to_string(number));
}

std::uint64_t free_number(const std::string& path, const run_identity& run, std::uint64_t first) {
  while (path_taken(other_path(path, run, first))) ++first;
  return first;
}

}  // namespace deed::trace
