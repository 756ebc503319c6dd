// SPDX-License-Identifier: MIT
#include "campaign.hpp"

#include "shrink.hpp"
#include "watchdog.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

namespace oracle {
namespace {

using std::chrono::steady_clock;

/// Says which program does not end, shrinks it, and ends the process.
[[noreturn]] void give_up(const campaign& wanted, std::uint64_t seed) {
  const plan program = generate(seed, wanted.from);
  std::cout << "seed " << seed << " does not end\n" << to_string(program) << std::flush;
  report_shrunk(wanted.where, program, wanted.patience / 4 + std::chrono::seconds(1));
  std::_Exit(1);
}

int fail(const campaign& wanted, std::uint64_t seed, const plan& program,
         const std::string& wrong) {
  std::cout << "seed " << seed << " failed:\n" << wrong << to_string(program) << std::flush;
  report_shrunk(wanted.where, program, std::chrono::seconds(5));
  return 1;
}

int run_file(const campaign& wanted, const std::string& name) {
  std::ifstream in(name);
  std::stringstream text;
  text << in.rdbuf();
  const verdict result = run(wanted.where, parse(text.str()));
  std::cout << (result.wrong.empty() ? "as the model says\n" : result.wrong);
  return result.wrong.empty() ? 0 : 1;
}

}  // namespace

int run_campaign(int argc, char** argv, campaign wanted) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] { return word.substr(word.find('=') + 1); };
    if (word.starts_with("--first="))
      wanted.first = std::stoull(value());
    else if (word.starts_with("--programs="))
      wanted.programs = std::stoull(value());
    else if (word.starts_with("--most-tasks="))
      wanted.from.most_tasks = std::stoi(value());
    else if (word.starts_with("--ranks=")) {
      wanted.from.fewest_ranks = std::stoi(value());
      wanted.from.most_ranks = std::stoi(value().substr(value().find('-') + 1));
    } else if (word.starts_with("--show=")) {
      std::cout << to_string(generate(std::stoull(value()), wanted.from));
      return 0;
    } else if (word.starts_with("--reproducer=")) {
      std::cout << reproducer(generate(std::stoull(value()), wanted.from));
      return 0;
    } else if (word.starts_with("--plan="))
      return run_file(wanted, value());
    else {
      std::cerr << word << ": no such option\n";
      return 64;
    }
  }
  watchdog guard(wanted.patience, [&](std::uint64_t seed) { give_up(wanted, seed); });
  const auto start = steady_clock::now();
  std::uint64_t tasks = 0, on_devices = 0, evictions = 0, sent = 0;
  for (std::uint64_t seed = wanted.first; seed < wanted.first + wanted.programs; ++seed) {
    guard.begin(seed);
    const plan program = generate(seed, wanted.from);
    tasks += program.tasks();
    const verdict result = run(wanted.where, program);
    if (!result.wrong.empty()) {
      guard.begin(0);
      return fail(wanted, seed, program, result.wrong);
    }
    on_devices += result.on_devices;
    evictions += result.evictions;
    sent += result.sent_from_devices;
    if (!wanted.twice) continue;
    const verdict again = run(wanted.where, program);
    if (again.event_hash != result.event_hash) {
      std::cout << "seed " << seed << " ran differently the second time\n" << to_string(program);
      return 1;
    }
  }
  const double seconds = std::chrono::duration<double>(steady_clock::now() - start).count();
  std::printf("%llu programs, %llu tasks, all as the model says; %.1f s, %.0f programs/s\n",
              static_cast<unsigned long long>(wanted.programs),
              static_cast<unsigned long long>(tasks), seconds,
              static_cast<double>(wanted.programs) / seconds);
  if (wanted.from.most_devices == 0) return 0;
  std::printf(
      "%llu tasks ran on devices; %llu data made room for others; %llu bytes left from there\n",
      static_cast<unsigned long long>(on_devices), static_cast<unsigned long long>(evictions),
      static_cast<unsigned long long>(sent));
  const bool large = wanted.programs >= 1000;  // Few programs may send nothing from a device.
  return on_devices > 0 && evictions > 0 && (sent > 0 || !large) ? 0 : 1;
}

}  // namespace oracle
