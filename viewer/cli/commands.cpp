// SPDX-License-Identifier: MIT
#include "cli/commands.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace deed::viewer {
namespace {

constexpr auto whole = part_taken::whole, range_and_ranks = part_taken::range_and_ranks,
               any = part_taken::any;

constexpr std::array<command, 25> all_commands{{
    {"info", "RUN",
     "ranks, hosts, duration, codelets, how each rank ended, from the headers of packets",
     "[--full: also its events, tasks and transfers, and clocks]",
     "info run.deed\ninfo run.deed --full"},
    {"print", "RUN", "raw records in time order", "[--records A,B --raw-time]",
     "print run.deed --limit 20\nprint run.deed --records error,fatal_signal", any},
    {"check", "RUN", "the ownership checker", "[--rule NAME --list-rules --sarif]",
     "check run.deed\ncheck run.deed --sarif -o found.sarif", any},
    {"stats", "RUN", "times per codelet and rank", "[--by codelet,rank,worker --histogram]",
     "stats run.deed --by codelet --histogram", any},
    {"breakdown", "RUN", "where the time went", "[--per worker|rank|host --gaps N]",
     "breakdown run.deed --per rank\nbreakdown run.deed --gaps 10", range_and_ranks},
    {"why-twice", "RUN [HANDLE]", "redundant transfers and their causes", "[--cause CAUSE]",
     "why-twice run.deed\nwhy-twice run.deed 'A[2,0]'", any},
    {"redundant", "RUN", "bytes and time that were lost so", "[--by cause|line|handle]",
     "redundant run.deed --by line", any},
    {"who-owned", "RUN [HANDLE[@TIME]]", "the owner and the copies of a datum",
     "HANDLE@TIME, HANDLE --at TIME, also begin, end and error, or the first error, also of a part "
     "of the run "
     "[--memory-nodes]",
     "who-owned run.deed\nwho-owned run.deed 'A[2,0]@100us'", range_and_ranks},
    {"history", "RUN HANDLE", "the life of a datum", "[--version N]",
     "history run.deed 'A[2,0]' --version 2", any},
    {"state", "RUN", "owners, versions and copies",
     "[--at TIME|begin|end|error --handles 'A[3,*]']",
     "state run.deed --at 100us --handles 'A[3,*]'", any},
    {"matrix", "RUN", "messages and bytes from rank to rank",
     "[--what messages|bytes|time|redundant: as a square] [--per rank|handle: what moved of each "
     "datum]",
     "matrix run.deed --what bytes\nmatrix run.deed --per handle", any},
    {"cache", "RUN", "hits, misses by kind, drops by cause",
     "[--per rank|handle] [--what lookups|drops|copies|held|misses|unused: one table; held: bytes "
     "in copies on each rank, misses: over time]",
     "cache run.deed --per handle\ncache run.deed --what held", any},
    {"find", "RUN [QUERY]", "events that a query lets through: handle:A[3,*] rank:2 dur>1ms",
     "[--count] --when STATE: the moments at which it begins, handle:A[3,2] owner:2, valid: stale: "
     "pending: lent: ver> moves, rank:2 held>4GB",
     "find run.deed 'codelet:gemm dur>1us' --count\nfind run.deed --when 'handle:A[2,0] owner:2'",
     any},
    {"export", "RUN", "in the words of other tools",
     "--form chrome|perfetto|paje, tables as CSV: tasks|transfers|phases|values, or otf2 with -o "
     "FOLDER; chrome of more than a million events with --force",
     "export run.deed --form perfetto -o run.perfetto", any},
    {"diff", "RUN RUN", "what a second run did otherwise", "[--ignore time]",
     "diff run.deed other.deed --ignore time", any},
    {"slice", "RUN", "a smaller run, with all definitions of its ranks",
     "-o RUN [--range A:B --ranks 0,3] --around error|begin|end|TIME [--events N]: the events next "
     "to it; "
     "--bundle: a folder with the part, packed, a report and a picture, to send to somebody",
     "slice run.deed --range 100us:200us -o part.deed\n"
     "slice run.deed --around error --bundle -o report",
     whole, false},
    {"repair", "RUN", "makes a run that was cut off valid for every reader", "[--dry-run]",
     "repair run.deed --dry-run", whole, false},
    {"pack", "RUN", "the run's files by zstd, which all commands read", "[--level 3 --keep]",
     "pack other.deed --level 19", whole, false},
    {"unpack", "RUN", "the exact files again", "", "unpack other.deed", whole, false},
    {"collect", "FOLDER...", "the ranks of one run from folders",
     "-o RUN --from HOST:FOLDER,... by ssh, or by --ssh COMMAND", "collect part.deed -o whole.deed",
     whole, false},
    {"waits", "RUN", "which rank waits for which; also of a hang.json",
     "[--at TIME|begin|end|error] --graph dot: the graph, for Graphviz",
     "waits run.deed\nwaits run.deed --graph dot -o waits.dot", range_and_ranks},
    {"critical-path", "RUN", "the longest chain of causes",
     "[--path: nothing else; --full: each step; --slack]", "critical-path run.deed --slack", any},
    {"what-if", "RUN", "the time it would take at least",
     "[--codelet gemm=0.5 --bandwidth 2 --latency 0.5 --workers inf]",
     "what-if run.deed --codelet gemm=0.5 --bandwidth 2"},
    {"bench", "RUN", "how long the questions take", "[--what open,stats,search,export]",
     "bench run.deed --what open"},
    {"gen", "", "a synthetic run",
     "-o RUN [--app cholesky|stencil|ring --ranks N --workers N --tiles N --events N --seed N "
     "--inject FAULT:N,FAULT:AMOUNT,...]",
     "gen -o run.deed --tiles 8 --inject dup_flush:3,deadlock\n"
     "gen -o other.deed --app stencil --ranks 2",
     whole, false},
}};

constexpr std::string_view of_questions =
    "-o FILE --json --csv --limit N --strict --color auto|always|never --clock "
    "sync|messages|sync+messages";
constexpr std::string_view of_parts = "--range 10ms:20ms --ranks 0,3-5";
constexpr std::string_view of_any_part = "--range 10ms:20ms --ranks 0,3-5 --where QUERY";

std::vector<std::string> parts_of(std::string_view text, char between = ' ') {
  std::istringstream in{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, between);) words.push_back(word);
  return words;
}

