// SPDX-License-Identifier: MIT
#include "analysis/model.hpp"

#include <deed/trace/events.hpp>

#include "analysis/generate/event_log.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/match/first_mentions.hpp"
#include "analysis/match/match_events.hpp"
#include "analysis/match/shared_rows.hpp"
#include "analysis/read/event_walk.hpp"
#include "analysis/read/merge.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/store/bucketed.hpp"
#include "analysis/store/number_index.hpp"
#include "scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
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

TEST(bucketed, keeps_the_order_of_the_rows_of_one_number) {
  const std::vector<std::pair<std::size_t, int>> rows{{3, 1}, {0, 2}, {3, 3}, {1, 4}, {3, 5}};
  const bucketed<int> sorted(5, [&](const auto& add) {
    for (const auto& [number, row] : rows) add(number, row);
  });
  EXPECT_THAT(sorted.of(0), testing::ElementsAre(2));
  EXPECT_THAT(sorted.of(1), testing::ElementsAre(4));
  EXPECT_THAT(sorted.of(2), testing::IsEmpty());
  EXPECT_THAT(sorted.of(3), testing::ElementsAre(1, 3, 5));
  EXPECT_THAT(sorted.of(4), testing::IsEmpty());
}

TEST(first_mentions, numbers_by_the_order_of_events) {
  first_mentions named(200);
  for (const std::uint32_t event : {199u, 0u, 64u, 63u, 130u}) named.add(event);
  named.count();
  EXPECT_EQ(named.size(), 5u);
  EXPECT_EQ(named.number_of(0), 0u);
  EXPECT_EQ(named.number_of(63), 1u);
  EXPECT_EQ(named.number_of(64), 2u);
  EXPECT_EQ(named.number_of(130), 3u);
  EXPECT_EQ(named.number_of(199), 4u);
}

/// Two find rows of one table: in the order of the events, whoever found them.
TEST(shared_rows, get_their_numbers_in_the_order_of_events) {
  std::vector<int> all;
  shared_rows<int> one(all), other(all);
  const auto settle = [&](std::size_t begin, std::size_t end) {
    first_mentions order(end - begin);
    one.tell(begin, end, order);
    other.tell(begin, end, order);
    order.count();
    const std::size_t before = all.size();
    all.resize(before + order.size());
    one.settle(begin, end, order, before);
    other.settle(begin, end, order, before);
  };
  one.add(100) = 1;
  one.add(170) = 3;
  other.add(101) = 2;
  other.add(200) = 4;
  settle(100, 200);
  EXPECT_THAT(all, testing::ElementsAre(1, 2, 3));
  EXPECT_EQ(one.number_of(1), 2u);
  EXPECT_EQ(other.size(), 2u);
  EXPECT_EQ(other[1], 4) << "what is not settled can be looked at";
  one[0] = 7;
  settle(200, 264);
  EXPECT_THAT(all, testing::ElementsAre(7, 2, 3, 4));
  EXPECT_EQ(other.number_of(1), 3u);
}

