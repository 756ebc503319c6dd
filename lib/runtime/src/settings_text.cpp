// SPDX-License-Identifier: MIT
#include "settings_table.hpp"

#include <algorithm>
#include <string>

/// @file
/// The table of settings, as a terminal and as the manual show it.

namespace deed::runtime {
namespace {

/// The value that holds, and who said so.
std::string now_of(const setting& one, const settings& all, const session_options& code) {
  const auto given = std::ranges::find(all.given, one.name, &given_setting::name);
  const std::string shown = one.show(all);  // Empty: what is usual.
  const std::string value = shown.empty() ? std::string(one.standard) : shown;
  if (given != all.given.end()) return value + "  (" + given->origin + ")";
  settings said, unsaid;
  said.session = code;
  const bool by_code = one.show(said) != one.show(unsaid);
  return value + (by_code ? "  (code)" : "  (default)");
}

void pad(std::string& line, std::size_t width) { line.resize(std::max(line.size(), width), ' '); }

}  // namespace

std::string describe_settings(const settings& now, const session_options& code) {
  std::size_t names = 0, types = 0, standards = 0;
  for (const setting& each : settings_table()) {
    names = std::max(names, variable_of(each.name).size());
    types = std::max(types, each.type.size());
    standards = std::max(standards, each.standard.size());
  }
  std::string text =
      "settings of deed, each a variable and an option (--deed-ranks=N); of the two, the option "
      "holds\n";
  for (const setting& each : settings_table()) {
    std::string line = "  " + variable_of(each.name);
    std::size_t width = 2 + names + 2;
    pad(line, width);
    line += each.type;
    pad(line, width += types + 2);
    line += "default: " + std::string(each.standard);
    pad(line, width += 9 + standards + 2);
    line += "now: " + now_of(each, now, code);
    text += line + "\n      " + std::string(each.sentence) + "\n";
  }
  return text;
}

std::string settings_page() {
  std::string text =
      "# Settings\n\n"
      "Each is an environment variable and an option of the program, which deed takes away before "
      "the program sees its\n"
      "arguments: `DEED_WINDOW=64 ./heat` or `./heat --deed-window=64`. Over what the code says "
      "(`session_options`) holds the\n"
      "environment, over that the command line. `DEED_HELP=1 ./heat` prints this table, with the "
      "value of each and who said it.\n\n"
      "A name or a value that does not exist is an error ([D007](errors/D007.md), exit code 64) "
      "with the nearest name. Launchers do\n"
      "not hand the environment to every rank alike: rank 0's values hold, and a rank that saw "
      "others is named at the start. Only\n"
      "`DEED_HELP`, `DEED_RANKS` and `DEED_DRY` are for each process alone, before it knows of "
      "others: give them to all, or without a launcher.\n\n"
      "`DEED_FAULT` is a plan of faults with `;` between them: `delay N NS` (one frame in N is "
      "late by up to NS "
      "nanoseconds), `stall R at NS for NS`,\n"
      "`kill R after N` (frames sent), `skew R by NS` (the clock of rank R), `damage N` (a bit of "
      "the Nth frame), `drop N`, "
      "`fail N` (the Nth transfer of\n"
      "a large value).\n\n"
      "A session in a program that starts MPI itself reads the variables, too; of those marked "
      "*run* it makes nothing.\n\n"
      "| variable | option | type and unit | default | what it does | for example |\n"
      "| --- | --- | --- | --- | --- | --- |\n";
  for (const setting& each : settings_table()) {
    text += "| `" + variable_of(each.name) + "` | `" + option_of(each.name) + "` | " +
            std::string(each.type) + " | " + std::string(each.standard) + " | " +
            std::string(each.sentence) + (each.of_run ? " (*run*)" : "") + " | `" +
            std::string(each.example) + "` |\n";
  }
  return text;
}

}  // namespace deed::runtime
