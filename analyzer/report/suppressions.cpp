// SPDX-License-Identifier: MIT
#include "report/suppressions.hpp"

#include "report/scan.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <string_view>
#include <tuple>

namespace deed::check {
namespace {

constexpr std::string_view beginning = "deed-check:";
constexpr std::string_view attribute = "DEED_ALLOW(";
constexpr std::size_t npos = std::string::npos;

struct permission {
  span at;
  std::uint32_t first_line = 0, last_line = 0;  // where it holds
  std::vector<std::string> codes;
  bool understood = true;
  bool has_reason = false;
  bool used = false;
};

span span_of(const scanned_source& source, std::uint32_t file, std::size_t from, std::size_t to) {
  return {file, source.line_of(from), source.column_of(from), source.line_of(to),
          source.column_of(to)};
}

/// A comment behind a statement is for that one, or for all that stand on its line; one in the
/// middle of a statement for the whole of it; one on a line of its own for what comes next.
void place(permission& p, const scanned_source& source, const comment& c) {
  const std::uint32_t own = source.line_of(c.from);
  const std::size_t before = source.code_before(c.from);
  const bool between = before == npos || std::string_view(";{}:").find(source.code[before]) != npos;
  const bool alone = before == npos || source.line_of(before) != own;
  p.first_line = p.last_line = own;
  if (!between || !alone)
    p.first_line = std::min(own, source.line_of(source.statement_start(c.from)));
  if (!between || alone) p.last_line = source.line_of(source.statement_end(c.to));
}

/// `deed-check: allow(D305, D306) reason: halo cells are disjoint`.
permission read_comment(const scanned_source& source, std::uint32_t file, const comment& c) {
  permission p;
  p.at = span_of(source, file, c.from, c.to);
  place(p, source, c);
  const std::size_t first = c.text.find_first_not_of(" \t", beginning.size());
  const std::size_t open = first == npos ? npos : c.text.find('(', first);
  const std::size_t close = open == npos ? npos : c.text.find(')', open);
  p.understood = close != npos && c.text.compare(first, open - first, "allow") == 0;
  if (!p.understood) return p;
  std::string inside = c.text.substr(open + 1, close - open - 1);
  std::ranges::replace(inside, ',', ' ');
  std::istringstream words(inside);
  for (std::string code; words >> code;) p.codes.push_back(code);
  const std::size_t reason = c.text.find("reason:", close);
  p.has_reason = reason != npos && c.text.find_first_not_of(" \t", reason + 7) != npos;
  return p;
}

/// `DEED_ALLOW(D305, "halo cells are disjoint")` in front of a declaration.
permission read_attribute(const scanned_source& source, std::uint32_t file, std::size_t from) {
  permission p;
  const std::size_t open = from + attribute.size();
  const std::size_t close = std::min(source.code.find(')', open), source.code.size());
  const std::string inside = source.text.substr(open, close - open);
  std::istringstream words(inside.substr(0, inside.find(',')));
  for (std::string code; words >> code;) p.codes.push_back(code);
  const std::size_t quote = inside.find('"');
  p.has_reason = quote != npos && quote + 1 < inside.size() && inside[quote + 1] != '"';
  p.at = span_of(source, file, from, std::min(close + 1, source.text.size()));
  p.first_line = source.line_of(from);
  p.last_line = source.line_of(source.declaration_end(close + 1) - 1);
  return p;
}

std::vector<permission> permissions_in(std::uint32_t file, const std::string& name,
                                       source_lines& lines) {
  std::vector<permission> all;
  std::string text = lines.text(name);
  if (text.find(beginning) == npos && text.find(attribute) == npos) return all;
  const scanned_source source = scan(std::move(text));
  for (const comment& c : source.comments) {
    if (c.text.starts_with(beginning)) all.push_back(read_comment(source, file, c));
  }
  for (std::size_t at = source.code.find(attribute); at != npos;
       at = source.code.find(attribute, at + 1))
    all.push_back(read_attribute(source, file, at));
  return all;
}

diagnostic complaint(int code, const permission& p, std::string headline, std::string help) {
  diagnostic d;
  d.code = code;
  d.how = severity::warning;
  d.headline = std::move(headline);
  d.primary = {p.at, ""};
  d.help = std::move(help);
  return d;
}

/// What is wrong with a permission, if anything is.
std::optional<diagnostic> complaint_about(const permission& p, const std::vector<int>& known,
                                          bool whole) {
  if (!p.understood) {
    return complaint(-2, p, "this permission is not understood",
                     "write `// deed-check: allow(D306) reason: …`");
  }
  if (!p.has_reason) {
    const std::string code = p.codes.empty() ? "D306" : p.codes[0];
    return complaint(-2, p, "this permission gives no reason",
                     "write why it is right: `// deed-check: allow(" + code +
                         ") reason: …` at the line, or `DEED_ALLOW(" + code +
                         ", \"…\")` before the function");
  }
  const auto exists = [&](const std::string& code) {
    return std::ranges::any_of(known, [&](int k) { return code_name(k) == code; });
  };
  if (p.codes.empty() || !std::ranges::all_of(p.codes, exists)) {
    return complaint(-2, p, "this permission names a code that does not exist",
                     "see deed-check --list-checks");
  }
  if (whole && !p.used) return complaint(-1, p, "this permission allows nothing", "remove it");
  return std::nullopt;
}

bool allows(const permission& p, const diagnostic& d) {
  return p.understood && p.has_reason && p.at.file == d.primary.at.file &&
         p.first_line <= d.primary.at.line && d.primary.at.line <= p.last_line &&
         std::ranges::find(p.codes, code_name(d.code)) != p.codes.end();
}

bool is_in(const diagnostic& d, const std::vector<span>& places) {
  const span& at = d.primary.at;
  return std::ranges::any_of(places, [&](const span& whole) {
    return whole.file == at.file &&
           std::tie(whole.line, whole.column) <= std::tie(at.line, at.column) &&
           std::tie(at.end_line, at.end_column) <= std::tie(whole.end_line, whole.end_column);
  });
}

/// What is behind another finding is told instead of it, once that one is allowed.
void take_out_allowed(std::vector<diagnostic>& found, std::vector<permission>& all) {
  std::vector<diagnostic> left, allowed;
  std::ranges::stable_sort(found, {}, [](const diagnostic& d) { return d.behind.size(); });
  for (diagnostic& d : found) {
    bool is_allowed = false;
    for (permission& p : all) {
      if (allows(p, d)) p.used = is_allowed = true;
    }
    const auto before = [&](const diagnostic& other) { return is_in(other, d.behind); };
    const bool told = d.behind.empty() ||
                      (std::ranges::any_of(allowed, before) && std::ranges::none_of(left, before));
    if (is_allowed)
      allowed.push_back(std::move(d));
    else if (told)
      left.push_back(std::move(d));
  }
  std::ranges::stable_sort(left, {}, [](const diagnostic& d) { return d.primary.at; });
  found = std::move(left);
}

}  // namespace

void apply_suppressions(std::vector<diagnostic>& found, const std::vector<int>& known_codes,
                        const std::set<std::uint32_t>& in, bool whole, const file_table& files,
                        source_lines& lines) {
  std::vector<permission> all;
  for (const std::uint32_t file : in)
    std::ranges::move(permissions_in(file, files.name(file), lines), std::back_inserter(all));
  take_out_allowed(found, all);
  for (const permission& p : all) {
    if (auto about = complaint_about(p, known_codes, whole)) found.push_back(std::move(*about));
  }
}

std::vector<rule_text> texts_of_permissions() {
  return {
      {-1, "a permission that allows nothing",
       "A permission is for one mistake in one place. Where there is none it hides the next.\n"},
      {-2, "a permission without a reason, or for no code",
       "A permission says why the mistake is none: it is for the next reader. Without a reason it\n"
       "allows nothing.\n"}};
}

std::optional<std::set<std::string>> read_baseline(const std::string& file) {
  std::set<std::string> known;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) known.insert(line.substr(0, line.find(' ')));
  if (!in.is_open() || in.bad()) return std::nullopt;  // A folder can be opened, not read.
  return known;
}

std::string as_baseline(const std::vector<diagnostic>& found, const file_table& files) {
  std::string text;
  for (const diagnostic& d : found) {
    text += d.fingerprint + " " + code_name(d.code) + " " + files.name(d.primary.at.file) + "\n";
  }
  return text;
}

}  // namespace deed::check
