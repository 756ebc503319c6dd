// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/trace/options.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/check_sarif.hpp"
#include "analysis/ask/hang.hpp"
#include "analysis/edit/edit.hpp"
#include "analysis/edit/unwritable.hpp"
#include "analysis/export/export.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/query/query.hpp"
#include "analysis/read/outline.hpp"
#include "analysis/say/units.hpp"
#include "analysis/store/large_tables.hpp"
#include "cli/commands.hpp"
#include "cli/elsewhere.hpp"
#include "cli/options.hpp"
#include "cli/questions.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;

constexpr int ok = 0, findings = 1, cannot_read = 2, wrong_usage = 64, cannot_write = 74;

std::vector<std::string> names_of_faults() {
  std::vector<std::string> names;
  for (const fault_kind& each : fault_kinds()) names.emplace_back(each.name);
  return names;
}

/// What `gen` can do wrong on purpose, too.
void explain(const command& of) {
  std::cout << usage_of(of);
  if (of.name != "gen") return;
  std::cout << "a program on ranks that are made up, recorded as one that runs: a tiled Cholesky\n"
               "factorisation, sweeps of a stencil, or tiles in a ring; it is repeated until there "
               "are N\n"
               "events. RUN/truth.json says what went wrong where.\n"
               "faults, and the command that finds them:\n";
  for (const fault_kind& each : fault_kinds())
    std::cout << "  " << std::left << std::setw(18) << each.name << each.what << " ("
              << each.found_by << ")\n";
}

/// The command that the words name, wherever it stands among them; null: none.
const command* command_in(int argc, char** argv) {
  const command* found = nullptr;
  for (int i = 1; i < argc && found == nullptr; ++i) found = find_command(argv[i]);
  return found;
}

int generate_run(const options& given) {
  generator_options wanted;
  const auto named = [&](const char* name, auto& into) {
    const auto at = given.named.find(name);
    if (at != given.named.end())
      into = static_cast<std::remove_reference_t<decltype(into)>>(number(at->second));
  };
  if (!given.named.contains("-o")) throw usage_error("gen needs -o RUN");
  wanted.path = given.named.at("-o");
  if (deed::trace::path_taken(wanted.path))
    throw unwritable("`" + wanted.path + "` is there already: name another folder");
  if (const auto app = given.named.find("--app"); app != given.named.end()) {
    const auto known = app_named(app->second);
    if (!known) throw usage_error("--app is cholesky, stencil or ring");
    wanted.app = *known;
  }
  named("--ranks", wanted.ranks);
  named("--workers", wanted.workers);
  named("--tiles", wanted.tiles);
  named("--events", wanted.events);
  named("--seed", wanted.seed);
  if (wanted.ranks < 1 || wanted.ranks > 4096 || wanted.workers < 1 || wanted.workers > 512 ||
      wanted.tiles < 1 || wanted.tiles > 512)
    throw usage_error("at most 4096 ranks, 512 workers and 512 tiles; at least 1 of each");
  const auto inject = given.named.find("--inject");
  if (inject != given.named.end())
    for (const std::string& each : split(inject->second)) {
      const std::size_t colon = each.find(':');
      const std::string name = each.substr(0, colon);
      refuse_unknown("fault", name, names_of_faults());
      const std::string much = colon == std::string::npos ? "1" : each.substr(colon + 1);
      const auto amount = parse_amount(name, much);
      const bool counts = much.find_first_not_of("0123456789") == std::string::npos;
      if (!counts && !amount)
        throw usage_error("`" + much + "` is no whole number, and no amount of `" + name + "`");
      if (!counts) wanted.amounts[name] = *amount;
      wanted.inject[name] = counts ? static_cast<int>(number(much)) : 1;
    }
  const truth made = generate(wanted);
  std::cout << wanted.path << ": " << say_some(made.events, "event") << ", "
            << say_some(made.tasks, "task") << ", " << say_some(made.faults.size(), "fault")
            << '\n';
  for (const std::string& each : made.not_injected)
    std::cerr << "deed-trace: the run had no place for each `" << each
              << "` that was asked for; use more ranks, tiles or events\n";
  return ok;
}

/// Chrome's page holds all of it as objects of the browser, and stands still.
void refuse_too_many(const model& of, const run_part& part) {
  constexpr std::size_t most = 1'000'000;
  const auto& events = of.events().events();
  if (events.size() <= most) return;
  std::size_t count = 0;
  for (std::size_t i = 0; i < events.size() && count <= most; ++i) count += part.has(of, events[i]);
  if (count <= most) return;
  throw usage_error(
      "Chrome does not open more than 1,000,000 events; take --form perfetto, a part by --range or "
      "--ranks, or --force");
}