/// Events are matched piece by piece, ranks and pairs of them side by side: nobody can tell.
TEST(match_events, finds_the_same_in_pieces_of_any_size) {
  const scratch_folder folder;
  generator_options wanted;
  wanted.path = folder.path() + "/run.deed";
  wanted.workers = 3;
  wanted.tiles = 8;
  wanted.inject = {{"dup_flush", 2}, {"ping_pong", 1}};
  generate(wanted);
  const run events(wanted.path);
  const auto until = [&](int) { return events.end(); };
  const matched_events whole = match_events(events, {}, until, events.events().size());
  ASSERT_GT(whole.tasks.size(), 50u);
  ASSERT_GT(whole.transfers.size(), 50u);
  ASSERT_GT(whole.states.size(), 50u);
  const auto same = [](const auto& one, const auto& other, const auto&... part) {
    return std::ranges::equal(one, other, [&](const auto& a, const auto& b) {
      return std::tuple(std::invoke(part, a)...) == std::tuple(std::invoke(part, b)...);
    });
  };
  for (const std::size_t piece : {1u, 7u, 256u, 1'000u}) {
    const matched_events cut = match_events(events, {}, until, piece);
    const auto number = [](const task& t) { return std::uint64_t{t.number}; };
    const auto accesses = [](const task& t) { return std::uint64_t{t.accesses}; };
    EXPECT_TRUE(same(whole.tasks, cut.tasks, number, accesses, &task::rank, &task::lane,
                     &task::submit, &task::ready, &task::begin, &task::end, &task::first_access));
    const auto task_of = [](const deed::viewer::access& a) { return std::uint32_t{a.task}; };
    const auto mode = [](const deed::viewer::access& a) { return std::uint32_t{a.mode}; };
    EXPECT_TRUE(same(whole.accesses, cut.accesses, task_of, mode, &deed::viewer::access::handle,
                     &deed::viewer::access::ver_in));
    const auto said = [](const state_span& s) {
      return std::tuple(std::uint32_t{s.lane}, std::uint32_t{s.state});
    };
    EXPECT_TRUE(same(whole.states, cut.states, said, &state_span::event, &state_span::end));
    EXPECT_TRUE(same(whole.waits, cut.waits, &wait_span::lane, &wait_span::event, &wait_span::begin,
                     &wait_span::end));
    EXPECT_TRUE(same(whole.transfers, cut.transfers, &transfer::handle, &transfer::version,
                     &transfer::src, &transfer::dst, &transfer::seq, &transfer::post_send,
                     &transfer::start, &transfer::done_receive, &transfer::post_event,
                     &transfer::for_task));
  }
}

/// Of a run that mostly waits, the events of a block may lie further apart than their bits say.
TEST(event_list, keeps_times_close_together_and_far_apart) {
  constexpr std::size_t count = 1'000;
  const std::vector<std::byte> bytes(200'000);
  const std::vector<event_file> files{{std::span(bytes).first(100'000), 7},
                                      {std::span(bytes).subspan(100'000), 8}};
  constexpr std::int64_t close = 3, far = 100'000'000'000'000;
  event_list events(count, files);
  std::vector<std::int64_t> times;
  for (std::size_t first = 0; first < count; first += event_list::block) {
    const bool is_far = first == event_list::block;
    std::vector<event_list::entry> block;
    std::vector<std::int64_t> of_block;
    for (std::size_t i = first; i < std::min(count, first + event_list::block); ++i) {
      times.push_back(times.empty() ? 0 : times.back() + (is_far ? far : close));
      of_block.push_back(times.back());
      block.push_back({times.back(), events.address_of_file(i % 2) + 90 * i, record::state});
    }
    const bool near = events.put(first / event_list::block, block);
    EXPECT_EQ(near, !is_far);
    if (!near) events.put_times(first / event_list::block, of_block);
  }
  ASSERT_EQ(events.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    events.fetch_fields(i);
    const event e = events[i];
    EXPECT_EQ(e.time, times[i]);
    EXPECT_EQ(e.what, record::state);
    EXPECT_EQ(events.what(i), record::state);
    EXPECT_EQ(e.lane, 7 + i % 2);
    EXPECT_EQ(e.payload, bytes.data() + (i % 2) * 100'000 + 90 * i);
  }
}

/// Each event of the kind that is asked for has its turn once, in order.
TEST(event_walk, comes_to_each_event_once) {
  const std::vector<std::byte> bytes(100);
  const std::vector<event_file> files{{bytes, 0}};
  for (const std::size_t count : {0u, 1u, 15u, 33u, 255u}) {
    event_list events(count, files);
    std::vector<event_list::entry> block;
    std::vector<std::uint32_t> states, seen;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (i % 3 != 1) states.push_back(i);
      block.push_back({i, i % 100, i % 3 == 1 ? record::owner : record::state});
    }
    if (count != 0) {
      ASSERT_TRUE(events.put(0, block));
    }
    walk(
        events, [](record what) { return what == record::state; },
        [&](std::uint32_t i) { seen.push_back(i); });
    EXPECT_EQ(seen, states);
  }
}

/// Two streams in three files: events of one time come in the order of the streams, parts end
/// inside such a time, and what comes too early or too late is moved.
TEST(merge, keeps_the_order_of_streams_where_parts_meet) {
  constexpr std::size_t of_each = 100'000;
  constexpr std::uint64_t first = 1'000, last = first + of_each / 1'000 + 5;
  const std::vector<std::byte> bytes(100);
  const std::vector<event_file> files{{bytes, 0}, {bytes, 0}, {bytes, 1}};
  std::vector<stream_content> streams(2);
  streams[0].files = {{0, 0}, {of_each / 2, 1}};
  streams[1].files = {{0, 2}};
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t i = 0; i < of_each; ++i) {
      const std::uint64_t time = i == 0 ? 7 : i + 1 == of_each ? 9'999 : first + i / 1'000;
      streams[s].events.push_back({time << 8 | static_cast<std::uint64_t>(record::state),
                                   static_cast<std::uint32_t>(s == 0 ? no_handle : i),
                                   static_cast<std::uint32_t>(s)});
    }
  streams[1].events[1] = {first << 8 | static_cast<std::uint64_t>(record::handle_register), 4, 1};
  const merged_events merged = merge(streams, files, first, last);
  EXPECT_EQ(merged.wild, 4u);
  ASSERT_EQ(merged.events.size(), 2 * of_each);
  std::int64_t time = -1;
  std::uint32_t lane = 0;
  for (std::size_t i = 0; i < merged.events.size(); ++i) {
    const event e = merged.events[i];
    // The two at the start, each the first of its stream, were moved to where the others are.
    if (i > 2) {
      ASSERT_TRUE(time < e.time || (time == e.time && lane <= e.lane)) << i;
    }
    time = e.time;
    lane = e.lane;
  }
  EXPECT_EQ(merged.events.front().time, 0);
  EXPECT_EQ(merged.events.back().time, static_cast<std::int64_t>(last - first));
  EXPECT_EQ(merged.events[2].payload, bytes.data());
  for (const std::uint32_t handle : {0u, 2u, 3u}) {
    ASSERT_EQ(merged.of_data.of(handle).size(), 1u);
    EXPECT_EQ(merged.events[merged.of_data.of(handle)[0]].lane, 1u);
  }
  EXPECT_TRUE(merged.of_data.of(1).empty());
  EXPECT_EQ(merged.of_data.of(4).size(), 2u);
  EXPECT_TRUE(merged.of_data.of(5).empty());
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

/// A message has the same number as the 65,536th before it: each is one of its own, also where an
/// end of the first comes late, and the receiver is far ahead.
TEST(model, tells_messages_of_one_number_apart) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  event_log log(path, 2, 1, 1);
  constexpr std::uint64_t send = 0, receive = 1, user = 4, tag = 9, laps = 3;
  for (std::uint64_t lap = 0; lap < laps; ++lap)
    log.add(static_cast<std::int64_t>(10 + lap), 1, event_log::application, record::xfer_post,
            {receive, 1, lap + 1, 0, 5, 8, tag, user, ~0ull});
  for (std::uint64_t lap = 0; lap < laps; ++lap) {
    const auto at = static_cast<std::int64_t>(100 * (lap + 1));
    log.add(at, 0, event_log::application, record::xfer_post,
            {send, 0, 0, 1, 5, 8, tag, user, ~0ull});
    log.add(at + 1, 0, worker, record::xfer_start, {0, 0, 1, 5, send, tag});
    log.add(at + 2, 0, worker, record::xfer_done, {0, 0, 1, 5, send, tag});
    log.add(at + 3, 1, worker, record::xfer_done, {1, lap + 1, 0, 5, receive, tag});
  }
  log.close();
  const run events(path);
  const model m(events);
  ASSERT_EQ(m.transfers().size(), laps);
  for (std::uint32_t lap = 0; lap < laps; ++lap) {
    const std::uint32_t message = m.message_that_brought(1, lap + 1, 1);
    ASSERT_NE(message, none);
    const transfer& x = m.transfers()[message];
    EXPECT_EQ(x.post_receive - m.transfers()[0].post_receive, lap);
  }
  for (std::size_t i = 0; i < events.events().size(); ++i)
    if (const event e = events.events()[i]; e.what == record::xfer_done) {
      const transfer& x = m.transfers()[m.message_of(e)];
      EXPECT_EQ(events.get(e, field::dir) == 0 ? x.done_send : x.done_receive, e.time);
    }
}

using deed::trace::message_call;
static_assert(message_call::of(message_call{7, 3}.word()).loc == 7);
static_assert(message_call::of(message_call{7, 3}.word()).group == 3);
static_assert(message_call::of(deed::trace::no_task).loc == deed::trace::nothing &&
                  message_call::of(deed::trace::no_task).group == 0,
              "recordings of before have no task there");
static_assert(deed::trace::short_tag(9) == 9 && deed::trace::short_tag(9, 1) != 9);

/// Between two ranks two groups use one tag. The receiver asks for theirs in another order than
/// that in which they are sent, and each is the first of its group; one version is sent in both.
TEST(model, tells_messages_of_two_groups_apart) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  event_log log(path, 2, 1, 1);
  constexpr std::uint64_t send = 0, receive = 1, user = 4, tag = 9;
  const auto call = [](std::uint32_t group) { return message_call{.group = group}.word(); };
  log.rank(0).handle_registered({.handle = 0, .name = "sent", .bytes = 8});
  for (const std::uint32_t group : {1u, 2u}) {
    const auto at = static_cast<std::int64_t>(group);
    const std::uint64_t short_tag = deed::trace::short_tag(tag, group);
    log.add(100 + at, 0, event_log::application, record::xfer_post,
            {send, 0, 0, 1, 0, 8, tag, user, call(group)});
    log.add(200 - at, 1, event_log::application, record::xfer_post,
            {receive, 1, 3 - group, 0, 0, 8, tag, user, call(group)});
    log.add(300 + at, 0, worker, record::xfer_start, {0, 0, 1, 0, send, short_tag});
    log.add(400 + at, 0, worker, record::xfer_done, {0, 0, 1, 0, send, short_tag});
    log.add(500 + at, 1, worker, record::xfer_done, {1, 3 - group, 0, 0, receive, short_tag});
    constexpr std::uint64_t request = 7, sent = 2;
    log.add(250 + at, 0, event_log::application, record::wait_begin,
            {request, 0, 0, sent, 0, 0, 1, short_tag});
  }
  log.close();
  const run events(path);
  const model m(events);
  ASSERT_EQ(m.transfers().size(), 2u);
  for (std::uint32_t i = 0; i < 2; ++i) {
    const transfer& x = m.transfers()[i];
    const std::int64_t at = i + 1;
    EXPECT_EQ(x.post_send, 100 + at);
    EXPECT_EQ(x.post_receive, 200 - at);
    EXPECT_EQ(x.start, 300 + at);
    EXPECT_EQ(x.done_send, 400 + at);
    EXPECT_EQ(x.done_receive, 500 + at);
    EXPECT_EQ(m.message_that_brought(1, 2 - i, 1), i);
    EXPECT_EQ(x.for_task, deed::trace::no_task);
  }
  for (std::size_t i = 0; i < events.events().size(); ++i)
    if (const event e = events.events()[i]; e.what == record::xfer_start) {
      EXPECT_EQ(e.time - m.transfers()[m.message_of(e)].post_send, 200);
      EXPECT_EQ(say_field(m, e, field::tag), "9");
    } else if (e.what == record::wait_begin) {
      EXPECT_EQ(say_field(m, e, field::tag), "9") << "of a wait for what is sent";
    }
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
