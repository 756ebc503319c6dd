// SPDX-License-Identifier: MIT
#include "analysis/say/backtrace.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

namespace deed::viewer {
namespace {

constexpr std::size_t most_frames = 64;     // A recorder writes fewer; a damaged file, any.
constexpr std::size_t most_recorded = 24;   // As of `code_names` of the recorder.
constexpr std::size_t longest_name = 1024;  // A recorder writes none that is longer.

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z") || name.size() > longest_name) return name;
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
