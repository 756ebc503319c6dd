// SPDX-License-Identifier: MIT
#include "analysis/query/query.hpp"

#include <deed/base/random.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/state_at.hpp"
#include "analysis/generate/event_log.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/lod/track.hpp"
#include "analysis/query/moments.hpp"
#include "scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace deed::viewer;

TEST(query, globs_match_names_with_indices) {
  EXPECT_TRUE(matches_glob("A[3,*]", "A[3,2]"));
  EXPECT_FALSE(matches_glob("A[3,*]", "A[2,3]"));
  EXPECT_TRUE(matches_glob("*mm*", "gemm#511"));
  EXPECT_FALSE(matches_glob("", "gemm"));
}

TEST(query, finds_what_its_fields_say) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.inject = {{"dup_flush", 2}, {"deadlock", 1}};
  options.tiles = 8;
  const truth known = generate(options);
  const run events(options.path);
  const model m(events);
  const auto count = [&](const std::string& query) { return find(m, query).size(); };
  EXPECT_EQ(count(""), events.events().size());
  EXPECT_EQ(count("record:task_begin"), known.tasks);
  EXPECT_EQ(count("record:task_begin codelet:gemm") + count("record:task_begin -codelet:gemm"),
            known.tasks);
  EXPECT_EQ(count("record:task_begin rank:0") + count("record:task_begin rank:1-3"), known.tasks);
  EXPECT_EQ(count("error"), 2u);
  EXPECT_EQ(count("error | error"), 2u);
  EXPECT_EQ(count("error -error"), 0u);
  EXPECT_EQ(count("record:cache_drop cause:flush_call"), 2u);
  EXPECT_EQ(count("redundant record:xfer_start"), 2u);
  EXPECT_EQ(count("record:task_begin dur>1ns"), known.tasks);
  EXPECT_EQ(count("record:task_begin (dur>1s | dur<1ns)"), 0u);
  EXPECT_GT(count("handle:A[2,*] ver:1"), 0u);
  EXPECT_EQ(count("t:0:1s"), events.events().size());
  event_search slowly(m, "record:task_begin rank:1-3");
  EXPECT_EQ(slowly.percent(), 0);
  slowly.advance(events.events().size() / 2);
  EXPECT_FALSE(slowly.is_done());
  EXPECT_NEAR(slowly.percent(), 50, 1);
  while (!slowly.is_done()) slowly.advance(7);
  EXPECT_EQ(slowly.percent(), 100);
  EXPECT_EQ(slowly.take(), find(m, "record:task_begin rank:1-3"));
  // By an index or by a walk, the same.
  for (const std::string of : {"A[2,*]", "A[2,1],A[3,*]", "nobody", "*"}) {
    const std::string term = "handle:" + of;
    EXPECT_EQ(find(m, term), find(m, "(" + term + ")")) << of;
    EXPECT_EQ(find(m, term + " rank:1"), find(m, "rank:1 (" + term + ")")) << of;
    EXPECT_EQ(find(m, term + " | error"), find(m, "(" + term + ") | error")) << of;
    EXPECT_EQ(find(m, "error | " + term), find(m, "error | (" + term + ")")) << of;
    EXPECT_EQ(find(m, "-" + term).size() + count(term), events.events().size()) << of;
  }
}

/// A report of an error calls an element of a collection A(2,1), a recording A[2,1].
TEST(query, takes_the_name_of_a_datum_as_an_error_writes_it) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.tiles = 8;
  static_cast<void>(generate(options));
  const run events(options.path);
  const model m(events);
  EXPECT_EQ(m.find_handle("A(2,1)"), m.find_handle("A[2,1]"));
  EXPECT_FALSE(m.find_handle("A(9,9)"));
  EXPECT_FALSE(m.find_handle("A()"));
  const auto same = [&](const std::string& as_error, const std::string& as_recorded) {
    EXPECT_FALSE(find(m, as_recorded).empty()) << as_recorded;
    EXPECT_EQ(find(m, as_error), find(m, as_recorded)) << as_error;
  };
  same("handle:A(2,1)", "handle:A[2,1]");
  same("handle:A(2,*),A(3,0) rank:1", "handle:A[2,*],A[3,0] rank:1");
  same("(handle:A(2,1) | handle:A(3,0)) rank:1", "(handle:A[2,1] | handle:A[3,0]) rank:1");
  same("-handle:A(2,1)", "-handle:A[2,1]");
  same("A(2,1)", "A[2,1]");
  EXPECT_EQ(moments_when(m, "handle:A(2,1) ver:1").size(), 1u);
}

