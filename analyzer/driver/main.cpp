// SPDX-License-Identifier: MIT
#include "driver/config.hpp"
#include "driver/options.hpp"
#include "driver/stats.hpp"
#include "flow/print.hpp"
#include "report/diff.hpp"
#include "report/fingerprint.hpp"
#include "report/fixits.hpp"
#include "report/grouping.hpp"
#include "report/pages.hpp"
#include "report/sarif.hpp"
#include "report/suppressions.hpp"
#include "report/text.hpp"
#include "rules/rule.hpp"
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>

namespace deed::check {
namespace {

enum exit_code {
  nothing = 0,
  findings = 1,
  not_analysed = 3,
  internal_error = 4,
  usage_error = 64
};

/// What is said of every code that this tool finds.
std::vector<rule_text> all_texts() {
  std::vector<rule_text> texts;
  for (const rule* r : all_rules()) texts.push_back({r->code, r->title, r->explanation});
  for (rule_text& t : texts_of_permissions()) texts.push_back(std::move(t));
  return texts;
}

int list_checks() {
  for (const rule_text& t : all_texts()) std::cout << code_name(t.code) << "  " << t.title << '\n';
  return nothing;
}

/// The code's page of docs/errors, or of what has none, its own words.
int explain(std::string code) {
  std::ranges::transform(code, code.begin(), [](unsigned char c) { return std::toupper(c); });
  if (const std::string_view page = page_of(code); !page.empty()) {
    std::cout << page;
    return nothing;
  }
  for (const rule_text& t : all_texts()) {
    if (code_name(t.code) != code) continue;
    std::cout << code << ": " << t.title << "\n\n" << t.explanation;
    return nothing;
  }
  std::cerr << "deed-check: no check named " << code << "; see deed-check --list-checks\n";
  return usage_error;
}

bool shown(const diagnostic& d, bool strict) {
  return strict || d.how == severity::error || d.how == severity::warning;
}

struct result {
  const program& all;
  const std::vector<diagnostic>& found;
  bool complete;
};

std::string rendered(const result& what, const options& wanted, source_lines& lines) {
  const file_table& files = what.all.files;
  if (wanted.format == output_format::sarif) {
    return as_sarif(what.found, {DEED_VERSION, DEED_ADDRESS, all_texts()}, files, lines,
                    what.complete);
  }
  text_options how;
  how.base_names = wanted.base_names;
  how.short_form = wanted.format == output_format::short_text;
  const bool terminal = wanted.output.empty() && isatty(STDOUT_FILENO) != 0;
  how.colours = wanted.colours.value_or(terminal && std::getenv("NO_COLOR") == nullptr);
  std::string text;
  for (const diagnostic& d : what.found) {
    text += wanted.format == output_format::json_lines ? as_json_line(d, files, lines)
                                                       : as_text(d, files, lines, how);
  }
  return text;
}

void say(const std::string& line) { std::cerr << "deed-check: " << line << '\n'; }

/// To standard output without a file. False, and says so, where that fails.
bool written(const std::string& text, const std::string& file) {
  if (file.empty()) return static_cast<bool>(std::cout << text << std::flush);
  std::ofstream out(file);
  out << text;
  if (out.flush()) return true;
  say("cannot write " + file);
  return false;
}

/// The files of which findings are reported.
std::set<std::uint32_t> reported_files(const program& all) {
  std::set<std::uint32_t> files;
  for (const auto& [usr, f] : all.functions) {
    if (f->in_root) files.insert(f->at.file);
  }
  return files;
}

/// What is left after comments, severity and what is known, not yet grouped.
std::vector<diagnostic> filtered(std::vector<diagnostic> found, const program& all, bool whole,
                                 bool strict, const std::set<std::string>& known,
                                 source_lines& lines) {
  std::vector<int> codes;
  for (const rule* r : all_rules()) codes.push_back(r->code);
  give_fingerprints(found, all.files, lines);
  apply_suppressions(found, codes, reported_files(all), whole, all.files, lines);
  give_fingerprints(found, all.files, lines);  // Of what is said of the comments.
  std::erase_if(found, [&](const diagnostic& d) {
    return !shown(d, strict) || known.contains(d.fingerprint);
  });
  return found;
}

/// Writes what the safe edits make of the files, or shows it.
bool change_files(const std::vector<diagnostic>& found, const program& all, bool show_only,
                  source_lines& lines) {
  for (const auto& [file, change] : apply_edits(found, all.files, lines)) {
    if (show_only) {
      std::cout << unified_diff(file, change.before, change.after);
      continue;
    }
    if (!written(change.after, file)) return false;
    say(std::to_string(change.edits) + (change.edits == 1 ? " edit in " : " edits in ") + file);
  }
  return true;
}

int print_all_facts(const program& all) {
  for (const auto& [usr, f] : all.functions) std::cout << printed(all, *f);
  return nothing;
}

int check(const options& wanted) {
  const auto start = std::chrono::steady_clock::now();
  std::optional<std::set<std::string>> known{std::in_place};
  if (!wanted.baseline.empty()) known = read_baseline(wanted.baseline);
  if (!known) {
    say("cannot read " + wanted.baseline + "; --write-baseline=" + wanted.baseline + " makes it");
    return usage_error;
  }
  program all;
  const extraction read = extract(wanted.what, all);
  if (!read.unusable.empty()) {
    say(read.unusable);
    return usage_error;
  }
  for (const auto* lines : {&read.warnings, &read.failures, &read.faults})
    std::ranges::for_each(*lines, say);
  if (!read.faults.empty()) return internal_error;
  if (wanted.print_facts) return print_all_facts(all);
  source_lines lines;
  left_out what;
  auto places = filtered(run_rules(all, what), all, read.whole, wanted.strict, *known, lines);
  if (wanted.why_not) {
    std::cout << as_why_not(all, what, *wanted.why_not);
    return read.failures.empty() ? nothing : not_analysed;
  }
  if (!wanted.write_baseline.empty()) {
    return written(as_baseline(places, all.files), wanted.write_baseline) ? nothing : usage_error;
  }
  const auto found = grouped(std::move(places));
  if (wanted.fix || wanted.fix_dry_run) {
    if (!change_files(found, all, wanted.fix_dry_run, lines)) return usage_error;
    if (wanted.fix_dry_run) return nothing;
  }
  if (!written(rendered({all, found, read.failures.empty()}, wanted, lines), wanted.output))
    return usage_error;
  if (wanted.stats) {
    const auto spent = std::chrono::steady_clock::now() - start;
    std::cerr << as_stats(all, read, what, found.size(),
                          std::chrono::duration_cast<std::chrono::milliseconds>(spent));
  }
  if (!read.failures.empty()) return not_analysed;
  const bool fails = std::ranges::any_of(found, [&](const diagnostic& d) {
    return d.how == severity::error || wanted.fail_on_warning;
  });
  return fails ? findings : nothing;
}

int run(int argc, char** argv) {
  std::string error;
  std::string config;
  const std::string text = find_config(config);
  std::vector<std::string> arguments = arguments_in(text, error);
  if (!error.empty()) error = config + ": " + error;
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  const options wanted = error.empty() ? parse_options(arguments, error) : options{};
  if (!error.empty()) {
    std::cerr << "deed-check: " << error << '\n';
    return usage_error;
  }
  if (wanted.help) {
    std::cout << usage;
    return nothing;
  }
  if (wanted.version) {
    std::cout << "deed-check " DEED_VERSION ", model 1\n";
    return nothing;
  }
  if (wanted.list_checks) return list_checks();
  if (!wanted.explain.empty()) return explain(wanted.explain);
  return check(wanted);
}

}  // namespace
}  // namespace deed::check

int main(int argc, char** argv) {
  try {
    return deed::check::run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "deed-check: internal error: " << e.what() << '\n';
    return deed::check::internal_error;
  }
}
