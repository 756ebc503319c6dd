// SPDX-License-Identifier: MIT
#include <deed/trace/recorder.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/state_at.hpp"
#include "analysis/edit/edit.hpp"
#include "analysis/generate/event_log.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/match/meetings.hpp"
#include "analysis/read/outline.hpp"
#include "analysis/say/units.hpp"
#include "scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Of what was not recorded, or is gone, nothing is said: neither that it was well, nor that it was
/// not.

namespace {

using namespace deed::viewer;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::string text_of(const answer& said) { return render(said, style::text, {}, 100); }

/// One rank, of which one thread writes a datum again and again.
class rewritten_datum {
 public:
  rewritten_datum(const std::string& mode, const std::string& events) {
    using namespace deed::trace;
    recorder_options options;
    options.path = folder_.path() + "/run.deed";
    options.set("mode", mode);
    options.set("events", events);
    manual_clock clock;
    recorder to(options, run_identity{{1, 2}, 0, 1}, &clock);
    to.handle_registered({.handle = 0, .name = "u", .bytes = 8});
    const std::uint16_t codelet = to.codelet("add", {});
    stream& worker = to.open_stream(stream_kind::worker, 0, "worker 0");
    for (std::uint32_t i = 0; i < tasks; ++i) {
      clock.at = std::int64_t{i} * 1'000;
      worker.task_submit(i, codelet, 0, 0, 0, 1);
      worker.task_access(i, 0, 0, access_kind::read_write, i, i + 1);
      worker.task_begin(i, codelet);
      clock.at += 500;
      worker.task_end(i, task_status::ok);
    }
    to.close();
    events_ = std::make_unique<run>(options.path);
    things_ = std::make_unique<model>(*events_);
  }
  [[nodiscard]] const run& events() const { return *events_; }
  [[nodiscard]] const model& things() const { return *things_; }

  static constexpr std::uint32_t tasks = 20'000;

