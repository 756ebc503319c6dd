// SPDX-License-Identifier: MIT
#include "analysis/say/backtrace.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

namespace deed::viewer {
namespace {

constexpr std::size_t most_frames = 64;     // A recorder writes fewer; a damaged file, any.
constexpr std::size_t most_recorded = 24;   // As of `code_names` of the recorder.
constexpr std::size_t longest_name = 1024;  // A recorder writes none that is longer.

/// At most so many parts does the demangler go through for a name that somebody may have made for
/// it. `S4_` says again what was said before it, and so may what it says: some hundred characters
/// would fill any memory. What `S4_` stands for names `S_` to `S3_` alone, so that uses of one
/// number add up, and those of different ones multiply. `T0_` may be read twice wherever it stands;
/// an expansion of a pack, `Dp`, once per part, and one of them takes no more than all parts have.
double most_parts(std::string_view name) {
  double parts = static_cast<double>(name.size());
  std::map<std::string_view, int> uses;
  int packs = 0;
  for (std::size_t at = 0; at + 1 < name.size(); ++at) {
    if (name.substr(at, 2) == "Dp" && ++packs > 1) parts *= static_cast<double>(name.size());
    if (name[at] != 'S' && name[at] != 'T') continue;
    const std::size_t end = name.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", at + 1);
    if (end == std::string_view::npos || name[end] != '_') continue;
    const int known = name[at] == 'S' ? ++uses[name.substr(at, end - at)] : 1;
    parts *= (known + 1.0) / known;
  }
  return parts;
}

std::string demangled(const std::string& name) {
  constexpr double most = 1 << 22;  // Of which a name that a compiler made has a few thousand.
  if (!name.starts_with("_Z") || name.size() > longest_name || most_parts(name) > most) return name;
  int failed = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &failed), &std::free);
  return failed == 0 ? text.get() : name;
}

/// `cholesky+0x1234 (_Z12tile_productPd+0x10)`, `cholesky+0x1234`, `0x0`.
std::string say_frame(std::string_view recorded) {
  if (recorded.starts_with("0x")) return "no code, at " + std::string(recorded);
  const std::size_t open = recorded.rfind(" ("), plus = recorded.rfind('+');
  if (open == std::string_view::npos || plus < open) return std::string(recorded);
  return demangled(std::string(recorded.substr(open + 2, plus - open - 2))) + " in " +
         std::string(recorded.substr(0, open));
}

}  // namespace

std::vector<std::string> say_frames(std::string_view recorded) {
  std::vector<std::string> said;
  while (!recorded.empty() && said.size() < most_frames) {
    const std::size_t end = std::min(recorded.find('\n'), recorded.size());
    said.push_back(say_frame(recorded.substr(0, end)));
    recorded.remove_prefix(std::min(end + 1, recorded.size()));
  }
  return said;
}

std::vector<std::string> backtrace_of(const model& of, const event& e) {
  if (e.what != record::error && e.what != record::fatal_signal) return {};
  const run& r = of.events();
  return say_frames(of.frames(r.rank_of(e), r.get32(e, field::backtrace)));
}

std::string say_cut(const std::vector<std::string>& frames) {
  return frames.size() < most_recorded
             ? std::string{}
             : "no more than " + std::to_string(most_recorded) + " functions are recorded";
}

void tell_backtrace(const model& of, const event& e, answer& into) {
  std::vector<std::string> lines = backtrace_of(of, e);
  if (lines.empty()) return;
  const std::string cut = say_cut(lines);
  table frames{"",
               {"backtrace, the innermost function first" +
                (cut.empty() ? std::string{} : "; there may be more: " + cut)},
               {}};
  for (const std::string& each : lines) frames.rows.push_back({each});
  into.tables.push_back(std::move(frames));
  if (into.backtrace.empty()) into.backtrace = std::move(lines);
}

}  // namespace deed::viewer