/// "-o" and "--rule" of "-o FILE [--rule NAME]".
std::vector<std::string> options_in(std::string_view text) {
  std::vector<std::string> found;
  for (std::string word : parts_of(text)) {
    word.erase(0, word.find_first_not_of('['));
    if (word.starts_with('-')) found.push_back(word.substr(0, word.find_first_of(":;,]")));
  }
  return found;
}

bool names(std::string_view text, std::string_view option) {
  return std::ranges::count(options_in(text), option) != 0;
}

/// Behind `at` columns of a line; what does not fit goes to more of them, `indent` columns in.
void wrap(std::string_view text, std::size_t at, std::size_t indent, std::string& into) {
  constexpr std::size_t columns = 100;
  for (const std::string& word : parts_of(text)) {
    if (at + 1 + word.size() > columns) {
      if (into.ends_with(' ')) into.pop_back();
      into += "\n" + std::string(indent, ' ') + word;
      at = indent + word.size();
    } else {
      into += " " + word;
      at += 1 + word.size();
    }
  }
  into += '\n';
}

std::string names_of(part_taken part) {
  std::string list;
  for (const command& each : all_commands)
    if (each.part == part) list += (list.empty() ? "" : ", ") + std::string(each.name);
  return list;
}

}  // namespace

std::span<const command> commands() { return all_commands; }

const command* find_command(std::string_view name) {
  const auto found = std::ranges::find(all_commands, name, &command::name);
  return found == all_commands.end() ? nullptr : &*found;
}

std::size_t most_words(const command& of) {
  return of.words.ends_with("...") ? ~std::size_t{0} : parts_of(of.words).size();
}

bool takes(const command& of, std::string_view option) {
  return option == "--quiet" || names(of.options, option) ||
         (of.asks && names(of_questions, option));
}

std::vector<std::string> own_options(const command& of) { return options_in(of.options); }

std::string usage() {
  constexpr std::size_t column = 16;
  std::string text =
      "usage: deed-trace COMMAND RUN [options]; deed-trace COMMAND --help says more\n";
  for (const command& each : all_commands) {
    std::string name = "  " + std::string(each.name);
    name.resize(column, ' ');
    text += name;
    wrap(std::string(each.does) + (each.options.empty() ? "" : "  ") + std::string(each.options),
         column, column + 1, text);
  }
  text += "common:";
  wrap(std::string(of_questions) + " --quiet; deed-trace --version", 7, 8, text);
  text += "a part of the run:";
  wrap(std::string(of_any_part) + " (" + names_of(any) + "; " + names_of(range_and_ranks) +
           " without --where)",
       18, column + 1, text);
  return text +
         "clocks: --clock sync takes from each rank what its clock is ahead, as ranks measured "
         "it;\n"
         "        --clock messages, as their messages tell; sync+messages, the better of both\n"
         "exit status: 0 ok, 1 findings, 2 unreadable, 64 wrong usage, 74 output cannot be "
         "written\n";
}

std::string usage_of(const command& of) {
  std::string text = "usage: deed-trace " + std::string(of.name);
  if (!of.words.empty()) text += " " + std::string(of.words);
  text += (of.options.empty() ? "\n  " : " [options]\n  ") + std::string(of.does) + '\n';
  const auto list = [&](const std::string& title, std::string_view options) {
    if (options.empty()) return;
    text += title;
    wrap(options, title.size(), 2, text);
  };
  list("options:", of.options);
  if (of.part != whole) list("a part of the run:", of.part == any ? of_any_part : of_parts);
  if (of.asks) list("as all questions:", of_questions);
  text += "for example:\n";
  for (const std::string& each : parts_of(of.examples, '\n')) text += "  deed-trace " + each + '\n';
  return text;
}

}  // namespace deed::viewer
