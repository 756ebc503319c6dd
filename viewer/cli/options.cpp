// SPDX-License-Identifier: MIT
#include "cli/options.hpp"

#include "analysis/say/units.hpp"
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>

namespace deed::viewer {

const char* const usage =
    "usage: deed-trace COMMAND RUN [options]\n"
    "  info           ranks, hosts, duration, codelets, how each rank ended, from the headers of\n"
    "                 packets  [--full: also its events, tasks and transfers, and clocks]\n"
    "  print          raw records in time order        [--records A,B --raw-time]\n"
    "  check          the ownership checker            [--rule NAME --list-rules --sarif]\n"
    "  stats          times per codelet and rank       [--by codelet,rank,worker --histogram]\n"
    "  breakdown      where the time went              [--per worker|rank|host --gaps N]\n"
    "  why-twice      redundant transfers and their causes  [HANDLE --cause CAUSE]\n"
    "  redundant      bytes and time that were lost so  [--by cause|line|handle]\n"
    "  who-owned      HANDLE@TIME, HANDLE --at TIME, HANDLE@error, or the first error\n"
    "                 [--memory-nodes]\n"
    "  history        the life of a HANDLE             [--version 4]\n"
    "  state          owners, versions and copies       --at TIME [--handles 'A[3,*]']\n"
    "  matrix         messages and bytes from rank to rank\n"
    "                 [--what messages|bytes|time|redundant: as a square]\n"
    "  cache          hits, misses by kind, drops by cause  [--per rank|handle]\n"
    "  find           events that a QUERY lets through: handle:A[3,*] rank:2 dur>1ms  [--count]\n"
    "                 --when STATE: the moments at which it begins, handle:A[3,2] owner:2,\n"
    "                 valid: stale: pending: lent: ver> moves, rank:2 held>4GB\n"
    "  export         in the words of other tools\n"
    "                 --form chrome|perfetto|paje|tasks|transfers, or otf2 with -o FOLDER\n"
    "  diff           what a second run did otherwise: diff RUN RUN  [--ignore time]\n"
    "  slice          a smaller run  -o RUN [--range A:B --ranks 0,3]\n"
    "                 --around error|TIME [--events N]: the events next to it; --bundle: -o "
    "FOLDER\n"
    "                 with the part, packed, a report and a picture, to send to somebody\n"
    "  repair         makes a run that was cut off valid for every reader  [--dry-run]\n"
    "  pack, unpack   the run's files by zstd, which all commands read  [--level 3 --keep]\n"
    "  collect        the ranks of one run from folders  collect FOLDER... -o RUN\n"
    "                 --from HOST:FOLDER,...  by ssh, or by --ssh COMMAND\n"
    "  waits          which rank waits for which        [--at TIME]; also of a hang.json\n"
    "                 --graph dot: the graph, for Graphviz\n"
    "  critical-path  the longest chain of causes      [--path: nothing else; --slack]\n"
    "  what-if        the time it would take at least  [--codelet gemm=0.5 --bandwidth 2\n"
    "                 --latency 0.5 --workers inf]\n"
    "  bench          how long the questions take      [--what open,stats,search,export]\n"
    "  gen            a synthetic run  -o RUN [--app cholesky|stencil|ring --ranks N --workers N\n"
    "                 --tiles N --events N --seed N --inject FAULT:N,...]\n"
    "common: --json --csv -o FILE --limit N --strict --quiet --color auto|always|never;\n"
    "        deed-trace --version\n"
    "a part of the run: --range 10ms:20ms --ranks 0,3-5 --where QUERY (print, find, stats, "
    "matrix,\n"
    "                 why-twice, redundant, cache, history, state, check, critical-path, diff,\n"
    "                 export; breakdown and waits without --where)\n"
    "clocks:  --clock sync  takes from each rank what its clock is ahead, as ranks measured it;\n"
    "         --clock messages, as their messages tell; sync+messages, the better of both\n"
    "exit status: 0 ok, 1 findings, 2 unreadable, 64 wrong usage, 74 output cannot be written\n";

std::uint64_t number(const std::string& text) {
  double value = 0;
  std::istringstream in(text);
  if (!(in >> value) || !in.eof() || value < 0 || value > 1e12)
    throw usage_error("`" + text + "` is no number");
  return static_cast<std::uint64_t>(value);
}

std::int64_t time_of(const std::string& text) {
  const auto parsed = parse_time(text);
  if (!parsed) throw usage_error("`" + text + "` is no time; write 12.3ms");
  return *parsed;
}

namespace {

struct own_options {
  std::string_view command;
  std::string_view takes;  ///< Beside what is common; each ends with a blank.
};

constexpr std::array<own_options, 25> options_of_commands{{
    {"info", "--full "},
    {"print", "--records --raw-time "},
    {"check", "--rule --list-rules --sarif "},
    {"stats", "--by --histogram "},
    {"breakdown", "--per --gaps "},
    {"why-twice", "--cause "},
    {"redundant", "--by "},
    {"who-owned", "--at --memory-nodes "},
    {"history", "--version "},
    {"state", "--at --handles "},
    {"matrix", "--what "},
    {"cache", "--per "},
    {"find", "--when --count "},
    {"export", "--form "},
    {"diff", "--ignore "},
    {"slice", "--around --events --bundle "},
    {"repair", "--dry-run "},
    {"pack", "--level --keep "},
    {"unpack", ""},
    {"collect", "--from --ssh "},
    {"waits", "--at --graph "},
    {"critical-path", "--path --slack "},
    {"what-if", "--codelet --bandwidth --latency --workers "},
    {"bench", "--what "},
    {"gen", "--app --workers --tiles --events --seed --inject "},
}};
constexpr std::string_view options_of_all =
    "-o --limit --json --csv --strict --quiet --color --range --ranks --where --clock ";

/// An option of another command would be an answer to a question that nobody asked.
void refuse_others(const options& given) {
  if (given.words.empty()) return;
  const auto mine = std::ranges::find(options_of_commands, given.words[0], &own_options::command);
  if (mine == options_of_commands.end())
    throw usage_error("`" + given.words[0] + "` is no command");
  for (const auto& [name, value] : given.named) {
    const std::string word = name + " ";
    if (options_of_all.find(word) != std::string_view::npos ||
        mine->takes.find(word) != std::string_view::npos)
      continue;
    throw usage_error(given.words[0] + " takes no " + name +
                      (mine->takes.empty() ? ""
                                           : "; its own are " + std::string(mine->takes.substr(
                                                                    0, mine->takes.size() - 1))));
  }
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
  const std::vector<std::string> flags{"--json",       "--csv",     "--strict",       "--quiet",
                                       "--list-rules", "--dry-run", "--bundle",       "--raw-time",
                                       "--histogram",  "--count",   "--memory-nodes", "--path",
                                       "--slack",      "--sarif",   "--keep",         "--full"};
  const std::vector<std::string> values{
      "-o",       "--limit",   "--range", "--records", "--rule",      "--at",      "--ignore",
      "--ranks",  "--workers", "--tiles", "--events",  "--seed",      "--inject",  "--form",
      "--when",   "--level",   "--by",    "--codelet", "--bandwidth", "--latency", "--where",
      "--around", "--from",    "--ssh",   "--clock",   "--app",       "--per",     "--gaps",
      "--cause",  "--version", "--what",  "--graph",   "--handles",   "--color"};
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    const std::size_t equals = word.find('=');
    if (word.starts_with("--") && equals != std::string::npos) {
      read.named[word.substr(0, equals)] = word.substr(equals + 1);
      word.resize(equals);
      if (std::find(values.begin(), values.end(), word) == values.end())
        throw usage_error("`" + word + "` is no option");
    } else if (std::find(flags.begin(), flags.end(), word) != flags.end()) {
      read.named[word] = "";
    } else if (std::find(values.begin(), values.end(), word) != values.end()) {
      if (++i == argc) throw usage_error("`" + word + "` needs a value");
      read.named[word] = argv[i];
    } else if (word.starts_with('-') && word.size() > 1) {
      throw usage_error("`" + word + "` is no option");
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
    read.range = time_range{time_of(range.substr(0, colon)), time_of(range.substr(colon + 1))};
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

void refuse_empty(const run& of, const std::optional<time_range>& range) {
  if (range && (range->from > of.end() || range->to < range->from))
    throw usage_error("the run lasts " + say_time(of.end()) + ": nothing of it is in this range");
}

run_part part_of(const std::string& command, const model& of, const options& given) {
  constexpr std::array<std::string_view, 13> any{
      "print",   "find",  "stats", "matrix",        "why-twice", "redundant", "cache",
      "history", "state", "check", "critical-path", "export",    "diff"};
  constexpr std::array<std::string_view, 2> times_and_ranks{"breakdown", "waits"};
  const bool takes_all = std::ranges::count(any, command) != 0;
  const bool takes_some = takes_all || std::ranges::count(times_and_ranks, command) != 0;
  const auto refuse = [&](const char* option) {
    throw usage_error(command + " looks at the whole run, without " + option +
                      "; slice makes a smaller run");
  };
  if (given.range && !takes_some) refuse("--range");
  if (!given.ranks.empty() && !takes_some) refuse("--ranks");
  if (!given.where.empty() && !takes_all) refuse("--where");
  refuse_empty(of.events(), given.range);
  return run_part(of, given.range, given.ranks, given.where);
}

}  // namespace deed::viewer
