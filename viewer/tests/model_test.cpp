// SPDX-License-Identifier: MIT
#include "analysis/model.hpp"

#include "analysis/generate/event_log.hpp"
#include "scratch_folder.hpp"
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;

constexpr int worker = event_log::first_worker;

TEST(number_index, tells_keys_of_one_hash_apart) {
  const std::vector<int> keys{7, 8, 9, 7};
  number_index index;
  const auto add = [&](std::uint32_t number) {
    return index.add(42, number, [&](std::uint32_t at) { return keys[at] == keys[number]; });
  };
  EXPECT_EQ(add(0), std::pair(0u, true));
  EXPECT_EQ(add(1), std::pair(1u, true));
  EXPECT_EQ(add(2), std::pair(2u, true));
  EXPECT_EQ(add(3), std::pair(0u, false));
  EXPECT_EQ(index.find(42, [](std::uint32_t at) { return at == 2; }), 2u);
  EXPECT_EQ(index.find(43, [](std::uint32_t) { return true; }), number_index::absent);
}

TEST(number_index, finds_what_it_had_before_it_grew) {
  number_index index;
  const auto is = [](std::uint32_t wanted) {
    return [wanted](std::uint32_t at) { return at == wanted; };
  };
  for (std::uint32_t n = 0; n < 10'000; ++n) index.add(n * 0x9e3779b97f4a7c15ull, n, is(n));
  for (std::uint32_t n = 0; n < 10'000; ++n)
    ASSERT_EQ(index.find(n * 0x9e3779b97f4a7c15ull, is(n)), n);
}

/// Of a run that mostly waits, an event may be later than 32 bits say.
TEST(event_list, keeps_times_close_together_and_far_apart) {
  constexpr std::size_t count = 1'000;
  constexpr std::int64_t shift = 500;
  for (const std::uint64_t apart : {std::uint64_t{3}, std::uint64_t{9'000'000'000}}) {
    auto stored = std::make_unique<stored_event[]>(count);
    for (std::size_t i = 0; i < count; ++i)
      stored[i] = {(shift + i * apart) << 8 | static_cast<std::uint64_t>(record::state),
                   static_cast<std::uint32_t>(i % 2), static_cast<std::uint32_t>(i)};
    const std::vector<std::byte> bytes(2 * count);
    const event_list events(std::move(stored), count,
                            {{bytes.data(), 7}, {bytes.data() + count, 8}}, shift);
    ASSERT_EQ(events.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      events.fetch_fields(i);
      const event e = events[i];
      EXPECT_EQ(e.time, static_cast<std::int64_t>(i * apart));
      EXPECT_EQ(e.what, record::state);
      EXPECT_EQ(events.what(i), record::state);
      EXPECT_EQ(e.lane, 7 + i % 2);
      EXPECT_EQ(e.payload, bytes.data() + (i % 2) * count + i);
    }
  }
}

/// Ranks that leave out tasks by guards of their own count them each in their own way, and a
/// recording may name any number.
TEST(model, tells_tasks_of_one_number_on_several_ranks_apart) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  event_log log(path, 2, 1, 1);
  constexpr std::uint64_t far = ~0ull - 5;
  std::int64_t time = 1'000;
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{3}, far})
    for (const int rank : {0, 1}) log.add(++time, rank, worker, record::task_begin, {number, 0});
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{3}, far})
    for (const int rank : {0, 1}) log.add(++time, rank, worker, record::task_end, {number, 0});
  log.close();
  const run events(path);
  const model m(events);
  ASSERT_EQ(m.tasks().size(), 6u);
  for (std::uint32_t i = 0; i < m.tasks().size(); ++i) {
    const task& t = m.tasks()[i];
    EXPECT_EQ(m.find_task(t.rank, t.number), i);
    EXPECT_EQ(t.end - t.begin, 6);
  }
  EXPECT_EQ(m.find_task(0, 1), none);
  EXPECT_EQ(m.find_task(2, 0), none);
  EXPECT_EQ(m.find_task(0, far - 1), none);
}

/// Versions count the writes of a datum; a damaged one may be any number.
TEST(model, knows_the_first_writer_of_each_version) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  event_log log(path, 1, 1, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "known", .bytes = 8});
  constexpr std::uint64_t read = 0, write = 1, nobody = 77'777;
  const auto access = [&](std::uint64_t number, std::uint64_t handle, std::uint64_t mode,
                          std::uint64_t version) {
    const auto time = 1'000 + 10 * static_cast<std::int64_t>(number);
    log.add(time, 0, worker, record::task_begin, {number, 0});
    log.add(time + 1, 0, worker, record::task_access, {number, 0, handle, mode, version, version});
    log.add(time + 2, 0, worker, record::task_end, {number, 0});
  };
  constexpr std::uint32_t far = 4'000'000'000;
  access(0, 0, write, 1);
  access(1, 0, write, 1);
  access(2, 0, read, 2);
  access(3, 0, write, far);
  access(4, nobody, write, 1);
  log.close();
  const run events(path);
  const model m(events);
  const auto number = [&](std::uint32_t task) {
    return task == none ? -1 : static_cast<int>(m.tasks()[task].number);
  };
  EXPECT_EQ(number(m.writer(0, 1)), 0);
  EXPECT_EQ(number(m.writer(0, 2)), -1);
  EXPECT_EQ(number(m.writer(0, far)), 3);
  EXPECT_EQ(number(m.writer(0, far - 1)), -1);
  EXPECT_EQ(number(m.writer(nobody, 1)), 4);
  EXPECT_EQ(number(m.writer(nobody, 0)), -1);
}

}  // namespace
