// SPDX-License-Identifier: MIT
#include "analysis/edit/edit.hpp"

#include <deed/base/random.hpp>
#include <deed/trace/recorder.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/edit/unwritable.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/read/metadata.hpp"
#include "analysis/read/outline.hpp"
#include "analysis/read/tail.hpp"
#include "analysis/say/answer.hpp"
#include "scratch_folder.hpp"
#include "small_run.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace deed::viewer;
namespace files = std::filesystem;

std::vector<std::string> streams_of(const std::string& run) {
  std::vector<std::string> found;
  for (const auto& entry : files::recursive_directory_iterator(run))
    if (entry.path().extension() == ".000") found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

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

TEST(repair, is_remembered_and_does_not_count_what_it_left) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.ranks = 2;
  options.inject = {{"cut", 1}};
  static_cast<void>(generate(options));
  EXPECT_THAT(text_of(info(model(run(options.path)))),
              testing::HasSubstr("cut off or damaged since"));
  std::ofstream(options.path + "/rank-000001/metadata", std::ios::trunc).flush();
  const repairs done = repair(options.path, false);
  EXPECT_EQ(done.left.size(), 1u);
  for (const std::string& each : done.done)
    EXPECT_THAT(each, testing::Not(testing::HasSubstr("left as it is")));
  if (!done.done.empty()) {
    EXPECT_THAT(text_of(info(model(run(options.path)))),
                testing::HasSubstr("repaired: " + done.done[0]));
  }
}

}  // namespace
