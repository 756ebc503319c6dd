// SPDX-License-Identifier: MIT
#include "report/suppressions.hpp"

#include "report/fingerprint.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace deed::check {
namespace {

constexpr const char* marker = "// deed-check: allow(";

struct permission {
  span at;
  std::vector<std::string> codes;
  bool has_reason = false;
  bool used = false;
};

permission parse(const std::string& line, std::size_t from, std::uint32_t file,
                 std::uint32_t number) {
  permission p;
  p.at = {file, number, static_cast<std::uint32_t>(from + 1), number,
          static_cast<std::uint32_t>(line.size() + 1)};
  const std::size_t open = from + std::string(marker).size();
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
      const std::size_t from = line.find(marker);
      if (from != std::string::npos) all.push_back(parse(line, from, file, n));
    }
  }
  std::erase_if(found, [&](const diagnostic& d) {
    for (permission& p : all) {
      const bool here = p.at.file == d.primary.at.file &&
                        (p.at.line == d.primary.at.line || p.at.line + 1 == d.primary.at.line);
      const bool named = std::ranges::find(p.codes, code_name(d.code)) != p.codes.end();
      if (!here || !named || !p.has_reason) continue;
      p.used = true;
      return true;
    }
    return false;
  });
  for (const permission& p : all) {
    const bool unknown =
        p.codes.empty() || std::ranges::any_of(p.codes, [&](const std::string& c) {
          return std::ranges::none_of(known_codes, [&](int k) { return code_name(k) == c; });
        });
    if (!p.has_reason) {
      found.push_back(complaint(-2, p, "this permission gives no reason",
                                "`// deed-check: allow(D305) reason: why it is right`"));
    } else if (unknown) {
      found.push_back(complaint(-2, p, "this permission names a code that does not exist",
                                "see deed-check --list-checks"));
    } else if (!p.used) {
      found.push_back(complaint(-1, p, "this permission allows nothing", "remove it"));
    }
  }
}

std::set<std::string> read_baseline(const std::string& file) {
  std::set<std::string> known;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) known.insert(line.substr(0, line.find(' ')));
  return known;
}

std::string as_baseline(const std::vector<diagnostic>& found, const file_table& files,
                        source_lines& lines) {
  std::string text;
  for (const diagnostic& d : found) {
    text += fingerprint(d, files, lines) + " " + code_name(d.code) + " " +
            files.name(d.primary.at.file) + "\n";
  }
  return text;
}

}  // namespace deed::check
