// SPDX-License-Identifier: MIT
#include "facts/commands.hpp"

#include <clang/Basic/Version.h>
#include <dlfcn.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/StringSaver.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <sstream>

namespace deed::check {
namespace {

std::string base_name(const std::string& program) {
  return llvm::sys::path::filename(program).str();
}

bool starts_with_any(const std::string& text, std::initializer_list<const char*> beginnings) {
  return std::ranges::any_of(beginnings, [&](const char* b) { return text.starts_with(b); });
}

std::string output_of(const std::string& command) {
  std::string text;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((command + " 2>/dev/null").c_str(), "r"),
                                                   pclose);
  if (!pipe) return text;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe.get())) text += buffer.data();
  return text;
}

/// What an MPI wrapper adds to its compiler: its `-I`, `-D`, `-isystem`.
const std::vector<std::string>& added_by(const std::string& wrapper) {
  static std::map<std::string, std::vector<std::string>> asked;  // Each wrapper is asked once.
  const auto [it, is_new] = asked.try_emplace(wrapper);
  if (!is_new || !llvm::sys::findProgramByName(wrapper)) return it->second;
  for (const char* question : {" --showme:compile", " -compile-info", " -show"}) {
    std::istringstream words(output_of("'" + wrapper + "'" + question));
    std::string word;
    while (words >> word) {
      if (starts_with_any(word, {"-I", "-D", "-isystem"}) && word.size() > 2) {
        it->second.push_back(word);
      }
    }
    if (!it->second.empty()) break;
  }
  return it->second;
}

bool is_wrapper(const std::string& name) {
  static constexpr std::array names{"mpicxx", "mpic++", "mpiCC", "mpicc", "mpiicpc", "CC"};
  return std::ranges::any_of(names, [&](const char* n) { return name == n; });
}

/// GCC's and NVCC's own, that Clang refuses.
bool is_unknown_to_clang(const std::string& flag) {
  return starts_with_any(
      flag, {"-fno-semantic-interposition", "-fconcepts", "-fmodules-ts", "-fdeps-format",
             "-fmodule-mapper", "-fcf-protection=", "-mno-direct", "-Wno-psabi",
             "-fno-canonical-system-headers", "-ffat-lto-objects", "-fanalyzer", "-Werror", "-flto",
             "-forward-unknown"});
}

/// Of `--options-file`, which a build system writes where a command would be long.
std::vector<std::string> words_of_file(const std::string& name, const std::string& directory) {
  llvm::SmallString<256> path(name);
  llvm::sys::fs::make_absolute(directory, path);
  const auto file = llvm::MemoryBuffer::getFile(path);
  if (!file) return {};
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver saver(memory);
  llvm::SmallVector<const char*, 32> words;
  llvm::cl::TokenizeGNUCommandLine((*file)->getBuffer(), saver, words);
  return {words.begin(), words.end()};
}

std::vector<std::string> with_options_files(const std::vector<std::string>& command,
                                            const std::string& directory) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const bool of_file = command[i] == "--options-file" || command[i] == "-optf";
    if (of_file && i + 1 < command.size()) {
      const auto words = words_of_file(command[++i], directory);
      all.insert(all.end(), words.begin(), words.end());
    } else {
      all.push_back(command[i]);
    }
  }
  return all;
}