 private:
  scratch_folder folder_;
  std::unique_ptr<run> events_;
  std::unique_ptr<model> things_;
};

TEST(ring, says_since_when_it_is_known_what_happened) {
  const rewritten_datum all("full", "task,access,owner"), some("ring:1M", "task,access,owner");
  EXPECT_EQ(all.events().known_from(), 0);
  EXPECT_THAT(all.events().incomplete(), testing::IsEmpty());
  const std::int64_t from = some.events().known_from();
  EXPECT_GT(from, 1'000'000);
  EXPECT_LT(from, some.events().end());
  EXPECT_FALSE(some.events().is_whole());
  const auto said = Contains(HasSubstr("were given up for later ones"));
  EXPECT_THAT(some.events().incomplete(), said);
  const run_outline outline = outline_of(some.events().path());
  EXPECT_THAT(outline.incomplete, said);
  EXPECT_EQ(outline.end, some.events().end()) << "as of the whole run: the definitions are there";
  for (const answer& each : {info(outline), info(some.things())})
    EXPECT_THAT(text_of(each),
                HasSubstr("rank 0 kept all from " + say_time(from) + " on, the last "));
  EXPECT_THAT(text_of(info(all.things())), Not(HasSubstr("kept all")));
}

/// It is neither cut off nor damaged.
TEST(ring, that_was_closed_gave_up_its_oldest_part) {
  const rewritten_datum some("ring:1M", "task,access,owner");
  for (const answer& each : {info(outline_of(some.events().path())), info(some.things())}) {
    const auto& row = each.tables.front().rows.front();
    ASSERT_EQ(each.tables.front().columns[6], "from");
    EXPECT_EQ(std::string(row[6]), say_time(some.events().known_from()));
    EXPECT_EQ(std::string(row.back()), "closed, its oldest part given up");
  }
}

TEST(ring, knows_nothing_of_what_was_given_up) {
  const rewritten_datum some("ring:1M", "task,access,owner");
  const model& of = some.things();
  const std::int64_t from = some.events().known_from();
  EXPECT_THAT(text_of(who_owned(of, 0, from - 1)), HasSubstr("not known at"));
  EXPECT_THAT(text_of(state(of, from - 1)), HasSubstr("not known at"));
  EXPECT_THAT(text_of(who_owned(of, 0, some.events().end())), HasSubstr("add#19999"));
  EXPECT_THAT(text_of(say_check(of, "")), Not(HasSubstr("proved")));
  ASSERT_FALSE(critical_path(of).empty());
  EXPECT_GE(critical_path(of).front().begin, from);
}

/// A thread stands by while another one runs what the program inserts; the first half is given up.
TEST(ring, does_not_say_that_there_were_no_tasks_in_what_was_given_up) {
  using namespace deed::trace;
  const scratch_folder folder;
  recorder_options options;
  options.path = folder.path() + "/run.deed";
  options.set("mode", "ring:1M");
  manual_clock clock;
  recorder to(options, run_identity{{1, 2}, 0, 1}, &clock);
  const std::uint16_t codelet = to.codelet("add", {});
  stream& busy = to.open_stream(stream_kind::worker, 0, "worker 0");
  stream& idle = to.open_stream(stream_kind::worker, 1, "worker 1");
  idle.state(worker_state::idle_dependency, reason_kind::none, 0);
  for (std::uint32_t i = 0; i < 30'000; ++i) {
    clock.at = std::int64_t{i} * 1'000;
    busy.task_submit(i, codelet, 0, 0, 0, 0);
    clock.at += 900;
    busy.task_begin(i, codelet);
    busy.task_end(i, task_status::ok);
  }
  to.close();
  const run events(options.path);
  ASSERT_GT(events.known_from(), events.end() / 2);
  const model of(events);
  EXPECT_TRUE(std::ranges::any_of(
      of.states(), [](const state_span& each) { return each.is(worker_state::idle_dependency); }));
}

TEST(category, that_was_left_out_is_not_answered_for) {
  const rewritten_datum transfers("full", "xfer"), tasks("full", "task");
  for (const answer& each :
       {stats(transfers.things(), {}), breakdown(transfers.things(), {}),
        who_owned(transfers.things(), 0, 0), say_critical_path(transfers.things())})
    EXPECT_THAT(text_of(each), HasSubstr("not recorded: DEED_TRACE_EVENTS left out task"));
  for (const answer& each :
       {why_twice(tasks.things(), std::nullopt), redundant(tasks.things(), loss_by::cause),
        comm_matrix(tasks.things())})
    EXPECT_THAT(text_of(each), HasSubstr("not recorded: DEED_TRACE_EVENTS left out xfer"));
  const std::string rules = text_of(say_check(tasks.things(), ""));
  EXPECT_THAT(rules, HasSubstr("not recorded: category access"));
  EXPECT_THAT(rules, HasSubstr("not recorded: category owner"));
  EXPECT_THAT(text_of(stats(tasks.things(), {})), Not(HasSubstr("not recorded")));
}

/// As a program does that inserts tasks ahead of a worker: each rank writes a datum of its own
/// again and again, and what its ledger says in a snapshot are versions that nobody has written.
class written_behind {
 public:
  explicit written_behind(const std::string& mode) {
    using namespace deed::trace;
    recorder_options options;
    options.path = folder_.path() + "/run.deed";
    options.packet_bytes = std::size_t{64} << 10;
    options.set("mode", mode);
    manual_clock clock;
    recorder to(options, run_identity{{1, 2}, 0, 1}, &clock);
    to.handle_registered({.handle = 0, .name = "u", .bytes = 8});
    const std::uint16_t codelet = to.codelet("add", {});
    stream& app = to.open_stream(stream_kind::application, 0, "program");
    stream& worker = to.open_stream(stream_kind::worker, 0, "worker 0");
    for (std::uint32_t i = 0; i < tasks + ahead; ++i) {
      clock.at = std::int64_t{i} * 1'000;
      if (i < tasks) {
        if (app.wants_snapshot()) {
          app.owner(0, i, 0, 0, owner_cause::snapshot, 0);
          app.copy_state(0, i, 0, copy_status::owner, owner_cause::snapshot, 0);
        }
        app.task_submit(i, codelet, 0, 0, 0, 1);
        app.task_access(i, 0, 0, access_kind::read_write, i, i + 1);
      }
      if (i < ahead) continue;
      worker.task_begin(i - ahead, codelet);
      clock.at += 500;
      worker.task_end(i - ahead, task_status::ok);
    }
    clock.at += 1'000'000;  // A packet ends when it is closed.
    to.close();
    events_ = std::make_unique<run>(options.path);
    things_ = std::make_unique<model>(*events_);
  }
  [[nodiscard]] const model& things() const { return *things_; }