/// What a program itself called so stays what it is.
TEST(query, takes_a_name_with_brackets_as_it_is) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 0, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "f(1)", .bytes = 24});
  log.rank(0).handle_registered({.handle = 1, .name = "f[1]", .bytes = 24});
  log.close();
  const run events(folder.path() + "/run.deed");
  const model m(events);
  EXPECT_EQ(m.find_handle("f(1)"), 0u);
  EXPECT_EQ(m.find_handle("f[1]"), 1u);
  EXPECT_EQ(as_recorded("tile(2,0)#7"), "tile[2,0]#7");
  EXPECT_EQ(as_recorded("of(x)"), "of(x)");
}

/// The name of a datum may be a word of a sentence.
TEST(query, tells_what_is_sent_from_what_is_received) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  event_log log(path, 2, 0, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "sendbuf", .bytes = 24});
  constexpr int net = event_log::progress;
  constexpr std::uint64_t send = 0, receive = 1;
  for (const int rank : {0, 1}) {
    const std::uint64_t other = rank == 0 ? 1 : 0;
    log.add(1'000, rank, net, record::xfer_start, {0, other, other, 0, send, 0});
    log.add(2'000, rank, net, record::xfer_start, {0, other ^ 1, other, 0, receive, 0});
  }
  log.close();
  const run events(path);
  const model m(events);
  EXPECT_EQ(find(m, "record:xfer_start rank:0 peer:1 send").size(), 2u) << "by its name";
  EXPECT_EQ(find(m, "record:xfer_start rank:0 peer:1 dir:send").size(), 1u);
  EXPECT_EQ(find(m, "rank:0 dir:receive").size(), 1u);
  EXPECT_EQ(find(m, "dir:*").size(), 4u) << "other records have none";
}

TEST(part, is_what_the_answers_look_at) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.inject = {{"dup_flush", 2}};
  options.tiles = 8;
  const truth known = generate(options);
  const run events(options.path);
  const model m(events);
  const auto tasks_in = [&](const run_part& part) {
    std::uint64_t count = 0;
    for (std::uint32_t i = 0; i < m.tasks().size(); ++i) count += part.has_task(m, i) ? 1U : 0U;
    return count;
  };
  const auto sum = [&](const run_part& part) {  // Of the messages of the matrix.
    std::uint64_t count = 0;
    const answer said = comm_matrix(m, part);
    for (const auto& row : said.tables[0].rows) count += std::stoull(row[2]);
    return count;
  };
  EXPECT_EQ(tasks_in({}), known.tasks);
  EXPECT_EQ(tasks_in({m, {}, {0}, ""}) + tasks_in({m, {}, {1, 2, 3}, ""}), known.tasks);
  EXPECT_EQ(tasks_in({m, {}, {}, "codelet:gemm"}),
            find(m, "record:task_begin codelet:gemm").size());
  EXPECT_EQ(tasks_in({m, {}, {1}, "codelet:gemm"}),
            find(m, "record:task_begin codelet:gemm rank:1").size());
  const std::uint64_t of_tile = tasks_in({m, {}, {}, "record:task_access handle:A[2,1]"});
  EXPECT_GT(of_tile, 1u);
  EXPECT_LT(of_tile, known.tasks);
  const time_range half{0, events.end() / 2};
  EXPECT_LT(tasks_in(half), known.tasks);
  EXPECT_GT(tasks_in(half), 0u);
  EXPECT_EQ(sum({}), m.transfers().size());
  EXPECT_EQ(sum({m, {}, {}, "redundant"}), 2u);
  EXPECT_EQ(repeats(m, {}).size(), 2u);
  EXPECT_EQ(why_twice(m, {}, {m, time_range{0, 0}, {}, ""}).tables.size(), 0u);
  const auto shown = [&](const run_part& part) {
    return print(m, {}, part, ~std::size_t{0}).tables[0].rows.size();
  };
  EXPECT_EQ(shown({m, {}, {2}, "error | record:task_end"}),
            find(m, "record:task_end rank:2").size());
  for (const worker_time& each : shares(m, {m, {}, {1}, ""}).workers)
    EXPECT_EQ(events.lanes()[each.lane].rank, 1);
  const auto matrix = wait_matrix(m), of_one = wait_matrix(m, {m, {}, {1}, ""}),
             early = wait_matrix(m, half);
  EXPECT_EQ(of_one[1], matrix[1]);
  for (const std::int64_t each : of_one[0]) EXPECT_EQ(each, 0);
  for (std::size_t r = 0; r < matrix.size(); ++r)
    for (std::size_t c = 0; c < matrix.size(); ++c) EXPECT_LE(early[r][c], matrix[r][c]);
}

