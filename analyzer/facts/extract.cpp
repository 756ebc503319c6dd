// SPDX-License-Identifier: MIT
#include "facts/extract.hpp"

#include "facts/cache.hpp"
#include "facts/database.hpp"
#include "facts/parse.hpp"
#include "facts/root.hpp"
#include "facts/workers.hpp"
#include "flow/same_names.hpp"
#include "flow/store.hpp"
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <set>

namespace deed::check {
namespace {

using clang::tooling::CompilationDatabase;

/// What names the facts of a unit in the cache: the file, its commands, and what the run adds.
std::string name_of(const CompilationDatabase& commands, const std::string& file,
                    const compilation& what) {
  std::string name = full_name(file);
  for (const auto& one : commands.getCompileCommands(file)) {
    name += "\n" + one.Directory;
    for (const std::string& word : one.CommandLine) name += "\n" + word;
  }
  for (const std::string& word : what.added) name += "\n" + word;
  return name + "\n" + what.root;
}

/// Why nothing is known of how a file is compiled, and what to do. Empty if something is.
std::string why_unknown(const CompilationDatabase& commands, const std::string& file,
                        const compilation& what) {
  if (!commands.getCompileCommands(file).empty()) return {};
  if (!llvm::sys::fs::exists(file)) return "no such file";
  const llvm::StringRef ending = llvm::sys::path::extension(file);
  const bool is_header = ending.starts_with(".h") || ending == ".cuh" || ending == ".inc";
  return database_of(what) + " has no entry for it; " +
         (is_header ? "check a source that includes it"
                    : "add it to a target and configure anew, or give its flags behind `--`");
}

unit_facts facts_of(const CompilationDatabase& commands, const std::string& file,
                    const compilation& what, const facts_cache& cache) {
  if (const std::string why = why_unknown(commands, file, what); !why.empty()) {
    unit_facts nothing;
    nothing.failures.push_back("could not analyse " + file + ": " + why);
    return nothing;
  }
  const std::string name = name_of(commands, file, what);
  if (auto known = cache.find(name)) return std::move(*known);
  unit_facts found = parse(commands, file, what);
  cache.keep(name, found);
  return found;
}

void take(const unit_facts& one, const std::string& file, extraction& report, program& into) {
  report.failures.insert(report.failures.end(), one.failures.begin(), one.failures.end());
  report.faults.insert(report.faults.end(), one.faults.begin(), one.faults.end());
  report.without_graph += one.without_graph;
  if (!one.failures.empty()) return;
  ++report.units;
  if (one.without_deed) ++report.without_deed;
  if (!absorb(one.bytes, into)) report.faults.push_back(file + ": its facts cannot be read back");
}

/// With the root as it really is: links resolved, and found where none was named.
compilation with_root(compilation what, const CompilationDatabase& commands) {
  if (what.root.empty() && !what.build_folder.empty())
    what.root = likely_root(what.build_folder, commands.getAllFiles());
  if (!what.root.empty()) what.root = real_folder(what.root);
  return what;
}

/// Whether these are all that the database names and that are there: some are made by a build.
bool are_all(const std::vector<std::string>& files, const CompilationDatabase& commands) {
  std::set<std::string> named;
  for (const std::string& file : files) named.insert(full_name(file));
  return std::ranges::all_of(commands.getAllFiles(), [&](const std::string& file) {
    return named.contains(full_name(file)) || !llvm::sys::fs::exists(file);
  });
}

bool reports_nothing(const program& all) {
  return !all.functions.empty() &&
         std::ranges::none_of(all.functions, [](const auto& one) { return one.second->in_root; });
}

}  // namespace

extraction extract(const compilation& wanted, program& into) {
  extraction report;
  const auto commands = commands_of(wanted, report.unusable);
  if (!commands) return report;
  const compilation what = with_root(wanted, *commands);
  if (!what.root.empty() && !llvm::sys::fs::is_directory(what.root)) {
    report.unusable = "no folder " + what.root + "; --root names where findings are reported";
    return report;
  }
  const auto files = what.files.empty() ? commands->getAllFiles() : what.files;
  const facts_cache cache(what.cache);
  if (const std::string why = cache.why_closed(); !why.empty())
    report.warnings.push_back("cannot write into --cache=" + what.cache +
                              ", nothing is kept: " + why);
  const auto done = in_processes(files.size(), what.processes, [&](std::size_t i) {
    return packed(facts_of(*commands, files[i], what, cache));
  });
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto one = unpacked(done[i]);
    if (one) {
      take(*one, files[i], report, into);
    } else {
      report.failures.push_back("could not analyse " + files[i] +
                                ": the analysis of this unit ended early");
    }
  }
  report.whole = report.failures.empty() && are_all(files, *commands);
  if (reports_nothing(into))
    report.unusable =
        "nothing that was read lies in " + what.root + "; name the project's folder with --root";
  tell_apart(into);
  return report;
}

}  // namespace deed::check
