// SPDX-License-Identifier: MIT
// Where workers run, and what waiting costs. The argument says what is expected: `bound` or
// `free`, `idle` for ranks that are processes, `idle_threads` for threads of one. `place`: nothing.
#include <deed/deed.hpp>

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using cpus = std::vector<int>;

/// Those that the calling thread may run on.
cpus allowed() {
  cpu_set_t mask;
  sched_getaffinity(0, sizeof mask, &mask);
  cpus numbers;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(static_cast<std::size_t>(i), &mask) != 0) numbers.push_back(i);
  }
  return numbers;
}

constexpr deed::codelet look{"look", [](cpus& where) { where = allowed(); }};
constexpr deed::codelet nap{
    "nap", [](int& x) { x += 1, std::this_thread::sleep_for(std::chrono::seconds(1)); }};
constexpr deed::codelet add{"add", [](int& sum, const int& x) { sum += x; }};

[[noreturn]] void fail(const std::string& why) {
  throw deed::stop_run(deed::exit_code::codelet_threw, why);
}

/// Every rank has cores of its own: disjoint, within the mask, and not all of it.
void expect_bound(const std::vector<cpus>& seen, const cpus& mask) {
  cpus together;
  for (const cpus& one : seen) {
    if (one.empty() || one.size() >= mask.size()) fail("a worker is not bound");
    if (!std::ranges::includes(mask, one)) fail("a worker left the mask");
    together.insert(together.end(), one.begin(), one.end());
  }
  std::ranges::sort(together);
  if (std::ranges::adjacent_find(together) != together.end()) fail("two workers share a core");
}

void place(deed::session& session, const std::string& expected) {
  const cpus mask = allowed();
  std::vector<cpus> seen;
  for (int r = 0; r < session.size(); ++r) {
    auto where = session.register_data(deed::owner{r}, cpus{}, {.name = "where"});
    session.insert_task(look, deed::write(where));
    session.fetch(deed::read(where), deed::to{0});
    if (session.rank() == 0) seen.push_back(*session.borrow(deed::read(where)));
  }
  if (session.rank() != 0) return;
  if (expected == "bound" && mask.size() < seen.size()) {
    std::cout << "fewer cores than ranks\n";
  } else if (expected == "bound") {
    expect_bound(seen, mask);
  } else if (expected == "free" &&
             std::ranges::any_of(seen, [&](const cpus& one) { return one != mask; })) {
    fail("a worker is bound");
  }
}

double cpu_ms() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto ms = [](const timeval& t) {
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_usec);
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

/// All ranks wait for a task that sleeps for a second on rank 0, and then use its result.
double cost_of_waiting_ms(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 0, {.name = "x"});
  session.barrier();
  const double before = cpu_ms();
  session.insert_task(nap, deed::read_write(x));
  for (int r = 0; r < session.size(); ++r) {
    auto sum = session.register_data(deed::owner{r}, 0, {.name = "sum"});
    session.insert_task(add, deed::read_write(sum), deed::read(x));
  }
  session.wait();
  return cpu_ms() - before;
}

/// Rank 0 comes a second late to a barrier.
double cost_of_a_barrier_ms(deed::session& session) {
  session.barrier();
  const double before = cpu_ms();
  if (session.rank() == 0) std::this_thread::sleep_for(std::chrono::seconds(1));
  session.barrier();
  return cpu_ms() - before;
}

/// The least of a few seconds: a machine that others use makes each turn of a thread cost more.
/// Ranks that are threads of one process are measured together.
void idle(deed::session& session, int ranks_of_the_process) {
  // Less than 10 is promised of a machine for itself; beside other work each turn costs more. One
  // that slept for 0.1 ms at a time would need 100, one that turned without sleeping 1000.
  constexpr double most_ms = 50;
  for (const auto& [what, cost] :
       {std::pair{"a task", &cost_of_waiting_ms}, std::pair{"a barrier", &cost_of_a_barrier_ms}}) {
    double least = cost(session);
    for (int i = 0; i < 4; ++i) least = std::min(least, cost(session));
    const std::string used = std::to_string(least / ranks_of_the_process) + " ms";
    std::cout << "rank " + std::to_string(session.rank()) + ", " + what + ": " + used + "\n";
    if (least / ranks_of_the_process > most_ms)
      fail(std::string("waiting a second for ") + what + " took " + used);
  }
}

void program(deed::session& session, deed::arguments given) {
  const std::string what = given.size() == 1 ? given[0] : "";
  if (what == "idle") return idle(session, 1);
  if (what == "idle_threads") return idle(session, session.size());
  place(session, what);
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, program); }
