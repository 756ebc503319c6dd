// SPDX-License-Identifier: MIT
#include "driver/options.hpp"
#include "flow/print.hpp"
#include "report/text.hpp"
#include "rules/rule.hpp"
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>

namespace deed::check {
namespace {

enum exit_code {
  nothing = 0,
  findings = 1,
  not_analysed = 3,
  internal_error = 4,
  usage_error = 64
};

int list_checks() {
  for (const rule* r : all_rules()) std::cout << code_name(r->code) << "  " << r->title << '\n';
  return nothing;
}

int explain(const std::string& code) {
  for (const rule* r : all_rules()) {
    if (code_name(r->code) != code) continue;
    std::cout << code << ": " << r->title << "\n\n" << r->explanation;
    return nothing;
  }
  std::cerr << "deed-check: no check named " << code << "; see deed-check --list-checks\n";
  return usage_error;
}

bool shown(const diagnostic& d, bool strict) {
  return strict || d.how == severity::error || d.how == severity::warning;
}

void print(const std::vector<diagnostic>& found, const program& all, const options& wanted,
           std::ostream& out) {
  text_options how;
  how.base_names = wanted.base_names;
  how.short_form = wanted.format == output_format::short_text;
  const bool terminal = wanted.output.empty() && isatty(STDOUT_FILENO) != 0;
  how.colours = wanted.colours.value_or(terminal && std::getenv("NO_COLOR") == nullptr);
  source_lines lines;
  for (const diagnostic& d : found) out << as_text(d, all.files, lines, how);
}

int check(const options& wanted) {
  program all;
  const extraction read = extract(wanted.what, all);
  if (!read.unusable.empty()) {
    std::cerr << "deed-check: " << read.unusable << '\n';
    return usage_error;
  }
  for (const std::string& line : read.failures) std::cerr << "deed-check: " << line << '\n';
  if (!read.faults.empty()) {
    for (const std::string& line : read.faults) std::cerr << "deed-check: " << line << '\n';
    return internal_error;
  }
  if (wanted.print_facts) {
    for (const auto& [usr, f] : all.functions) std::cout << printed(all, *f);
    return nothing;
  }
  auto found = run_rules(all);
  std::erase_if(found, [&](const diagnostic& d) { return !shown(d, wanted.strict); });
  if (wanted.output.empty()) {
    print(found, all, wanted, std::cout);
  } else {
    std::ofstream file(wanted.output);
    print(found, all, wanted, file);
  }
  if (!read.failures.empty()) return not_analysed;
  const bool fails = std::ranges::any_of(found, [&](const diagnostic& d) {
    return d.how == severity::error || wanted.fail_on_warning;
  });
  return fails ? findings : nothing;
}

int run(int argc, char** argv) {
  std::string error;
  const options wanted = parse_options(argc, argv, error);
  if (!error.empty()) {
    std::cerr << "deed-check: " << error << '\n';
    return usage_error;
  }
  if (wanted.help) {
    std::cout << usage;
    return nothing;
  }
  if (wanted.version) {
    std::cout << "deed-check, model 1\n";
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
