// SPDX-License-Identifier: MIT
#include "analysis/edit/edit.hpp"

#include <deed/base/random.hpp>
#include <deed/trace/recorder.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/same_tasks.hpp"
#include "analysis/ask/state_at.hpp"
#include "analysis/edit/unwritable.hpp"
#include "analysis/generate/event_log.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/read/outline.hpp"
#include "analysis/read/still_recorded.hpp"
#include "analysis/read/tail.hpp"
#include "analysis/say/units.hpp"
#include "scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>

namespace {

using namespace deed::viewer;
namespace files = std::filesystem;

std::string small_run(const std::string& path, std::uint64_t seed = 7) {
  generator_options options;
  options.path = path;
  options.tiles = 6;
  options.ranks = 2;
  options.seed = seed;
  generate(options);
  return path;
}

/// A run, and the same with a fault.
struct faulty_twins {
  faulty_twins(generator_options options, const std::string& fault) {
    options.path = folder.path() + "/a.deed";
    generate(options);
    a.emplace(options.path);
    options.path = folder.path() + "/b.deed";
    options.inject = {{fault, 1}};
    faults = generate(options).faults;
    b.emplace(options.path);
  }
  scratch_folder folder;
  decltype(truth::faults) faults;
  std::optional<run> a, b;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void replace_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// How many events babeltrace2 reads, and whether it was content.
std::pair<std::uint64_t, bool> babeltrace(const std::string& path) {
  FILE* const pipe = ::popen(("babeltrace2 " + path + " 2>/dev/null | grep -c ^").c_str(), "r");
  unsigned long long count = 0;
  const bool read = std::fscanf(pipe, "%llu", &count) == 1;
  ::pclose(pipe);
  const int status = std::system(("babeltrace2 " + path + " >/dev/null 2>&1").c_str());
  return {count, read && status == 0};
}

std::vector<std::string> streams_of(const std::string& run) {
  std::vector<std::string> found;
  for (const auto& entry : files::recursive_directory_iterator(run))
    if (entry.path().extension() == ".000") found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

std::uint64_t events_in(const std::string& path) { return run(path).events().size(); }

TEST(repair, leaves_a_whole_run_as_it_is) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  EXPECT_THAT(repair(path, false).done, testing::IsEmpty());
}

TEST(repair, makes_every_cut_readable_for_babeltrace_and_loses_no_whole_event) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  deed::random_source draw{5};
  for (const std::string& stream : streams_of(path)) {
    const std::string whole = text_of(stream);
    for (int i = 0; i < 4; ++i) {
      const std::size_t cut = i == 0 ? 100 : draw.below(whole.size());
      replace_file(stream, whole.substr(0, cut));
      const std::uint64_t before = events_in(path);
      const std::uint64_t planned = repair(path, true).done.size();
      EXPECT_GE(planned, 1u);
      EXPECT_EQ(text_of(stream).size(), cut) << "a dry run changes nothing";
      EXPECT_EQ(repair(path, false).done.size(), planned);
      EXPECT_EQ(events_in(path), before) << stream << " cut at " << cut;
      const auto [count, content] = babeltrace(path);
      EXPECT_TRUE(content) << stream << " cut at " << cut;
      EXPECT_EQ(count, before);
      EXPECT_THAT(repair(path, false).done, testing::IsEmpty()) << "once is enough";
      replace_file(stream, whole);
    }
  }
}

TEST(repair, makes_damage_inside_a_packet_readable) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  const std::string stream = streams_of(path).front();
  const std::string whole = text_of(stream);
  deed::random_source draw{9};
  for (int i = 0; i < 20; ++i) {
    std::string damaged = whole;
    damaged[100 + draw.below(4'000)] = static_cast<char>(draw.below(256));
    replace_file(stream, damaged);
    static_cast<void>(repair(path, false));
    EXPECT_TRUE(babeltrace(path).second);
  }
}

TEST(repair, drops_what_was_not_ready) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  replace_file(path + "/rank-000000/.w00.001", "half a header");
  EXPECT_EQ(repair(path, false).done.size(), 1u);
  EXPECT_FALSE(files::exists(path + "/rank-000000/.w00.001"));
}

/// The events that were lost, and that they were, is said of every copy.
TEST(repair, is_told_by_info_of_the_run_its_slices_and_its_copies) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed"),
                    part = folder.path() + "/part.deed", other = folder.path() + "/other.deed",
                    copy = folder.path() + "/copy.deed";
  const std::string stream = path + "/rank-000001/app.000";
  std::string damaged = text_of(stream);
  damaged.resize(1'000);
  replace_file(stream, damaged);
  ASSERT_EQ(repair(path, false).done.size(), 1u);
  const run whole(path);
  static_cast<void>(slice(whole, part, {}));
  static_cast<void>(slice(whole, other, {{}, {0}}));
  static_cast<void>(collect(copy, {path}));
  for (const std::string& each : {path, part, copy}) {
    const run events(each);
    for (const answer& said : {info(model(events)), info(outline_of(each))}) {
      const std::string text = render(said, style::text, {}, 100);
      EXPECT_THAT(text, testing::ContainsRegex("repaired: rank-000001/app.000: the packet at byte "
                                               "[0-9]+ ends behind its last whole event: "
                                               "[0-9.]+ k?B of events behind it are lost"))
          << each;
      EXPECT_THAT(text, testing::HasSubstr("closed, and repaired since"));
    }
  }
  EXPECT_THAT(repaired_before(other), testing::IsEmpty()) << "of rank 0 all is there";
}

/// Of the last rank of many, too.
TEST(repair, is_told_of_a_rank_however_much_was_repaired_before_it) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  std::ofstream notes(path + "/repaired.txt");
  for (int i = 0; i < 103; ++i) notes << "rank-000000/w00." << i << ": goes\n";
  notes << "rank-000001/app.000: goes\n" << std::flush;
  const run events(path);
  for (const answer& said : {info(model(events)), info(outline_of(path))}) {
    ASSERT_EQ(said.tables.front().rows.at(1).at(0), "1");
    EXPECT_EQ(std::string(said.tables.front().rows.at(1).back()), "closed, and repaired since");
    const std::string text = render(said, style::text, {}, 100);
    EXPECT_THAT(text, testing::HasSubstr("repaired: rank-000000/w00.99: goes"));
    EXPECT_THAT(text, testing::HasSubstr("repaired: 4 more, in repaired.txt"));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("w00.100")));
  }
}

