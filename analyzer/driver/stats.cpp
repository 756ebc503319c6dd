// SPDX-License-Identifier: MIT
#include "driver/stats.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <system_error>

namespace deed::check {
namespace {

/// Each place once, with its first reason.
std::vector<std::string> places_of(const program& all, const std::vector<omission>& where) {
  std::map<span, const char*> places;
  for (const omission& one : where) places.try_emplace(one.what.at, one.what.why);
  std::vector<std::string> lines;
  for (const auto& [at, why] : places) {
    lines.push_back(all.files.name(at.file) + ":" + std::to_string(at.line) + ":" +
                    std::to_string(at.column) + ": " + why);
  }
  return lines;
}

/// From its name to the last thing that happens in it.
bool has_line(const function& f, std::uint32_t file, std::uint32_t line) {
  if (f.at.file != file || line < f.at.line) return false;
  std::uint32_t last = f.at.line;
  const auto note = [&](const span& at) {
    if (at.file == file) last = std::max(last, at.end_line);
  };
  for (const block& b : f.blocks) {
    note(b.condition_at);
    for (const event& e : b.events) note(e.at);
  }
  return line <= last;
}

std::vector<const function*> functions_around(const program& all, const place_in_file& where) {
  std::vector<const function*> found;
  for (std::uint32_t file = 0; file < all.files.size(); ++file) {
    std::error_code gone;
    if (!std::filesystem::equivalent(all.files.name(file), where.file, gone)) continue;
    for (const auto& [usr, f] : all.functions) {
      if (has_line(*f, file, where.line)) found.push_back(f.get());
    }
  }
  return found;
}

bool stands_behind(const omission& o, const function& f) {
  return std::ranges::any_of(
      o.behind, [&](const line_of_file& place) { return has_line(f, place.first, place.second); });
}

}  // namespace

std::string as_stats(const program& all, const extraction& read, const left_out& what,
                     std::size_t found, std::chrono::milliseconds spent) {
  std::ostringstream text;
  text << "deed-check: " << read.units << " units (" << read.without_deed << " without deed), "
       << all.functions.size() << " functions, " << all.codelets.size() << " codelets, " << found
       << " findings, " << spent.count() << " ms\n"
       << "deed-check: left out: " << read.without_graph << " functions without a graph, "
       << what.facts << " whose facts did not settle, " << what.calls
       << " with calls that stayed closed, " << what.ranks << " of " << what.followed
       << " that could not be followed to their end on every rank\n";
  constexpr std::size_t most = 10;
  const auto places = places_of(all, what.where);
  for (std::size_t i = 0; i < std::min(most, places.size()); ++i)
    text << "deed-check: " << places[i] << '\n';
  if (places.size() > most)
    text << "deed-check: and in " << places.size() - most << " more places\n";
  return text.str();
}

std::string as_why_not(const program& all, const left_out& what, const place_in_file& where) {
  const std::string asked = where.file + ":" + std::to_string(where.line);
  const auto around = functions_around(all, where);
  if (around.empty()) return "no function that is looked at is at " + asked + "\n";
  std::vector<omission> here, before;
  for (const omission& o : what.where) {
    // Of a function, or, where ranks were followed through a call of it, in it.
    const bool of_one = std::ranges::any_of(around, [&](const function* f) {
      return f == o.in || has_line(*f, o.what.at.file, o.what.at.line);
    });
    if (of_one)
      here.push_back(o);
    else if (std::ranges::any_of(around, [&](const function* f) { return stands_behind(o, *f); }))
      before.push_back(o);
  }
  if (here.empty() && before.empty()) return "nothing is left out at " + asked + "\n";
  std::string text;
  for (const std::string& line : places_of(all, here)) text += line + "\n";
  for (const std::string& line : places_of(all, before)) text += line + "; this stands behind it\n";
  return text;
}

}  // namespace deed::check