  static constexpr std::uint32_t tasks = 20'000, ahead = 3'000;

 private:
  scratch_folder folder_;
  std::unique_ptr<run> events_;
  std::unique_ptr<model> things_;
};

TEST(outline, lasts_as_long_as_the_run) {
  for (const char* const mode : {"full", "ring:256K"}) {
    const written_behind recorded(mode);
    const run& events = recorded.things().events();
    const run_outline outline = outline_of(events.path());
    EXPECT_EQ(outline.origin, events.origin());
    EXPECT_EQ(outline.end, events.end());
    EXPECT_EQ(outline.ranks[0].first, events.ranks()[0].first);
    EXPECT_EQ(outline.ranks[0].last, events.ranks()[0].last);
  }
}

TEST(ring, never_names_a_version_of_the_future) {
  const written_behind all("full"), some("ring:256K");
  const std::int64_t from = some.things().events().known_from(), end = all.things().events().end();
  ASSERT_GT(from, 0);
  std::size_t known = 0;
  for (std::int64_t when = from; when <= end; when += (end - from) / 97) {
    const datum_state is = state_at(all.things(), 0, when), told = state_at(some.things(), 0, when);
    if (!told.version_known) continue;
    ++known;
    EXPECT_EQ(told.version, is.version) << when;
    EXPECT_EQ(told.copies[0].known, true);
    EXPECT_EQ(told.copies[0].kind, is.copies[0].kind) << when;
  }
  EXPECT_GT(known, 10u) << "from when what still ran has ended";
  EXPECT_THAT(text_of(who_owned(some.things(), 0, from)), HasSubstr("version       not known"));
  EXPECT_THAT(text_of(who_owned(some.things(), 0, end)), HasSubstr("add#19999"));
}

/// Two ranks that meet at barrier after barrier, rank 1 last, and keep the last of them.
std::string record_ring_of_barriers(const std::string& path) {
  using namespace deed::trace;
  constexpr std::uint32_t barriers = 20'000;
  constexpr auto word = collective_call{collective_kind::barrier, 0, 0}.word();
  manual_clock clock;
  std::vector<std::unique_ptr<recorder>> ranks;
  std::vector<stream*> programs;
  for (int rank = 0; rank < 2; ++rank) {
    recorder_options options;
    options.path = path;
    options.set("mode", "ring:1M");
    ranks.push_back(std::make_unique<recorder>(options, run_identity{{1, 2}, rank, 2}, &clock));
    programs.push_back(&ranks.back()->open_stream(stream_kind::application, 0, "program"));
  }
  for (std::uint32_t i = 0; i < barriers; ++i) {
    for (std::size_t rank = 0; rank < 2; ++rank) {
      clock.at = std::int64_t{i} * 1'000 + (rank == 0 ? 100 : 500);
      programs[rank]->collective_call(word, i, 0);
      programs[rank]->collective_begin(word, i);
      programs[rank]->wait_begin(wait_kind::collective, word, 0, {}, i);
    }
    clock.at += 100;
    for (stream* const each : programs) each->wait_end(wait_kind::collective, word);
  }
  for (const auto& each : ranks) each->close();
  return path;
}

/// Without the last packet but one of rank 1's program.
void lose_a_packet(const std::string& path) {
  std::vector<std::filesystem::path> files;
  for (const auto& each : std::filesystem::directory_iterator(path + "/rank-000001"))
    if (each.path().filename().string().starts_with("app.")) files.push_back(each.path());
  std::ranges::sort(files);
  ASSERT_GT(files.size(), 2u);
  std::filesystem::remove(files[files.size() - 2]);
}

void expect_no_accusation(const run& events) {
  const model things(events);
  const auto found = check(things);
  EXPECT_TRUE(found.empty()) << found.front().sentence;
  const auto first = things.met().of_rank(0);
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(std::ranges::count(first, 0, &meeting_stay::awaited), 0)
      << "rank 1 may have come last there";
}

/// Calls in a packet that is gone were made, though the one before is kept.
TEST(ring, of_which_a_packet_is_gone_in_the_middle_accuses_nobody) {
  const scratch_folder folder;
  const std::string path = record_ring_of_barriers(folder.path() + "/run.deed");
  EXPECT_THAT(check(model(run(path))), testing::IsEmpty());
  lose_a_packet(path);
  const run events(path);
  ASSERT_GT(events.known_from(), 0);
  expect_no_accusation(events);
}

TEST(ring, of_which_a_packet_is_gone_in_the_middle_has_slices_that_accuse_nobody) {
  const scratch_folder folder;
  const std::string path = record_ring_of_barriers(folder.path() + "/run.deed");
  lose_a_packet(path);
  const run events(path);
  const time_range all{events.known_from(), events.end()};
  for (const auto& [name, wanted] :
       {std::pair("part", slice_options{all, {}}), {"ranks", slice_options{{}, {0, 1}}}}) {
    SCOPED_TRACE(name);
    const std::string to = folder.path() + "/" + name + ".deed";
    slice(events, to, wanted);
    const run part(to);
    expect_no_accusation(part);
    for (const auto& said : {part.incomplete(), outline_of(to).incomplete})
      EXPECT_THAT(
          said, testing::Contains("rank 1: events are missing, as of the run that it is cut from"));
  }
}

class lost_events : public testing::TestWithParam<const char*> {};

TEST_P(lost_events, are_no_wrong_of_the_program) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const scratch_folder folder;
    generator_options options;
    options.path = folder.path() + "/run.deed";
    options.seed = seed;
    options.events = 3'000;
    options.inject = {{GetParam(), 1}};
    generate(options);
    const run events(options.path);
    EXPECT_FALSE(events.is_whole());
    const auto found = check(model(events));
    EXPECT_TRUE(found.empty()) << seed << ": " << found.front().sentence;
  }
}