/// A folder lies where the mended file would: also who may write everywhere cannot write there.
TEST(repair, points_to_collect_where_packets_lie_in_shared_memory) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed", whole = folder.path() + "/whole.deed";
  const pid_t child = ::fork();
  if (child == 0) {
    deed::trace::recorder_options options;
    options.path = path;
    options.io = deed::trace::packet_place::shared_memory;
    deed::trace::recorder to(options, {.run_id = {7, static_cast<std::uint64_t>(::getpid())}});
    to.open_stream(deed::trace::stream_kind::worker, 0).task_begin(1, 0);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  const repairs before = repair(path, true);
  collect(whole, {path});
  const repairs after = repair(whole, false);
  const std::string tail =
      tail_of(parse_metadata(text_of(path + "/rank-000000/metadata")).environment);
  ASSERT_TRUE(tail.starts_with("/dev/shm/deed-"));
  files::remove_all(files::path(tail).parent_path());
  EXPECT_THAT(before.elsewhere, testing::ElementsAre(testing::HasSubstr("`deed-trace collect " +
                                                                        path + " -o whole.deed`")));
  EXPECT_THAT(after.elsewhere, testing::IsEmpty()) << "it has all";
  EXPECT_THAT(after.done, testing::Not(testing::IsEmpty())) << "and that was cut off";
  EXPECT_TRUE(babeltrace(whole).second);
}

TEST(repair, says_what_could_not_be_written_and_mends_the_other_ranks) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  for (const char* const stream : {"/rank-000000/w00.000", "/rank-000001/w00.000"})
    files::resize_file(path + stream, files::file_size(path + stream) - 100);
  files::create_directory(path + "/rank-000000/w00.000.mended");
  const repairs found = repair(path, false);
  EXPECT_TRUE(found.unwritten);
  EXPECT_THAT(found.left, testing::ElementsAre(testing::HasSubstr("w00.000` cannot be written")));
  EXPECT_THAT(found.done, testing::ElementsAre(testing::StartsWith("rank-000001/w00.000: ")));
}

std::string printed(const std::string& path) {
  const run events(path);
  const model known(events);
  return render(print(known, {}, {}, ~std::size_t{0}), style::csv, {}, ~std::size_t{0});
}

TEST(slice, of_everything_is_the_same_run) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  const std::string copy = folder.path() + "/copy.deed";
  EXPECT_EQ(slice(run(path), copy, {}), events_in(path));
  EXPECT_EQ(printed(copy), printed(path));
  EXPECT_THAT(run(copy).incomplete(), testing::IsEmpty());
  EXPECT_EQ(babeltrace(copy), std::pair(events_in(path), true));
}

