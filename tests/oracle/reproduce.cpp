// SPDX-License-Identifier: MIT
#include "reproduce.hpp"

#include <deed/base/planted.hpp>

#include "worlds.hpp"
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <string>

namespace oracle {

void expect(std::uint64_t found, std::uint64_t wanted, std::string_view what) {
  if (found != wanted) throw std::runtime_error(std::string(what) + " is wrong");
}

void compute(int task, std::optional<std::uint64_t> wanted,
             std::initializer_list<operand> operands) {
  const std::uint64_t found = kernel(task, {operands.begin(), operands.size()});
  expect(found, wanted.value_or(found), "what task " + std::to_string(task) + " reads");
}

void finish(deed::session& session, std::vector<deed::request>& requests, const callbacks& calls) {
  for (std::size_t i = 0; i < requests.size(); i += 2) requests[i].wait();
  requests.clear();
  session.wait();
  calls.check();
}

void expect_counts(const deed::session& session, std::uint64_t tasks, std::uint64_t cache_hits,
                   std::initializer_list<traffic_to> sent) {
  const deed::statistics counts = session.statistics();
  expect(counts.tasks_run, tasks, "the number of tasks that ran here");
  expect(counts.cache_hits, cache_hits, "the number of reads that found a copy");
  for (int peer = 0; peer < session.size(); ++peer) {
    const auto* const named = std::ranges::find(sent, peer, &traffic_to::peer);
    const traffic_to wanted = named == sent.end() ? traffic_to{peer, 0, 0} : *named;
    const auto counted = counts.sent_to.find(peer);
    const bool any = counted != counts.sent_to.end();
    const std::string what = "what was sent to rank " + std::to_string(peer);
    expect(any ? counted->second.transfers : 0, wanted.transfers, what);
    expect(any ? counted->second.payload_bytes : 0, wanted.bytes, what);
  }
}

int reproduce(int argc, char** argv, const settings& how, void (*program)(deed::session&)) {
  world where = world::simulated;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--threads") {
      where = world::threads;
#ifdef DEED_PLANTED_BUGS
    } else if (word.starts_with("--planted=")) {
      const auto* const name = std::ranges::find(deed::planted_bug_names, word.substr(10));
      if (name == deed::planted_bug_names.end()) return 64;
      deed::planted_now = static_cast<deed::planted_bug>(name - deed::planted_bug_names.begin());
#endif
    } else {
      std::cerr << word << ": no such option\n";
      return 64;
    }
  }
  alarm(60);  // A program may fail by never ending.
  std::vector<std::string> thrown(static_cast<std::size_t>(how.ranks));
  std::string wrong = in_world(where, how, [&](const auto& environment) {
                        std::string& mine = thrown[static_cast<std::size_t>(environment.rank)];
                        deed::session joined(environment, options_of(how));
                        try {
                          program(joined);
                          joined.close();
                        } catch (const std::exception& reason) {
                          mine = reason.what();
                        }
                      }).wrong;
  for (std::size_t r = 0; r < thrown.size(); ++r) {
    if (!thrown[r].empty()) wrong += "rank " + std::to_string(r) + " threw: " + thrown[r] + "\n";
  }
  std::cout << (wrong.empty() ? "as the model says\n" : wrong);
  return wrong.empty() ? 0 : 1;
}

}  // namespace oracle
