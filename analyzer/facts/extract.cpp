// SPDX-License-Identifier: MIT
#include "facts/extract.hpp"

#include "facts/cache.hpp"
#include "facts/parse.hpp"
#include "facts/workers.hpp"
#include "flow/store.hpp"
#include <clang/Tooling/CompilationDatabase.h>
#include <llvm/Support/FileSystem.h>

namespace deed::check {
namespace {

using clang::tooling::CompilationDatabase;

/// What names the facts of a unit in the cache: the file, its commands, and what the run adds.
std::string name_of(const CompilationDatabase& commands, const std::string& file,
                    const compilation& what) {
  llvm::SmallString<128> full(file);
  llvm::sys::fs::make_absolute(full);
  std::string name = full.str().str();
  for (const auto& one : commands.getCompileCommands(file)) {
    name += "\n" + one.Directory;
    for (const std::string& word : one.CommandLine) name += "\n" + word;
  }
  for (const std::string& word : what.added) name += "\n" + word;
  return name + "\n" + what.root;
}

unit_facts facts_of(const CompilationDatabase& commands, const std::string& file,
                    const compilation& what, const facts_cache& cache) {
  if (!what.build_folder.empty() && commands.getCompileCommands(file).empty()) {
    unit_facts nothing;
    nothing.failures.push_back("could not analyse " + file + ": not in " + what.build_folder +
                               "/compile_commands.json");
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

}  // namespace

extraction extract(const compilation& what, program& into) {
  extraction report;
  std::string error;
  std::unique_ptr<CompilationDatabase> commands;
  if (what.build_folder.empty()) {
    commands = std::make_unique<clang::tooling::FixedCompilationDatabase>(".", what.flags);
  } else {
    commands = CompilationDatabase::loadFromDirectory(what.build_folder, error);
  }
  if (!commands) {
    report.unusable = "no compile_commands.json in " + what.build_folder +
                      "; configure with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON";
    return report;
  }
  const auto files = what.files.empty() ? commands->getAllFiles() : what.files;
  const facts_cache cache(what.cache);
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
  return report;
}

}  // namespace deed::check
