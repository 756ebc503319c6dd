// SPDX-License-Identifier: MIT
#include "cli/questions.hpp"

#include "analysis/ask/caveats.hpp"
#include "analysis/ask/copy_lives.hpp"
#include "analysis/ask/data_heat.hpp"
#include "analysis/ask/device_work.hpp"
#include "analysis/ask/gaps.hpp"
#include "analysis/ask/same_tasks.hpp"
#include "analysis/ask/slack.hpp"
#include "analysis/ask/state_at.hpp"
#include "analysis/ask/what_if.hpp"
#include "analysis/clock/clock_fit.hpp"
#include "analysis/edit/edit.hpp"
#include "analysis/query/moments.hpp"
#include "analysis/query/query.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace deed::viewer {

run opened(const std::string& path, clock_correction by) {
  run as_recorded(path);
  if (by == clock_correction::nothing) return as_recorded;
  return run(path, fit_clocks(model(as_recorded), by).shifts);
}

std::optional<std::int64_t> named_moment(const run& of, const std::string& text) {
  if (text == "begin") return known_part(of).from;
  if (text == "end") return of.end();
  if (text != "error") return {};
  const auto error = first_error(of);
  const bool cut = std::ranges::any_of(of.ranks(), &rank_info::is_left_open);
  if (!error && cut) return of.end();
  if (!error) throw usage_error("no error was recorded in this run; write a time, as 12.3ms");
  return error;
}

std::int64_t time_in(const model& of, const std::string& text) {
  if (text == "error" && !of.failures().empty()) return moment_of_first_failure(of).time;
  if (const auto named = named_moment(of.events(), text)) return *named;
  if (!parse_time(text))
    throw usage_error("`" + text + "` is no time; write 12.3ms, begin, end or error");
  const std::int64_t time = as_printed(of.events(), time_of(text));
  const std::string outside = say_outside(of.events(), {time, time});
  if (!outside.empty()) throw usage_error(outside);
  if (time < 0 || time > of.events().end())
    throw usage_error("the run lasts " + say_time(of.events().end()) + ": " + text +
                      " is not in it");
  return time;
}

std::string rule_in(const options& given) {
  const auto named = given.named.find("--rule");
  if (named == given.named.end()) return {};
  std::vector<std::string> known;
  for (const rule& each : rules()) known.push_back(each.name);
  refuse_unknown("rule", named->second, known);
  return named->second;
}

