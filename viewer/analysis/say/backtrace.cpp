// SPDX-License-Identifier: MIT
#include "analysis/say/backtrace.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
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

std::vector<std::string_view> lines_of(std::string_view recorded) {
  std::vector<std::string_view> lines;
  while (!recorded.empty() && lines.size() < most_frames) {
    const std::size_t end = std::min(recorded.find('\n'), recorded.size());
    lines.push_back(recorded.substr(0, end));
    recorded.remove_prefix(std::min(end + 1, recorded.size()));
  }
  return lines;
}

bool starts_with_one(std::string_view text, std::span<const std::string_view> of) {
  return std::ranges::any_of(of, [&](std::string_view each) { return text.starts_with(each); });
}

/// As recorded. A mangled name begins with the function, where a name in words may begin with its
/// result, as `std::string name_of<mesh>()`.
std::string_view function_of(std::string_view recorded) {
  const std::size_t open = recorded.rfind(" (");
  return open == std::string_view::npos ? std::string_view{} : recorded.substr(open + 2);
}

/// Of deed, of a library that it uses, or what begins a program or a thread.
bool is_inner(std::string_view recorded) {
  static constexpr std::array<std::string_view, 15> files{
      "libc.so",  "libc-",    "libm.so", "libpthread", "libstdc++",
      "libgcc_s", "ld-linux", "libmpi",  "libopen-",   "libpmix",
      "libevent", "libucp",   "libucs",  "libboost_",  "libcuda"};
  static constexpr std::array<std::string_view, 15> functions{
      "_ZN4deed",   "_ZNK4deed", "_ZZN4deed", "_ZZNK4deed",   "_ZNSt",
      "_ZNKSt",     "_ZSt",      "_ZZNSt",    "_ZZNKSt",      "_ZN5boost",
      "_ZNK5boost", "_ZN9__gnu", "_start+",   "__libc_start", "make_fcontext"};
  return starts_with_one(recorded, files) || starts_with_one(function_of(recorded), functions);
}

/// What a `std::function` calls, in words: `std::_Function_handler<void (int), main::{lambda()#1}>`
/// and so on; "" where that cannot be said.
std::string_view called_by_handler(std::string_view in_words) {
  int depth = 0;
  for (std::size_t at = 0; at < in_words.size(); ++at) {
    const char c = in_words[at];
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
    if (c == ',' && depth == 1) return in_words.substr(std::min(at + 2, in_words.size()));
  }
  return {};
}

/// The compiler may have put a body into it: that of a codelet, or of the program.
bool runs_a_body(std::string_view recorded) {
  static constexpr std::array<std::string_view, 3> inner{"deed::", "std::", "boost::"};
  const std::string_view function = function_of(recorded);
  if (function.starts_with("_ZN4deed7runtime11body_runner")) return true;
  if (!function.starts_with("_ZNSt17_Function_handler")) return false;
  const std::string words = demangled(std::string(function.substr(0, function.rfind('+'))));
  return !starts_with_one(called_by_handler(words), inner);
}

/// Of deed's function that a codelet's body was put into, that body: of
/// `deed::runtime::body_runner<deed::runtime::closure<std::tuple<relax::{lambda(tile)#1}>>, …` what
/// the tuple has, `relax::{lambda(tile)#1} in heat+0x1234`. Any other as it is.
std::string say_body(std::string said) {
  constexpr std::string_view runner = "deed::runtime::body_runner<", before = "closure<std::tuple<";
  const std::size_t open = said.find(before), file = said.rfind(" in ");
  if (!said.starts_with(runner) || open == std::string::npos) return said;
  const std::size_t begin = open + before.size();
  int depth = 0;
  for (std::size_t at = begin; at < file; ++at) {
    const char c = said[at];
    const bool outside = depth == 0 && (c == '>' || c == ',');
    if (outside) return at == begin ? said : said.substr(begin, at - begin) + said.substr(file);
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
  }
  return said;
}

}  // namespace

std::vector<std::string> say_frames(std::string_view recorded) {
  std::vector<std::string> said;
  for (const std::string_view each : lines_of(recorded)) said.push_back(say_frame(each));
  return said;
}

std::vector<std::string> say_few_frames(std::string_view recorded) {
  const std::vector<std::string_view> all = lines_of(recorded);
  std::vector<bool> folds;
  for (const std::string_view each : all)
    folds.push_back(is_inner(each) && (!runs_a_body(each) || (!folds.empty() && !folds.back())));
  if (std::ranges::find(folds, false) == folds.end()) return say_frames(recorded);
  std::vector<std::string> said;
  for (std::size_t at = 0; at < all.size();) {
    std::size_t end = at;
    while (end < all.size() && folds[end]) ++end;
    if (end - at > 1) {
      said.push_back("\u2026 " + std::to_string(end - at) + " functions of deed and of libraries");
      at = end;
    } else {
      said.push_back(say_body(say_frame(all[at++])));
    }
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
  const run& r = of.events();
  const std::vector<std::string> few =
      say_few_frames(of.frames(r.rank_of(e), r.get32(e, field::backtrace)));
  const std::string cut = say_cut(lines);
  table frames{"",
               {std::string("backtrace, the innermost function first") +
                (few.size() < lines.size() ? "; `print` and --json have all" : "") +
                (cut.empty() ? std::string{} : "; there may be more: " + cut)},
               {}};
  for (const std::string& each : few) frames.rows.push_back({each});
  into.tables.push_back(std::move(frames));
  if (into.backtrace.empty()) into.backtrace = std::move(lines);
}

}  // namespace deed::viewer
