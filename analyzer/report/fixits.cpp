// SPDX-License-Identifier: MIT
#include "report/fixits.hpp"

#include <algorithm>
#include <sstream>

namespace deed::check {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string whole(const std::string& file, source_lines& lines) {
  std::string text;
  for (std::uint32_t n = 1; n <= lines.count(file); ++n) text += lines.line(file, n) + "\n";
  return text;
}

std::size_t offset(const std::vector<std::size_t>& starts, std::uint32_t line,
                   std::uint32_t column) {
  return line >= 1 && line <= starts.size() ? starts[line - 1] + column - 1 : std::string::npos;
}

}  // namespace

std::map<std::string, changed_file> apply_edits(const std::vector<diagnostic>& found,
                                                const file_table& files, source_lines& lines) {
  std::map<std::string, std::vector<edit>> wanted;
  for (const diagnostic& d : found) {
    const bool sure = std::ranges::all_of(d.edits, [](const edit& e) { return e.sure; });
    for (const edit& e : d.edits) {
      if (sure && e.at.known()) wanted[files.name(e.at.file)].push_back(e);
    }
  }
  std::map<std::string, changed_file> changes;
  for (auto& [file, edits] : wanted) {
    changed_file change;
    change.before = change.after = whole(file, lines);
    std::vector<std::size_t> starts{0};
    for (std::size_t i = 0; i < change.before.size(); ++i) {
      if (change.before[i] == '\n') starts.push_back(i + 1);
    }
    // From the end, so that what is still to be changed stays where it is.
    std::ranges::stable_sort(edits, [](const edit& a, const edit& b) { return b.at < a.at; });
    std::size_t first_changed = std::string::npos;
    for (const edit& e : edits) {
      const std::size_t from = offset(starts, e.at.line, e.at.column);
      const std::size_t to = offset(starts, e.at.end_line, e.at.end_column);
      if (to == std::string::npos || from > to || to > first_changed) continue;
      change.after.replace(from, to - from, e.text);
      first_changed = from;
      ++change.edits;
    }
    if (change.edits > 0) changes[file] = std::move(change);
  }
  return changes;
}

std::string as_diff(const std::string& file, const changed_file& change) {
  const auto before = lines_of(change.before), after = lines_of(change.after);
  std::size_t head = 0, tail = 0;
  const std::size_t least = std::min(before.size(), after.size());
  while (head < least && before[head] == after[head]) ++head;
  while (tail < least - head &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) {
    ++tail;
  }
  std::string text = "--- " + file + "\n+++ " + file + "\n@@ -" + std::to_string(head + 1) + "," +
                     std::to_string(before.size() - head - tail) + " +" + std::to_string(head + 1) +
                     "," + std::to_string(after.size() - head - tail) + " @@\n";
  for (std::size_t i = head; i < before.size() - tail; ++i) text += "-" + before[i] + "\n";
  for (std::size_t i = head; i < after.size() - tail; ++i) text += "+" + after[i] + "\n";
  return text;
}

}  // namespace deed::check
