// SPDX-License-Identifier: MIT
#include "analysis/ask/device_work.hpp"

#include <deed/trace/recorder.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/describe.hpp"
#include "analysis/ask/device_copies.hpp"
#include "analysis/ask/gaps.hpp"
#include "analysis/ask/glossary.hpp"
#include "analysis/ask/what_if.hpp"
#include "analysis/edit/edit.hpp"
#include "analysis/generate/event_log.hpp"
#include "analysis/lod/track.hpp"
#include "analysis/say/sentence.hpp"
#include "device_run.hpp"
#include "scratch_folder.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;

/// What `info` says a device was busy, whose kernels ran at these times.
std::string busy_of(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& kernels) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  manual_clock clock;
  deed::trace::recorder_options options;
  options.path = path;
  deed::trace::recorder to(options, deed::trace::run_identity{{1, 2}, 0, 1}, &clock);
  to.memory_node(1, deed::trace::memory_kind::device, 0, 0, "device 0");
  deed::trace::stream& queues = to.open_stream(deed::trace::stream_kind::gpu, 0, "device 0");
  clock.at = 1'000'000;
  std::uint16_t queue = 0;
  for (const auto& [begin, end] : kernels) {
    queues.kernel(queue, queue, begin, end);
    ++queue;
  }
  to.close();
  const run read(path);
  const auto tables = devices_of(model(read));
  return tables.empty() ? "no device" : tables.front().rows.at(0).at(2);
}

TEST(device_work, of_queues_that_overlap_is_counted_once) {
  EXPECT_EQ(busy_of({{100'000, 300'000}, {200'000, 400'000}}), "300.0 us");
  EXPECT_EQ(busy_of({{100'000, 400'000}, {200'000, 300'000}}), "300.0 us") << "one in the other";
}

TEST(device_work, of_queues_one_after_the_other_adds_up) {
  EXPECT_EQ(busy_of({{100'000, 200'000}, {300'000, 400'000}, {400'000, 500'000}}), "300.0 us");
}

