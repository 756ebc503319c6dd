// SPDX-License-Identifier: MIT
// What exports have of the copies that devices made.
#include "analysis/export/export.hpp"
#include "device_run.hpp"
#include "exported.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using namespace deed::viewer;
using testing::HasSubstr;

/// x goes to a device twice at once, by two of its queues, and comes back.
class exports_of_a_device : public exported {
 protected:
  exports_of_a_device() {
    made_.insert(0, 0, deed::trace::access_kind::read, 0);
    made_.copy(true, 0, 10'000, 20'000);
    made_.copy(true, 1, 15'000, 25'000);
    made_.kernel(0, 30'000, 40'000);
    made_.copy(false, 2, 50'000, 60'000);
    open(made_.closed(80'000));
  }

  device_run made_;
};

TEST_F(exports_of_a_device, give_perfetto_its_copies) {
  const auto [text, status] =
      output("python3 " TESTS "/decode_perfetto.py " + file("p.perfetto", export_perfetto));
  ASSERT_EQ(status, 0) << text;
  EXPECT_THAT(text, HasSubstr("copy 3\n"));
  const run_part part(*model_, time_range{40'000, 55'000}, {}, "");
  const auto [some, read] =
      output("python3 " TESTS "/decode_perfetto.py " + file("q.perfetto", export_perfetto, part));
  ASSERT_EQ(read, 0) << some;
  EXPECT_THAT(some, HasSubstr("copy 1\n"));
}

TEST_F(exports_of_a_device, give_chrome_its_copies) {
  const auto [text, status] = output(
      "python3 -c 'import json,sys\n"
      "e=json.load(open(sys.argv[1]))[\"traceEvents\"]\n"
      "n={x[\"tid\"]: x[\"args\"][\"name\"] for x in e if x[\"name\"]==\"thread_name\"}\n"
      "for x in e:\n"
      "  if x[\"name\"].startswith(\"copy\"): print(n[x[\"tid\"]], x[\"name\"], "
      "x[\"ts\"], x[\"dur\"], *x[\"args\"].values(), sep=\", \")' " +
      file("c.json", export_chrome));
  ASSERT_EQ(status, 0) << text;
  for (const char* const each :
       {"copies to gpu0, copy x v0, 10.0, 10.0, 24, rank 0 host, rank 0 gpu0\n",
        "copies to gpu0, copy x v1, 15.0, 10.0, 24, rank 0 host, rank 0 gpu0\n",
        "copies from gpu0, copy x v2, 50.0, 10.0, 24, rank 0 gpu0, rank 0 host\n"})
    EXPECT_THAT(text, HasSubstr(each));
}

TEST_F(exports_of_a_device, give_paje_its_copies) {
  const std::string paje = file("c.paje", export_paje);
  if (there("pj_dump")) {
    const auto [text, status] = output("pj_dump -u " + paje);
    ASSERT_EQ(status, 0) << text;
    for (const char* const each :
         {"State, rank 0 copies to gpu0, Copy, 0.000010, 0.000020, 0.000010, 0.000000, copy x",
          "State, rank 0 copies to gpu0, Copy, 0.000015, 0.000025, 0.000010, 0.000000, copy x",
          "State, rank 0 copies from gpu0, Copy, 0.000050, 0.000060, 0.000010, 0.000000, copy x, "
          "2, 24"})
      EXPECT_THAT(text, HasSubstr(each));
    const run_part part(*model_, time_range{40'000, 55'000}, {}, "");
    const auto [some, read] = output("pj_dump " + file("d.paje", export_paje, part));
    ASSERT_EQ(read, 0) << some;
    EXPECT_EQ(count(some, ", copy x"), 1u) << some;
  }
  if (!there("vite")) return;
  const auto [said, drew] = vite(paje, folder_.path() + "/vite.svg");
  EXPECT_EQ(drew, 0) << said;
  EXPECT_THAT(said, HasSubstr("0 errors and 0 warnings"));
}

TEST_F(exports_of_a_device, give_otf2_its_copies) {
  if (const std::string missing = missing_for_otf2(*model_, folder_); !missing.empty())
    GTEST_SKIP() << missing;
  const std::string archive = folder_.path() + "/otf2/run.otf2";
  const auto [events, status] = output("otf2-print " + archive);
  ASSERT_EQ(status, 0) << events;
  EXPECT_EQ(count(events, "\nENTER"), count(events, "\nLEAVE"));
  EXPECT_EQ(count(events, "Region: \"copies to gpu0\""), 4u) << events;
  EXPECT_EQ(count(events, "Region: \"copies from gpu0\""), 2u) << events;
  for (const char* const each : {"\"deed.bytes\" <7>; UINT64; 24", "\"rank 0 gpu0\""})
    EXPECT_THAT(events, HasSubstr(each));
  const auto [definitions, read] = output("otf2-print -G " + archive);
  ASSERT_EQ(read, 0) << definitions;
  EXPECT_EQ(count(definitions, "ACCELERATOR_STREAM"), 3u) << definitions;
  if (!there("vite")) return;
  const auto [said, drew] = vite(archive, folder_.path() + "/vite.svg");
  EXPECT_EQ(drew, 0) << said;
  EXPECT_THAT(said, HasSubstr("0 errors and 0 warnings"));
}

}  // namespace
