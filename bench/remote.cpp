// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "nobody.h"
#include "shapes.h"

#include <cstdlib>
#include <vector>

/// What a task costs on a rank that it does not concern: one rank of RANKS whose peers are not
/// there, with DATA data of theirs. Nanoseconds per insertion by the number of data that the task
/// names; with many ranks, nanoseconds and bytes per datum, too.

namespace {

const auto one = deed::codelet("one", [](int&) {});
const auto three = deed::codelet("three", [](int&, const int&, const int&) {});
const auto five =
    deed::codelet("five", [](int&, const int&, const int&, const int&, const int&) {});

void measure(deed::session& session, const char* system) {
  const bool many = session.size() > 3;
  const long count = setting("DATA", many ? 100'000 : 1024), tasks = setting("TASKS", 200'000);
  std::vector<deed::handle<int>> data;
  data.reserve(static_cast<std::size_t>(count));
  const long before = resident_bytes();
  const double start = seconds_now();
  for (long i = 0; i < count; ++i)
    data.push_back(session.register_data(deed::owner{1 + i % (session.size() - 1)}, 0));
  const double each = 1e9 * (seconds_now() - start) / static_cast<double>(count);
  const auto bytes = static_cast<double>(resident_bytes() - before);
  if (many) {
    figure("remote data", system, "nanoseconds to register", each);
    figure("remote data", system, "bytes", bytes / static_cast<double>(count));
  }

  using deed::read;
  using deed::read_write;
  const auto at = [&](long i) -> deed::handle<int>& {
    return data[static_cast<std::size_t>(i % count)];
  };
  const auto per_task = [&](auto&& insert) {
    const double begin = seconds_now();
    for (long i = 0; i < tasks; ++i) insert(8 * i);
    return 1e9 * (seconds_now() - begin) / static_cast<double>(tasks);
  };
  for (int round = -1; round < static_cast<int>(setting("ROUNDS", 1)); ++round) {
    const double t1 = per_task([&](long i) { session.insert_task(one, read_write(at(i))); });
    const double t3 = per_task([&](long i) {
      session.insert_task(three, read_write(at(i)), read(at(i + 1)), read(at(i + 2)));
    });
    const double t5 = per_task([&](long i) {
      session.insert_task(five, read_write(at(i)), read(at(i + 1)), read(at(i + 2)),
                          read(at(i + 3)), read(at(i + 4)));
    });
    if (round < 0) continue;
    const char* const benchmark = many ? "remote tasks on many ranks" : "remote tasks";
    figure(benchmark, system, "1 datum", t1);
    figure(benchmark, system, "3 data", t3);
    figure(benchmark, system, "5 data", t5);
  }
}

}  // namespace

int main() {
  const char* const system = std::getenv("SYSTEM");
  run_alone(0, static_cast<int>(setting("RANKS", 3)), {.workers = 1},
            [&](deed::session& session) { measure(session, system != nullptr ? system : "deed"); });
}