/// NVCC's and hipcc's own, with what they take. `-Xcompiler=-fPIC` is for the compiler that they
/// call.
std::vector<std::string> without_device_flags(const std::vector<std::string>& command) {
  static constexpr std::array with_value{"-gencode",          "-arch",        "-ccbin",  "-x",
                                         "--compiler-bindir", "--threads",    "-Xptxas", "-Xcudafe",
                                         "-Xnvlink",          "-maxrregcount"};
  std::vector<std::string> kept{command[0]};
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& flag = command[i];
    const bool split = flag == "-Xcompiler" || flag == "--compiler-options";
    if (starts_with_any(flag, {"-isystem=", "-I="})) {
      kept.insert(kept.end(), {flag.substr(0, flag.find('=')), flag.substr(flag.find('=') + 1)});
    } else if (split || starts_with_any(flag, {"-Xcompiler=", "--compiler-options="})) {
      const bool next = split && i + 1 < command.size();
      std::istringstream words(next ? command[++i] : flag.substr(flag.find('=') + 1));
      for (std::string word; std::getline(words, word, ',');) kept.push_back(word);
    } else if (std::ranges::any_of(with_value, [&](const char* n) { return flag == n; })) {
      ++i;
    } else if (!starts_with_any(flag, {"--generate-code", "--expt-", "--extended-lambda", "-arch=",
                                       "-ccbin=", "--diag", "-rdc", "--offload-arch", "-fgpu-rdc",
                                       "--hip", "-forward-unknown", "--compiler-bindir="})) {
      kept.push_back(flag == "-dc" ? "-c" : flag);
    }
  }
  kept.insert(kept.begin() + 1, {"-x", "c++"});
  return kept;
}

bool is_c_source(const std::string& word) { return word.ends_with(".c") && !word.starts_with("-"); }

bool calls_for_devices(const std::string& compiler) {
  return starts_with_any(compiler, {"nvcc", "hipcc"});
}

/// How many words stand before the compiler: `ccache`, `env A=B`, `cmake -E env A=B`.
std::size_t words_in_front(const std::vector<std::string>& command) {
  std::size_t at = 0;
  const auto word = [&](std::size_t ahead) {
    return at + ahead < command.size() ? command[at + ahead] : std::string();
  };
  while (at + 1 < command.size()) {
    const std::string name = base_name(word(0));
    if (starts_with_any(name, {"ccache", "distcc", "sccache"})) {
      ++at;
      continue;
    }
    const bool of_cmake = name == "cmake" && word(1) == "-E" && word(2) == "env";
    if (name != "env" && !of_cmake) break;
    at += of_cmake ? 3 : 1;
    while (word(0).find('=') != std::string::npos || word(0).starts_with('-')) ++at;
  }
  return std::min(at, command.size() - 1);
}

}  // namespace

std::vector<std::string> understandable(std::vector<std::string> command,
                                        const std::string& directory) {
  if (command.empty()) return command;
  command.erase(command.begin(),
                command.begin() + static_cast<std::ptrdiff_t>(words_in_front(command)));
  std::vector<std::string> added;
  if (is_wrapper(base_name(command[0]))) added = added_by(command[0]);
  const std::string compiler = base_name(command[0]);
  if (calls_for_devices(compiler))
    command = without_device_flags(with_options_files(command, directory));
  // A file is read in the language of its name, as the driver that is called `clang` does.
  const bool of_c = compiler == "mpicc" || std::ranges::any_of(command, is_c_source);
  command[0] = of_c ? "clang" : "clang++";
  std::erase_if(command, is_unknown_to_clang);
  command.insert(command.begin() + 1, "-Qunused-arguments");
  command.insert(command.begin() + 1, added.begin(), added.end());
  return command;
}

std::string resource_directory() {
  Dl_info library{};
  if (!dladdr(reinterpret_cast<void*>(&clang::getClangFullVersion), &library)) return {};
  llvm::SmallString<128> real;
  if (llvm::sys::fs::real_path(library.dli_fname, real)) return {};
  const llvm::StringRef lib = llvm::sys::path::parent_path(real);
  for (const char* prefix : {"", "llvm-" CLANG_VERSION_MAJOR_STRING "/lib/",
                             "../llvm-" CLANG_VERSION_MAJOR_STRING "/lib/",
                             "../../lib/llvm-" CLANG_VERSION_MAJOR_STRING "/lib/"}) {
    llvm::SmallString<128> candidate(lib);
    llvm::sys::path::append(candidate, prefix, "clang", CLANG_VERSION_MAJOR_STRING);
    if (llvm::sys::fs::is_directory(candidate + "/include")) return candidate.str().str();
  }
  return {};
}

}  // namespace deed::check
