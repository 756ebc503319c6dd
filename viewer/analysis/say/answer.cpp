// SPDX-License-Identifier: MIT
#include "analysis/say/answer.hpp"

#include "analysis/read/json.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace deed::viewer {
namespace {

template <class Text>
std::string json_list(const std::vector<Text>& texts) {
  std::string list = "[";
  for (const auto& each : texts) list += (list.size() > 1 ? ", " : "") + json_text(each);
  return list + "]";
}

// Columns of characters, not bytes.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
  }));
}

bool is_number(std::string_view text) {
  return !text.empty() && ((text[0] >= '0' && text[0] <= '9') || text == "-" || text[0] == '-');
}

/// In place of a number.
constexpr std::string_view not_known = "not known";

/// A column does where all of its cells do.
bool stands_to_the_right(std::string_view text) {
  return text.empty() || is_number(text) || text.starts_with("+-") || text == not_known ||
         text == "never";
}

/// An empty one has one line.
std::vector<std::string_view> lines_of(const std::string& of) {
  std::string_view text = of;
  std::vector<std::string_view> lines;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end != std::string_view::npos) text.remove_prefix(end + 1);
  }
  return lines;
}

/// As many as its longest cell has.
std::vector<std::vector<std::string_view>> lines_of(const std::vector<cell>& row) {
  std::vector<std::vector<std::string_view>> lines;
  for (std::size_t c = 0; c < row.size(); ++c) {
    const auto mine = lines_of(row[c]);
    lines.resize(std::max(lines.size(), mine.size()), std::vector<std::string_view>(row.size()));
    for (std::size_t n = 0; n < mine.size(); ++n) lines[n][c] = mine[n];
  }
  return lines;
}

/// What a terminal is told before a text that is to stand out.
///
/// Source: ECMA-48, 8.3.117, Select Graphic Rendition.
enum class look : std::uint8_t { bold = 1, dim = 2, red = 31, green = 32 };

std::string shown(std::string_view text, look as, style how) {
  if (how != style::coloured || text.empty()) return std::string(text);
  const bool bright = as == look::red || as == look::green;
  return "\x1b[" + std::string(bright ? "1;" : "") + std::to_string(static_cast<int>(as)) + "m" +
         std::string(text) + "\x1b[0m";
}

/// The code of a mistake and what to do about it stand out.
std::string sentence(const std::string& text, style how) {
  constexpr std::string_view code = "deed[", help = "help:";
  if (text.starts_with(help)) return shown(help, look::green, how) + text.substr(help.size());
  const std::size_t begin = text.find(code);
  const std::size_t end = begin == std::string::npos ? begin : text.find(']', begin);
  if (end == std::string::npos) return text;
  return text.substr(0, begin) + shown(text.substr(begin, end + 1 - begin), look::red, how) +
         text.substr(end + 1);
}

std::string text_table(const table& of, std::size_t most_rows, style how) {
  std::vector<std::size_t> widths;
  for (const auto& column : of.columns) widths.push_back(width_of(column));
  const std::size_t rows = std::min(of.rows.size(), most_rows);
  std::vector<bool> to_the_right(widths.size(), true);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < widths.size() && c < of.rows[r].size(); ++c) {
      for (const std::string_view each : lines_of(of.rows[r][c]))
        widths[c] = std::max(widths[c], width_of(each));
      to_the_right[c] = to_the_right[c] && stands_to_the_right(of.rows[r][c]);
    }
  const auto line = [&](const auto& cells, bool head) {
    std::string text;
    for (std::size_t c = 0; c < widths.size() && c < cells.size(); ++c) {
      const std::string blanks(widths[c] - width_of(cells[c]), ' ');
      const bool right = head ? is_number(cells[c]) : to_the_right[c];
      text += "  ";
      text += right ? blanks + std::string(cells[c]) : std::string(cells[c]) + blanks;
    }
    while (text.ends_with(' ')) text.pop_back();
    return text;
  };
  std::string text = of.title.empty() ? "" : shown(of.title, look::bold, how) + "\n";
  if (const std::string head = line(of.columns, true); !head.empty())
    text += shown(head, look::dim, how) + "\n";
  for (std::size_t r = 0; r < rows; ++r)
    for (const auto& each : lines_of(of.rows[r])) text += line(each, false) + "\n";
  if (const std::size_t more = of.rows.size() - rows + of.left_out; more != 0)
    text +=
        shown("  ... and " + std::to_string(more) + " more; --limit shows them", look::dim, how) +
        "\n";
  return text;
}

