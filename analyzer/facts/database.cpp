// SPDX-License-Identifier: MIT
#include "facts/database.hpp"

#include <clang/Tooling/JSONCompilationDatabase.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>
#include <map>
#include <set>

namespace deed::check {
namespace {

using clang::tooling::CompilationDatabase;
using clang::tooling::CompileCommand;

std::string real_name(const std::string& file) {
  llvm::SmallString<256> real;
  return llvm::sys::fs::real_path(file, real) ? file : real.str().str();
}

/// What a build system wrote.
class written_commands : public CompilationDatabase {
 public:
  /// `folder`: in which the database lies.
  written_commands(std::vector<CompileCommand> all, const std::string& folder)
      : all_(std::move(all)) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      all_[i].Directory = full_name(all_[i].Directory, folder);
      const std::string name = full_name(all_[i].Filename, all_[i].Directory);
      auto& of_file = by_name_[name];
      if (of_file.empty()) files_.push_back(name);
      of_file.push_back(i);
      by_real_name_[real_name(name)].push_back(i);
    }
  }

  std::vector<CompileCommand> getCompileCommands(llvm::StringRef file) const override {
    const std::string name = full_name(file.str());
    if (const auto it = by_name_.find(name); it != by_name_.end()) return at(it->second);
    const auto it = by_real_name_.find(real_name(name));
    return it == by_real_name_.end() ? from_unity(name) : at(it->second);
  }
  std::vector<std::string> getAllFiles() const override { return files_; }
  std::vector<CompileCommand> getAllCompileCommands() const override { return all_; }

 private:
  std::vector<CompileCommand> at(const std::vector<std::size_t>& numbers) const {
    std::vector<CompileCommand> found;
    for (const std::size_t n : numbers) found.push_back(all_[n]);
    return found;
  }

  /// As the file is compiled that CMake made to include several (`UNITY_BUILD`).
  std::vector<CompileCommand> from_unity(const std::string& name) const {
    for (CompileCommand one : all_) {
      if (!llvm::sys::path::filename(one.Filename).starts_with("unity_")) continue;
      const auto text = llvm::MemoryBuffer::getFile(full_name(one.Filename, one.Directory));
      if (!text || !(*text)->getBuffer().contains("\"" + name + "\"")) continue;
      std::ranges::replace(one.CommandLine, one.Filename, name);
      one.Filename = name;
      return {std::move(one)};
    }
    return {};
  }

  std::vector<CompileCommand> all_;
  std::vector<std::string> files_;
  std::map<std::string, std::vector<std::size_t>> by_name_, by_real_name_;
};

/// The same for every file: what stands behind `--`.
class given_command : public CompilationDatabase {
 public:
  explicit given_command(const compilation& what) : words_(what.flags) {
    const bool flags_alone =
        words_.empty() || words_[0].starts_with("-") || words_[0].starts_with("@");
    if (flags_alone) words_.insert(words_.begin(), "cc");  // The language by the file's name.
    // A whole command, as it was given to the compiler, names the files as well.
    std::set<std::string> files;
    for (const std::string& file : what.files) files.insert(full_name(file));
    std::erase_if(words_, [&](const std::string& word) { return files.contains(full_name(word)); });
  }

  std::vector<CompileCommand> getCompileCommands(llvm::StringRef file) const override {
    std::vector<std::string> words = words_;
    words.push_back(file.str());
    return {CompileCommand(full_name("."), file, std::move(words), "")};
  }

 private:
  std::vector<std::string> words_;
};

std::unique_ptr<CompilationDatabase> written_in(const std::string& file, std::string& error) {
  using clang::tooling::JSONCommandLineSyntax;
  using clang::tooling::JSONCompilationDatabase;
  const auto read =
      JSONCompilationDatabase::loadFromFile(file, error, JSONCommandLineSyntax::AutoDetect);
  if (!read) return nullptr;
  const std::string folder = llvm::sys::path::parent_path(full_name(file)).str();
  return std::make_unique<written_commands>(read->getAllCompileCommands(), folder);
}

}  // namespace

std::string full_name(const std::string& file, const std::string& folder) {
  llvm::SmallString<256> full(file);
  if (folder.empty())
    llvm::sys::fs::make_absolute(full);
  else
    llvm::sys::fs::make_absolute(folder, full);
  llvm::sys::path::remove_dots(full, true);
  return full.str().str();
}

std::string database_of(const compilation& what) {
  llvm::SmallString<256> file(what.build_folder);
  llvm::sys::path::append(file, "compile_commands.json");
  return file.str().str();
}

std::unique_ptr<CompilationDatabase> commands_of(const compilation& what, std::string& error) {
  std::unique_ptr<CompilationDatabase> commands;
  if (what.build_folder.empty())
    commands = std::make_unique<given_command>(what);
  else if (llvm::sys::fs::exists(database_of(what)))
    commands = written_in(database_of(what), error);
  else
    error = "no compile_commands.json in " + what.build_folder +
            "; configure with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON";
  if (!commands) return nullptr;
  return inferTargetAndDriverMode(
      expandResponseFiles(std::move(commands), llvm::vfs::getRealFileSystem()));
}

}  // namespace deed::check
