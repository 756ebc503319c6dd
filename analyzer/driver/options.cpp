// SPDX-License-Identifier: MIT
#include "driver/options.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string_view>

namespace deed::check {

const char* const usage =
    R"(usage: deed-check -p BUILD [FILE...]
       deed-check FILE... -- [COMPILER] FLAGS...

  -p BUILD               the folder with compile_commands.json
  --root=FOLDER          report findings in this folder only; default with -p: the current one, or
                         where the project lies if that holds none of its sources
  --strict               report what is doubtful, too
  --fail-on=error|warning   from what on the exit code is 1 (default: error)
  --format=text|short|sarif|json   json: each finding a result of SARIF, on a line of its own
  --output=FILE          instead of standard output
  --baseline=FILE        report only what is not in FILE
  --write-baseline=FILE  write what is found now
  --explain=D306         what a code means, with the wrong and the right program
  --list-checks          the codes that this tool finds
  --extra-arg=FLAG       at the end of every compiler command
  --colour=yes|no        default: yes on a terminal, unless NO_COLOR is set
  --fix                  apply the edits that are safe
  --fix-dry-run          show them as a diff
  -j N, --jobs=N         so many units at once (default: 1)
  --cache=FOLDER         keep the facts of units that do not change
  --stats                what was looked at, and how long it took
  --why-not=FILE:LINE    what was not looked at there, so that a mistake may not be told
  --print-facts          the events of every function

The file .deed-check.yaml, here or in a folder above, holds the same: `strict: true`, `root: src`.

exit codes: 0 nothing, 1 findings, 64 usage, 3 some units not analysed, 4 internal error
)";

namespace {

bool take(std::string_view argument, std::string_view name, std::string& into) {
  if (!argument.starts_with(name) || argument.size() <= name.size()) return false;
  if (argument[name.size()] != '=') return false;
  into = argument.substr(name.size() + 1);
  return true;
}

bool choose_format(const std::string& name, options& into) {
  if (name == "text")
    into.format = output_format::text;
  else if (name == "short")
    into.format = output_format::short_text;
  else if (name == "sarif")
    into.format = output_format::sarif;
  else if (name == "json")
    into.format = output_format::json_lines;
  else
    return false;
  return true;
}

void set_jobs(const std::string& text, options& into, std::string& error) {
  into.what.processes = std::atoi(text.c_str());
  if (into.what.processes < 1) error = "-j wants a number from 1";
}

/// FILE:LINE or FILE:LINE:COLUMN, as findings are printed.
void set_place(const std::string& text, options& into, std::string& error) {
  static const std::regex place("(.+?):([1-9][0-9]{0,8})(:[0-9]+)?:?");
  std::smatch parts;
  if (std::regex_match(text, parts, place))
    into.why_not = {parts[1], static_cast<std::uint32_t>(std::stoul(parts[2]))};
  else
    error = "--why-not wants FILE:LINE";
}

/// One argument that is a word of its own. False if there is no such option.
bool take_flag(std::string_view argument, options& into) {
  if (argument == "--strict")
    into.strict = true;
  else if (argument == "--list-checks")
    into.list_checks = true;
  else if (argument == "--help" || argument == "-h")
    into.help = true;
  else if (argument == "--version")
    into.version = true;
  else if (argument == "--stats")
    into.stats = true;
  else if (argument == "--print-facts")
    into.print_facts = true;
  else if (argument == "--fix")
    into.fix = true;
  else if (argument == "--fix-dry-run")
    into.fix_dry_run = true;
  else if (argument == "--base-names")
    into.base_names = true;
  else
    return false;
  return true;
}

/// `--name=value`. False if there is no such option; `error` if the value is none of its.
bool take_setting(std::string_view argument, options& into, std::string& error) {
  std::string text;
  if (take(argument, "--root", into.what.root) || take(argument, "--output", into.output) ||
      take(argument, "--explain", into.explain) || take(argument, "--baseline", into.baseline) ||
      take(argument, "--write-baseline", into.write_baseline) ||
      take(argument, "--cache", into.what.cache)) {
    return true;
  }
  if (take(argument, "--extra-arg", text)) {
    into.what.added.push_back(text);
  } else if (take(argument, "--format", text)) {
    if (!choose_format(text, into)) error = "no format " + text + "; text, short, sarif or json";
  } else if (take(argument, "--fail-on", text)) {
    if (text != "error" && text != "warning") error = "--fail-on is error or warning";
    into.fail_on_warning = text == "warning";
  } else if (take(argument, "--jobs", text)) {
    set_jobs(text, into, error);
  } else if (take(argument, "--why-not", text)) {
    set_place(text, into, error);
  } else if (take(argument, "--colour", text)) {
    into.colours = text == "yes";
  } else {
    return false;
  }
  return true;
}

}  // namespace

options parse_options(const std::vector<std::string>& arguments, std::string& error) {
  options result;
  bool flags = false, own_flags = false;
  for (std::size_t i = 0; i < arguments.size() && error.empty(); ++i) {
    const std::string_view argument = arguments[i];
    if (flags) {
      result.what.flags.emplace_back(argument);
    } else if (argument == "--") {
      flags = own_flags = true;
    } else if (argument == "-p") {
      if (i + 1 == arguments.size())
        error = "-p wants a folder";
      else
        result.what.build_folder = arguments[++i];
    } else if (argument == "-") {
      error = "standard input is not read; name a file";
    } else if (argument == "-j" && i + 1 < arguments.size()) {
      set_jobs(arguments[++i], result, error);
    } else if (argument.starts_with("-j") && argument.size() > 2) {
      set_jobs(arguments[i].substr(2), result, error);
    } else if (argument.starts_with("-")) {
      if (take_flag(argument, result) || take_setting(argument, result, error)) continue;
      // `--explain D306` for `--explain=D306`.
      const std::string named = arguments[i] + "=";
      options unused;
      std::string wrong_value;
      if (!take_setting(named, unused, wrong_value))
        error = "no option " + std::string(argument) + "; see deed-check --help";
      else if (i + 1 == arguments.size())
        error = std::string(argument) + " wants a value";
      else
        take_setting(named + arguments[++i], result, error);
    } else {
      result.what.files.emplace_back(argument);
    }
  }
  const bool asks_only =
      result.help || result.version || result.list_checks || !result.explain.empty();
  if (!error.empty() || asks_only) return result;
  const auto folder = std::ranges::find_if(
      result.what.files, [](const std::string& f) { return std::filesystem::is_directory(f); });
  if (folder != result.what.files.end()) {
    error = *folder + " is a folder; name files, or the folder of a build with -p";
  } else if (result.what.build_folder.empty() && result.what.files.empty()) {
    error = "nothing to check; name a build folder with -p, or files";
  } else if (!result.what.build_folder.empty() && own_flags) {
    error = "-p and -- exclude each other; the build folder knows the flags";
  }
  return result;
}

}  // namespace deed::check