TEST(slice, keeps_a_range_and_all_definitions) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  const run all(path);
  const time_range range{all.end() / 4, all.end() / 2};
  const std::string part = folder.path() + "/part.deed";
  const std::uint64_t kept = slice(all, part, {range, {}});
  const auto inside = std::count_if(all.events().begin(), all.events().end(), [&](const event& e) {
    return e.what <= record::worker || (e.time >= range.from && e.time <= range.to);
  });
  EXPECT_GT(kept, static_cast<std::uint64_t>(inside)) << "and what goes on from before";
  EXPECT_LT(kept, all.events().size());
  EXPECT_TRUE(babeltrace(part).second);
  const run cut(part);
  EXPECT_EQ(model(cut).codelets().size(), model(all).codelets().size());
  EXPECT_THROW(slice(all, part, {}), unwritable) << "it is not written over";
}

/// A run and the middle of it.
struct whole_and_part {
  explicit whole_and_part(std::uint64_t seed) : run_of_all(small_run(path_of("run"), seed)) {
    range = {run_of_all.end() / 3, run_of_all.end() / 2};
    slice(run_of_all, path_of("part"), {range, {}});
    run_of_part.emplace(path_of("part"));
    all.emplace(run_of_all);
    part.emplace(*run_of_part);
  }
  [[nodiscard]] std::string path_of(const std::string& name) const {
    return folder.path() + "/" + name + ".deed";
  }
  scratch_folder folder;
  run run_of_all;
  time_range range;
  std::optional<run> run_of_part;
  std::optional<model> all, part;
};

void expect_same_state(const whole_and_part& of, std::uint32_t handle, std::int64_t when) {
  const datum_state is = state_at(*of.all, handle, when), told = state_at(*of.part, handle, when);
  const auto writer = [](const model& m, std::uint32_t task) {
    return task == none ? std::string("nobody") : m.task_name(task);
  };
  EXPECT_TRUE(told.version_known && told.owner_known && told.all_known);
  EXPECT_EQ(told.owner, is.owner);
  EXPECT_EQ(told.version, is.version);
  EXPECT_EQ(writer(*of.part, told.writer), writer(*of.all, is.writer));
  EXPECT_EQ(told.in_flight.size(), is.in_flight.size());
  EXPECT_EQ(told.borrows.size(), is.borrows.size());
  for (std::size_t rank = 0; rank < is.copies.size(); ++rank) {
    EXPECT_EQ(told.copies[rank].kind, is.copies[rank].kind) << "rank " << rank;
    EXPECT_EQ(told.copies[rank].version, is.copies[rank].version) << "rank " << rank;
  }
}

TEST(slice, tells_the_state_of_data_as_the_whole_run_does) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const whole_and_part of(seed);
    EXPECT_TRUE(babeltrace(of.path_of("part")).second);
    deed::random_source draw(seed);
    for (int i = 0; i < 200 && !testing::Test::HasFailure(); ++i) {
      const auto handle = static_cast<std::uint32_t>(draw.below(of.all->data().size()));
      const auto length = static_cast<std::uint64_t>(of.range.to - of.range.from);
      const std::int64_t when =
          of.range.from + (i < 20 ? 0 : static_cast<std::int64_t>(draw.below(length)));
      SCOPED_TRACE(of.all->handle_name(handle) + " at " + std::to_string(when) + ", seed " +
                   std::to_string(seed));
      expect_same_state(of, handle, when);
    }
  }
}

std::string tables_of(const answer& said) {
  return render({{}, said.tables}, style::csv, {}, ~std::size_t{0});
}

TEST(slice, answers_as_that_part_of_the_whole_run) {
  const whole_and_part of(3);
  EXPECT_EQ(tables_of(breakdown(*of.part, {})), tables_of(breakdown(*of.all, of.range)));
  EXPECT_EQ(tables_of(comm_square(*of.part, traffic_of::bytes)),
            tables_of(comm_square(*of.all, traffic_of::bytes, of.range)));
  const part_of_both both{of.range, of.range};
  const same_tasks same(*of.all, *of.part, both);
  EXPECT_EQ(same.only_a(), 0u);
  EXPECT_EQ(same.only_b(), 0u);
  const std::int64_t length = of.range.to - of.range.from;
  const std::string path = render(say_critical_path(*of.part), style::text, {}, 0);
  EXPECT_THAT(path, testing::HasSubstr(" of " + say_time(length)));
  for (const auto& row : wait_matrix(*of.part)) {
    std::int64_t waited = 0;
    for (const std::int64_t each : row) waited += each;
    const auto threads = static_cast<std::int64_t>(of.part->events().lanes().size());
    EXPECT_LE(waited, threads * length);
  }
}