INSTANTIATE_TEST_SUITE_P(of, lost_events, testing::Values("drop", "cut", "bitflip", "missing_rank"),
                         [](const auto& of) { return std::string(of.param); });

/// A user who may not read everything, for as long as it lives: root may.
class another_user {
 public:
  another_user() {
    constexpr uid_t nobody_at_all = 65'534;
    if (::geteuid() == 0) {
      EXPECT_EQ(::seteuid(nobody_at_all), 0);
    }
  }
  another_user(const another_user&) = delete;
  another_user& operator=(const another_user&) = delete;
  ~another_user() { EXPECT_EQ(::seteuid(::getuid()), 0); }
};

TEST(run, of_which_a_rank_may_not_be_read_says_so) {
  namespace files = std::filesystem;
  using files::perms;
  struct forbidden {
    perms folder;
    const char* says;
  };
  for (const auto& [mode, says] : {forbidden{perms::none, "its files cannot be read: "},
                                   {perms::owner_exec | perms::group_exec | perms::others_exec,
                                    "its files cannot be listed: "}}) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 2, 0, 1);
    for (const int rank : {0, 1})
      log.add(1'000, rank, event_log::application, record::phase_push, {1, 0});
    log.close();
    const std::string path = folder.path() + "/run.deed";
    files::permissions(folder.path(), perms::all);
    for (const auto& each : files::recursive_directory_iterator(folder.path()))
      files::permissions(each, perms::all);
    files::permissions(path + "/rank-000001", mode);
    {
      const another_user me;
      const std::string wanted = "rank 1: " + std::string(says) + "Permission denied";
      EXPECT_THAT(run(path).incomplete(), testing::Contains(wanted));
      EXPECT_THAT(run(path).incomplete(), testing::Contains("no trace from rank 1"));
      EXPECT_THAT(outline_of(path).incomplete, testing::Contains(wanted));
    }
    files::permissions(path + "/rank-000001", perms::all);
    const std::string events = path + "/rank-000001/app.000";
    ASSERT_TRUE(files::exists(events));
    files::permissions(events, perms::none);
    {
      const another_user me;
      EXPECT_THAT(run(path).incomplete(),
                  testing::Contains("`" + events + "` cannot be read: Permission denied"));
    }
  }
}

}  // namespace
