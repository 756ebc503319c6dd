// SPDX-License-Identifier: MIT
#include "report/suppressions.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>

namespace deed::check {
namespace {

constexpr std::string_view comment = "// deed-check: allow(";
constexpr std::string_view attribute = "DEED_ALLOW(";

struct permission {
  span at;
  std::uint32_t last_line = 0;  // it holds from its own line to this one
  std::vector<std::string> codes;
  bool has_reason = false;
  bool used = false;
};

/// Whether a statement ends before the comment: then it is for that line alone.
bool ends_statement(const std::string& line, std::size_t from) {
  const std::size_t last = from == 0 ? line.npos : line.find_last_not_of(" \t", from - 1);
  return last != line.npos && std::string_view(";{}").find(line[last]) != std::string_view::npos;
}

permission parse(const std::string& line, std::size_t from, std::uint32_t file,
                 std::uint32_t number) {
  permission p;
  p.last_line = ends_statement(line, from) ? number : number + 1;
  p.at = {file, number, static_cast<std::uint32_t>(from + 1), number,
          static_cast<std::uint32_t>(line.size() + 1)};
  const std::size_t open = from + comment.size();
  const std::size_t close = line.find(')', open);
  std::string inside = line.substr(open, close == std::string::npos ? close : close - open);
  std::ranges::replace(inside, ',', ' ');
  std::istringstream words(inside);
  for (std::string code; words >> code;) p.codes.push_back(code);
  const std::size_t reason = line.find("reason:", open);
  p.has_reason =
      reason != std::string::npos && line.find_first_not_of(" \t", reason + 7) != std::string::npos;
  return p;
}

/// The line on which the declaration that starts here ends: at the brace that closes its first one,
/// or at a semicolon before that. Braces in comments and literals do not count.
std::uint32_t end_of_declaration(const std::string& file, std::uint32_t number, std::size_t from,
                                 std::uint32_t count, source_lines& lines) {
  int depth = 0;
  for (std::uint32_t n = number; n <= count; ++n, from = 0) {
    const std::string& line = lines.line(file, n);
    char quote = 0;
    for (std::size_t i = from; i < line.size(); ++i) {
      const char c = line[i];
      if (quote != 0) {
        if (c == '\\')
          ++i;
        else if (c == quote)
          quote = 0;
        continue;
      }
      if (c == '"' || c == '\'') quote = c;
      if (c == '/' && line.compare(i, 2, "//") == 0) break;
      if (c == '{') ++depth;
      if (c == '}' && --depth <= 0) return n;
      if (c == ';' && depth == 0) return n;
    }
  }
  return count;
}

/// `DEED_ALLOW(D305, "halo cells are disjoint")` in front of a declaration.
permission parse_attribute(const std::string& file, std::size_t from, std::uint32_t id,
                           std::uint32_t number, source_lines& lines) {
  const std::string& line = lines.line(file, number);
  permission p;
  p.at = {id, number, static_cast<std::uint32_t>(from + 1), number,
          static_cast<std::uint32_t>(line.size() + 1)};
  const std::size_t open = from + attribute.size();
  const std::size_t comma = line.find_first_of(",)", open);
  p.codes.push_back(line.substr(open, comma == std::string::npos ? comma : comma - open));
  const std::size_t quote = line.find('"', open);
  p.has_reason = quote != std::string::npos && quote + 1 < line.size() && line[quote + 1] != '"';
  const std::size_t after = p.has_reason ? line.find(')', line.find('"', quote + 1)) : comma;
  p.last_line = end_of_declaration(
      file, number, after == std::string::npos ? line.size() : after + 1, lines.count(file), lines);
  return p;
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

}  // namespace

void apply_suppressions(std::vector<diagnostic>& found, const std::vector<int>& known_codes,
                        const file_table& files, source_lines& lines) {
  std::vector<permission> all;
  for (std::uint32_t file = 0; file < files.size(); ++file) {
    if (files.name(file).find("include/deed/") != std::string::npos) continue;
    const std::uint32_t count = lines.count(files.name(file));
    for (std::uint32_t n = 1; n <= count; ++n) {
      const std::string& line = lines.line(files.name(file), n);
      if (const std::size_t from = line.find(comment); from != std::string::npos) {
        all.push_back(parse(line, from, file, n));
      } else if (const std::size_t at = line.find(attribute); at != std::string::npos) {
        all.push_back(parse_attribute(files.name(file), at, file, n, lines));
      }
    }
  }
  std::erase_if(found, [&](const diagnostic& d) {
    bool allowed = false;
    for (permission& p : all) {
      const bool here = p.at.file == d.primary.at.file && p.at.line <= d.primary.at.line &&
                        d.primary.at.line <= p.last_line;
      const bool named = std::ranges::find(p.codes, code_name(d.code)) != p.codes.end();
      if (!here || !named || !p.has_reason) continue;
      p.used = allowed = true;
    }
    return allowed;
  });
  for (const permission& p : all) {
    const bool unknown =
        p.codes.empty() || std::ranges::any_of(p.codes, [&](const std::string& c) {
          return std::ranges::none_of(known_codes, [&](int k) { return code_name(k) == c; });
        });
    if (!p.has_reason) {
      const std::string code = p.codes.empty() ? "D306" : p.codes[0];
      found.push_back(complaint(-2, p, "this permission gives no reason",
                                "write why it is right: `// deed-check: allow(" + code +
                                    ") reason: …` at the line, or `DEED_ALLOW(" + code +
                                    ", \"…\")` before the function"));
    } else if (unknown) {
      found.push_back(complaint(-2, p, "this permission names a code that does not exist",
                                "see deed-check --list-checks"));
    } else if (!p.used) {
      found.push_back(complaint(-1, p, "this permission allows nothing", "remove it"));
    }
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