/// What a thread did before it said so for the first time, it is known by the end of its last task.
TEST(slice, knows_of_a_thread_that_says_what_it_does_within_it_alone) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed", part = folder.path() + "/part.deed";
  constexpr std::int64_t ms = 1'000'000;
  event_log log(path, 1, 1, 1);
  log.add(0, 0, event_log::first_worker, record::task_begin,
          {0, log.rank(0).codelet("work", deed::place::current())});
  log.add(1 * ms, 0, event_log::first_worker, record::task_end, {0, 0});
  log.add(9 * ms, 0, event_log::first_worker, record::state, {2, 0, 0});
  log.add(20 * ms, 0, event_log::first_worker, record::state, {0, 0, 0});
  log.close();
  const run all(path);
  const time_range range{3 * ms, 12 * ms};
  slice(all, part, {range, {}});
  const run cut(part);
  const std::string whole = tables_of(breakdown(model(all), range));
  EXPECT_THAT(whole, testing::HasSubstr("scheduling"));
  EXPECT_EQ(tables_of(breakdown(model(cut), {})), whole);
}

TEST(slice, keeps_the_ranks_that_were_asked_for) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  const std::string one = folder.path() + "/one.deed";
  slice(run(path), one, {{}, {1}});
  EXPECT_THAT(run(one).incomplete(), testing::ElementsAre("no trace from rank 0"));
}

std::map<std::string, std::string> all_files(const std::string& path) {
  std::map<std::string, std::string> found;
  for (const auto& entry : files::recursive_directory_iterator(path))
    if (entry.is_regular_file())
      found[files::relative(entry.path(), path).string()] = text_of(entry.path().string());
  return found;
}

TEST(pack, gives_smaller_files_of_the_same_run_and_the_same_files_again) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  const auto before = all_files(path);
  const std::string said = render(info(model(run(path))), style::text, {}, 100);
  const packing packed = pack(path, 3);
  ASSERT_GT(packed.files, 0u);
  EXPECT_LT(packed.after, packed.before / 3);
  EXPECT_EQ(render(info(model(run(path))), style::text, {}, 100), said) << "read as it is";
  EXPECT_THAT(run(path).incomplete(), testing::IsEmpty());
  EXPECT_THAT(repair(path, false).left, testing::IsEmpty());
  EXPECT_EQ(pack(path, 3).files, 0u);
  const packing again = unpack_run(path);
  EXPECT_EQ(again.files, packed.files);
  EXPECT_EQ(again.after, packed.before);
  EXPECT_EQ(all_files(path), before);
}

TEST(pack, may_keep_the_originals_and_reads_them_once) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  const auto before = all_files(path);
  const std::string said = render(info(model(run(path))), style::text, {}, 100);
  const packing packed = pack(path, 3, true);
  ASSERT_GT(packed.files, 0u);
  auto both = all_files(path);
  EXPECT_EQ(both.size(), before.size() + packed.files);
  for (const auto& [name, bytes] : before) EXPECT_EQ(both[name], bytes) << name;
  EXPECT_EQ(render(info(model(run(path))), style::text, {}, 100), said) << "each event once";
  for (const auto& [name, bytes] : both)  // A damaged copy is not looked at.
    if (name.ends_with(".zst")) std::ofstream(path + "/" + name) << "no zstd";
  EXPECT_THAT(run(path).incomplete(), testing::IsEmpty()) << "the originals are read";
  EXPECT_EQ(pack(path, 3).files, packed.files) << "and go now";
  EXPECT_EQ(unpack_run(path).files, packed.files);
  EXPECT_EQ(all_files(path), before);
}

TEST(pack, is_told_of_damage_by_repair) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  static_cast<void>(pack(path, 3));
  replace_file(path + "/rank-000000/w00.000.zst", "no zstd");
  EXPECT_THAT(repair(path, false).left,
              testing::ElementsAre(testing::StartsWith("rank-000000/w00.000.zst: ")));
}

void replace_in_metadata(const std::string& run, const std::string& was, const std::string& by) {
  const std::string file = run + "/rank-000000/metadata";
  std::string text = text_of(file);
  ASSERT_NE(text.find(was), std::string::npos) << was;
  replace_file(file, text.replace(text.find(was), was.size(), by));
}