std::string export_text(const model& of, const options& given, const run_part& part) {
  using exporter = void (*)(const model&, std::ostream&, const run_part&);
  const std::map<std::string, exporter> forms{
      {"chrome", export_chrome}, {"paje", export_paje},   {"perfetto", export_perfetto},
      {"phases", export_phases}, {"tasks", export_tasks}, {"transfers", export_transfers},
      {"values", export_values}};
  const auto form = given.named.find("--form");
  const auto known = form == given.named.end() ? forms.end() : forms.find(form->second);
  if (known == forms.end())
    throw usage_error(
        "export needs --form chrome, perfetto, otf2, paje, tasks, transfers, phases or values");
  if (known->first == "chrome" && !given.named.contains("--force")) refuse_too_many(of, part);
  std::ostringstream text;
  known->second(of, text, part);
  return text.str();
}

int write(const std::string& text, const options& given) {
  const auto file = given.named.find("-o");
  if (file == given.named.end()) {
    std::cout << text << std::flush;
    return std::cout ? ok : cannot_write;
  }
  std::ofstream out(file->second, std::ios::binary);
  out << text << std::flush;
  if (out) return ok;
  std::cerr << "deed-trace: " << file->second << " cannot be written\n";
  return cannot_write;
}

void warn(const std::vector<std::string>& incomplete, const options& given) {
  if (given.quiet) return;
  for (const std::string& each : incomplete)
    std::cerr << "deed-trace: incomplete: " << each << '\n';
}

int export_run(const model& of, const options& given, const run_part& part) {
  const auto form = given.named.find("--form");
  if (form == given.named.end() || form->second != "otf2")
    return write(export_text(of, given, part), given);
  if (!given.named.contains("-o")) throw usage_error("export --form otf2 needs -o FOLDER");
  export_otf2(of, given.named.at("-o"), part);
  return ok;
}

int write_wait_graph(const model& of, const options& given) {
  if (given.named.at("--graph") != "dot")
    throw usage_error("waits --graph takes dot; --json gives the rest");
  std::ostringstream text;
  export_wait_graph(
      of, given.named.contains("--at") ? time_in(of, given.named.at("--at")) : of.events().end(),
      text);
  return write(text.str(), given);
}

int write_sarif(const model& of, const options& given, const run_part& part) {
  const auto found = check(of, rule_in(given), part);
  const int failed = write(as_sarif(of, found, DEED_VERSION), given);
  return failed != ok ? failed : found.empty() ? ok : findings;
}