/// What the numbers of a column are counted in; none: some are texts, or in another unit.
unit unit_of(const table& of, std::size_t column) {
  unit found = unit::text;
  for (const auto& row : of.rows) {
    if (column >= row.size() || row[column].empty() || row[column] == "-" ||
        row[column] == not_known)
      continue;
    if (row[column].in() == unit::text || (found != unit::text && found != row[column].in()))
      return unit::text;
    found = row[column].in();
  }
  return found;
}

std::vector<unit> units_of(const table& of) {
  std::vector<unit> units;
  for (std::size_t c = 0; c < of.columns.size(); ++c) units.push_back(unit_of(of, c));
  return units;
}

/// As many digits as it has: whole nanoseconds and bytes are exact.
std::string digits_of(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.15g", number);
  return text.data();
}

std::string json_numbers(const table& of) {
  const std::vector<unit> units = units_of(of);
  std::vector<std::string> names;
  for (const unit each : units) names.emplace_back(name_of(each));
  std::string text = ",\n     \"units\": " + json_list(names) + ",\n     \"numbers\": [";
  for (std::size_t r = 0; r < of.rows.size(); ++r) {
    text += std::string(r == 0 ? "" : ",") + "\n       [";
    for (std::size_t c = 0; c < units.size(); ++c) {
      const bool known = c < of.rows[r].size() && of.rows[r][c].in() == units[c];
      text += std::string(c == 0 ? "" : ", ") +
              (known && units[c] != unit::text ? digits_of(of.rows[r][c].number()) : "null");
    }
    text += "]";
  }
  return text + "]";
}

std::string as_csv(const table& of) {
  const std::vector<unit> units = units_of(of);
  std::string text;
  for (std::size_t c = 0; c < of.columns.size(); ++c) {
    const bool counts = units[c] == unit::text || units[c] == unit::count;
    const std::string in = counts ? "" : " (" + std::string(name_of(units[c])) + ")";
    text += (c == 0 ? "" : ",") + csv_text(of.columns[c] + in);
  }
  text += '\n';
  for (const auto& row : of.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool number = c < units.size() && units[c] != unit::text;
      text += c == 0 ? "" : ",";
      if (!number)
        text += csv_text(row[c]);
      else if (row[c].in() != unit::text)
        text += digits_of(row[c].number());
    }
    text += '\n';
  }
  return text;
}

std::string as_json(const answer& what, const std::vector<std::string>& incomplete) {
  std::string text = "{\n  \"sentences\": " + json_list(what.sentences) + ",\n  \"tables\": [";
  for (std::size_t t = 0; t < what.tables.size(); ++t) {
    const table& each = what.tables[t];
    text += std::string(t == 0 ? "" : ",") + "\n    {\"title\": " + json_text(each.title) +
            ",\n     \"columns\": " + json_list(each.columns) + ",\n     \"rows\": [";
    for (std::size_t r = 0; r < each.rows.size(); ++r)
      text += std::string(r == 0 ? "" : ",") + "\n       " + json_list(each.rows[r]);
    text += "]" + json_numbers(each) + "}";
  }
  text += "]";
  if (!what.backtrace.empty()) text += ",\n  \"backtrace\": " + json_list(what.backtrace);
  return text + ",\n  \"findings\": " + (what.findings ? "true" : "false") +
         ",\n  \"incomplete\": " + json_list(incomplete) + "\n}\n";
}

bool has_no_rows(const table& of) { return of.rows.empty(); }

}  // namespace

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string render(const answer& what, style how, const std::vector<std::string>& incomplete,
                   std::size_t most_rows) {
  if (how == style::json) return as_json(what, incomplete);
  std::string text;
  if (how == style::csv) {
    for (const table& each : what.tables) text += as_csv(each);
    return text;
  }
  if (what.sentences.empty() && std::ranges::all_of(what.tables, has_no_rows))
    return "nothing was found\n";
  for (const auto& each : what.sentences) text += sentence(each, how) + "\n";
  for (const table& each : what.tables) {
    // The sentences say what there is none of.
    if (has_no_rows(each) && !what.sentences.empty()) continue;
    text += (text.empty() ? "" : "\n") + text_table(each, most_rows, how);
  }
  return text;
}

}  // namespace deed::viewer