TEST(run, knows_whether_it_is_still_recorded) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  deed::trace::recorder_options options;
  options.path = path;
  deed::trace::recorder to(options, {});
  to.open_stream(deed::trace::stream_kind::worker, 0).task_begin(1, 1);
  const std::string host = run(path).ranks()[0].host, pid = std::to_string(::getpid());
  const auto environment = [&] { return outline_of(path).ranks[0].environment; };
  const auto said = [&] { return render(info(outline_of(path)), style::text, {}, 10); };
  EXPECT_TRUE(run(path).is_recorded());
  EXPECT_THAT(said(), testing::HasSubstr("  still running\n"));
  EXPECT_THAT(said(), testing::Not(testing::HasSubstr("killed")));
  EXPECT_EQ(recording_process(environment()), static_cast<std::uint64_t>(::getpid()));

  replace_in_metadata(path, "hostname = \"" + host, "hostname = \"other");
  EXPECT_TRUE(run(path).is_recorded()) << "it said something just now";
  EXPECT_EQ(recording_process(environment()), std::nullopt) << "nobody here can tell";
  EXPECT_THAT(said(), testing::HasSubstr("failed, was killed, or still ran, which cannot be seen"));
  replace_in_metadata(path, "hostname = \"other", "hostname = \"" + host);

  replace_in_metadata(path, "pid = " + pid, "pid = 999999999");
  EXPECT_FALSE(run(path).is_recorded());
  EXPECT_TRUE(run(path).ranks()[0].is_cut());
  EXPECT_EQ(recording_process(environment()), std::nullopt);
  EXPECT_THAT(said(), testing::HasSubstr("  not closed: it failed or was killed\n"));
  EXPECT_THAT(said(), testing::Not(testing::HasSubstr("still r")));
  replace_in_metadata(path, "pid = 999999999", "pid = " + pid);

  to.close();
  EXPECT_FALSE(run(path).is_recorded());
  EXPECT_FALSE(run(path).ranks()[0].is_cut());
}

/// It is there until its parent asks for it, and has no command any more.
TEST(run, is_not_recorded_by_a_process_that_has_ended) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  deed::trace::recorder_options options;
  options.path = path;
  deed::trace::recorder to(options, {});
  to.open_stream(deed::trace::stream_kind::worker, 0).task_begin(1, 1);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(0);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  replace_in_metadata(path, "pid = " + std::to_string(::getpid()),
                      "pid = " + std::to_string(child));
  ASSERT_EQ(::kill(child, 0), 0) << "it has its number still";
  EXPECT_EQ(recording_process(outline_of(path).ranks[0].environment), std::nullopt);
  EXPECT_TRUE(run(path).ranks()[0].is_cut());
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST(info, calls_no_files_damaged_where_events_found_no_packet) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  replace_in_metadata(path, "lost_from = \"00000", "lost_from = \"00001");
  replace_in_metadata(path, "unplaced = \"", "unplaced = \"12\"; was = \"");
  const run read(path);
  ASSERT_THAT(read.incomplete(),
              testing::ElementsAre(testing::HasSubstr("12 events found no packet, from ")));
  EXPECT_EQ(std::string(info(model(read)).tables.front().rows[0].back()), "closed");
}

TEST(run, of_another_machine_that_said_nothing_for_long_is_not_recorded) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  event_log log(path, 1, 1, 1);  // Its clock shows 1970.
  log.add(1'000, 0, event_log::first_worker, record::task_begin, {7, 0});
  log.flush();
  ASSERT_TRUE(run(path).is_recorded());
  replace_in_metadata(path, "hostname = \"", "hostname = \"not-");
  EXPECT_FALSE(run(path).is_recorded());
}

/// The clocks of both are set so that rank 1 spoke now, and rank 0 an hour ago.
TEST(run, of_another_machine_is_recorded_where_its_rank_said_something_lately) {
  using namespace std::chrono;
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  constexpr std::int64_t hour = nanoseconds(hours(1)).count();
  event_log log(path, 2, 1, 1);
  log.add(1'000, 0, event_log::first_worker, record::task_begin, {7, 0});
  log.add(hour, 1, event_log::first_worker, record::task_begin, {8, 0});
  log.flush();
  for (const char* rank : {"rank-000000", "rank-000001"}) {
    const std::string file = path + "/" + rank + "/metadata";
    std::string text = text_of(file);
    text.insert(text.find("hostname = \"") + 12, "not-");
    const std::string clock = "clock_kind = \"virtual";  // Whose times count from nought.
    replace_file(file, text.replace(text.find(clock), clock.size(), "clock_kind = \"tsc"));
  }
  const std::int64_t now = nanoseconds(system_clock::now().time_since_epoch()).count();
  const run read(path, {{.rank = 0, .ahead = hour - now}, {.rank = 1, .ahead = hour - now}});
  EXPECT_TRUE(read.ranks()[0].is_cut());
  EXPECT_TRUE(read.ranks()[1].recorded);
}

TEST(run, of_a_slice_of_ranks_is_not_recorded) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed", part = folder.path() + "/part.deed";
  deed::trace::recorder_options options;
  options.path = path;
  deed::trace::recorder to(options, {});
  to.open_stream(deed::trace::stream_kind::worker, 0).task_begin(1, 1);
  slice(run(path), part, {.range = {}, .ranks = {0}});
  EXPECT_TRUE(run(path).is_recorded());
  EXPECT_TRUE(run(part).ranks()[0].is_cut());
}

