// SPDX-License-Identifier: MIT
#pragma once

#include <deed/deed.hpp>

#include "tests/scratch_folder.hpp"
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

/// @file
/// Programs that `deed::run` ends together with their process.

/// What is left of such a program, which had a process of its own.
struct ended_run {
  std::string path;     ///< Of its recording.
  std::string printed;  ///< To stderr.
};

/// Runs `program` with `words` as its command line: it is to end with `code`.
inline ended_run run_until_it_ends(const scratch_folder& folder, deed::exit_code code,
                                   const std::function<void(deed::session&)>& program,
                                   std::vector<std::string> words = {"--deed-ranks=2"}) {
  deed::session_options options;
  options.trace.path = folder.path() + "/run.deed";
  const std::string printed = folder.path() + "/printed";
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // Where it does not end.
    if (std::freopen(printed.c_str(), "w", stderr) == nullptr) std::_Exit(1);
    words.insert(words.begin(), "recorded_test");
    std::vector<char*> given;
    for (std::string& each : words) given.push_back(each.data());
    given.push_back(nullptr);
    std::_Exit(deed::run(static_cast<int>(words.size()), given.data(), program, options));
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  std::ifstream file(printed);
  ended_run left{options.trace.path, std::string(std::istreambuf_iterator<char>(file), {})};
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(code)) << status << "\n"
                                                                                  << left.printed;
  return left;
}