/// `--around error`, `--around end`, `--around 12.3ms`; `--events` says how many.
time_range range_around(const run& from, const options& given) {
  if (given.range) throw usage_error("slice takes --range or --around");
  const std::string& where = given.named.at("--around");
  const auto events = given.named.find("--events");
  const std::optional<std::int64_t> named = named_moment(from, where);
  return around(from, named ? *named : time_of(where),
                events == given.named.end() ? 10'000 : number(events->second));
}

int slice_run(const run& from, const options& given) {
  if (!given.named.contains("-o")) throw usage_error("slice needs -o RUN");
  slice_options wanted{given.range, given.ranks};
  if (given.named.contains("--around")) wanted.range = range_around(from, given);
  refuse_empty(from, given.range);
  refuse_absent_ranks(static_cast<int>(from.ranks().size()), given);
  if (given.named.contains("--bundle")) return bundle(from, given, wanted);
  const std::string& to = given.named.at("-o");
  const std::uint64_t kept = slice(from, to, wanted);
  std::cout << to << ": " << say_some(kept, "event") << '\n';
  return ok;
}

/// "2 repairs", "all as they should be": what there is of the run, and what it lacks.
std::string say_repaired(const repairs& found, bool dry_run) {
  const std::string lacks = found.elsewhere.empty()
                                ? ""
                                : "; the last packets of " +
                                      say_some(found.elsewhere.size(), "rank") +
                                      " are elsewhere: no repair brings them along";
  if (!found.done.empty())
    return say_some(found.done.size(), "repair") + (dry_run ? " to do" : "") + lacks;
  return (found.left.empty() && lacks.empty() ? "all as they should be" : "no repair") + lacks;
}

int repair_run(const options& given) {
  const bool dry_run = given.named.contains("--dry-run");
  const repairs found = repair(given.words[1], dry_run);
  for (const std::string& each : found.done) std::cout << each << '\n';
  for (const std::string& each : found.left) std::cout << each << '\n';
  for (const std::string& each : found.elsewhere) std::cout << each << '\n';
  std::cout << say_some(found.files, "file") << ", " << say_repaired(found, dry_run) << '\n';
  if (found.unwritten) return cannot_write;
  return found.left.empty() && found.elsewhere.empty() ? ok : cannot_read;
}

int pack_run(const options& given, bool packs) {
  int level = 3;
  if (given.named.contains("--level")) level = static_cast<int>(number(given.named.at("--level")));
  if (level < 1 || level > 19) throw usage_error("a level is 1 to 19");
  const packing done = packs ? pack(given.words[1], level, given.named.contains("--keep"))
                             : unpack_run(given.words[1]);
  std::cout << say_some(done.files, "file") << ", " << say_bytes(done.before) << " to "
            << say_bytes(done.after) << '\n';
  return ok;
}

/// Of a deadlock, as it stood: it has no times, and all of its ranks.
int say_report(const options& given) {
  const char* const of_a_run = given.named.contains("--graph")            ? "--graph"
                               : given.named.contains("--at")             ? "--at"
                               : given.range                              ? "--range"
                               : !given.ranks.empty()                     ? "--ranks"
                               : given.clock != clock_correction::nothing ? "--clock"
                                                                          : nullptr;
  if (of_a_run != nullptr)
    throw usage_error("waits " + std::string(of_a_run) + " is of a run, not of a report");
  const int failed =
      write(render(say_hang(read_hang(given.words[1])), given.how, {}, given.limit), given);
  return failed == ok ? findings : failed;
}

/// Packed files have no headers to look at, and only a look at all events knows what is missing,
/// or what a clock is ahead.
std::optional<run_outline> outline_for_info(const options& given) {
  if (given.named.contains("--full") || given.strict || given.clock != clock_correction::nothing)
    return {};
  run_outline outline = outline_of(given.words[1]);
  return outline.packed ? std::nullopt : std::optional(std::move(outline));
}

int answer_command(const options& given) {
  if (given.words.empty()) throw usage_error("no command is given");
  const std::string& command = given.words[0];
  if (const auto to = given.named.find("-o"); to != given.named.end())
    command == "collect" ? refuse_inside_of_run(to->second) : refuse_recorded(to->second);
  if (command == "gen") return generate_run(given);
  if (command == "check" && given.named.contains("--list-rules")) {
    for (const rule& each : rules()) std::cout << each.name << ": " << each.promise << '\n';
    return ok;
  }
  if (command == "collect" && given.named.contains("--from")) return collect_run(given);
  if (given.words.size() < 2) throw usage_error(command + " needs a RUN");
  if (command == "repair") return repair_run(given);
  if (command == "pack" || command == "unpack") return pack_run(given, command == "pack");
  if (command == "collect") return collect_run(given);
  if (command == "waits" && std::filesystem::is_regular_file(given.words[1]))
    return say_report(given);
  if (command == "info")
    if (const auto outline = outline_for_info(given)) {
      warn(outline->incomplete, given);
      return write(render(info(*outline), given.how, outline->incomplete, given.limit), given);
    }
  const run events = opened(given.words[1], given.clock);
  if (command == "slice") return slice_run(events, given);
  const model known(events);
  const run_part part = part_of(known, given);
  if (command == "export") return export_run(known, given, part);
  if (command == "waits" && given.named.contains("--graph")) return write_wait_graph(known, given);
  if (given.named.contains("--sarif")) return write_sarif(known, given, part);
  const answer said = ask(command, known, given, part);
  warn(events.incomplete(), given);
  const std::size_t limit = command == "print" ? ~std::size_t{0} : given.limit;
  if (const int failed = write(render(said, given.how, events.incomplete(), limit), given);
      failed != ok)
    return failed;
  return said.findings || (given.strict && !events.is_whole()) ? findings : ok;
}

}  // namespace

int main(int argc, char** argv) {
  share_memory();
  try {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word == "--version" && i == 1) {
        std::cout << "deed-trace " DEED_VERSION "\n";
        return ok;
      }
      if (word != "--help" && word != "-h") continue;
      if (const command* const about = command_in(argc, argv))
        explain(*about);
      else
        std::cout << usage();
      return ok;
    }
    return answer_command(parse(argc, argv));
  } catch (const usage_error& wrong) {
    const std::string said = wrong.what();
    const command* const about = command_in(argc, argv);
    std::cerr << "deed-trace: " << said << (said.ends_with('?') ? "" : ";") << " deed-trace "
              << (about == nullptr ? "--help lists the commands"
                                   : std::string(about->name) + " --help says more")
              << '\n';
    return wrong_usage;
  } catch (const query_error& wrong) {
    std::cerr << "deed-trace: column " << wrong.column() + 1 << ": " << wrong.what() << '\n';
    return wrong_usage;
  } catch (const unreadable& wrong) {
    std::cerr << "deed-trace: " << wrong.what() << '\n';
    return cannot_read;
  } catch (const unwritable& wrong) {
    std::cerr << "deed-trace: " << wrong.what() << '\n';
    return cannot_write;
  } catch (const deed::error& wrong) {
    std::cerr << "deed-trace: " << wrong.what() << '\n';
    return cannot_write;
  }
}