TEST(run, that_was_closed_while_it_was_opened_is_closed) {
  trace_layout open, closed;
  open.hertz = closed.hertz = 1'000'000'000;
  std::array<char, 256> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
  open.environment = {{"hostname", host.data()},
                      {"pid", "999999999"},
                      {"lost_from", "7"},
                      {"unplaced", "not counted"}};
  closed.environment = open.environment;
  closed.environment["unplaced"] = "12";
  int times = 0;
  const described_rank found = describe([&] { return times++ == 0 ? open : closed; });
  EXPECT_EQ(found.layout.environment.at("unplaced"), "12");
  EXPECT_FALSE(found.may_be_recorded);
}

TEST(edit, refuses_a_run_that_a_process_still_records) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  deed::trace::recorder_options options;
  options.path = path;
  {
    deed::trace::recorder still(options, {});
    still.open_stream(deed::trace::stream_kind::worker, 0).task_begin(1, 1);
    EXPECT_THROW(repair(path, false), unwritable);
    EXPECT_THROW(pack(path, 3), unwritable);
    EXPECT_NO_THROW(repair(path, true)) << "it only looks";
  }
  EXPECT_NO_THROW(repair(path, false));
}

TEST(pack, is_what_zstd_reads) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  const std::string file = path + "/rank-000000/w00.000", was = text_of(file);
  pack(path, 3);
  if (std::system("zstd --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no zstd here";
  ASSERT_EQ(std::system(("zstd -q -d " + file + ".zst -o " + folder.path() + "/again").c_str()), 0);
  EXPECT_EQ(text_of(folder.path() + "/again"), was);
}

TEST(pack, says_what_is_damaged_and_keeps_it) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  pack(path, 3);
  const std::string file = path + "/rank-000000/w00.000.zst", whole = text_of(file);
  deed::random_source draw{3};
  for (int i = 0; i < 200; ++i) {
    std::string damaged = whole;
    if (i % 2 == 0)
      damaged.resize(draw.below(whole.size()));
    else
      damaged[draw.below(whole.size())] ^= static_cast<char>(1 + draw.below(255));
    replace_file(file, damaged);
    const run read(path);
    EXPECT_FALSE(read.incomplete().empty()) << "input " << i;
    EXPECT_THROW(unpack_run(path), unreadable);
    EXPECT_EQ(text_of(file), damaged);
    pack(path, 3);  // What was unpacked before the damaged one was met.
  }
}

TEST(collect, brings_the_ranks_of_one_run_together) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed"),
                    other = small_run(folder.path() + "/other.deed", 9),
                    one = folder.path() + "/one", two = folder.path() + "/two",
                    all = folder.path() + "/all.deed";
  const auto before = all_files(path);
  files::create_directories(one);
  files::create_directories(two);
  files::rename(path + "/rank-000000", one + "/rank-000000");
  files::rename(path + "/rank-000001", two + "/rank-000001");
  EXPECT_THAT(collect(all, {one}).copied, testing::ElementsAre(0));
  const collected both = collect(all, {one, two});
  EXPECT_THAT(both.copied, testing::ElementsAre(1));
  EXPECT_THAT(both.there, testing::ElementsAre(0)) << "what is there stays";
  for (const auto& [name, text] : all_files(all)) EXPECT_EQ(text, before.at(name)) << name;
  EXPECT_THAT(run(all).incomplete(), testing::IsEmpty());
  EXPECT_THROW(collect(all, {other}), unreadable) << "another run";
  EXPECT_THROW(collect(all, {path}), unreadable) << "no ranks";
  std::string more = text_of(one + "/rank-000000/w00.000");
  more.back() = static_cast<char>(~more.back());
  replace_file(one + "/rank-000000/w00.000", more);
  files::remove_all(all + "/rank-000001");
  const collected rest = collect(all, {one, two});
  EXPECT_THAT(rest.differ, testing::ElementsAre(testing::Pair(one, testing::ElementsAre(0))))
      << "what is there is not what it would copy";
  EXPECT_THAT(rest.copied, testing::ElementsAre(1)) << "and the others come all the same";
  EXPECT_EQ(text_of(all + "/rank-000000/w00.000"), before.at("rank-000000/w00.000"));
}

