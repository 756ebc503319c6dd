// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "../support/virtual_ranks.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>

namespace {

constexpr deed::codelet add{"add", [](double& sum, const double& x) { sum += x; }};

/// Rank 1 reads what rank 0 owns: one transfer of eight bytes, and two cache hits.
void program(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 3.0);
  auto sum = session.register_data(deed::owner{1}, 0.0);
  for (int i = 0; i < 3; ++i) session.insert_task(add, deed::read_write(sum), deed::read(x));
  session.wait();
}

class summary : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("deed_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(summary, says_what_every_rank_did) {
  const std::string file = folder_ / "counts.json";
  test::on_virtual_ranks(3, program, 1, {.summary = file});
  std::ifstream in(file);
  const auto found = nlohmann::json::parse(in);
  EXPECT_EQ(found["ranks"], 3);
  const auto& ranks = found["per_rank"];
  ASSERT_EQ(ranks.size(), 3u);
  EXPECT_EQ(ranks[0]["tasks_run"], 0);
  EXPECT_EQ(ranks[1]["tasks_run"], 3);
  EXPECT_EQ(ranks[1]["cache_hits"], 2);
  const auto& sent = ranks[0]["sent_to"][0];
  EXPECT_EQ(sent["rank"], 1);
  EXPECT_EQ(sent["transfers"], 1);
  EXPECT_EQ(sent["payload_bytes"], sizeof(double));
  EXPECT_EQ(sent["data_frames"], 1);
  EXPECT_EQ(sent["announced"], 0);
  EXPECT_EQ(ranks[1]["received_from"][0]["rank"], 0);
  EXPECT_EQ(ranks[1]["received_from"][0]["payload_bytes"], sizeof(double));
  EXPECT_TRUE(ranks[2]["received_from"].empty());
  EXPECT_EQ(ranks[1]["cache_misses"], 1);
  EXPECT_EQ(ranks[1]["cache_bytes_saved"], 2 * sizeof(double));
  EXPECT_EQ(ranks[1]["most_copies_bytes"], sizeof(double));
  ASSERT_EQ(ranks[1]["cache_of"].size(), 1u);
  const auto& of_first = ranks[1]["cache_of"][0];
  EXPECT_EQ(of_first["rank"], 0);
  EXPECT_EQ(of_first["hits"], 2);
  EXPECT_EQ(of_first["misses"], 1);
  EXPECT_EQ(of_first["bytes_saved"], 2 * sizeof(double));
  EXPECT_TRUE(ranks[2]["cache_of"].empty());
}

TEST_F(summary, says_what_devices_did) {
  deed::session_options options;
  options.devices.emulated.devices = 1;
  options.worker_rule = [](const deed::worker_request& task) { return task.devices[0]; };
  options.summary = folder_ / "counts.json";
  test::on_virtual_ranks(2, program, 1, options);
  std::ifstream in(options.summary);
  const auto found = nlohmann::json::parse(in);
  EXPECT_EQ(found["per_rank"][0]["tasks_on_devices"], 0);
  EXPECT_EQ(found["per_rank"][1]["tasks_on_devices"], 3);
  EXPECT_EQ(found["per_rank"][1]["bytes_to_devices"], 2 * sizeof(double));
  options.summary = "text";
  testing::internal::CaptureStderr();
  test::on_virtual_ranks(2, program, 1, options);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("tasks on devices"), std::string::npos) << said;
  testing::internal::CaptureStderr();
  test::on_virtual_ranks(2, program, 1, {.summary = "text"});
  EXPECT_EQ(testing::internal::GetCapturedStderr().find("devices"), std::string::npos);
}

TEST_F(summary, that_rank_0_does_not_want_is_not_made) {
  const std::string file = folder_ / "counts.json";
  deed::transport::sim_world world(2, {});
  world.run([&](deed::rank self, deed::transport::endpoint& door) {
    deed::session joined({.rank = self.value,
                          .size = 2,
                          .door = &door,
                          .time = &world.time(),
                          .simulated = true,
                          .pass = [&world, self] { world.pass(self); }},
                         {.summary = self.value == 1 ? file : ""});
    program(joined);
    joined.close();
  });
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(summary, that_cannot_be_written_is_an_error_and_leaves_nothing) {
  const std::string file = folder_ / "none" / "counts.json";
  try {
    test::on_virtual_ranks(2, program, 1, {.summary = file});
    FAIL() << "nothing was thrown";
  } catch (const deed::error& thrown) {
    EXPECT_EQ(thrown.code(), deed::error_code::cannot_write);
    EXPECT_NE(std::string(thrown.what()).find(file), std::string::npos);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
