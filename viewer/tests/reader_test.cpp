// SPDX-License-Identifier: MIT
#include <deed/base/random.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/edit/edit.hpp"
#include "analysis/generate/event_log.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/read/outline.hpp"
#include "analysis/say/units.hpp"
#include "scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;
using testing::HasSubstr;

std::string small_run(const scratch_folder& folder) {
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.tiles = 4;
  options.ranks = 2;
  generate(options);
  return options.path;
}

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void replace_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

TEST(metadata, says_line_and_expectation_when_it_is_damaged) {
  try {
    (void)parse_metadata("trace {\n byte_order = le;\n};\nstream {\n id = x;\n};");
    ADD_FAILURE();
  } catch (const unreadable& wrong) {
    EXPECT_THAT(wrong.what(), HasSubstr("line 5"));
    EXPECT_THAT(wrong.what(), HasSubstr("a number was expected, found `x`"));
  }
}

TEST(metadata, survives_every_cut_and_many_changes) {
  const scratch_folder folder;
  const std::string text = file_text(small_run(folder) + "/rank-000000/metadata");
  ASSERT_GT(text.size(), 10'000u);
  deed::random_source draw{3};
  for (int i = 0; i < 300; ++i) {
    std::string damaged = text.substr(0, draw.below(text.size()));
    if (i % 2 == 0) {
      damaged = text;
      damaged[draw.below(text.size())] = static_cast<char>(draw.below(256));
    }
    try {
      (void)parse_metadata(damaged);
    } catch (const unreadable&) {
    }
  }
}

/// One rank, with several files for a stream.
std::string long_run(const scratch_folder& folder) {
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.tiles = 10;
  options.ranks = 1;
  options.events = 60'000;
  generate(options);
  return options.path;
}

TEST(run, refuses_what_is_no_run) {
  const scratch_folder folder;
  EXPECT_THROW(run(folder.path()), unreadable);
  EXPECT_THROW(run(folder.path() + "/absent"), unreadable);
  const std::string file = folder.path() + "/hang.json";
  std::ofstream(file) << "{}";
  try {
    static_cast<void>(run(file));
    ADD_FAILURE() << "it is a file";
  } catch (const unreadable& refused) {
    EXPECT_THAT(refused.what(), testing::HasSubstr("`deed-trace waits` tells all that it has"));
  }
}

TEST(run, names_a_missing_rank) {
  const scratch_folder folder;
  const std::string path = small_run(folder);
  std::filesystem::remove_all(path + "/rank-000001");
  const run read(path);
  EXPECT_THAT(read.incomplete(),
              testing::Contains("no trace from rank 1: it ran, and its files are not here"));
  EXPECT_EQ(read.ranks().size(), 2u);
  const model known(read);
  EXPECT_NO_THROW((void)render(info(known), style::json, read.incomplete(), 10));
}

TEST(run, names_a_stream_whose_file_is_gone) {
  enum class instead { nothing, empty_file, pipe };
  for (const instead there : {instead::nothing, instead::empty_file, instead::pipe}) {
    const scratch_folder folder;
    const std::string path = small_run(folder), file = path + "/rank-000001/comm.000";
    ASSERT_TRUE(run(path).incomplete().empty());
    std::filesystem::remove(file);
    if (there == instead::empty_file) replace_file(file, "");
    ASSERT_TRUE(there != instead::pipe || ::mkfifo(file.c_str(), 0600) == 0);
    EXPECT_THAT(run(path).incomplete(),
                testing::ElementsAre("rank 1: the events of `progress` are missing"));
  }
}

TEST(run, does_not_wait_for_metadata_from_a_pipe) {
  const scratch_folder folder;
  const std::string path = small_run(folder), file = path + "/rank-000001/metadata";
  std::filesystem::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_THAT(run(path).incomplete(), testing::Contains("rank 1: it has no metadata"));
}

TEST(run, names_a_rank_of_which_only_the_metadata_is_there) {
  const scratch_folder folder;
  const std::string path = small_run(folder);
  for (const char* const name : {"defs", "app", "comm", "w00", "w01"})
    std::filesystem::remove(path + "/rank-000001/" + name + ".000");
  EXPECT_THAT(run(path).incomplete(), testing::Contains("rank 1: all events are missing"));
}

TEST(run, misses_the_definitions) {
  const scratch_folder folder;
  const std::string path = small_run(folder);
  std::filesystem::remove(path + "/rank-000001/defs.000");
  EXPECT_THAT(run(path).incomplete(), testing::ElementsAre("rank 1: the definitions are missing"));
}

TEST(run, misses_files_at_the_start_and_in_the_middle) {
  for (const int gone : {0, 1}) {
    const scratch_folder folder;
    const std::string path = long_run(folder);
    const std::string files = path + "/rank-000000/app.00";
    ASSERT_TRUE(std::filesystem::exists(files + "2"));
    std::filesystem::remove(files + std::to_string(gone));
    EXPECT_THAT(run(path).incomplete(), testing::ElementsAre(testing::MatchesRegex(
                                            "rank 0, app.00" + std::to_string(gone + 1) +
                                            ": (a packet is|packets are) missing before byte 0")));
  }
}

TEST(run, reads_every_whole_event_of_a_file_cut_anywhere) {
  const scratch_folder folder;
  const std::string path = small_run(folder);
  const std::string file = path + "/rank-000000/app.000";
  const std::string whole = file_text(file);
  const std::size_t all = run(path).events().size();
  std::uint64_t content_bits = 0;  // Of the first packet, which holds all of it.
  whole.copy(reinterpret_cast<char*>(&content_bits), 8, 16);
  deed::random_source draw{5};
  std::size_t before = 0;
  for (std::size_t bytes = 70; bytes < content_bits / 8; bytes += 1 + draw.below(60)) {
    replace_file(file, whole.substr(0, bytes));
    const run read(path);
    EXPECT_LT(read.events().size(), all);
    EXPECT_GE(read.events().size(), before);
    EXPECT_FALSE(read.incomplete().empty());
    before = read.events().size();
  }
}

TEST(run, reads_what_lies_before_a_cut_at_each_edge_of_a_packet) {
  const scratch_folder folder;
  const std::string path = long_run(folder);
  const std::string file = path + "/rank-000000/app.000";
  const std::string whole = file_text(file);
  std::uint64_t packet_bits = 0;
  whole.copy(reinterpret_cast<char*>(&packet_bits), 8, 8);
  const std::size_t packet = packet_bits / 8;
  ASSERT_EQ(whole.size() % packet, 0u);
  std::size_t before = 0;
  for (std::size_t edge = packet; edge <= whole.size(); edge += packet) {
    for (const std::size_t bytes : {edge - 1, edge, edge + 1}) {
      if (bytes > whole.size()) continue;
      replace_file(file, whole.substr(0, bytes));
      const run read(path);
      EXPECT_GE(read.events().size(), before);
      before = read.events().size();
      const bool well = bytes == edge;
      EXPECT_EQ(read.incomplete().empty(), well) << bytes << " of " << whole.size();
    }
  }
}

TEST(run, allocates_no_more_than_its_files_are_worth) {
  // Numbers of handles and slots that a damaged file makes up.
  const scratch_folder folder;
  const std::string path = small_run(folder);
  for (const char* const name : {"defs.000", "app.000"}) {
    const std::string file = path + "/rank-000000/" + name;
    const std::string whole = file_text(file);
    std::string damaged = whole;
    for (std::size_t at = 80; at + 4 < 3'000 && at + 4 < whole.size(); at += 13) {
      damaged = whole;
      damaged.replace(at, 4, "\xfe\xff\xff\x7f");
      replace_file(file, damaged);
      const run read(path);
      const model known(read);
      EXPECT_LE(known.data().size(), std::max<std::size_t>(4'096, 2 * read.events().size()) + 1);
    }
    replace_file(file, whole);
  }
}

TEST(run, survives_flipped_bits_and_so_do_all_answers) {
  const scratch_folder folder;
  const std::string path = small_run(folder);
  deed::random_source draw{9};
  for (int i = 0; i < 60; ++i) {
    const char* const names[]{"app.000", "comm.000", "w00.000", "defs.000"};
    const std::string file =
        path + "/rank-00000" + std::to_string(i % 2) + "/" + names[draw.below(4)];
    const std::string whole = file_text(file);
    std::string damaged = whole;
    for (int flips = 0; flips < 4; ++flips)
      damaged[draw.below(std::min<std::size_t>(whole.size(), 1'500))] ^=
          static_cast<char>(1 << draw.below(8));
    replace_file(file, damaged);
    try {
      const run read(path);
      const model known(read);
      (void)say_check(known, "");
      (void)why_twice(known, {});
      (void)waits(known, {});
      (void)breakdown(known, {});
      (void)say_critical_path(known);
      (void)state(known, read.end());
      (void)print(known, {}, {}, 100);
    } catch (const unreadable&) {
    }
    replace_file(file, whole);
  }
}

TEST(outline, has_the_streams_the_times_and_the_bytes_of_the_run) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.events = 30'000;
  generate(options);
  const run read(options.path);
  const run_outline outline = outline_of(options.path);
  std::vector<std::pair<int, std::string>> wanted, found;
  for (const lane& each : read.lanes())
    if (each.name != "defs") wanted.emplace_back(each.rank, each.name);
  std::uint64_t packets = 0, bytes = 0, recorded = 0;
  for (const outlined_lane& each : outline.lanes) {
    found.emplace_back(each.rank, each.name);
    packets += each.packets.size();
    std::int64_t before = 0;
    for (const outlined_packet& p : each.packets) {
      EXPECT_LE(before, p.begin);
      EXPECT_LE(p.begin, p.end);
      EXPECT_FALSE(p.lost);
      before = p.end;
      bytes += p.bytes;
    }
  }
  for (const event& e : read.events())
    if (read.lanes()[e.lane].name != "defs") recorded += 7 + read.payload_bytes(e);
  EXPECT_THAT(found, testing::UnorderedElementsAreArray(wanted));
  EXPECT_GT(packets, outline.lanes.size()) << "more than one for some";
  EXPECT_EQ(outline.end, read.end());
  EXPECT_EQ(bytes, recorded);
  EXPECT_FALSE(outline.packed);
}

/// One line per event: its place, its time, and its fields; but for those of which old recordings
/// say less: the transfer that made a task ready, what a value holds, and the message or the number
/// of the call of a wait.
std::vector<std::string> lines_of(const run& read) {
  std::vector<std::string> lines;
  for (const event& e : read.events()) {
    std::string line = read.lanes()[e.lane].name + ' ' + std::to_string(e.time) + ' ' +
                       std::to_string(static_cast<int>(e.what));
    constexpr std::uint64_t transfer = 2;
    const auto is_new = [&](field each) {
      if (e.what == record::task_ready)
        return each == field::cause_id && read.get(e, field::cause) == transfer;
      if (e.what == record::wait_begin)
        return each == field::handle || each == field::version || each == field::peer ||
               each == field::tag || each == field::number;
      return each == field::held;
    };
    for (const field each : read.fields(e))
      if (!is_new(each)) line += ' ' + std::to_string(read.get(e, each));
    lines.push_back(line);
  }
  return lines;
}

TEST(stamps, of_recordings_that_have_eight_bytes_for_each_are_read_as_well) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.ranks = 2;
  options.workers = 1;
  options.tiles = 3;
  generate(options);
  const run now(options.path), then(TESTS "/wide_stamps.deed");
  EXPECT_EQ(then.events().size(), 147u);
  EXPECT_EQ(lines_of(now), lines_of(then));
}

TEST(stamps, tell_days_of_silence_apart) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  constexpr std::int64_t turn = std::int64_t{1} << 48, half = std::int64_t{1} << 47;
  const std::vector<std::int64_t> times{
      5,       half, half + turn / 2 + 9, 3 * turn, 3 * turn + 1, 4 * turn + half + 2, 9 * turn - 1,
      9 * turn};
  event_log log(path, 1, 1, 1);
  for (const std::int64_t each : times)
    log.add(each, 0, event_log::first_worker, record::task_end, {1, 0});
  log.close();
  const auto times_of = [](const std::string& of) {
    std::vector<std::int64_t> read;
    const run all(of);
    EXPECT_TRUE(all.incomplete().empty());
    for (const event& e : all.events())
      if (e.what == record::task_end) read.push_back(all.origin() + e.time);
    return read;
  };
  EXPECT_EQ(times_of(path), times);
  const std::string part = folder.path() + "/part.deed";
  slice(run(path), part, {});
  EXPECT_EQ(times_of(part), times);
  EXPECT_TRUE(repair(path, true).done.empty()) << "nothing is damaged";
}

TEST(outline, tells_where_events_were_lost) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.inject = {{"drop", 1}};
  const truth known = generate(options);
  ASSERT_EQ(known.faults.size(), 1u);
  for (const outlined_lane& each : outline_of(options.path).lanes) {
    const bool spoilt = known.faults[0].src == each.rank &&
                        known.faults[0].file.ends_with("/" + each.name + ".000");
    ASSERT_FALSE(each.packets.empty());
    EXPECT_EQ(each.packets[0].lost, spoilt) << each.rank << ' ' << each.name;
  }
}

TEST(generator, damages_a_run_as_much_as_it_is_told) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/whole.deed";
  options.events = 30'000;
  generate(options);
  const std::string whole = std::exchange(options.path, folder.path() + "/run.deed");
  options.inject = {{"drop", 1}, {"cut", 1}, {"skew", 1}, {"drift", 1}};
  options.amounts = {{"drop", *parse_amount("drop", "2%")},
                     {"cut", *parse_amount("cut", "0.7")},
                     {"skew", *parse_amount("skew", "50us")},
                     {"drift", *parse_amount("drift", "20ppm")}};
  std::set<std::string> struck;
  for (const injected_fault& each : generate(options).faults) {
    struck.insert(each.kind);
    if (each.kind == "skew") {
      EXPECT_EQ(each.at, 50'000);
    } else if (each.kind == "drift") {
      EXPECT_EQ(each.at, 20'000) << "nanoseconds in a second";
    }
    const auto events_of_file = [&](const std::string& path) {
      const run events(path);
      return static_cast<double>(std::ranges::count_if(events.events(), [&](const event& e) {
        const lane& of = events.lanes()[e.lane];
        return of.rank == each.src && each.file.ends_with("/" + of.name + ".000");
      }));
    };
    if (each.kind == "drop") {
      EXPECT_NEAR(static_cast<double>(each.at), 0.02 * events_of_file(whole), 1.0);
    } else if (each.kind == "cut") {
      EXPECT_NEAR(events_of_file(options.path), 0.7 * events_of_file(whole), 1.0);
    }
  }
  EXPECT_EQ(struck, (std::set<std::string>{"cut", "drift", "drop", "skew"}));
}

TEST(generator, refuses_amounts_that_are_none) {
  EXPECT_FALSE(parse_amount("cut", "1.7"));
  EXPECT_FALSE(parse_amount("cut", "0"));
  EXPECT_FALSE(parse_amount("drop", "120%"));
  EXPECT_FALSE(parse_amount("drift", "2"));
  EXPECT_FALSE(parse_amount("drift", "2e9ppm"));
  EXPECT_FALSE(parse_amount("skew", "-1us"));
  EXPECT_FALSE(parse_amount("deadlock", "50us"));
}

/// The column of a table that has this name.
std::vector<std::string> column_of(const table& from, const std::string& name) {
  const auto at = std::ranges::find(from.columns, name) - from.columns.begin();
  std::vector<std::string> cells;
  for (const auto& row : from.rows) cells.emplace_back(row.at(static_cast<std::size_t>(at)));
  return cells;
}

TEST(outline, says_of_ranks_and_codelets_what_the_whole_run_says) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.events = 30'000;
  options.inject = {{"drop", 1}, {"missing_rank", 1}};
  generate(options);
  const auto both = [&] {
    const run events(options.path);
    return std::pair(info(outline_of(options.path)), info(model(events)));
  };
  const auto [quick, whole] = both();
  for (const char* const name :
       {"rank", "host", "pid", "clock", "discarded", "from", "to", "ended"})
    EXPECT_EQ(column_of(quick.tables[0], name), column_of(whole.tables[0], name)) << name;
  for (const char* const name : {"codelet", "place"})
    EXPECT_EQ(column_of(quick.tables[1], name), column_of(whole.tables[1], name)) << name;
  EXPECT_THAT(outline_of(options.path).incomplete, testing::SizeIs(2)) << "a rank, and events";
  for (const auto& each : std::filesystem::recursive_directory_iterator(options.path))
    if (each.path().filename() == "w00.000")
      std::filesystem::resize_file(each.path(), each.file_size() - 100);
  const auto [quick_of_cut, whole_of_cut] = both();
  const auto ends = column_of(quick_of_cut.tables[0], "ended");
  EXPECT_EQ(ends, column_of(whole_of_cut.tables[0], "ended"));
  EXPECT_THAT(ends, testing::Contains(HasSubstr("cut off")));
}

TEST(outline, survives_what_the_reader_survives) {
  const scratch_folder folder;
  const std::string path = small_run(folder);
  const std::string file = path + "/rank-000001/comm.000", good = file_text(file);
  deed::random_source draw{5};
  const auto first_picture = [&](const std::string& bytes) {
    replace_file(file, bytes);
    const run_outline outline = outline_of(path);
    EXPECT_LE(outline.end, 2 * hundred_days);
    EXPECT_GE(outline.end, 0);
  };
  for (std::size_t cut = 0; cut < 200; ++cut) first_picture(good.substr(0, cut));
  for (int i = 0; i < 300; ++i) {
    std::string damaged = good;
    damaged[draw.below(80)] ^= static_cast<char>(1 << draw.below(8));
    first_picture(damaged);
  }
  std::filesystem::remove_all(path + "/rank-000000");
  EXPECT_NO_THROW((void)outline_of(path));
  std::filesystem::remove(path + "/rank-000001/metadata");
  EXPECT_THROW((void)outline_of(path), unreadable);
  EXPECT_THROW((void)outline_of(folder.path()), unreadable);
}

TEST(units, read_what_they_write) {
  EXPECT_EQ(say_time(12'310'000), "12.310 ms");
  EXPECT_EQ(say_bytes(2'000'000), "2.0 MB");
  EXPECT_EQ(say_count(1'234'567), "1,234,567");
  EXPECT_EQ(say_short_value(-999), "-999");
  EXPECT_EQ(say_short_value(1'081'564), "1.08 M");
  EXPECT_EQ(say_short_value(-12'345), "-12.3 k");
  EXPECT_EQ(say_short_value(999'600), "1.00 M");
  EXPECT_EQ(say_short_value(std::numeric_limits<std::int64_t>::min()), "-9.22 E");
  EXPECT_EQ(parse_time("12.3ms"), 12'300'000);
  EXPECT_EQ(parse_time(say_time(214'000)), 214'000);
  EXPECT_FALSE(parse_time("soon"));
}

// The start and the end of a transfer have 32 bits for its tag.
TEST(messages, of_one_datum_are_told_apart_by_all_bits_of_their_tags) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  event_log log(path, 2, 1, 1);
  constexpr int comm = event_log::progress;
  constexpr std::uint64_t send = 0, user = 4, no_task = ~0ull;
  constexpr std::array<std::uint64_t, 3> tags{5, 1ull << 32 | 5, 2ull << 32 | 5};
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 8});
  std::int64_t time = 0;
  for (const std::uint64_t tag : tags)
    log.add(++time, 0, comm, record::xfer_post, {send, 0, 1, 1, 0, 8, tag, user, no_task});
  for (const std::uint64_t tag : tags)
    log.add(++time, 0, comm, record::xfer_start, {0, 1, 1, 0, send, tag});
  for (const std::uint64_t tag : tags)
    log.add(++time, 0, comm, record::xfer_done, {0, 1, 1, 0, send, tag, 8});
  log.close();
  const run events(path);
  const model m(events);
  ASSERT_EQ(m.transfers().size(), tags.size());
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const transfer& x = m.transfers()[i];
    EXPECT_EQ(m.tag_of(x), tags[i]);
    EXPECT_EQ(x.start - x.post_send, 3) << i;
    EXPECT_EQ(x.done_send - x.start, 3) << i;
  }
}

// A damaged number of a datum, or a registration that is lost.
TEST(questions, are_answered_about_data_that_nobody_registered) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  event_log log(path, 2, 1, 1);
  constexpr int comm = event_log::progress, worker = event_log::first_worker;
  constexpr std::uint64_t send = 0, receive = 1, nobody = 77'777, no_task = ~0ull;
  const std::uint64_t codelet = log.rank(1).codelet("unrelated", deed::place::current());
  log.rank(1).handle_registered({.handle = 0, .name = "known", .bytes = 8});
  log.add(1'000, 0, comm, record::xfer_post, {send, nobody, 1, 1, 0, 8, nobody, 0, no_task});
  log.add(1'001, 0, comm, record::xfer_start, {nobody, 1, 1, 0, send});
  log.add(1'002, 1, comm, record::xfer_done, {nobody, 1, 0, 0, receive});
  log.add(4'000, 1, worker, record::task_begin, {0, codelet});
  log.add(4'001, 1, worker, record::task_access, {0, 0, 0, 0, 0, 0});
  log.add(4'500, 1, worker, record::task_end, {0, 0});
  log.close();
  const run events(path);
  const model m(events);
  EXPECT_THAT(render(cache(m), style::text, {}, 100), HasSubstr("#77777"));
  EXPECT_TRUE(m.events_of(nobody).empty());
}

}  // namespace