TEST(collect, says_once_what_was_repaired_of_a_rank_that_it_brings_again) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed"),
                    all = folder.path() + "/all.deed";
  for (const char* const stream : {"/rank-000000/w00.000", "/rank-000001/w00.000"})
    files::resize_file(path + stream, files::file_size(path + stream) - 100);
  const repairs done = repair(path, false);
  collect(all, {path});
  files::remove_all(all + "/rank-000001");
  EXPECT_THAT(collect(all, {path}).copied, testing::ElementsAre(1));
  EXPECT_THAT(repaired_before(all), testing::UnorderedElementsAreArray(done.done));
}

/// It may have been interrupted before it said so.
TEST(collect, says_what_was_repaired_of_a_rank_that_is_there) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed"),
                    all = folder.path() + "/all.deed";
  const std::string stream = path + "/rank-000001/w00.000";
  files::resize_file(stream, files::file_size(stream) - 100);
  const repairs done = repair(path, false);
  files::create_directories(all);
  files::copy(path + "/rank-000001", all + "/rank-000001", files::copy_options::recursive);
  EXPECT_THAT(collect(all, {path}).there, testing::ElementsAre(1));
  EXPECT_THAT(repaired_before(all), testing::ElementsAreArray(done.done));
}

/// What was killed on one machine lies in its shared memory, and another machine has its folder.
TEST(collect, brings_to_a_rank_that_is_there_what_it_left_in_shared_memory) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed"),
                    whole = folder.path() + "/whole.deed", rank = path + "/rank-000001",
                    tail = folder.path() + "/here/dev/shm/deed-1/rank-1";
  std::string metadata = text_of(rank + "/metadata");
  metadata.insert(metadata.find("run_id = "), "tail = \"/dev/shm/deed-1/rank-1\";\n\t");
  replace_file(rank + "/metadata", metadata);
  files::create_directories(tail);
  files::rename(rank + "/w00.000", tail + "/w00.000");
  const collected first = collect(whole, {path}, folder.path() + "/elsewhere");
  EXPECT_THAT(first.copied, testing::ElementsAre(0, 1));
  const collected rest = collect(whole, {path}, folder.path() + "/here");
  EXPECT_THAT(rest.copied, testing::ElementsAre(1));
  EXPECT_THAT(rest.there, testing::ElementsAre(0));
  EXPECT_EQ(text_of(whole + "/rank-000001/w00.000"), text_of(tail + "/w00.000"));
  const collected again = collect(whole, {path}, folder.path() + "/here");
  EXPECT_THAT(again.copied, testing::IsEmpty());
  EXPECT_THAT(again.there, testing::ElementsAre(0, 1));
}

TEST(slice, takes_the_events_around_a_moment) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.inject = {{"deadlock", 1}};
  generate(options);
  const run all(options.path);
  const auto when = first_error(all);
  ASSERT_TRUE(when);
  const time_range part = around(all, *when, 200);
  const auto& events = all.events();
  const auto count = [&](auto inside) {
    return std::count_if(events.begin(), events.end(), inside);
  };
  const auto kept = count([&](const event& e) { return e.time >= part.from && e.time <= part.to; });
  EXPECT_GE(kept, 180);
  EXPECT_LE(kept, 260) << "events of one time stay together";
  EXPECT_LE(part.from, *when);
  EXPECT_GE(part.to, *when);
  EXPECT_FALSE(first_error(run(small_run(folder.path() + "/right.deed"))));
  const time_range everything = around(all, *when, 1'000'000'000);
  EXPECT_EQ(everything.from, events.front().time);
  EXPECT_EQ(everything.to, events.back().time);
}

TEST(diff, finds_nothing_between_a_run_and_its_copy) {
  const scratch_folder folder;
  const run a(small_run(folder.path() + "/a.deed")), b(small_run(folder.path() + "/b.deed"));
  const answer same = diff(model(a), model(b));
  const std::string said = render(same, style::text, {}, 10);
  EXPECT_FALSE(same.findings) << said;
  for (const table& each : same.tables)
    EXPECT_EQ(said.find(each.title) != std::string::npos, !each.rows.empty()) << said;
}

