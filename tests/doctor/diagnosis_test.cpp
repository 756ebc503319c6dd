// SPDX-License-Identifier: MIT
#include "diagnosis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

namespace deed::doctor {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

/// A rank on a machine of 16 hardware threads and 64 GiB, of which it may use `granted`.
machine_facts rank_on(std::string_view host, std::uint64_t granted) {
  machine_facts facts;
  host.copy(facts.host.data(), facts.host.size() - 1);
  facts.granted[0] = granted;
  facts.hardware_threads = 16;
  facts.memory_bytes = facts.available_bytes = 64 * gibibyte;
  facts.shared_memory_bytes = 32 * gibibyte;
  facts.lockable_bytes = ~std::uint64_t{0};
  std::string_view("gpu: H100 (70000 MiB)").copy(facts.devices.data(), 255);
  return facts;
}

finding about(std::string_view subject, const std::vector<machine_facts>& ranks) {
  for (finding& each : judge_machines(ranks)) {
    if (each.subject == subject) return each;
  }
  return {health::wrong, "", "nothing is said"};
}

TEST(Diagnosis, CoresOfTheirOwnAreWell) {
  const finding cores = about("cores", {rank_on("n1", 0x0f), rank_on("n1", 0xf0)});
  EXPECT_EQ(cores.how, health::well);
  EXPECT_EQ(cores.text, "n1: 16 hardware threads; rank 0 on 0-3; rank 1 on 4-7");
}

TEST(Diagnosis, CoresSharedInPartAreWrong) {
  const finding cores =
      about("cores", {rank_on("n1", 0x0f), rank_on("n1", 0xf0), rank_on("n1", 0x18)});
  EXPECT_EQ(cores.how, health::wrong);
  EXPECT_THAT(cores.text, HasSubstr("ranks 0 and 2 share a part of their cores"));
}

TEST(Diagnosis, TheSameCoresOnTwoMachinesAreNotShared) {
  const auto found = judge_machines(std::vector{rank_on("n1", 0x0f), rank_on("n2", 0x1f)});
  for (const finding& each : found) EXPECT_EQ(each.how, health::well) << each.text;
  EXPECT_EQ(found.size(), 6U);  // Cores, memory and devices of each machine.
}

TEST(Diagnosis, ANetworkThatLiesAboutDevicesIsANote) {
  const finding lies = judge_network("through host memory: a trial transfer went wrong on rank 2");
  EXPECT_EQ(lies.how, health::note);
  EXPECT_THAT(lies.text, HasSubstr("went wrong on rank 2"));
  EXPECT_EQ(judge_network("directly; a trial transfer was right").how, health::well);
  EXPECT_EQ(judge_network("through host memory: DEED_MPI_GPU=off").how, health::well);
}

TEST(Diagnosis, MoreRanksThanCoresIsANote) {
  const finding cores = about("cores", {rank_on("n1", 1), rank_on("n1", 1)});
  EXPECT_EQ(cores.how, health::note);
  EXPECT_THAT(cores.text, HasSubstr("more ranks than hardware threads"));
}

TEST(Diagnosis, InfinibandNeedsMemoryThatMayBeLocked) {
  machine_facts rank = rank_on("n1", 0xff);
  rank.lockable_bytes = 64 << 10;
  EXPECT_EQ(about("memory", {rank}).how, health::well);
  rank.has_infiniband = true;
  const finding memory = about("memory", {rank});
  EXPECT_EQ(memory.how, health::wrong);
  EXPECT_THAT(memory.help, HasSubstr("ulimit -l unlimited"));
}

TEST(Diagnosis, LittleSharedMemoryIsANoteWhereRanksMeet) {
  machine_facts rank = rank_on("n1", 0xff);
  rank.shared_memory_bytes = 60 << 20;
  EXPECT_EQ(about("memory", {rank}).how, health::well);
  EXPECT_EQ(about("memory", {rank, rank}).how, health::note);
}

TEST(Diagnosis, MissingDevicesAreANoteWithTheReason) {
  machine_facts rank = rank_on("n1", 0xff);
  EXPECT_EQ(about("devices", {rank}).text, "n1: H100 (70000 MiB)");
  rank.devices = {};
  std::string_view("gpu: no devices (cuda: no driver)").copy(rank.devices.data(), 255);
  EXPECT_EQ(about("devices", {rank}).how, health::note);
  EXPECT_THAT(about("devices", {rank}).text, HasSubstr("cuda: no driver"));
}

TEST(Diagnosis, ADeviceThatRanksShareIsANote) {
  machine_facts one = rank_on("n1", 0x0f), two = rank_on("n1", 0xf0);
  const finding shared = about("devices", {one, two});
  EXPECT_EQ(shared.how, health::note);
  EXPECT_THAT(shared.text, HasSubstr("the same for 2 ranks"));
  EXPECT_THAT(shared.help, HasSubstr("DEED_GPU_MEM"));
  std::string_view("gpu: A100 (39000 MiB)").copy(two.devices.data(), 255);
  const finding own = about("devices", {one, two});
  EXPECT_EQ(own.how, health::well);
  EXPECT_EQ(own.text, "n1: rank 0: H100 (70000 MiB); rank 1: A100 (39000 MiB)");
  EXPECT_EQ(about("devices", {one, rank_on("n2", 0x0f)}).how, health::well);
}

TEST(Diagnosis, ThisMachineHasCoresAndMemory) {
  const machine_facts here = look_at_machine("gpu: 2 of a kind");
  EXPECT_STREQ(here.devices.data(), "gpu: 2 of a kind");
  EXPECT_GE(count_granted(here), 1U);
  EXPECT_LE(count_granted(here), static_cast<std::size_t>(here.hardware_threads));
  EXPECT_FALSE(cores_of(here).empty());
  EXPECT_GT(here.memory_bytes, here.available_bytes);
  EXPECT_GT(here.available_bytes, 0U);
}

}  // namespace
}  // namespace deed::doctor