namespace {

/// What is left of one name where several data have it is what tells them apart.
std::uint32_t handle_of(const model& of, const std::string& name) {
  const auto handle = of.find_handle(name);
  if (!handle) throw usage_error("there is no handle `" + name + "` in this run" + who_is_there);
  if (of.handle_name(*handle) == name || of.handle_name(*handle) == as_recorded(name) ||
      name.starts_with('#'))
    return *handle;
  constexpr std::size_t few = 8;
  std::string names;
  std::size_t count = 0;
  for (std::uint32_t h = 0; h < of.data().size(); ++h) {
    const std::string each = of.handle_name(h);
    if (!of.data()[h].known || each != name + "#" + std::to_string(h)) continue;
    if (++count <= few) names += (names.empty() ? "" : ", ") + each;
  }
  throw usage_error(say_count(count) + " data have the name `" + name + "`; write one of " + names +
                    (count > few ? " and " + say_count(count - few) + " more" : ""));
}

void refuse_unknown_handles(const model& of, const std::string& patterns) {
  for (const std::string& each : list_of(patterns)) {
    bool any = false;
    for (std::uint32_t h = 0; h < of.data().size() && !any; ++h)
      any = of.data()[h].known && names_datum(each, of.handle_name(h));
    if (!any) throw usage_error("there is no handle `" + each + "` in this run" + who_is_there);
  }
}

/// The last one that a record names.
std::uint64_t last_version(const model& of, std::uint32_t handle) {
  const run& r = of.events();
  std::uint64_t last = 0;
  for (const std::uint32_t index : of.events_of(handle)) {
    const event e = r.events()[index];
    if (e.what == record::error) continue;  // Of a mistake: it may name any.
    for (const field f : {field::version, field::ver_in, field::ver_out})
      last = std::max(last, r.get(e, f));
  }
  return last;
}

answer with_memories(const model& of, std::uint32_t handle, std::int64_t when,
                     const options& given) {
  answer said = who_owned(of, handle, when);
  if (given.named.contains("--memory-nodes"))
    said.tables.push_back(copies_in_memories(of, handle, when));
  return said;
}

answer ask_who(const model& of, const options& given, const run_part& part) {
  if (given.words.size() < 3) {
    if (given.named.contains("--at")) throw usage_error("who-owned --at needs a HANDLE");
    return at_first_error(of, {}, part);
  }
  const std::string& word = given.words[2];
  const std::size_t at = word.find('@');
  const std::uint32_t handle = handle_of(of, word.substr(0, at));
  std::string when = at == std::string::npos ? "" : word.substr(at + 1);
  if (given.named.contains("--at")) {
    if (!when.empty()) throw usage_error("who-owned takes HANDLE@TIME or --at TIME, not both");
    when = given.named.at("--at");
  }
  if (when == "error") return at_first_error(of, handle, part);
  if (!part.is_whole())
    throw usage_error("who-owned at a time is of the whole run; --range and --ranks choose errors");
  return with_memories(of, handle, when.empty() ? of.events().end() : time_in(of, when), given);
}

answer ask_find(const model& of, const std::string& query, const run_part& part, bool count_alone) {
  refuse_unknown_names(of, query);
  answer said;
  table hits{"", {"time", "lane", "what"}, {}};
  for (const std::uint32_t i : find(of, query)) {
    const event& e = of.events().events()[i];
    if (!part.has(of, e)) continue;
    hits.rows.push_back({say_time(e.time), say_lane(of.events(), e.lane), say_event(of, e)});
  }
  said.sentences.push_back(say_some(hits.rows.size(), "event"));
  if (!count_alone) said.tables.push_back(std::move(hits));
  return said;
}

answer ask_when(const model& of, const std::string& condition) {
  answer said;
  table hits{"", {"time", "what"}, {}};
  for (const moment& each : moments_when(of, condition))
    hits.rows.push_back({say_time(each.time), each.sentence});
  said.sentences.push_back("it begins to hold " + say_some(hits.rows.size(), "time"));
  said.tables.push_back(std::move(hits));
  return said;
}

answer ask_diff(const model& one, const options& given, const run_part& part) {
  if (given.words.size() < 3) throw usage_error("diff needs two runs");
  const bool with_times = !given.named.contains("--ignore");
  if (!with_times && given.named.at("--ignore") != "time")
    throw usage_error("diff --ignore takes time");
  const run events = opened(given.words[2], given.clock);
  const model other(events);
  refuse_absent_ranks(std::max(one.ranks(), other.ranks()), given);
  const part_of_both compared{part, part_of(other, given)};
  return diff(one, other, same_tasks(one, other, compared), with_times, compared);
}

double factor_of(const std::string& text) {
  double value = 0;
  std::istringstream in(text);
  if (!(in >> value) || !in.eof() || !(value > 0) || value > 1e6)
    throw usage_error("`" + text + "` is no factor; write 0.5 or 2");
  return value;
}

answer ask_what_if(const model& of, const options& given) {
  changes wanted;
  const auto named = [&](const char* name) {
    const auto at = given.named.find(name);
    return at == given.named.end() ? std::string{} : at->second;
  };
  for (const std::string& each : split(named("--codelet"))) {
    const std::size_t equals = each.rfind('=');
    if (equals == std::string::npos) throw usage_error("write --codelet gemm=0.5");
    const std::string name = each.substr(0, equals);
    const auto& known = of.codelets();
    if (std::none_of(known.begin(), known.end(), [&](const auto& c) { return c.name == name; }))
      throw usage_error("there is no codelet `" + name + "` in this run");
    wanted.codelets[name] = factor_of(each.substr(equals + 1));
  }
  if (given.named.contains("--bandwidth")) wanted.bandwidth = factor_of(named("--bandwidth"));
  if (given.named.contains("--latency")) wanted.latency = factor_of(named("--latency"));
  wanted.endless_workers = named("--workers") == "inf";
  if (!wanted.endless_workers && given.named.contains("--workers"))
    throw usage_error("what-if knows --workers inf alone");
  return what_if(of, wanted);
}

/// One of a few words; the first where the option is not given.
template <class Choice>
Choice chosen(const options& given, const char* option,
              std::initializer_list<std::pair<std::string_view, Choice>> words) {
  const auto at = given.named.find(option);
  if (at == given.named.end()) return words.begin()->second;
  std::string known;
  for (const auto& [word, choice] : words) {
    if (at->second == word) return choice;
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  throw usage_error(given.words[0] + " " + option + " is one of " + known);
}

answer ask_redundant(const model& of, const options& given, const run_part& part) {
  return redundant(
      of,
      chosen<loss_by>(
          given, "--by",
          {{"cause", loss_by::cause}, {"line", loss_by::line}, {"handle", loss_by::handle}}),
      part);
}

answer ask_stats(const model& of, const options& given, const run_part& part) {
  std::vector<stats_by> by{stats_by::codelet, stats_by::rank};
  if (given.named.contains("--by")) {
    by.clear();
    for (const std::string& each : split(given.named.at("--by")))
      by.push_back(each == "codelet" ? stats_by::codelet
                   : each == "rank"  ? stats_by::rank
                   : each == "worker"
                       ? stats_by::worker
                       : throw usage_error("stats --by takes codelet, rank and worker"));
  }
  return stats(of, part, by, given.named.contains("--histogram"));
}

answer ask_breakdown(const model& of, const options& given, const run_part& part) {
  answer said = breakdown(of, part,
                          chosen<shares_per>(given, "--per",
                                             {{"worker", shares_per::worker},
                                              {"rank", shares_per::rank},
                                              {"host", shares_per::host}}));
  if (given.named.contains("--gaps"))
    said.tables.push_back(say_gaps(of, number(given.named.at("--gaps")), part));
  return said;
}

answer ask_why_twice(const model& of, const options& given, const run_part& part) {
  const auto cause = given.named.find("--cause");
  if (cause != given.named.end())
    refuse_unknown("cause", cause->second, {repeat_causes.begin(), repeat_causes.end()});
  return why_twice(
      of, given.words.size() > 2 ? std::optional(handle_of(of, given.words[2])) : std::nullopt,
      part, cause == given.named.end() ? std::string{} : cause->second);
}

answer ask_history(const model& of, const options& given, const run_part& part) {
  if (given.words.size() < 3) throw usage_error("history needs a handle");
  const std::uint32_t handle = handle_of(of, given.words[2]);
  std::optional<std::uint32_t> version;
  if (const auto named = given.named.find("--version"); named != given.named.end()) {
    const std::uint64_t wanted = number(named->second), last = last_version(of, handle);
    if (wanted > last)
      throw usage_error(of.handle_name(handle) + " has no version " + named->second +
                        "; the last one is " + std::to_string(last));
    version = static_cast<std::uint32_t>(wanted);
  }
  return history(of, handle, part, version);
}

answer ask_matrix(const model& of, const options& given, const run_part& part) {
  if (chosen<cache_by>(given, "--per", {{"rank", cache_by::rank}, {"handle", cache_by::handle}}) ==
      cache_by::handle) {
    if (given.named.contains("--what"))
      throw usage_error("matrix takes --what or --per handle, not both");
    return say_heat_of_data(of, part);
  }
  if (!given.named.contains("--what")) return comm_matrix(of, part);
  return comm_square(of,
                     chosen<traffic_of>(given, "--what",
                                        {{"bytes", traffic_of::bytes},
                                         {"messages", traffic_of::messages},
                                         {"time", traffic_of::time},
                                         {"redundant", traffic_of::redundant}}),
                     part);
}

/// One of the tables, alone.
enum class cache_table { lookups, drops, copies, held, misses, unused };

answer ask_cache_table(const model& of, const options& given, const run_part& part, cache_by per) {
  using enum cache_table;
  const auto what = chosen<cache_table>(given, "--what",
                                        {{"lookups", lookups},
                                         {"drops", drops},
                                         {"copies", copies},
                                         {"held", held},
                                         {"misses", misses},
                                         {"unused", unused}});
  const std::string& name = given.named.at("--what");
  if (given.named.contains("--per") && what != lookups && what != drops)
    throw usage_error("cache takes --what " + name + " or --per, not both");
  if (what == held) return say_bytes_in_copies(of, copy_lives(of), part);
  if (what == misses) return say_misses(of, part);
  answer said = cache(of, part, per);
  if (what == copies) add_copy_lives(of, copy_lives(of), part, said);
  constexpr std::array titles{"lookups", "drops", "copies of each handle",
                              "",        "",      "copies that nobody used"};
  std::erase_if(said.tables, [&](const table& each) {
    return each.title != titles[static_cast<std::size_t>(what)];
  });
  return said;
}

answer ask_cache(const model& of, const options& given, const run_part& part) {
  const auto per =
      chosen<cache_by>(given, "--per", {{"rank", cache_by::rank}, {"handle", cache_by::handle}});
  if (given.named.contains("--what")) return ask_cache_table(of, given, part, per);
  answer said = cache(of, part, per);
  if (per == cache_by::handle) add_copy_lives(of, copy_lives(of), part, said);
  return said;
}

answer ask_bench(const model& of, const options& given) {
  const auto what = given.named.find("--what");
  const auto wanted = what == given.named.end() ? std::vector<std::string>{} : split(what->second);
  const auto known = bench_questions();
  for (const std::string& each : wanted)
    refuse_unknown("question", each, {known.begin(), known.end()});
  return bench(of, wanted);
}

answer ask_path(const model& of, const options& given, const run_part& part) {
  // A program that reads the steps wants each with one kind.
  const bool every_step = given.named.contains("--full") || !is_text(given.how);
  answer said = say_critical_path(of, part, every_step);
  if (given.named.contains("--path"))
    std::erase_if(said.tables, [](const table& each) { return each.title != "steps"; });
  if (given.named.contains("--slack"))
    for (table& each :
         say_slack(of, slack(of), part, is_text(given.how) ? given.limit : ~std::size_t{0}))
      said.tables.push_back(std::move(each));
  return said;
}

}  // namespace

answer ask(const std::string& command, const model& of, const options& given,
           const run_part& part) {
  const auto third = [&](const char* what) {
    if (given.words.size() < 3) throw usage_error(command + " needs a " + what);
    return given.words[2];
  };
  std::optional<std::int64_t> at;
  if (given.named.contains("--at") && command != "who-owned")
    at = time_in(of, given.named.at("--at"));
  if (command == "info") return info(of);
  if (command == "print") {
    std::vector<std::string> records;
    if (given.named.contains("--records")) records = split(given.named.at("--records"));
    for (const std::string& each : records)
      refuse_unknown("record", each, {record_names.begin(), record_names.end()});
    return print(of, records, part, given.named.contains("--limit") ? given.limit : ~std::size_t{0},
                 given.named.contains("--raw-time"));
  }
  if (command == "check") return say_check(of, rule_in(given), part);
  if (command == "stats") return ask_stats(of, given, part);
  if (command == "breakdown") return ask_breakdown(of, given, part);
  if (command == "why-twice") return ask_why_twice(of, given, part);
  if (command == "who-owned") return ask_who(of, given, part);
  if (command == "history") return ask_history(of, given, part);
  if (given.named.contains("--handles")) refuse_unknown_handles(of, given.named.at("--handles"));
  if (command == "state" && at && given.named.at("--at") == "error" && !of.failures().empty())
    return state_at_first_error(of, part);
  if (command == "state") return state(of, at ? *at : last_with_data(of), part);
  if (command == "cache") return ask_cache(of, given, part);
  if (command == "find" && given.named.contains("--when"))
    return ask_when(of, given.named.at("--when"));
  if (command == "find") return ask_find(of, third("query"), part, given.named.contains("--count"));
  if (command == "bench") return ask_bench(of, given);
  if (command == "matrix") return ask_matrix(of, given, part);
  if (command == "waits") return waits(of, at, part);
  if (command == "redundant") return ask_redundant(of, given, part);
  if (command == "what-if") return ask_what_if(of, given);
  if (command == "critical-path") return ask_path(of, given, part);
  if (command == "diff") return ask_diff(of, given, part);
  throw usage_error("`" + command + "` is no command");
}

}  // namespace deed::viewer
