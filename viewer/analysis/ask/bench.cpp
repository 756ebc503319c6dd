// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/query/query.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>

namespace deed::viewer {

answer bench(const model& of) {
  const std::int64_t end = std::max<std::int64_t>(4, of.events().end());
  const time_range part{end / 4, end / 2};
  const std::string handle = of.data().empty() ? "" : of.handle_name(0);
  const std::array<std::pair<const char*, std::function<void()>>, 9> asked{
      {{"stats of a quarter", [&] { static_cast<void>(stats(of, part)); }},
       {"breakdown of a quarter", [&] { static_cast<void>(breakdown(of, part)); }},
       {"search for a handle", [&] { static_cast<void>(find(of, "handle:" + handle)); }},
       {"critical-path", [&] { static_cast<void>(critical_path(of)); }},
       {"state", [&] { static_cast<void>(state(of, end / 2)); }},
       {"waits", [&] { static_cast<void>(waits(of, {})); }},
       {"cache", [&] { static_cast<void>(cache(of)); }},
       {"why-twice", [&] { static_cast<void>(why_twice(of, {})); }},
       {"check", [&] { static_cast<void>(check(of)); }}}};
  table rows{"", {"question", "ms"}, {}};
  for (const auto& [name, ask] : asked) {
    double best = 0;
    for (int i = 0; i < 3; ++i) {
      const auto start = std::chrono::steady_clock::now();
      ask();
      const std::chrono::duration<double, std::milli> taken =
          std::chrono::steady_clock::now() - start;
      best = i == 0 ? taken.count() : std::min(best, taken.count());
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", best);
    rows.rows.push_back({name, text});
  }
  answer said;
  said.sentences.push_back("after the run was opened; the shortest of 3");
  said.tables.push_back(std::move(rows));
  return said;
}

}  // namespace deed::viewer
