// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "diagnosis.hpp"

#include <algorithm>
#include <iostream>
#include <string>

/// @file
/// deed-doctor: whether MPI, cores, memory and devices are as deed needs them. Exit status 0 if
/// nothing is wrong, 1 if something is.

namespace {

using namespace deed::doctor;

constexpr const char* usage =
    "Usage: deed-doctor [--deed-ranks=N]\n"
    "       mpirun -n 2 deed-doctor\n"
    "Looks at what deed runs on: MPI and its threads, cores, memory, devices; runs tasks and\n"
    "messages of every rank, and checks what they bring. Takes less than five seconds.\n"
    "Exit status: 0 if nothing is wrong, 1 if something is.\n";

void print(const finding& each) {
  constexpr std::size_t column = 10;
  const char* const mark = each.how == health::well   ? "  ok     "
                           : each.how == health::note ? "  note   "
                                                      : "  WRONG  ";
  std::string subject = each.subject;
  subject.resize(std::max(column, subject.size() + 1), ' ');
  std::cout << mark << subject << each.text << '\n';
  if (!each.help.empty())
    std::cout << std::string(9 + column, ' ') << "= help: " << each.help << '\n';
}

void add(std::vector<finding>& to, std::vector<finding> more) {
  std::ranges::move(more, std::back_inserter(to));
}

/// Number of findings that are wrong.
long report(const std::vector<machine_facts>& ranks, const exercise_result& result,
            const std::string& way_to_network) {
  std::vector<finding> found = judge_build();
  add(found, judge_machines(ranks));
  found.push_back(judge_network(way_to_network));
  add(found, judge_exercise(result, static_cast<int>(ranks.size())));
  std::cout << "deed " DEED_VERSION ", " << count_of(ranks.size(), "rank") << '\n';
  for (const finding& each : found) print(each);
  const auto wrong = std::ranges::count(found, health::wrong, &finding::how);
  std::cout << (wrong == 0 ? "nothing is wrong\n"
                           : count_of(static_cast<std::size_t>(wrong), "thing") + " wrong\n");
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && (std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "-h")) {
    std::cout << usage;
    return 0;
  }
  long wrong = 0;
  const int status = deed::run(argc, argv, [&](deed::session& session, deed::arguments rest) {
    if (!rest.empty())
      throw deed::stop_run(deed::exit_code::bad_option,
                           "deed-doctor: " + rest.front() + ": no such option");
    const exercise_result result = exercise(session);
    const auto ranks =
        session.gather(deed::value(look_at_machine(session.device_summary())), deed::to{0});
    if (session.rank() == 0) wrong = report(ranks, result, session.way_to_network());
  });
  return status != 0 ? status : static_cast<int>(wrong != 0);
}
