// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>

#include "../support/virtual_ranks.hpp"
#include "settings_table.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace {

using deed::runtime::option_of;
using deed::runtime::setting;
using deed::runtime::settings;
using deed::runtime::settings_table;
using deed::runtime::variable_of;

/// A run with these variables and arguments.
settings read(std::vector<std::string> variables, std::vector<std::string> arguments,
              const deed::session_options& code = {}) {
  std::vector<char*> environment, words;
  std::string program = "./program";
  words.push_back(program.data());
  for (std::string& each : variables) environment.push_back(each.data());
  for (std::string& each : arguments) words.push_back(each.data());
  environment.push_back(nullptr);
  return deed::runtime::read_settings(static_cast<int>(words.size()), words.data(),
                                      environment.data(), code);
}

std::string refusal(std::vector<std::string> variables, std::vector<std::string> arguments) {
  try {
    static_cast<void>(read(std::move(variables), std::move(arguments)));
  } catch (const deed::error& thrown) {
    EXPECT_EQ(thrown.code(), deed::error_code::bad_setting);
    return thrown.what();
  }
  return "nothing was thrown";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The line of a setting in `DEED_HELP=1`.
std::string line_of(const setting& one, const settings& all,
                    const deed::session_options& code = {}) {
  const std::string text = deed::runtime::describe_settings(all, code);
  const auto begin = text.find("  " + variable_of(one.name) + "  ");
  return begin == text.npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

class settings_table_of : public testing::TestWithParam<setting> {};

TEST_P(settings_table_of, is_a_variable) {
  const setting& one = GetParam();
  const settings all = read({variable_of(one.name) + "=" + std::string(one.example)}, {});
  EXPECT_EQ(one.show(all), one.example);
  EXPECT_TRUE(has(line_of(one, all), "now: " + std::string(one.example) + "  (environment)"))
      << line_of(one, all);
}

TEST_P(settings_table_of, is_an_option_which_the_program_does_not_see) {
  const setting& one = GetParam();
  const std::string option = option_of(one.name);
  const settings all = read({}, {"a", option + "=" + std::string(one.example), "b"});
  EXPECT_EQ(one.show(all), one.example);
  EXPECT_EQ(all.rest, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(has(line_of(one, all), "(" + option + ")")) << line_of(one, all);
}

TEST_P(settings_table_of, has_a_default_that_nobody_said) {
  const setting& one = GetParam();
  const settings all = read({}, {});
  const std::string shown = one.show(all);
  EXPECT_TRUE(has(line_of(one, all), "default: " + std::string(one.standard)));
  EXPECT_TRUE(has(line_of(one, all), "  (default)"));
  EXPECT_FALSE(has(line_of(one, all), "now:  ("));
  EXPECT_NE(shown, one.example);
}

TEST_P(settings_table_of, gives_way_to_the_command_line) {
  const setting& one = GetParam();
  const std::string example(one.example);
  const settings unsaid = read({}, {});
  const std::string other = one.show(unsaid).empty() ? example : one.show(unsaid);
  const settings all =
      read({variable_of(one.name) + "=" + other}, {option_of(one.name) + "=" + example});
  EXPECT_EQ(one.show(all), example);
  EXPECT_EQ(all.given.size(), 1u);
  EXPECT_EQ(all.given.front().origin, option_of(one.name));
}

TEST_P(settings_table_of, refuses_an_empty_value) {
  const setting& one = GetParam();
  for (const std::string& said :
       {refusal({variable_of(one.name) + "="}, {}), refusal({}, {option_of(one.name) + "="})}) {
    EXPECT_TRUE(has(said, "deed[D007]")) << one.name;
  }
}

TEST(settings, take_the_name_of_a_flag_alone_as_one) {
  EXPECT_TRUE(read({}, {"--deed-checksum"}).session.checksums);
}

/// What a program wrote into its options itself, without a setting.
std::string refusal_of_fields(const deed::session_options& options) {
  try {
    test::on_virtual_ranks(1, [](deed::session&) {}, 1, options);
  } catch (const deed::error& refused) {
    return refused.what();
  }
  return "";
}

TEST(settings, refuse_fields_that_a_program_cannot_mean) {
  deed::session_options never{.checkpoint = {.folder = "x", .every = 0}}, small, early, fewer;
  small.trace.packet_bytes = 7;
  early.silence.limit = std::chrono::seconds(-5);
  fewer.workers = -3;
  EXPECT_EQ(refusal_of_fields({}), "");
  EXPECT_TRUE(has(refusal_of_fields(never), "checkpoint.every = 0: not a value of this field"));
  EXPECT_TRUE(has(refusal_of_fields(small), "`packet` cannot be `7`"));
  EXPECT_TRUE(has(refusal_of_fields(early), "silence.limit = -5"));
  EXPECT_TRUE(has(refusal_of_fields(fewer), "workers = -3"));
}

TEST(settings, take_a_flag_for_a_summary_as_text_or_none) {
  EXPECT_EQ(read({"DEED_SUMMARY=1"}, {}).session.summary, "text");
  EXPECT_EQ(read({"DEED_SUMMARY=run.json"}, {"--deed-summary=off"}).session.summary, "");
}

TEST_P(settings_table_of, refuses_a_value_that_it_cannot_have) {
  const setting& one = GetParam();
  // Any text may name a file or a folder; but nothing is none.
  const std::string variable = variable_of(one.name);
  const bool any_text = std::set<std::string_view>{"checkpoint", "hang-report", "history",
                                                   "resume",     "summary",     "trace"}
                            .contains(one.name);
  if (any_text) return;
  const std::string said = refusal({variable + "=?%"}, {});
  EXPECT_TRUE(has(said, "deed[D007]")) << said;
  if (one.name == "fault") return;  // Of a plan it says which fault there is none of.
  EXPECT_TRUE(has(said, variable + "=?%: not a value of this setting")) << said;
  EXPECT_TRUE(has(said, "such as `" + variable + "=" + std::string(one.example) + "`")) << said;
}

TEST_P(settings_table_of, is_suggested_where_its_name_is_nearly_right) {
  const setting& one = GetParam();
  std::string variable = variable_of(one.name), option = option_of(one.name);
  variable += 'S', option += 's';
  EXPECT_TRUE(has(refusal({variable + "=1"}, {}), "did you mean " + variable_of(one.name) + "?"))
      << refusal({variable + "=1"}, {});
  EXPECT_TRUE(has(refusal({}, {option + "=1"}), "did you mean " + option_of(one.name) + "?"))
      << refusal({}, {option + "=1"});
}

TEST_P(settings_table_of, travels_to_the_other_ranks) {
  const setting& one = GetParam();
  const settings first = read({variable_of(one.name) + "=" + std::string(one.example)}, {});
  const settings mine = read({}, {"its", "own"});
  const settings all =
      deed::runtime::adopt_settings(mine, deed::runtime::text_of(first), deed::session_options{});
  EXPECT_EQ(one.show(all), one.example);
  EXPECT_EQ(all.rest, mine.rest);
  EXPECT_TRUE(has(line_of(one, all), "(rank 0)"));
}

TEST_P(settings_table_of, stands_in_the_manual) {
  const setting& one = GetParam();
  const std::string page = deed::runtime::settings_page();
  EXPECT_TRUE(has(page, "| `" + variable_of(one.name) + "` | `" + option_of(one.name) + "` |"));
}

std::string test_name(const testing::TestParamInfo<setting>& info) {
  return variable_of(info.param.name);
}
INSTANTIATE_TEST_SUITE_P(all, settings_table_of,
                         testing::ValuesIn(settings_table().begin(), settings_table().end()),
                         test_name);

TEST(settings_of_a_run, are_few) {
  EXPECT_LE(settings_table().size(), 33u) << "fold one before you add one";
}

TEST(settings_of_a_run, say_of_memory_what_copies_may_take_and_whether_ranks_share_any) {
  const auto memory = [](const std::string& text) {
    return read({"DEED_MEMORY=" + text}, {}, {}).session;
  };
  EXPECT_TRUE(memory("cache=8M").shares_memory);
  EXPECT_FALSE(memory("shared=0").shares_memory);
  EXPECT_TRUE(memory("shared=0").cache);
  EXPECT_FALSE(memory("cache=8M,shared=0").shares_memory);
  EXPECT_EQ(memory("shared=0,cache=8M").cache_bytes, std::uint64_t{8} << 20);
  EXPECT_FALSE(memory("shared=0,cache=0").cache);
  for (const char* const wrong : {"", ",", "shared", "shared=1", "cache", "8M", "cache=1,"})
    EXPECT_THROW(memory(wrong), deed::error) << wrong;
  const setting& line = *std::ranges::find(settings_table(), "memory", &setting::name);
  EXPECT_TRUE(has(line_of(line, read({"DEED_MEMORY=shared=0,cache=8M"}, {}, {}), {}),
                  "now: cache=8M,shared=0"));
}

TEST(settings_of_a_run, say_with_the_window_whether_tasks_are_deferred) {
  const auto window = [](const std::string& text) {
    return read({"DEED_WINDOW=" + text}, {}, {}).session;
  };
  EXPECT_EQ(window("8").defer, deed::deferral::automatic);
  EXPECT_EQ(window("8,deferred").defer, deed::deferral::on);
  EXPECT_EQ(window("8,deferred").window, 8u);
  EXPECT_EQ(window("undeferred").defer, deed::deferral::off);
  EXPECT_EQ(window("undeferred").window, deed::session_options{}.window);
  for (const char* const wrong : {"", ",", "8,", ",deferred", "8,later", "later", "0", "0,auto"})
    EXPECT_THROW(window(wrong), deed::error) << wrong;
}

TEST(settings_of_a_run, hold_over_those_of_the_code) {
  const setting& window = *std::ranges::find(settings_table(), "window", &setting::name);
  const deed::session_options code{.window = 16, .defer = deed::deferral::off};
  EXPECT_TRUE(has(line_of(window, read({}, {}, code), code), "now: 16,undeferred  (code)"));
  EXPECT_EQ(read({}, {}, code).session.window, 16u);
  EXPECT_EQ(read({"DEED_WINDOW=8"}, {}, code).session.window, 8u);
  EXPECT_EQ(read({"DEED_WINDOW=8"}, {}, code).session.defer, deed::deferral::off);
  EXPECT_EQ(read({"DEED_WINDOW=8"}, {"--deed-window=4"}, code).session.window, 4u);
}

TEST(settings_of_a_run, name_what_differs_from_rank_0) {
  EXPECT_EQ(deed::runtime::settings_difference("window=8\n", "window=8\n"), "");
  EXPECT_EQ(deed::runtime::settings_difference("window=8\n", ""),
            "DEED_WINDOW=4096 there, 8 on rank 0");
  EXPECT_EQ(deed::runtime::settings_difference("trace=a\n", "window=8\ntrace=a\n"),
            "DEED_WINDOW=8 there, 4096 on rank 0");
  EXPECT_EQ(deed::runtime::settings_difference("trace=a\n", "window=8\n"),
            "DEED_WINDOW=8 there, 4096 on rank 0; DEED_TRACE=off there, a on rank 0");
}

TEST(settings_of_a_session, leave_those_of_a_run_aside) {
  std::string ranks = "DEED_RANKS=8", window = "DEED_WINDOW=8";
  std::vector<char*> environment{ranks.data(), window.data(), nullptr};
  const settings all = deed::runtime::read_session_settings(environment.data(), {});
  EXPECT_EQ(all.ranks, settings{}.ranks);
  EXPECT_EQ(all.session.window, 8u);
  ASSERT_EQ(all.aside.size(), 1u);  // The session says so.
  EXPECT_TRUE(all.aside.front().starts_with("DEED_RANKS=")) << all.aside.front();
}

TEST(settings_of_a_session, know_the_schedules_of_emulated_devices) {
  using enum deed::gpu::emulated_schedule;
  const auto devices = [](const std::string& text, const deed::session_options& code = {}) {
    const settings first = read({"DEED_DEVICES=" + text}, {}, code);
    return deed::runtime::adopt_settings(first, deed::runtime::text_of(first), code)
        .session.devices.emulated;
  };
  EXPECT_EQ(devices("emulated:3:timed").schedule, timed);
  EXPECT_EQ(devices("emulated:3:timed").devices, 3);
  EXPECT_EQ(devices("emulated:3").schedule, stepped);
  const auto shown = [](const settings& all) {
    const auto one = std::ranges::find(settings_table(), "devices", &setting::name);
    return one->show(all);
  };
  EXPECT_EQ(shown(read({"DEED_DEVICES=cuda,emulated:3:timed"}, {})), "cuda,emulated:3:timed");

  // What the code says holds until somebody says something else.
  deed::session_options code;
  code.devices.emulated = {.devices = 1, .schedule = threaded};
  EXPECT_EQ(devices("emulated:3", code).schedule, threaded);
  code.devices.emulated.schedule = timed;
  EXPECT_EQ(devices("emulated:3", code).schedule, stepped);
  EXPECT_EQ(read({"DEED_DEVICES=emulated:3:timed"}, {"--deed-devices=emulated:3"})
                .session.devices.emulated.schedule,
            stepped);
  for (const char* wrong : {"emulated:3:", "emulated:timed", "emulated:3:threaded",
                            "emulated:3:timed:timed", "emulated::timed", "cuda:timed"}) {
    const std::string said = refusal({std::string("DEED_DEVICES=") + wrong}, {});
    EXPECT_TRUE(has(said, "deed[D007]")) << wrong << '\n' << said;
  }
}

TEST(settings_of_a_session, refuse_a_list_with_an_empty_word) {
  for (const char* wrong : {"DEED_CHECKS=global,", "DEED_CHECKS=,global", "DEED_DEVICES=cuda,,hip",
                            "DEED_TRACE_EVENTS=,task", "DEED_TRACE_EVENTS=task,"})
    EXPECT_TRUE(has(refusal({wrong}, {}), "not a value of this setting")) << wrong;
  EXPECT_TRUE(read({"DEED_CHECKS=global,leaks"}, {}).session.checks.leaks);
}

TEST(settings_of_a_session, name_what_can_be_recorded_where_a_word_is_none_of_it) {
  const std::string said = refusal({"DEED_TRACE_EVENTS=tasks"}, {});
  EXPECT_TRUE(has(said, "task,access,xfer,cache,owner,gpu,wait,mem,place,digest")) << said;
  EXPECT_TRUE(has(refusal({"DEED_TRACE_MODE=rnig"}, {}), "full, ring, ring:BYTES or off"));
}

TEST(settings_of_a_session, refuse_a_ring_that_keeps_nothing) {
  for (const char* wrong : {"DEED_TRACE_MODE=ring:0", "DEED_TRACE_MODE=ring:"})
    EXPECT_TRUE(has(refusal({wrong}, {}), "not a value of this setting")) << wrong;
  EXPECT_EQ(read({"DEED_TRACE_MODE=ring"}, {}).session.trace.ring_bytes, std::size_t{64} << 20);
}

/// The code says how often, and whoever starts the program where.
TEST(settings_of_a_session, leave_the_rhythm_of_checkpoints_to_the_code) {
  const deed::session_options code{.checkpoint = {.every = 10}};
  const auto every = [&](const std::string& value) {
    return read({"DEED_CHECKPOINT=" + value}, {}, code).session.checkpoint.every;
  };
  EXPECT_EQ(every("a"), 10u);
  EXPECT_EQ(every("a,every=3"), 3u);
  const settings both = read({"DEED_CHECKPOINT=a,every=3"}, {"--deed-checkpoint=b"}, code);
  EXPECT_EQ(both.session.checkpoint.every, 10u)
      << "as on the ranks that hear of the last one alone";
}

TEST(settings_of_a_session, go_nowhere_where_they_are_off) {
  deed::session_options code;
  code.checkpoint = {.folder = "a", .every = 3, .partner = true};
  code.resume = "a";
  code.trace.path = "b";
  const settings all = deed::runtime::adopt_settings(
      {},
      text_of(
          read({"DEED_CHECKPOINT=off", "DEED_RESUME=off", "DEED_TRACE=off", "DEED_DRY=off"}, {})),
      code);
  EXPECT_EQ(all.session.checkpoint.folder, "");
  EXPECT_EQ(all.session.resume, "");
  EXPECT_EQ(all.session.trace.path, "");
  EXPECT_EQ(all.dry_ranks, 0);
}

TEST(settings_of_a_session, refuse_to_abort_for_a_silence_that_is_never_reported) {
  EXPECT_TRUE(has(refusal({"DEED_SILENCE=0,abort"}, {}), "not a value of this setting"));
  EXPECT_EQ(read({"DEED_SILENCE=0"}, {}).session.silence.limit.count(), 0);
}

TEST(settings_of_a_session, name_the_plan_of_faults_that_is_none) {
  const std::string said = refusal({"DEED_FAULT=kill 1 after 2; explode 3"}, {});
  EXPECT_TRUE(has(said, "DEED_FAULT=kill 1 after 2; explode 3: `explode 3` is no fault")) << said;
}

TEST(settings_of_a_session, know_the_parts_of_a_checkpoint) {
  EXPECT_EQ(read({"DEED_CHECKPOINT=a,b"}, {}).session.checkpoint.folder, "a,b");
  EXPECT_EQ(read({"DEED_CHECKPOINT=a,every=7"}, {}).session.checkpoint.every, 7u);
  EXPECT_EQ(read({"DEED_CHECKPOINT=a,b,every=7"}, {}).session.checkpoint.folder, "a,b");
  EXPECT_EQ(read({"DEED_CHECKPOINT=x,y/z=1"}, {}).session.checkpoint.folder, "x,y/z=1");
  for (const char* wrong :
       {"DEED_CHECKPOINT=a,evry=3", "DEED_CHECKPOINT=a,every=", "DEED_CHECKPOINT=,every=3",
        "DEED_CHECKPOINT=a,every=3,every=4", "DEED_CHECKPOINT=a,10", "DEED_CHECKPOINT=every=10"})
    EXPECT_THROW(static_cast<void>(read({wrong}, {})), deed::error) << wrong;
  EXPECT_TRUE(has(refusal({"DEED_CHECKPOINT=a,every=0"}, {}), "folder, folder,every=N or off"));
  EXPECT_TRUE(has(refusal({"DEED_CHECKPOINT="}, {}), "D007"));
}

}  // namespace
