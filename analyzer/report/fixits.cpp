// SPDX-License-Identifier: MIT
#include "report/fixits.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace deed::check {
namespace {

std::size_t offset(const std::vector<std::size_t>& starts, std::uint32_t line,
                   std::uint32_t column) {
  return line >= 1 && line <= starts.size() ? starts[line - 1] + column - 1 : std::string::npos;
}

std::size_t indent_of(const std::string& line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

/// It begins its line, and the line before ends a statement: nothing else decides whether it runs.
bool is_statement(const span& at, const std::string& file, source_lines& lines) {
  if (indent_of(lines.line(file, at.line)) + 1 != at.column) return false;
  for (std::uint32_t n = at.line - 1; n > 0; --n) {
    const std::string& line = lines.line(file, n);
    const std::string code = line.substr(0, line.find("//"));
    const std::size_t last = code.find_last_not_of(" \t\r");
    if (last != code.npos) return std::string_view(";{}").find(code[last]) != std::string::npos;
  }
  return false;
}

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has_name(const std::string& line, const std::string& name) {
  for (std::size_t at = line.find(name); at != line.npos; at = line.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_of_name(line[at - 1])) && (end == line.size() || !is_of_name(line[end])))
      return true;
  }
  return false;
}

bool is_named_behind(const std::string& name, const span& at, const std::string& file,
                     source_lines& lines) {
  for (std::uint32_t n = at.end_line + 1; n <= lines.count(file); ++n) {
    if (has_name(lines.line(file, n), name)) return true;
  }
  return false;
}

/// The whole line of a statement, where nothing else is on it.
std::optional<edit> without_line(edit e, const std::string& file, source_lines& lines) {
  const std::string& line = lines.line(file, e.at.end_line);
  const std::string rest = line.substr(std::min<std::size_t>(e.at.end_column - 1, line.size()));
  if (!is_statement(e.at, file, lines) || !rest.starts_with(';') ||
      rest.find_first_not_of(" \t\r", 1) != rest.npos || e.at.end_line == lines.count(file))
    return std::nullopt;
  e.at.column = e.at.end_column = 1;
  ++e.at.end_line;
  return e;
}

}  // namespace

std::optional<edit> fitted(const edit& wanted, const std::string& file, source_lines& lines) {
  if (wanted.text.empty()) return without_line(wanted, file, lines);
  const std::string& line = lines.line(file, wanted.at.line);
  if (!wanted.replaces.empty() &&
      (wanted.at.line != wanted.at.end_line ||
       line.substr(std::min<std::size_t>(wanted.at.column - 1, line.size()),
                   wanted.at.end_column - wanted.at.column) != wanted.replaces))
    return std::nullopt;
  if (!wanted.text.ends_with('\n')) return wanted;
  if (!is_statement(wanted.at, file, lines) ||
      is_named_behind(wanted.last_use, wanted.at, file, lines))
    return std::nullopt;
  edit whole = wanted;
  whole.text += line.substr(0, indent_of(line));
  return whole;
}

std::map<std::string, changed_file> apply_edits(const std::vector<diagnostic>& found,
                                                const file_table& files, source_lines& lines) {
  std::map<std::string, std::vector<edit>> wanted;
  for (const diagnostic& d : found) {
    const bool sure = std::ranges::all_of(d.edits, [](const edit& e) { return e.sure; });
    for (const edit& e : d.edits) {
      if (!sure || !e.at.known()) continue;
      const std::string& file = files.name(e.at.file);
      if (const auto fits = fitted(e, file, lines)) wanted[file].push_back(*fits);
    }
  }
  std::map<std::string, changed_file> changes;
  for (auto& [file, edits] : wanted) {
    changed_file change;
    change.before = change.after = lines.text(file);
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

}  // namespace deed::check
