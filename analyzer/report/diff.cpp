// SPDX-License-Identifier: MIT
#include "report/diff.hpp"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <utility>
#include <vector>

namespace deed::check {
namespace {

using text_lines = std::vector<std::string>;

text_lines split_at_newlines(const std::string& text) {
  text_lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// A line of the one text, of the other, or of both.
struct diff_line {
  char sign;  // As in the output.
  std::size_t before;
  std::size_t after;
};

/// Walks the furthest that is reached with each number of differences, then back along it.
class shortest_script {
 public:
  shortest_script(const text_lines& before, const text_lines& after)
      : before_(before), after_(after), reached_(2 * (before.size() + after.size()) + 3) {}

  std::vector<diff_line> lines() {
    while (!advance()) {
    }
    return way_back();
  }

 private:
  // Diagonals are before - after; the middle of the table is the one of the start.
  [[nodiscard]] std::size_t at(std::ptrdiff_t diagonal) const {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(reached_.size() / 2) + diagonal);
  }
  [[nodiscard]] static bool comes_from_above(const std::vector<std::ptrdiff_t>& reached,
                                             std::size_t here, bool first, bool last) {
    return first || (!last && reached[here - 1] < reached[here + 1]);
  }
  /// With one difference more; true at the end of both.
  bool advance() {
    const auto most = static_cast<std::ptrdiff_t>(steps_.size());
    const auto table = reached_.begin();
    steps_.emplace_back(table + static_cast<std::ptrdiff_t>(at(-most - 1)),
                        table + static_cast<std::ptrdiff_t>(at(most + 1)) + 1);
    for (std::ptrdiff_t diagonal = -most; diagonal <= most; diagonal += 2) {
      const std::size_t here = at(diagonal);
      std::ptrdiff_t x = 0;
      if (most > 0)
        x = comes_from_above(reached_, here, diagonal == -most, diagonal == most)
                ? reached_[here + 1]
                : reached_[here - 1] + 1;
      const auto same = [&](std::ptrdiff_t of_before, std::ptrdiff_t of_after) {
        const auto b = static_cast<std::size_t>(of_before), a = static_cast<std::size_t>(of_after);
        return b < before_.size() && a < after_.size() && before_[b] == after_[a];
      };
      while (x - diagonal >= 0 && same(x, x - diagonal)) ++x;
      reached_[here] = x;
      if (x >= static_cast<std::ptrdiff_t>(before_.size()) &&
          x - diagonal >= static_cast<std::ptrdiff_t>(after_.size()))
        return true;
    }
    return false;
  }
  [[nodiscard]] std::vector<diff_line> way_back() const {
    std::vector<diff_line> found;
    auto x = static_cast<std::ptrdiff_t>(before_.size());
    auto y = static_cast<std::ptrdiff_t>(after_.size());
    const auto add = [&](char sign) {
      found.push_back({sign, static_cast<std::size_t>(x), static_cast<std::size_t>(y)});
    };
    for (std::ptrdiff_t most = static_cast<std::ptrdiff_t>(steps_.size()) - 1; most > 0; --most) {
      const auto& reached = steps_[static_cast<std::size_t>(most)];
      const std::ptrdiff_t diagonal = x - y;
      const auto here = static_cast<std::size_t>(diagonal + most + 1);
      const bool above = comes_from_above(reached, here, diagonal == -most, diagonal == most);
      const std::ptrdiff_t from = above ? reached[here + 1] : reached[here - 1];
      for (const std::ptrdiff_t until = above ? from : from + 1; x > until;) --x, --y, add(' ');
      above ? --y : --x;
      add(above ? '+' : '-');
    }
    while (x > 0) --x, --y, add(' ');
    std::ranges::reverse(found);
    return found;
  }

  const text_lines& before_;
  const text_lines& after_;
  std::vector<std::ptrdiff_t> reached_;             // By diagonal: how far in `before`.
  std::vector<std::vector<std::ptrdiff_t>> steps_;  // Those before each step, as far as it looks.
};

constexpr std::size_t around = 3;

std::string hunk(const std::vector<diff_line>& script, std::size_t first, std::size_t last,
                 const text_lines& before, const text_lines& after) {
  std::size_t olds = 0, news = 0;
  std::string body;
  for (std::size_t i = first; i < last; ++i) {
    if (script[i].sign != '+') ++olds;
    if (script[i].sign != '-') ++news;
    body += script[i].sign +
            (script[i].sign == '+' ? after[script[i].after] : before[script[i].before]) + "\n";
  }
  const auto range = [](std::size_t from, std::size_t count) {
    return std::to_string(count == 0 ? from : from + 1) + "," + std::to_string(count);
  };
  return "@@ -" + range(script[first].before, olds) + " +" + range(script[first].after, news) +
         " @@\n" + body;
}

}  // namespace

std::string unified_diff(const std::string& file, const std::string& before,
                         const std::string& after) {
  if (before == after) return {};
  const text_lines olds = split_at_newlines(before), news = split_at_newlines(after);
  const std::vector<diff_line> script = shortest_script(olds, news).lines();
  std::string text = "--- " + file + "\n+++ " + file + "\n";
  const auto differs = [](const diff_line& line) { return line.sign != ' '; };
  for (auto each = std::ranges::find_if(script, differs); each != script.end();) {
    const auto begin = static_cast<std::size_t>(each - script.begin());
    std::size_t last = begin;  // Of this hunk: the next one begins where nothing is shown twice.
    for (std::size_t i = begin; i < script.size() && i <= last + 2 * around + 1; ++i)
      if (differs(script[i])) last = i;
    text += hunk(script, begin - std::min(begin, around),
                 std::min(script.size(), last + around + 1), olds, news);
    each =
        std::find_if(script.begin() + static_cast<std::ptrdiff_t>(last) + 1, script.end(), differs);
  }
  return text;
}

}  // namespace deed::check
