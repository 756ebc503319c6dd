// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/export/export.hpp"
#include "analysis/query/query.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ostream>
#include <streambuf>

namespace deed::viewer {
namespace {

/// Takes everything and keeps nothing.
class nowhere : public std::streambuf {
 protected:
  int_type overflow(int_type c) override { return traits_type::not_eof(c); }
  std::streamsize xsputn(const char*, std::streamsize count) override { return count; }
};

struct timed_question {
  std::string_view name;
  const char* what;
  void (*ask)(const model&);
};

time_range quarter(const model& of) {
  const std::int64_t end = std::max<std::int64_t>(4, of.events().end());
  return {end / 4, end / 2};
}

void open_again(const model& of) {
  const run events(of.events().path());
  static_cast<void>(model(events));
}

void search(const model& of) {
  static_cast<void>(find(of, "handle:" + (of.data().empty() ? "" : of.handle_name(0))));
}

void export_to_nowhere(const model& of) {
  nowhere sink;
  std::ostream out(&sink);
  export_perfetto(of, out);
}

template <class Answer>
void drop(const Answer& /*answer*/) {}

constexpr std::array<timed_question, 11> questions{
    {{"open", "opening it again", open_again},
     {"stats", "statistics of a quarter", [](const model& of) { drop(stats(of, quarter(of))); }},
     {"breakdown", "shares of time of a quarter",
      [](const model& of) { drop(breakdown(of, quarter(of))); }},
     {"search", "all events of a datum", search},
     {"critical-path", "its critical path", [](const model& of) { drop(critical_path(of)); }},
     {"state", "owners and copies in its middle",
      [](const model& of) { drop(state(of, of.events().end() / 2)); }},
     {"waits", "who waited for whom", [](const model& of) { drop(waits(of, {})); }},
     {"cache", "hits and misses", [](const model& of) { drop(cache(of)); }},
     {"why-twice", "what was sent twice", [](const model& of) { drop(why_twice(of, {})); }},
     {"check", "the ownership checker", [](const model& of) { drop(check(of)); }},
     {"export", "for Perfetto, written nowhere", export_to_nowhere}}};

double shortest_of_three(const timed_question& each, const model& of) {
  double best = 0;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    each.ask(of);
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    best = i == 0 ? taken.count() : std::min(best, taken.count());
  }
  return best;
}

}  // namespace

std::vector<std::string_view> bench_questions() {
  std::vector<std::string_view> names;
  for (const timed_question& each : questions) names.push_back(each.name);
  return names;
}

answer bench(const model& of, const std::vector<std::string>& what) {
  table rows{"", {"question", "what", "ms"}, {}};
  for (const timed_question& each : questions) {
    if (!what.empty() && std::ranges::count(what, each.name) == 0) continue;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f", shortest_of_three(each, of));
    rows.rows.push_back({std::string(each.name), each.what, text.data()});
  }
  answer said;
  said.sentences.push_back("after the run was opened; the shortest of 3");
  said.tables.push_back(std::move(rows));
  return said;
}

}  // namespace deed::viewer
