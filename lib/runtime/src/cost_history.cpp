// SPDX-License-Identifier: MIT
#include "cost_history.hpp"

#include <deed/base/random.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <system_error>
#include <utility>

namespace deed::runtime {
namespace {

constexpr std::string_view first_words = "deed history 1 of ";
constexpr std::uintmax_t most_bytes = 4u << 20;  // Some 40,000 measurements.

std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = 1;
  for (const char letter : text) hash = mix(hash, static_cast<unsigned char>(letter));
  return hash;
}

std::string folder_of_caches() {
  if (const char* given = std::getenv("XDG_CACHE_HOME"); given != nullptr && *given == '/')
    return given;
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::string(home) + "/.cache";
  return {};
}

}  // namespace

void measured_time::add(std::chrono::nanoseconds took) noexcept {
  constexpr std::uint32_t most = 64;  // From there on, what is old fades.
  constexpr double much_longer = 4;
  const auto time = static_cast<double>(took.count());
  // The first one of a run may have loaded what it ran, which a device does for each kernel.
  const bool is_first = !std::exchange(fresh, true);
  if (is_first && samples != 0 && time > much_longer * mean_ns) return;
  if (samples == 1 && mean_ns > much_longer * time) samples = 0;
  samples = std::min(samples + 1, most);
  mean_ns += (time - mean_ns) / samples;
}

void measured_link::add(std::uint64_t size_bytes, std::chrono::nanoseconds took) noexcept {
  const auto x = static_cast<double>(size_bytes), y = static_cast<double>(took.count());
  samples += 1;
  bytes += x;
  time_ns += y;
  bytes_squared += x * x;
  bytes_by_time += x * y;
  fresh = true;
}

/// Least squares where sizes differ, else in proportion; a guess where nothing was measured.
std::chrono::nanoseconds measured_link::expected(std::uint64_t size_bytes) const noexcept {
  constexpr double guessed_latency_ns = 10'000, guessed_bytes_per_ns = 10;
  const auto x = static_cast<double>(size_bytes);
  const auto whole = [](double ns) {
    return std::chrono::nanoseconds(std::llround(std::clamp(ns, 0.0, 1e18)));
  };
  if (samples == 0) return whole(guessed_latency_ns + x / guessed_bytes_per_ns);
  const double spread = samples * bytes_squared - bytes * bytes;
  if (spread > 1e-6 * samples * bytes_squared) {
    const double slope = (samples * bytes_by_time - bytes * time_ns) / spread;
    const double latency = (time_ns - slope * bytes) / samples;
    if (slope >= 0 && latency >= 0) return whole(latency + slope * x);
  }
  return whole(bytes > 0 ? time_ns / bytes * x : time_ns / samples);
}

unsigned cost_history::class_of(std::uint64_t bytes) noexcept {
  if (bytes < 4) return static_cast<unsigned>(bytes);
  const auto octave = static_cast<unsigned>(std::bit_width(bytes)) - 1;
  return 4 * octave + static_cast<unsigned>(bytes >> (octave - 2) & 3);
}

measured_time& cost_history::task(std::string_view worker, std::string_view codelet,
                                  std::uint64_t bytes) {
  return tasks_[{std::string(worker), std::string(codelet), class_of(bytes)}];
}

measured_link& cost_history::link(std::string_view name) {
  const auto known = links_.find(name);
  return known != links_.end() ? known->second : links_[std::string(name)];
}

cost_history::trust cost_history::parse(const std::string& path, std::string_view machine) {
  std::error_code failure;
  if (!std::filesystem::exists(path, failure)) return trust::absent;
  if (!std::filesystem::is_regular_file(path, failure)) return trust::damaged;
  std::ifstream file(path, std::ios::binary);
  if (!file) return trust::absent;
  if (std::filesystem::file_size(path, failure) > most_bytes || failure) return trust::damaged;
  std::ostringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  if (!text.starts_with(first_words)) return trust::damaged;
  const std::size_t end = text.rfind("end ");
  if (end == text.npos ||
      text.substr(end) != "end " + std::to_string(hash_of(text.substr(0, end))) + "\n")
    return trust::damaged;
  std::istringstream lines(text.substr(0, end));
  std::string line;
  std::getline(lines, line);
  if (std::string_view(line).substr(first_words.size()) != machine) return trust::foreign;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string what, worker, name;
    words >> what >> std::quoted(worker);
    if (what == "task") {
      unsigned size = 0;
      measured_time found;
      words >> size >> found.samples >> found.mean_ns >> std::quoted(name);
      if (words && std::isfinite(found.mean_ns) && found.samples > 0) {
        tasks_[{worker, name, size}] = found;
        continue;
      }
    } else if (what == "link") {
      measured_link found;
      words >> found.samples >> found.bytes >> found.time_ns >> found.bytes_squared >>
          found.bytes_by_time;
      if (words) {
        links_[worker] = found;
        continue;
      }
    }
    return trust::damaged;
  }
  return trust::good;
}

std::string cost_history::read(const std::string& path, std::string_view machine) {
  cost_history found;
  const trust how = found.parse(path, machine);
  if (how == trust::damaged) return "is damaged";
  if (how == trust::foreign) return "is another machine's";
  if (how == trust::good) *this = std::move(found);
  return {};
}

bool cost_history::write(const std::string& path, std::string_view machine, int writer) const {
  cost_history all;  // Other ranks of this machine may have written since.
  const trust before = all.parse(path, machine);
  if (before == trust::foreign) return true;
  if (before != trust::good) all = {};
  for (const auto& [of, time] : tasks_) {
    if (time.fresh) all.tasks_[of] = time;
  }
  for (const auto& [of, times] : links_) {
    if (times.fresh) all.links_[of] = times;
  }
  std::ostringstream text;
  text.precision(17);
  text << first_words << machine << '\n';
  for (const auto& [of, time] : all.tasks_) {
    if (time.samples == 0) continue;
    text << "task " << std::quoted(std::get<0>(of)) << ' ' << std::get<2>(of) << ' ' << time.samples
         << ' ' << time.mean_ns << ' ' << std::quoted(std::get<1>(of)) << '\n';
  }
  for (const auto& [of, times] : all.links_) {
    if (times.samples == 0) continue;
    text << "link " << std::quoted(of) << ' ' << times.samples << ' ' << times.bytes << ' '
         << times.time_ns << ' ' << times.bytes_squared << ' ' << times.bytes_by_time << '\n';
  }
  const std::string lines = text.str();

  std::error_code failed;
  const std::filesystem::path target(path);
  const bool is_there = std::filesystem::exists(target, failed);
  if (is_there && !std::filesystem::is_regular_file(target, failed)) return false;
  if (target.has_parent_path()) std::filesystem::create_directories(target.parent_path(), failed);
  // Whoever reads meanwhile sees the old one or the new one.
  const std::string fresh = path + "." + std::to_string(::getpid()) + "." + std::to_string(writer);
  {
    std::ofstream file(fresh, std::ios::binary | std::ios::trunc);
    file << lines << "end " << hash_of(lines) << '\n';
    if (!file.flush()) return false;
  }
  std::filesystem::rename(fresh, target, failed);
  if (failed) std::filesystem::remove(fresh, failed);
  return !failed;
}

std::string machine_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string default_history_path() {
  const std::string caches = folder_of_caches();
  return caches.empty() ? "" : caches + "/deed/history-" + machine_name();
}

}  // namespace deed::runtime
