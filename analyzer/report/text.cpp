// SPDX-License-Identifier: MIT
#include "report/text.hpp"

#include <algorithm>
#include <fstream>

namespace deed::check {
namespace {

struct mark {
  std::uint32_t from, to;  // columns on the screen, from 0
  char sign;
  std::string text;
};

constexpr const char* red = "\033[1;31m";
constexpr const char* yellow = "\033[1;33m";
constexpr const char* blue = "\033[1;34m";
constexpr const char* bold = "\033[1m";
constexpr const char* plain = "\033[0m";

/// How wide the first `bytes` bytes of a line are on the screen. Tabs count one, so the line is
/// printed with them replaced.
std::uint32_t width(const std::string& line, std::uint32_t bytes) {
  std::uint32_t columns = 0;
  for (std::uint32_t i = 0; i < bytes && i < line.size(); ++i) {
    const auto byte = static_cast<unsigned char>(line[i]);
    if ((byte & 0xC0) == 0x80) continue;             // inside a character
    columns += byte >= 0xE3 && byte < 0xF5 ? 2 : 1;  // most characters of three bytes are wide
  }
  return columns + (bytes > line.size() ? bytes - static_cast<std::uint32_t>(line.size()) : 0);
}

class rendering {
 public:
  rendering(const diagnostic& d, const file_table& files, source_lines& lines,
            const text_options& how)
      : d_(d), files_(files), lines_(lines), how_(how) {}

  std::string run() {
    const char* tone = d_.how == severity::error ? red : yellow;
    out_ = painted(tone, severity_name(d_.how)) +
           painted(bold, ": deed[" + code_name(d_.code) + "] " + d_.headline) + "\n";
    out_ += "  " + painted(blue, "-->") + " " + where(d_.primary.at) + "\n";
    gutter_ = d_.primary.at.line;
    for (const label& one : d_.secondary) gutter_ = std::max(gutter_, one.at.line);
    gutter_width_ = std::to_string(gutter_).size();
    snippet(d_.primary.at.file);
    std::vector<std::uint32_t> others;
    for (const label& one : d_.secondary) {
      const bool seen = std::ranges::find(others, one.at.file) != others.end();
      if (!one.at.known() || one.at.file == d_.primary.at.file || seen) continue;
      others.push_back(one.at.file);
      out_ += "  " + painted(blue, ":::") + " " + where(one.at) + "\n";
      snippet(one.at.file);
    }
    for (const std::string& note : d_.notes) fact(note);
    if (!d_.help.empty()) fact("help: " + d_.help);
    return out_ + "\n";
  }

  std::string where(const span& at) const {
    std::string name = files_.name(at.file);
    if (how_.base_names) name = name.substr(name.rfind('/') + 1);
    return name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  }

 private:
  std::string painted(const char* tone, const std::string& text) const {
    return how_.colours ? tone + text + plain : text;
  }
  void fact(const std::string& text) {
    out_ += std::string(gutter_width_ + 1, ' ') + painted(blue, "=") + " " + text + "\n";
  }

  void snippet(std::uint32_t file) {
    std::map<std::uint32_t, std::vector<mark>> marks;
    const auto add = [&](const label& l, char sign) {
      if (!l.at.known() || l.at.file != file) return;
      const std::string& text = lines_.line(files_.name(file), l.at.line);
      const auto from = width(text, l.at.column - 1);
      const bool one_line = l.at.end_line == l.at.line && l.at.end_column > l.at.column;
      const auto end = one_line ? l.at.end_column - 1 : static_cast<std::uint32_t>(text.size());
      marks[l.at.line].push_back({from, std::max(width(text, end), from + 1), sign, l.text});
    };
    add(d_.primary, '^');
    for (const label& one : d_.secondary) add(one, '-');
    std::uint32_t last = 0;
    for (auto& [number, on_line] : marks) {
      if (last != 0 && number == last + 2) source_line(file, last + 1);
      if (last != 0 && number > last + 2) out_ += painted(blue, "...") + "\n";
      source_line(file, number);
      under(on_line);
      last = number;
    }
  }

  void source_line(std::uint32_t file, std::uint32_t number) {
    std::string text = lines_.line(files_.name(file), number);
    std::ranges::replace(text, '\t', ' ');
    const std::string digits = std::to_string(number);
    out_ += painted(blue, std::string(gutter_width_ - digits.size(), ' ') + digits + " |");
    out_ += text.empty() ? "\n" : " " + text + "\n";
  }

  void row(const std::string& text) {
    out_ += painted(blue, std::string(gutter_width_ + 1, ' ') + "|") + " " + text + "\n";
  }

  /// The rightmost label stands beside its marks, the others below theirs.
  void under(std::vector<mark>& marks) {
    std::ranges::stable_sort(marks, {}, &mark::from);
    std::string signs;
    for (const char sign : {'-', '^'}) {
      for (const mark& m : marks) {
        if (m.sign != sign) continue;
        if (signs.size() < m.to) signs.resize(m.to, ' ');
        std::fill(signs.begin() + m.from, signs.begin() + m.to, sign);
      }
    }
    row(signs + (marks.back().text.empty() ? "" : " " + marks.back().text));
    if (marks.size() > 1) row(bars_before(marks, marks.size() - 1));
    for (std::size_t n = marks.size() - 1; n-- > 0;) {
      if (marks[n].text.empty()) continue;
      std::string bars = bars_before(marks, n);
      bars.resize(std::max<std::size_t>(bars.size(), marks[n].from), ' ');
      row(bars + marks[n].text);
    }
  }

  static std::string bars_before(const std::vector<mark>& marks, std::size_t n) {
    std::string bars;
    for (std::size_t i = 0; i < n; ++i) {
      if (marks[i].from < bars.size() || marks[i].text.empty()) continue;
      bars.resize(marks[i].from, ' ');
      bars += '|';
    }
    return bars;
  }

  const diagnostic& d_;
  const file_table& files_;
  source_lines& lines_;
  const text_options& how_;
  std::uint32_t gutter_ = 0;
  std::size_t gutter_width_ = 1;
  std::string out_;
};

}  // namespace

const std::vector<std::string>& source_lines::all(const std::string& file) {
  auto [it, is_new] = files_.try_emplace(file);
  if (is_new) {
    std::ifstream in(file);
    for (std::string text; std::getline(in, text);) it->second.push_back(text);
  }
  return it->second;
}

const std::string& source_lines::line(const std::string& file, std::uint32_t number) {
  static const std::string none;
  const auto& lines = all(file);
  return number == 0 || number > lines.size() ? none : lines[number - 1];
}

std::string source_lines::text(const std::string& file) {
  std::string text;
  for (const std::string& line : all(file)) text += line + "\n";
  return text;
}

std::uint32_t source_lines::count(const std::string& file) {
  return static_cast<std::uint32_t>(all(file).size());
}

std::string as_text(const diagnostic& d, const file_table& files, source_lines& lines,
                    const text_options& how) {
  rendering one(d, files, lines, how);
  if (how.short_form) {
    return one.where(d.primary.at) + ": " + severity_name(d.how) + ": deed[" + code_name(d.code) +
           "] " + d.headline + (d.help.empty() ? "" : "; help: " + d.help) + "\n";
  }
  return one.run();
}

}  // namespace deed::check