TEST(query, points_at_the_column_that_is_wrong) {
  for (const auto& [text, column] :
       std::vector<std::pair<std::string, std::size_t>>{{"colour:red", 0},
                                                        {"rank:1 colour:red", 7},
                                                        {"dur>soon", 4},
                                                        {"-rank:x", 6},
                                                        {"peer:0,3-", 5},
                                                        {"ver:new", 4},
                                                        {"(rank:1", 7},
                                                        {"rank:", 5},
                                                        {"rank:1 )", 7}}) {
    try {
      (void)parse_query(text);
      ADD_FAILURE() << text;
    } catch (const query_error& wrong) {
      EXPECT_EQ(wrong.column(), column) << text << ": " << wrong.what();
    }
  }
  EXPECT_THROW((void)parse_query(std::string(10'000, '(')), query_error);
}

// Spans that touch, with some that are flagged.
std::vector<track_span> random_spans(deed::random_source& draw, std::size_t count) {
  std::vector<track_span> spans;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    at += static_cast<std::int64_t>(draw.below(50));
    const auto end = at + static_cast<std::int64_t>(draw.below(100));
    spans.push_back({at, end, static_cast<std::uint32_t>(i), 0, span_type::task,
                     draw.one_in(500) ? std::uint8_t{flag_error} : std::uint8_t{0}});
    at = end;
  }
  return spans;
}

TEST(track, shows_a_flag_at_every_zoom_where_it_is) {
  deed::random_source draw{1};
  const auto spans = random_spans(draw, 20'000);
  const track of(spans);
  const std::int64_t end = spans.back().end;
  for (const std::size_t width : {50u, 400u, 1800u})
    for (int zoom = 1; zoom <= 256; zoom *= 4) {
      const std::int64_t from = end / 3, to = from + end / 3 / zoom;
      std::vector<track_pixel> row(width);
      of.draw(from, to, row);
      const double scale = static_cast<double>(width) / static_cast<double>(to - from);
      for (const track_span& s : spans) {
        if (s.flags == 0 || s.end < from || s.begin >= to) continue;
        const auto x = static_cast<std::size_t>(
            std::clamp(static_cast<double>(std::max(s.begin, from) - from) * scale, 0.0,
                       static_cast<double>(width - 1)));
        EXPECT_EQ(row[x].flags & flag_error, flag_error) << width << " x" << zoom;
      }
    }
}

TEST(track, covers_at_every_zoom_as_much_time_as_there_is) {
  deed::random_source draw{2};
  const auto spans = random_spans(draw, 50'000);
  const track of(spans);
  const std::int64_t end = spans.back().end;
  for (int zoom = 1; zoom <= 64; zoom *= 4) {
    const std::int64_t from = end / 4, to = from + end / 2 / zoom;
    std::vector<track_pixel> row(800);
    of.draw(from, to, row);
    double drawn = 0, wanted = 0;
    for (const track_pixel& p : row) drawn += p.tasks;
    for (const track_span& s : spans)
      wanted += static_cast<double>(
          std::max<std::int64_t>(0, std::min(s.end, to) - std::max(s.begin, from)));
    EXPECT_NEAR(drawn / 800, wanted / static_cast<double>(to - from), 0.01) << "x" << zoom;
  }
}

TEST(track, keeps_spans_of_any_length) {
  constexpr std::int64_t second = 1'000'000'000;
  std::vector<track_span> spans;
  for (std::int64_t i = 0; i < 100; ++i)
    spans.push_back({i * 3 * second, (i * 3 + (i % 7 == 0 ? 11 : 2)) * second + i,
                     static_cast<std::uint32_t>(i), 5, span_type::task, 0});
  const track of(spans);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    EXPECT_EQ(of.span(i).begin, spans[i].begin);
    EXPECT_EQ(of.span(i).end, spans[i].end);
    EXPECT_EQ(of.span(i).ref, i);
    EXPECT_EQ(of.span(i).kind, 5);
  }
  // Of two that are longer than 32 bits say, the longer one is drawn, at every level.
  for (const std::size_t width : {1u, 2u, 400u}) {
    std::vector<track_pixel> row(width);
    of.draw(0, 300 * second, row);
    EXPECT_EQ(row.back().longest, 98u) << width;
  }
}

TEST(track, finds_the_spans_that_touch_a_part) {
  deed::random_source draw{3};
  const track of(random_spans(draw, 1'000));
  const std::int64_t end = of.spans().back().end;
  for (int i = 0; i < 200; ++i) {
    const auto from = static_cast<std::int64_t>(draw.below(static_cast<std::uint64_t>(end)));
    const std::int64_t to = from + 300;
    const auto [first, last] = of.touching(from, to);
    for (std::size_t k = 0; k < of.spans().size(); ++k) {
      const bool touches = of.spans()[k].end >= from && of.spans()[k].begin <= to;
      EXPECT_TRUE(!touches || (k >= first && k < last));
    }
  }
}

/// What a condition over owners must say, from the states at every event.
TEST(moments, are_those_at_which_the_state_begins) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.inject = {{"dup_flush", 2}, {"ping_pong", 2}};
  options.tiles = 6;
  generate(options);
  const run events(options.path);
  const model m(events);
  for (std::uint32_t h = 0; h < m.data().size(); ++h) {
    if (!m.data()[h].known) continue;
    std::vector<std::int64_t> owned, valid, moved;
    bool owned_before = false, valid_before = false;
    std::uint32_t owner = none;
    for (std::int64_t t = 0; t <= events.end(); ++t) {
      // Between two events nothing changes; the walk is compared with what state_at says anew.
      const auto next = std::lower_bound(events.events().begin(), events.events().end(), t,
                                         [](const auto& e, auto time) { return e.time < time; });
      if (next == events.events().end()) break;
      t = (*next).time;
      const datum_state s = state_at(m, h, t);
      const bool is_owned = s.owner == 1, is_valid = s.copies[1].kind >= copy_kind::shared;
      if (is_owned && !owned_before) owned.push_back(t);
      if (is_valid && !valid_before) valid.push_back(t);
      if (owner != none && s.owner != owner) moved.push_back(t);
      owned_before = is_owned;
      valid_before = is_valid;
      owner = s.owner;
    }
    const auto times = [&](const std::string& condition) {
      std::vector<std::int64_t> found;
      for (const moment& each : moments_when(m, "handle:" + m.handle_name(h) + " " + condition))
        found.push_back(each.time);
      return found;
    };
    EXPECT_EQ(times("owner:1"), owned) << m.handle_name(h);
    EXPECT_EQ(times("valid:1"), valid) << m.handle_name(h);
    EXPECT_EQ(times("moves"), moved) << m.handle_name(h);
  }
}

/// A program that has x migrate away and back in vain, at once on each rank.
TEST(moments, of_a_datum_that_is_not_there_are_refused) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  generate(options);
  const run events(options.path);
  const model m(events);
  EXPECT_NO_THROW(static_cast<void>(moments_when(m, "handle:A[1,*] owner:1")));
  try {
    static_cast<void>(moments_when(m, "owner:1 | handle:a[1,0] owner:1"));
    ADD_FAILURE() << "was found";
  } catch (const query_error& refused) {
    EXPECT_STREQ(refused.what(), "`a[1,0]` is no datum of this run");
    EXPECT_EQ(refused.column(), 17u);
  }
}

TEST(moments, have_migrations_that_others_take_back_at_once) {
  constexpr std::uint64_t by_call = 1;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 800, .home_rank = 0});
  for (const int rank : {0, 1})
    for (const std::uint64_t from : {0u, 1u, 0u})
      log.add(2'000 + rank * 100, rank, event_log::application, record::owner,
              {0, 0, from, 1 - from, by_call, 0});
  log.add(5'000, 0, event_log::application, record::phase_push, {1, 0});
  log.close();
  const run events(folder.path() + "/run.deed");
  const model m(events);
  std::vector<std::string> said;
  for (const moment& each : moments_when(m, "handle:x moves"))
    said.push_back(each.sentence.substr(0, each.sentence.find(';')));
  EXPECT_THAT(
      said, testing::ElementsAre("x v0, owner rank 1", "x v0, owner rank 0", "x v0, owner rank 1"));
  EXPECT_EQ(moments_when(m, "handle:x owner:1").size(), 2u);
}

/// Equal in all that is said of it.
void expect_same(const datum_state& one, const datum_state& two) {
  EXPECT_EQ(one.owner, two.owner);
  EXPECT_EQ(one.version, two.version);
  EXPECT_EQ(one.writer, two.writer);
  EXPECT_EQ(one.in_flight, two.in_flight);
  EXPECT_EQ(one.borrows.size(), two.borrows.size());
  ASSERT_EQ(one.copies.size(), two.copies.size());
  for (std::size_t rank = 0; rank < one.copies.size(); ++rank) {
    EXPECT_EQ(one.copies[rank].kind, two.copies[rank].kind);
    EXPECT_EQ(one.copies[rank].version, two.copies[rank].version);
  }
}

TEST(states, are_the_same_whichever_way_one_comes_to_them) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.inject = {{"dup_flush", 4}};
  options.tiles = 4;
  options.events = 60'000;  // So that data have more events than lie between what is kept.
  generate(options);
  const run events(options.path);
  const model m(events);
  deed::random_source draw{4};
  for (std::uint32_t h = 0; h < m.data().size(); ++h) {
    if (!m.data()[h].known) continue;
    EXPECT_GT(m.events_of(h).size(), 600u);
    datum_seeker seeker(m, h);
    for (int i = 0; i < 60; ++i) {
      const auto when =
          static_cast<std::int64_t>(draw.below(static_cast<std::uint64_t>(events.end()) + 2));
      expect_same(seeker.at(when), state_at(m, h, when));
    }
    expect_same(seeker.at(-5), state_at(m, h, -5));
    expect_same(seeker.at(0), state_at(m, h, 0));
  }
}

TEST(moments, of_memory_are_when_a_rank_passes_the_limit) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.tiles = 6;
  generate(options);
  const run events(options.path);
  const model m(events);
  const auto passes = moments_when(m, "rank:0 held>1B");
  ASSERT_FALSE(passes.empty());
  EXPECT_THAT(passes[0].sentence, testing::HasSubstr("rank 0 holds"));
  EXPECT_TRUE(moments_when(m, "rank:0 held>1000GB").empty());
  EXPECT_EQ(moments_when(m, "rank:0 held>1B | rank:0 held>1000GB").size(), passes.size());
}

TEST(moments, say_where_a_condition_cannot_be_read) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.tiles = 3;
  generate(options);
  const run events(options.path);
  const model m(events);
  for (const char* const wrong : {"", "handle:A", "owner:", "colour:2", "owner", "held>4GB",
                                  "rank:1 held>soon", "rank:1 owner:2", "ver>x", "owner>2", "|"})
    EXPECT_THROW(static_cast<void>(moments_when(m, wrong)), query_error) << wrong;
  try {
    static_cast<void>(moments_when(m, "owner:1 colour:2"));
  } catch (const query_error& wrong) {
    EXPECT_EQ(wrong.column(), 8u);
  }
}

}  // namespace