TEST(diff, finds_a_transfer_that_one_run_made_twice) {
  generator_options options;
  options.tiles = 6;
  options.ranks = 2;
  const faulty_twins twins(options, "dup_flush");
  ASSERT_EQ(twins.faults.size(), 1u);
  const auto& fault = twins.faults[0];
  const model in_a(*twins.a), in_b(*twins.b);
  const answer said = diff(in_a, in_b);
  EXPECT_TRUE(said.findings);
  const std::string name = in_b.handle_name(fault.handle) + " v" + std::to_string(fault.version) +
                           ", rank " + std::to_string(fault.src) + " to rank " +
                           std::to_string(fault.dst);
  EXPECT_THAT(render(said, style::text, {}, 100), testing::HasSubstr(name));
}

TEST(diff, names_the_datum_that_has_another_owner) {
  generator_options options;
  options.tiles = 8;
  options.ranks = 4;
  const faulty_twins twins(options, "two_owners");
  ASSERT_EQ(twins.faults.size(), 1u);
  const auto& fault = twins.faults[0];
  const model in_a(*twins.a), in_b(*twins.b);
  const answer said = diff(in_a, in_b);
  EXPECT_THAT(render(said, style::text, {}, 100),
              testing::HasSubstr("another owner: " + in_b.handle_name(fault.handle)));
  EXPECT_THAT(render(diff(in_a, in_a), style::text, {}, 100),
              testing::Not(testing::HasSubstr("owner")));
}

TEST(diff, of_a_part_compares_what_is_in_it_in_one_of_the_runs) {
  generator_options options;
  options.tiles = 6;
  options.ranks = 4;
  const faulty_twins twins(options, "dup_flush");
  ASSERT_EQ(twins.faults.size(), 1u);
  const auto& fault = twins.faults[0];
  const model in_a(*twins.a), in_b(*twins.b);
  const auto differ = [&](std::optional<time_range> range, const std::set<int>& ranks,
                          const std::string& query) {
    const part_of_both part{{in_a, range, ranks, query}, {in_b, range, ranks, query}};
    return diff(in_a, in_b, same_tasks(in_a, in_b, part), true, part);
  };
  const std::vector<repeat> sent_again = repeats(in_b, fault.handle);
  ASSERT_EQ(sent_again.size(), 1u);
  const std::int64_t first = in_b.transfers()[sent_again[0].earlier].begin(),
                     again = in_b.transfers()[sent_again[0].transfer].end();
  const std::string datum = "handle:" + in_b.handle_name(fault.handle);
  EXPECT_TRUE(differ(time_range{first, again}, {fault.dst}, datum).findings);
  EXPECT_FALSE(differ(time_range{0, first - 1}, {}, datum).findings);
  EXPECT_FALSE(differ({}, {}, "-" + datum + " record:xfer_start").findings);
  std::set<int> others{0, 1, 2, 3};
  others.erase(fault.src);
  others.erase(fault.dst);
  EXPECT_FALSE(differ({}, others, "").findings);
  const answer nothing = differ({}, {}, "handle:nobody");
  EXPECT_FALSE(nothing.findings);
  EXPECT_THAT(render(nothing, style::text, {}, 100),
              testing::HasSubstr("nothing of either run is in this part"));
}

TEST(diff, of_a_time_finds_a_task_again_that_ran_at_another_one) {
  const scratch_folder folder;
  generator_options options;
  options.tiles = 6;
  options.ranks = 2;
  options.workers = 3;
  options.path = folder.path() + "/a.deed";
  const truth known = generate(options);
  options.path = folder.path() + "/b.deed";
  options.workers = 1;
  generate(options);
  const run a(folder.path() + "/a.deed"), b(options.path);
  const model in_a(a), in_b(b);
  ASSERT_GT(b.end(), a.end() * 5 / 4) << "one worker takes longer";
  const time_range middle{a.end() / 3, a.end() / 2};
  const same_tasks found(in_a, in_b, {middle, middle});
  std::uint64_t chosen = 0, of_a = 0;
  for (std::uint32_t i = 0; i < in_a.tasks().size(); ++i) {
    const bool here = run_part(middle).has_task(in_a, i);
    of_a += here ? 1 : 0;
    if (!found.has_a(i)) {
      EXPECT_FALSE(here);
      EXPECT_EQ(found.in_b(i), none);
      continue;
    }
    ++chosen;
    EXPECT_TRUE(here || run_part(middle).has_task(in_b, found.in_b(i)));
  }
  EXPECT_GT(chosen, of_a) << "some ran at that time in the second run alone";
  EXPECT_LT(chosen, known.tasks);
  EXPECT_EQ(found.both(), chosen);
  EXPECT_EQ(found.only_a() + found.only_b(), 0u) << "both runs have all tasks";
}

}  // namespace