/// Task 0 writes x on the device from 10 to 20 ms, and task 1, which a worker then runs, is called
/// ready when the device takes task 0.
void write_two_tasks(device_run& to) {
  to.insert(0, 0, deed::trace::access_kind::write, 0);
  to.insert(1'000, 1, deed::trace::access_kind::read_write, 1);
  to.ready(2'000, 1, 0);
  to.kernel(0, 10'000'000, 20'000'000);
  to.copy(false, 1, 20'100'000, 20'500'000);
}

TEST(device_work, that_a_task_waits_for_makes_it_not_late) {
  device_run made;
  write_two_tasks(made);
  made.run_on_worker(1, 20'510'000, 21'000'000);
  EXPECT_TRUE(late_tasks(made.opened(22'000'000)).empty());
}

TEST(device_work, ends_before_a_task_could_begin_that_is_late) {
  device_run made;
  write_two_tasks(made);
  made.run_on_worker(1, 40'000'000, 40'200'000);
  const auto late = late_tasks(made.opened(41'000'000));
  ASSERT_EQ(late.size(), 1u);
  EXPECT_EQ(late.front().since, 20'500'000) << "when its datum was back";
}

TEST(device_work, that_reads_a_datum_holds_up_who_writes_it) {
  device_run made;
  made.insert(0, 0, deed::trace::access_kind::read, 0);
  made.insert(1'000, 1, deed::trace::access_kind::write, 0);
  made.ready(2'000, 1, 0);
  made.kernel(0, 10'000'000, 20'000'000);
  made.run_on_worker(1, 20'010'000, 21'000'000);
  EXPECT_TRUE(late_tasks(made.opened(22'000'000)).empty());
}

/// A worker writes v1 of x, a kernel v2 from 30 to 40 us, which comes back from 50 to 60 us.
void write_there_and_back(device_run& to) {
  to.insert(0, 0, deed::trace::access_kind::write, 0);
  to.insert(0, 1, deed::trace::access_kind::read_write, 1);
  to.run_on_worker(0, 1'000, 2'000);
  to.alloc(9'000);
  to.copy(true, 1, 10'000, 20'000);
  to.kernel(1, 30'000, 40'000);
  to.copy(false, 2, 50'000, 60'000);
  to.free(70'000);
}

/// The first copy of a run takes long: it takes pinned memory, too.
TEST(device_work, that_takes_the_data_of_a_late_task_is_told_with_it) {
  device_run made;
  made.insert(0, 0, deed::trace::access_kind::read, 0);
  made.ready(1'000, 0, ~std::uint64_t{0});
  made.insert(2'000, 1, deed::trace::access_kind::read, 0);
  made.copy(true, 0, 10'000, 2'000'000);
  made.run_on_worker(0, 2'500'000, 2'600'000);
  const std::string said = text_of(waits(made.opened(3'000'000), {}));
  EXPECT_NE(said.find("x v0 from rank 0 host to rank 0 gpu0, 24 B, for 1.990 ms"),
            std::string::npos)
      << said;
}

TEST(device_work, of_a_late_task_is_the_longest_copy_while_it_is_late) {
  device_run made;
  made.insert(0, 0, deed::trace::access_kind::read, 0);
  made.ready(1'000'000, 0, ~std::uint64_t{0});
  made.copy(true, 0, 10'000, 990'000);  // It is not late yet.
  made.copy(false, 0, 1'010'000, 1'110'000);
  made.copy(true, 0, 1'200'000, 1'450'000);
  made.copy(true, 0, 1'460'000, 1'470'000);
  made.run_on_worker(0, 1'500'000, 1'600'000);
  made.copy(false, 0, 1'700'000, 2'700'000);
  const std::string said = text_of(waits(made.opened(3'000'000), {}));
  EXPECT_NE(said.find("x v0 from rank 0 host to rank 0 gpu0, 24 B, for 250.0 us"),
            std::string::npos)
      << said;
}

TEST(device_work, has_rows_where_time_went) {
  device_run made;
  made.insert(0, 0, deed::trace::access_kind::read, 0);
  made.insert(0, 1, deed::trace::access_kind::read, 0);
  made.copy(true, 0, 10'000, 20'000);
  made.kernel(0, 15'000, 40'000);
  made.kernel(1, 30'000, 50'000, 1);
  const model& of = made.opened(100'000);
  const time_shares all = shares(of, {});
  ASSERT_EQ(all.workers.size(), 2u);
  EXPECT_EQ(say_workers(of.events(), all), "1 worker and 1 device");
  const std::map<std::string, std::int64_t> parts(all.workers[1].parts.begin(),
                                                  all.workers[1].parts.end());
  EXPECT_EQ(parts.at("work"), 35'000);
  EXPECT_EQ(parts.at("device, copies alone"), 5'000);
  EXPECT_EQ(parts.at("device, empty"), 60'000);
  const std::string said = text_of(breakdown(of, {}));
  EXPECT_NE(said.find("all workers and devices"), std::string::npos) << said;
  EXPECT_NE(said.find("per worker and device"), std::string::npos) << said;
  EXPECT_NE(said.find("rank 0 gpu0"), std::string::npos) << said;
  for (const gap& each : longest_gaps(of, 10))
    EXPECT_TRUE(of.events().lanes()[each.lane].is_worker()) << "a device is in no such table";
}

TEST(device_work, is_not_taken_for_a_codelet_nor_a_codelet_for_it) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  log.rank(0).codelet("empty", deed::place::current());
  log.rank(0).codelet("copies alone", deed::place::current());
  for (const std::uint64_t i : {0u, 1u}) {
    log.add(1, 0, app, record::task_submit, {i, i, 0, 0, 0, 0});
    log.add(10'000 + static_cast<std::int64_t>(i) * 10'000, 0, worker, record::task_begin, {i, i});
    log.add(15'000 + static_cast<std::int64_t>(i) * 10'000, 0, worker, record::task_end, {i, 0});
  }
  const opened read(folder, log);
  const answer said = breakdown(read.things(), {});
  std::size_t of_codelets = 0;
  for (const table& each : said.tables)
    for (const auto& row : each.rows)
      for (const std::string& cell : row)
        if (cell == "empty" || cell == "copies alone") {
          ++of_codelets;
          EXPECT_EQ(meaning_of(cell), "") << "of a task nothing is to be explained";
        }
  EXPECT_GT(of_codelets, 0u);
  EXPECT_NE(meaning_of("device, empty"), "");
}

TEST(device_work, has_its_copies_on_its_lane) {
  device_run made;
  write_there_and_back(made);
  const model& of = made.opened(80'000);
  const auto lanes = make_timeline(of);
  const auto device = std::ranges::find_if(lanes, [&](const timeline_lane& each) {
    return each.sort == lane_sort::work && is_on_device(of.events(), each.lane);
  });
  ASSERT_NE(device, lanes.end());
  ASSERT_EQ(device->tracks.size(), 3u) << "kernels, copies there, copies back";
  const auto only = [&](std::size_t track) {
    EXPECT_EQ(device->tracks[track].size(), 1u);
    const track_span it = device->tracks[track].span(0);
    return std::tuple(it.type, it.kind, it.begin, it.end);
  };
  EXPECT_EQ(only(1), std::tuple(span_type::copy, copy_to_device, 10'000, 20'000));
  EXPECT_EQ(only(2), std::tuple(span_type::copy, copy_from_device, 50'000, 60'000));
}

TEST(device_work, has_its_copies_by_the_time_the_device_made_them) {
  device_run made;
  made.insert(0, 0, deed::trace::access_kind::read, 0);
  made.copy(true, 0, 40'000, 50'000);
  made.copy(false, 0, 20'000, 60'000);  // Another queue of the device.
  made.run_on_worker(0, 70'000, 75'000);
  const model& of = made.opened(80'000);
  std::vector<std::int64_t> begins;
  for (std::uint32_t lane = 0; lane < of.events().lanes().size(); ++lane)
    for (const device_copy& each : of.device_copies_of(lane)) begins.push_back(each.begin);
  EXPECT_EQ(begins, std::vector<std::int64_t>({20'000, 40'000}));
  EXPECT_EQ(of.device_copies().at(0).from, memory_of_rank(0, 1));
}

/// "kind from to" of each step in microseconds, and of a copy, where it went.
std::vector<std::string> path_of(const model& of) {
  std::vector<std::string> found;
  for (const path_step& each : critical_path(of))
    found.push_back(std::string(each.kind) + " " + std::to_string(each.begin / 1'000) + " " +
                    std::to_string(each.end / 1'000) +
                    (each.copy == none ? "" : ": " + say_copy(of, each.copy)));
  return found;
}

TEST(device_work, waits_for_its_copies_in_the_critical_path) {
  device_run made;
  made.insert(0, 0, deed::trace::access_kind::write, 0);
  made.insert(0, 1, deed::trace::access_kind::read_write, 1);
  made.insert(0, 2, deed::trace::access_kind::read, 2);
  made.run_on_worker(0, 1'000, 2'000);
  made.copy(true, 1, 10'000, 20'000);
  made.kernel(1, 30'000, 40'000);
  made.copy(false, 2, 50'000, 60'000);
  made.run_on_worker(2, 70'000, 90'000);
  const std::string there = ": x v1 from rank 0 host to rank 0 gpu0, 24 B",
                    back = ": x v2 from rank 0 gpu0 to rank 0 host, 24 B";
  EXPECT_EQ(path_of(made.opened(95'000)),
            std::vector<std::string>({"queueing 0 1", "compute 1 2", "queueing 2 10" + there,
                                      "copy 10 20" + there, "queueing 20 30", "compute 30 40",
                                      "queueing 40 50" + back, "copy 50 60" + back,
                                      "queueing 60 70", "compute 70 90"}));
}

TEST(device_work, waits_for_what_had_to_come_home_first) {
  device_run made;
  made.insert(0, 0, deed::trace::access_kind::write, 0);
  made.insert(0, 1, deed::trace::access_kind::read, 1);
  made.kernel(0, 10'000, 20'000);
  made.copy(false, 1, 25'000, 30'000);
  made.copy(true, 1, 40'000, 50'000);
  made.kernel(1, 55'000, 60'000);
  const std::string home = ": x v1 from rank 0 gpu0 to rank 0 host, 24 B",
                    there = ": x v1 from rank 0 host to rank 0 gpu0, 24 B";
  EXPECT_EQ(path_of(made.opened(95'000)),
            std::vector<std::string>({"queueing 0 10", "compute 10 20", "queueing 20 25" + home,
                                      "copy 25 30" + home, "queueing 30 40" + there,
                                      "copy 40 50" + there, "queueing 50 55", "compute 55 60"}));
}

/// Its sender recorded neither who wrote it nor who asked for it.
TEST(device_work, is_in_the_critical_path_as_far_as_it_is_known) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  for (const int rank : {0, 1}) log.rank(rank).codelet("work", deed::place::current());
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 24});
  deed::trace::stream& device = log.rank(0).open_stream(deed::trace::stream_kind::gpu, 0, "gpu0");
  log.add(1, 1, app, record::task_submit, {0, 0, 1, 0, 0, 1});
  log.add(1, 1, app, record::task_access, {0, 0, 0, read_it, 0, 0});
  log.add(50'000, 0, net, record::xfer_start, {0, 0, 1, 0, send, 0});
  log.add(60'000, 1, net, record::xfer_done, {0, 0, 0, 0, receive, 0});
  log.add(60'000, 1, net, record::task_ready, {0, 2, 0});
  log.add(70'000, 1, worker, record::task_begin, {0, 0});
  log.add(80'000, 1, worker, record::task_end, {0, 0});
  log.flush();
  device.copy_end(0, 0, 0, 1, 24, 10'000, 20'000);
  device.copy_end(0, 0, 1, 0, 24, 30'000, 40'000);
  const opened read(folder, log);
  EXPECT_EQ(path_of(read.things()),
            std::vector<std::string>({"submission 0 30",
                                      "copy 30 40: x v0 from rank 0 gpu0 to rank 0 host, 24 B",
                                      "network 40 60", "queueing 60 70", "compute 70 80"}));
}

TEST(device_work, that_is_emulated_says_that_it_takes_no_time) {
  for (const std::string device : {"emulated 0", "cuda 0"}) {
    device_run made(device);
    made.insert(0, 0, deed::trace::access_kind::read, 0);
    made.kernel(0, 15'000, 15'000);
    const model& of = made.opened(100'000);
    for (const answer& each :
         {stats(of, {}), breakdown(of, {}), say_critical_path(of), what_if(of, {})})
      EXPECT_EQ(text_of(each).find("kernels and copies of emulated devices") != std::string::npos,
                device == "emulated 0")
          << text_of(each);
    EXPECT_EQ(text_of(describe_task(of, 0)).find("is emulated") != std::string::npos,
              device == "emulated 0");
  }
  device_run made("emulated 0");
  made.insert(0, 0, deed::trace::access_kind::read, 0);
  made.kernel(0, 15'000, 35'000);
  EXPECT_EQ(say_no_time_on_devices(made.opened(100'000)), "") << "it is timed";
}

/// "memory copy version" of each row.
std::vector<std::string> copies_at(const model& of, std::int64_t when) {
  std::vector<std::string> found;
  for (const auto& each : copies_in_memories(of, 0, when).rows)
    found.push_back(each[0] + " " + each[1] + " " + each[2]);
  return found;
}

TEST(device_work, tells_who_has_a_copy_in_which_memory) {
  using rows = std::vector<std::string>;
  device_run made;
  write_there_and_back(made);
  const model& of = made.opened(80'000);
  EXPECT_EQ(copies_at(of, 15'000), rows({"rank 0 host valid v1"}));
  EXPECT_EQ(copies_at(of, 25'000), rows({"rank 0 host valid v1", "rank 0 gpu0 valid v1"}));
  EXPECT_EQ(copies_at(of, 45'000), rows({"rank 0 host stale v1", "rank 0 gpu0 valid v2"}));
  EXPECT_EQ(copies_at(of, 65'000), rows({"rank 0 host valid v2", "rank 0 gpu0 valid v2"}));
  EXPECT_EQ(copies_at(of, 75'000), rows({"rank 0 host valid v2"}));
}

/// Each rank has its own: what its program writes lies in the memory of the host.
TEST(device_work, knows_what_the_program_writes_between_kernels) {
  using rows = std::vector<std::string>;
  device_run made("cuda 0", deed::trace::every_rank);
  made.insert(0, 0, deed::trace::access_kind::write, 0);
  made.kernel(0, 10'000, 20'000);
  made.copy(false, 1, 25'000, 30'000);
  made.write_by_program(40'000, 2);
  made.copy(true, 2, 50'000, 60'000);
  const model& of = made.opened(80'000);
  EXPECT_EQ(copies_at(of, 35'000), rows({"rank 0 host valid v1", "rank 0 gpu0 valid v1"}));
  EXPECT_EQ(copies_at(of, 45'000), rows({"rank 0 host valid v2", "rank 0 gpu0 stale v1"}));
  EXPECT_EQ(copies_at(of, 65'000), rows({"rank 0 host valid v2", "rank 0 gpu0 valid v2"}));
}

TEST(device_work, knows_that_what_is_copied_lies_where_it_is_copied_from) {
  using rows = std::vector<std::string>;
  device_run made;  // Of one owner nobody says when its program has written what it borrowed.
  made.insert(0, 0, deed::trace::access_kind::write, 0);
  made.kernel(0, 10'000, 20'000);
  made.copy(false, 1, 25'000, 30'000);
  made.write_by_program(30'000, 2);
  made.copy(true, 2, 50'000, 60'000);
  const model& of = made.opened(80'000);
  EXPECT_EQ(copies_at(of, 65'000), rows({"rank 0 host valid v2", "rank 0 gpu0 valid v2"}));
}

TEST(device_work, keeps_a_newer_version_when_an_older_one_comes_or_goes) {
  using rows = std::vector<std::string>;
  device_run made("cuda 0", deed::trace::every_rank);
  made.insert(0, 0, deed::trace::access_kind::write, 0);
  made.kernel(0, 10'000, 20'000);
  made.write_by_program(22'000, 2);
  made.copy(false, 1, 21'000, 25'000);
  made.drop(40'000, 1);
  const model& of = made.opened(80'000);
  EXPECT_EQ(copies_at(of, 30'000), rows({"rank 0 host valid v2", "rank 0 gpu0 stale v1"}));
  EXPECT_EQ(copies_at(of, 50'000), rows({"rank 0 host valid v2", "rank 0 gpu0 stale v1"}));
}

/// What the card of who owned x then says in a row.
std::string said_of(const model& of, std::string_view row, std::int64_t when) {
  const answer card = who_owned(of, 0, when);
  for (const auto& each : card.tables.at(0).rows)
    if (each[0] == row) return each[1];
  return "no such row";
}

TEST(device_work, has_the_value_that_nobody_else_has) {
  device_run made;
  write_there_and_back(made);
  const model& of = made.opened(80'000);
  const auto valid = [&](std::int64_t when) { return said_of(of, "valid copies", when); };
  EXPECT_EQ(valid(15'000), "rank 0 (owner)");
  EXPECT_EQ(valid(25'000), "rank 0 host, since 2.0 us; rank 0 gpu0, since 20.0 us");
  EXPECT_EQ(valid(45'000), "rank 0 gpu0, since 40.0 us");
  EXPECT_EQ(said_of(of, "stale copies", 45'000), "rank 0 host (v1), since 2.0 us");
  EXPECT_EQ(valid(65'000), "rank 0 host, since 60.0 us; rank 0 gpu0, since 40.0 us");
  EXPECT_EQ(valid(75'000), "rank 0 (owner)") << "the device has given its memory back";
  EXPECT_EQ(state(of, 45'000).tables.at(0).rows.at(0)[3], "rank 0 gpu0, since 40.0 us");
}

TEST(device_work, is_in_the_life_of_its_data) {
  device_run made;
  made.alloc(9'000);
  made.copy(true, 0, 10'000, 20'000);
  const std::string said = text_of(history(made.opened(80'000), 0));
  EXPECT_NE(said.find("rank 0: x got 24 B of gpu0"), std::string::npos) << said;
  EXPECT_NE(said.find("rank 0: x v0 was copied from the host to gpu0, 24 B, in 10.0 us"),
            std::string::npos)
      << said;
}

TEST(device_work, is_said_in_words) {
  device_run made;
  made.insert(0, 0, deed::trace::access_kind::read, 0);
  made.kernel(0, 30'000, 40'000);
  const model& of = made.opened(80'000);
  std::uint32_t kernel = 0;
  while (of.events().events().what(kernel) != record::kernel) ++kernel;
  EXPECT_EQ(say_event(of, of.events().events()[kernel]),
            "rank 0 gpu0 ran work#0 in 10.0 us, which ended at 40.0 us");
  std::map<std::string, std::string> fields;
  const answer told = describe_event(of, kernel);
  for (const auto& each : told.tables.at(0).rows) fields[each[0]] = each[1];
  EXPECT_EQ(fields["t_end"], "40.0 us") << "as all times, not of a clock of the machine";
}

TEST(device_work, waits_for_no_worker) {
  device_run made;
  made.insert(0, 0, deed::trace::access_kind::read, 0);
  made.ready(1'000, 0, ~std::uint64_t{0});
  made.kernel(0, 30'000, 40'000);
  EXPECT_NE(text_of(describe_task(made.opened(80'000), 0))
                .find("waited 29.0 us for its device, and its data to be there"),
            std::string::npos);
}

TEST(device_work, of_a_rank_itself_is_no_fault_of_another) {
  using deed::trace::worker_state;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  for (const int rank : {0, 1}) log.rank(rank).codelet("work", deed::place::current());
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 24});
  log.rank(1).handle_registered({.handle = 1, .name = "y", .bytes = 24, .home_rank = 1});
  deed::trace::stream& device = log.rank(0).open_stream(deed::trace::stream_kind::gpu, 0, "gpu0");
  const auto insert = [&](std::uint64_t rank, std::uint64_t task, std::uint64_t uses) {
    log.add(1, static_cast<int>(rank), app, record::task_submit, {task, 0, rank, 0, 0, uses});
  };
  insert(0, 0, 1);  // Makes x, on the device; rank 1 makes y of it, for a task of rank 0.
  log.add(1, 0, app, record::task_access, {0, 0, 0, write_it, 0, 1});
  log.add(1, 0, app, record::task_ready, {0, 0, 0});
  insert(1, 1, 2);
  log.add(1, 1, app, record::task_access, {1, 0, 0, read_it, 1, 1});
  log.add(1, 1, app, record::task_access, {1, 1, 1, write_it, 0, 1});
  insert(0, 2, 1);
  log.add(1, 0, app, record::task_access, {2, 0, 1, read_it, 1, 1});
  for (const std::uint64_t to : {std::uint64_t{0}, std::uint64_t{1}}) {
    const int dst = static_cast<int>(to), src = 1 - dst;
    const std::uint64_t from = 1 - to, handle = from, task = to == 0 ? 2 : 1;
    const std::int64_t leaves = src == 0 ? 80'000 : 100'000;
    log.add(2, dst, net, record::xfer_post, {receive, handle, 1, from, 0, 24, 0, 0, task});
    log.add(leaves, src, net, record::xfer_post, {send, handle, 1, to, 0, 24, 0, 0, nobody});
    log.add(leaves, src, net, record::xfer_start, {handle, 1, to, 0, send, 0});
    log.add(leaves + 5'000, dst, net, record::xfer_done, {handle, 1, from, 0, receive, 0});
    log.add(leaves + 5'000, dst, net, record::task_ready, {task, 2, handle << 32 | 1});
  }
  const auto run_it = [&](int rank, std::uint64_t task, std::int64_t begin) {
    log.add(5'000, rank, worker, record::state, {fetch_wait, 0, 0});
    log.add(begin, rank, worker, record::task_begin, {task, 0});
    log.add(begin + 10'000, rank, worker, record::task_end, {task, 0});
  };
  run_it(1, 1, 90'000);
  run_it(0, 2, 120'000);
  log.flush();
  device.kernel(0, 0, 10'000, 80'000);
  const opened read(folder, log);
  const auto waited = wait_matrix(read.things());
  EXPECT_EQ(waited[1][0], 85'000);
  EXPECT_EQ(waited[0][1], 35'000) << "from when what its own kernel made had come there on";
}

/// The writer of x had ended on its device before the slice, in which the worker has nothing to do.
TEST(device_work, that_had_ended_before_a_slice_waits_for_nothing_in_it) {
  device_run made;
  made.insert(1'000, 0, deed::trace::access_kind::write, 0);
  made.kernel(0, 2'000, 3'000);
  made.worker->state(deed::trace::worker_state::idle_dependency, deed::trace::reason_kind::none, 0);
  const model& whole = made.opened(100'000);
  const scratch_folder folder;
  const time_range range{40'000, 60'000};
  slice(whole.events(), folder.path() + "/part.deed", {range, {}});
  const run events(folder.path() + "/part.deed");
  const model part(events);
  for (const model* const each : {&whole, &part})
    EXPECT_EQ(parts_of_rank(*each, 0, {*each, range, {}, ""})["idle, no task"], 20'000);
  EXPECT_THAT(text_of(info(part)), testing::HasSubstr("0 tasks, 0 finished"));
  EXPECT_EQ(devices_of(part).at(0).rows.at(0).at(1), "0");
  EXPECT_NE(part.writer(0, 1), none);
}

}  // namespace
