// SPDX-License-Identifier: MIT
#include "analysis/say/answer.hpp"

#include "analysis/read/json.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

namespace deed::viewer {
namespace {

std::string json_list(const std::vector<std::string>& texts) {
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

std::string text_table(const table& of, std::size_t most_rows) {
  std::vector<std::size_t> widths;
  for (const auto& column : of.columns) widths.push_back(width_of(column));
  const std::size_t shown = std::min(of.rows.size(), most_rows);
  for (std::size_t r = 0; r < shown; ++r)
    for (std::size_t c = 0; c < widths.size() && c < of.rows[r].size(); ++c)
      widths[c] = std::max(widths[c], width_of(of.rows[r][c]));
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t c = 0; c < widths.size() && c < cells.size(); ++c) {
      const std::string blanks(widths[c] - width_of(cells[c]), ' ');
      text += "  ";
      text += is_number(cells[c]) ? blanks + cells[c] : cells[c] + blanks;
    }
    while (text.ends_with(' ')) text.pop_back();
    return text + "\n";
  };
  std::string text = of.title.empty() ? "" : of.title + "\n";
  text += line(of.columns);
  for (std::size_t r = 0; r < shown; ++r) text += line(of.rows[r]);
  if (shown < of.rows.size())
    text += "  ... and " + std::to_string(of.rows.size() - shown) + " more; --limit shows them\n";
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
    text += "]}";
  }
  return text + "],\n  \"findings\": " + (what.findings ? "true" : "false") +
         ",\n  \"incomplete\": " + json_list(incomplete) + "\n}\n";
}

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
    for (const table& each : what.tables) {
      const auto line = [&](const std::vector<std::string>& cells) {
        for (std::size_t c = 0; c < cells.size(); ++c)
          text += (c == 0 ? "" : ",") + csv_text(cells[c]);
        text += '\n';
      };
      line(each.columns);
      for (const auto& row : each.rows) line(row);
    }
    return text;
  }
  for (const auto& each : what.sentences) text += each + "\n";
  for (const table& each : what.tables) {
    // The sentences say what there is none of.
    if (each.rows.empty() && !what.sentences.empty()) continue;
    text += (text.empty() ? "" : "\n") + text_table(each, most_rows);
  }
  return text;
}

}  // namespace deed::viewer
