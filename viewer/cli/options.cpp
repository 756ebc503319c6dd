// SPDX-License-Identifier: MIT
#include "cli/options.hpp"

#include <deed/base/words.hpp>

#include "analysis/ask/caveats.hpp"
#include "analysis/query/query.hpp"
#include "analysis/say/units.hpp"
#include "cli/commands.hpp"
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>

namespace deed::viewer {

std::uint64_t number(const std::string& text) {
  double value = 0;
  std::istringstream in(text);
  if (!(in >> value) || !in.eof() || value < 0 || value > 1e12 || value != std::floor(value))
    throw usage_error("`" + text + "` is no whole number");
  return static_cast<std::uint64_t>(value);
}

std::int64_t time_of(const std::string& text) {
  const auto parsed = parse_time(text);
  if (!parsed) throw usage_error("`" + text + "` is no time; write 12.3ms");
  const bool no_unit = text.find_first_not_of("0123456789.+-eE ") == std::string::npos;
  if (*parsed != 0 && no_unit)
    throw usage_error("`" + text + "` has no unit; write " + text + "ms, or s, us or ns");
  return *parsed;
}

std::string meant(const std::string& word, const std::vector<std::string>& known) {
  std::string nearest;
  std::size_t far = 3;  // More is another word.
  for (const std::string& each : known) {
    const std::size_t distance = edit_distance(word.substr(0, 32), each);
    if (distance >= std::min(far, each.size() / 2 + 1)) continue;
    far = distance;
    nearest = each;
  }
  return nearest.empty() ? "" : ": did you mean " + nearest + "?";
}

namespace {

[[noreturn]] void refuse_command(const std::string& name) {
  std::vector<std::string> known;
  for (const command& each : commands()) known.emplace_back(each.name);
  throw usage_error("`" + name + "` is no command" + meant(name, known));
}

void refuse_part(const options& given, const command& of, const std::string& option) {
  const bool moments = given.named.contains("--when");
  const bool can =
      of.part == part_taken::any || (of.part == part_taken::range_and_ranks && option != "--where");
  if (!can || moments)
    throw usage_error(std::string(of.name) + (moments ? " --when" : "") +
                      " looks at the whole run, without " + option + "; slice makes a smaller run");
}

/// An option of another command would be an answer to a question that nobody asked.
void refuse_others(const options& given) {
  if (given.words.empty()) return;
  const command* const mine = find_command(given.words[0]);
  if (mine == nullptr) refuse_command(given.words[0]);
  const std::string name(mine->name);
  for (const auto& [option, value] : given.named) {
    if (takes(*mine, option)) continue;
    const bool part = option == "--range" || option == "--ranks" || option == "--where";
    if (part && mine->asks) {
      refuse_part(given, *mine, option);
      continue;
    }
    std::string own;
    for (const std::string& each : own_options(*mine)) own += (own.empty() ? "" : ", ") + each;
    throw usage_error(name + " takes no " + option + (own.empty() ? "" : "; its own are " + own));
  }
  const std::size_t most = most_words(*mine);
  if (given.words.size() - 1 > most)
    throw usage_error("`" + given.words[most + 1] + "` is one word too many: deed-trace " + name +
                      (most == 0 ? " takes options alone" : " " + std::string(mine->words)));
  if (given.named.contains("--when") && given.words.size() > 2)
    throw usage_error("find takes a QUERY or --when STATE, not both");
  if (given.named.contains("--json") && given.named.contains("--csv"))
    throw usage_error("the answer is --json or --csv, not both");
}

/// By default on a terminal, unless NO_COLOR is set.
bool wants_colours(const options& given) {
  const auto said = given.named.find("--color");
  const std::string when = said == given.named.end() ? "auto" : said->second;
  if (when != "auto" && when != "always" && when != "never")
    throw usage_error("--color is auto, always or never");
  const bool terminal = !given.named.contains("-o") && ::isatty(STDOUT_FILENO) == 1;
  return when == "always" || (when == "auto" && terminal && std::getenv("NO_COLOR") == nullptr);
}

}  // namespace

options parse(int argc, char** argv) {
  options read;
  const std::vector<std::string> flags{
      "--json",   "--csv",      "--strict",    "--quiet", "--list-rules",   "--dry-run",
      "--bundle", "--raw-time", "--histogram", "--count", "--memory-nodes", "--path",
      "--slack",  "--sarif",    "--keep",      "--full",  "--force"};
  const std::vector<std::string> values{
      "-o",       "--limit",   "--range", "--records", "--rule",      "--at",      "--ignore",
      "--ranks",  "--workers", "--tiles", "--events",  "--seed",      "--inject",  "--form",
      "--when",   "--level",   "--by",    "--codelet", "--bandwidth", "--latency", "--where",
      "--around", "--from",    "--ssh",   "--clock",   "--app",       "--per",     "--gaps",
      "--cause",  "--version", "--what",  "--graph",   "--handles",   "--color"};
  const auto refuse = [&](const std::string& word) {
    if (std::ranges::count(flags, word) != 0) throw usage_error("`" + word + "` takes no value");
    std::vector<std::string> known = flags;
    known.insert(known.end(), values.begin(), values.end());
    throw usage_error("`" + word + "` is no option" + meant(word, known));
  };
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    const std::size_t equals = word.find('=');
    if (word.starts_with("--") && equals != std::string::npos) {
      read.named[word.substr(0, equals)] = word.substr(equals + 1);
      word.resize(equals);
      if (std::find(values.begin(), values.end(), word) == values.end()) refuse(word);
    } else if (std::find(flags.begin(), flags.end(), word) != flags.end()) {
      read.named[word] = "";
    } else if (std::find(values.begin(), values.end(), word) != values.end()) {
      if (++i == argc) throw usage_error("`" + word + "` needs a value");
      read.named[word] = argv[i];
    } else if (word.starts_with('-') && word.size() > 1) {
      refuse(word);
    } else {
      read.words.push_back(std::move(word));
    }
  }
  refuse_others(read);
  if (wants_colours(read)) read.how = style::coloured;
  if (read.named.contains("--json")) read.how = style::json;
  if (read.named.contains("--csv")) read.how = style::csv;
  if (read.named.contains("--limit")) read.limit = number(read.named.at("--limit"));
  read.strict = read.named.contains("--strict");
  read.quiet = read.named.contains("--quiet");
  if (read.named.contains("--range")) {
    const std::string range = read.named.at("--range");
    const std::size_t colon = range.find(':');
    if (colon == std::string::npos) throw usage_error("a range is written 10ms:20ms");
    const std::string from = range.substr(0, colon), to = range.substr(colon + 1);
    read.range = time_range{time_of(from), time_of(to)};
    if (read.range->to < read.range->from)
      throw usage_error("the range ends at " + to + ", before it begins at " + from);
  }
  if (read.named.contains("--clock")) {
    const std::string& clock = read.named.at("--clock");
    const auto known = correction_named(clock);
    if (!known) throw usage_error("--clock is none, sync, messages or sync+messages");
    read.clock = *known;
  }
  if (read.named.contains("--where")) read.where = read.named.at("--where");
  if (read.named.contains("--handles"))
    read.where = (read.where.empty() ? "" : "(" + read.where + ") ") +
                 "handle:" + read.named.at("--handles");
  // `gen --ranks 4` says how many.
  if (read.named.contains("--ranks") && (read.words.empty() || read.words[0] != "gen"))
    read.ranks = ranks_of(read.named.at("--ranks"));
  return read;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

void refuse_unknown(std::string_view what, const std::string& word,
                    const std::vector<std::string>& known) {
  if (std::ranges::count(known, word) != 0) return;
  std::string names;
  for (const std::string& each : known) names += (names.empty() ? "" : ", ") + each;
  throw usage_error("`" + word + "` is no " + std::string(what) + "; the " + std::string(what) +
                    "s are " + names);
}

void refuse_unknown_names(const model& of, const std::string& query) {
  constexpr std::size_t few = 60;  // As many as there are records.
  for (const named_value& each : unknown_names(of, query)) {
    const std::vector<std::string> known = names_for(of, each.field);
    std::string hint = meant(each.value, known);
    if (hint.empty() && each.field == "handle") hint = who_is_there;
    if (hint.empty() && known.size() <= few)
      for (const std::string& name : known) hint += (hint.empty() ? "; there are " : ", ") + name;
    if (each.field == "record") throw usage_error("`" + each.value + "` is no record" + hint);
    throw usage_error("there is no " + each.field + " `" + each.value + "` in this run" + hint);
  }
}

std::set<int> ranks_of(const std::string& text) {
  constexpr std::uint64_t most = 1'000'000;
  std::set<int> ranks;
  for (const std::string& each : split(text)) {
    const std::size_t dash = each.find('-', 1);
    const std::uint64_t from = number(each.substr(0, dash));
    const std::uint64_t to = dash == std::string::npos ? from : number(each.substr(dash + 1));
    if (from > to || to > most) throw usage_error("ranks are written 0,3-5");
    for (std::uint64_t rank = from; rank <= to; ++rank) ranks.insert(static_cast<int>(rank));
  }
  if (ranks.empty()) throw usage_error("ranks are written 0,3-5");
  return ranks;
}

std::int64_t as_printed(const run& of, std::int64_t time) {
  const auto printed = parse_time(say_time(of.end()));
  return time > of.end() && printed && time <= *printed ? of.end() : time;
}

void refuse_empty(const run& of, const std::optional<time_range>& range) {
  if (!range) return;
  const std::string outside = say_outside(of, {as_printed(of, range->from), range->to});
  if (!outside.empty()) throw usage_error(outside);
  if (as_printed(of, range->from) > of.end())
    throw usage_error("the run lasts " + say_time(of.end()) + ": nothing of it is in this range");
}

void refuse_absent_ranks(int ranks, const options& given) {
  if (given.ranks.empty() || *given.ranks.rbegin() < ranks) return;
  throw usage_error("there is no rank " + std::to_string(*given.ranks.rbegin()) + "; the run has " +
                    (ranks == 1 ? "rank 0 alone" : "ranks 0 to " + std::to_string(ranks - 1)));
}

run_part part_of(const model& of, const options& given) {
  if (given.words[0] != "diff") refuse_absent_ranks(of.ranks(), given);  // Which asks of two runs.
  refuse_empty(of.events(), given.range);
  if (given.words[0] != "diff" && !given.where.empty()) refuse_unknown_names(of, given.where);
  return run_part(of, given.range, given.ranks, given.where);
}

}  // namespace deed::viewer
