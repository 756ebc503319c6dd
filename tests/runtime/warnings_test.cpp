// SPDX-License-Identifier: MIT
// What is said once, on rank 0, and stops nothing.
#include <deed/deed.hpp>

#include "outcomes.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace {

using testing::HasSubstr;

/// What a program that ends well prints.
std::string said_by(int ranks, const test::world::program& program) {
  testing::internal::CaptureStderr();
  for (const test::outcome& each : test::world{}.run(ranks, program)) EXPECT_EQ(each.text, "");
  return testing::internal::GetCapturedStderr();
}

TEST(one_name_of_two_codelets, is_told_once_with_both_places) {
  constexpr int before = __LINE__;
  const std::string said = said_by(3, [](deed::session& session) {
    constexpr deed::codelet east{"relax", [](double& x) { x += 1; }};
    constexpr deed::codelet west{"relax", [](double& x) { x -= 1; }};
    auto a = session.register_data(deed::owner{0}, 0.0);
    for (int i = 0; i < 4; ++i) {
      session.insert_task(east, deed::read_write(a));
      session.insert_task(west, deed::read_write(a));
    }
    session.wait();
  });
  const auto at = [](int line) {
    return "warnings_test.cpp:" + std::to_string(before + line) + "\n";
  };
  EXPECT_EQ(said, "deed[D911] one task name, two codelets\n  this name   `relax`, at " + at(3) +
                      "  first used  " + at(2) + "  help: rename one\n");
}

TEST(one_codelet, may_be_inserted_from_many_places) {
  const std::string said = said_by(2, [](deed::session& session) {
    constexpr deed::codelet east{"relax", [](double& x) { x += 1; }};
    auto a = session.register_data(deed::owner{0}, 0.0);
    session.insert_task(east, deed::read_write(a));
    session.insert_task(east, deed::read_write(a));
    session.wait();
  });
  EXPECT_EQ(said, "");
}

TEST(calls_of_the_library, are_one_codelet_wherever_they_stand) {
  const std::string said = said_by(2, [](deed::session& session) {
    std::vector<deed::handle<double>> parts;
    for (int i = 0; i < 2; ++i) parts.push_back(session.register_data(deed::owner{i}, 1.0));
    for (int i = 0; i < 2; ++i) session.gather(deed::read(parts), deed::to{0});
    session.gather(deed::read(parts), deed::to{1});
    session.scatter(deed::write(parts), deed::from{1});
    session.scatter(deed::write(parts), deed::from{0});
    session.wait();
  });
  EXPECT_EQ(said, "");
}

TEST(a_datum_in_place, that_ends_away_from_its_memory_is_told_of) {
  constexpr int before = __LINE__;
  const auto program = [](bool by_itself, bool comes_home) {
    return [=](deed::session& session) {
      std::vector<double> memory(100);
      auto c = session.register_data(deed::owner{0}, deed::in_place(memory), {.name = "c"});
      session.migrate(c, deed::owner{1});
      if (comes_home) session.migrate(c, deed::owner{0});
      if (!by_itself) std::move(c).unregister();
    };
  };
  const auto text = [](const std::string& ends) {
    const auto at = [](int line) { return "warnings_test.cpp:" + std::to_string(before + line); };
    return "deed[D612] `c` ends away from its memory\n  ends      " +
           (ends.empty() ? at(7) : ends) + "\n  migrated  " + at(5) +
           ", to rank 1; 800 bytes move\n  memory    rank 0, registered at " + at(4) +
           "\n  help: migrate back to rank 0 first\n";
  };
  EXPECT_EQ(said_by(2, program(false, false)), text(""));
  EXPECT_EQ(said_by(2, program(true, false)), text("at the end of its scope"));
  EXPECT_EQ(said_by(2, program(false, true)), "");
}

/// What a rank says that is granted so many cores and asked for so many workers.
std::string said_at_start(int cores, int workers) {
  deed::transport::inproc_world world(1);
  const deed::real_clock time;
  testing::internal::CaptureStderr();
  {
    deed::session session({.rank = 0,
                           .size = 1,
                           .door = &world.at(deed::rank{0}),
                           .time = &time,
                           .cores = cores,
                           .bind = [](int, int) {}},
                          {.workers = workers});
  }
  return testing::internal::GetCapturedStderr();
}

TEST(more_workers_than_cores, are_told_where_cores_are_granted) {
  EXPECT_THAT(said_at_start(1, 3),
              HasSubstr("deed[D707] more workers than cores\n"
                        "  workers  3\n"
                        "  cores    1 for each rank\n"
                        "  help: `DEED_WORKERS=1`, or leave it to the library\n"));
  setenv("PMI_SIZE", "1", 1);  // As a launcher does.
  EXPECT_THAT(said_at_start(1, 3), HasSubstr("deed[D707] more workers than cores\n"
                                             "  workers  3\n"
                                             "  cores    1 granted by the launcher\n"
                                             "  help: `--map-by slot:PE=3`, or fewer workers\n"));
  unsetenv("PMI_SIZE");
  EXPECT_THAT(said_at_start(3, 3), testing::Not(HasSubstr("D707")));
  EXPECT_THAT(said_at_start(1, 0), testing::Not(HasSubstr("D707")));  // As many as there are cores.
}

}  // namespace
