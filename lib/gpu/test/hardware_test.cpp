// SPDX-License-Identifier: MIT
// The driver on a real device, where there is one: values, memory that is too small, and faults.
#include <deed/gpu/driver.hpp>

#include "machine.hpp"
#include "program.hpp"
#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace deed::gpu;
using namespace deed::gpu::test;
using testing::IsEmpty;

/// CUDA's own, or HIP's source over CUDA: streams are CUDA's in both.
device_options of_vendor(const std::string& vendor) {
  device_options options;
  options.cuda = vendor == "cuda";
  options.hip = options.any_hip_driver = vendor == "hip";
  return options;
}

std::vector<std::string> vendors() {
  std::vector<std::string> all{"cuda"};
  if (std::getenv("TEST_HIP_OVER_CUDA") != nullptr) all.emplace_back("hip");
  return all;
}

void check(cudaError_t said) {
  if (said != cudaSuccess) throw std::runtime_error(cudaGetErrorString(said));
}

/// Pinned memory for what stands in for kernels; given back when all of them have ended.
class desk {
 public:
  explicit desk(std::size_t bytes) : bytes_(bytes) {
    check(cudaHostAlloc(&memory_, bytes, cudaHostAllocDefault));
  }
  desk(const desk&) = delete;
  ~desk() { cudaFreeHost(memory_); }
  std::byte* take(std::size_t bytes) {
    if (used_ + bytes > bytes_) throw std::runtime_error("the desk is full");
    return static_cast<std::byte*>(memory_) + std::exchange(used_, used_ + bytes);
  }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_, used_ = 0;
};

struct host_work {
  host_body body;
  std::vector<deed::memory_block> blocks;
};

/// In the order of the stream, on the device's own bytes: a copy to the host, the body there, and a
/// copy back. So this file needs no compiler for kernels.
body_maker on_stream(desk& paper) {
  return [&paper](host_body body) -> device_body {
    return [&paper, body = std::move(body)](enqueue& queue, std::span<const device_memory> memory) {
      const auto stream = queue.native_stream<cudaStream_t>();
      auto work = std::make_unique<host_work>(host_work{body, {}});
      for (const device_memory& part : memory) {
        std::byte* const here = paper.take(part.bytes);
        check(cudaMemcpyAsync(here, part.address, part.bytes, cudaMemcpyDeviceToHost, stream));
        work->blocks.push_back({here, part.bytes, 1, part.bytes, deed::memory_space::pinned});
      }
      const std::vector<deed::memory_block> blocks = work->blocks;
      const auto run = [](void* given) {
        const std::unique_ptr<host_work> mine(static_cast<host_work*>(given));
        mine->body(mine->blocks);
      };
      check(cudaLaunchHostFunc(stream, run, work.get()));
      static_cast<void>(work.release());
      for (std::size_t i = 0; i < memory.size(); ++i) {
        if (!memory[i].written) continue;
        check(cudaMemcpyAsync(memory[i].address, blocks[i].address, memory[i].bytes,
                              cudaMemcpyHostToDevice, stream));
      }
    };
  };
}

/// No task has more data than three, and memory comes in slabs.
std::size_t most_of_a_task(const program& plan) {
  return 3 * (*std::ranges::max_element(plan.sizes) * sizeof(std::uint64_t) + 4096) + (64 << 10);
}

class on_hardware : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (device_set(of_vendor(GetParam())).size() == 0)
      GTEST_SKIP() << device_set(of_vendor(GetParam())).summary();
  }
  [[nodiscard]] device_options options(std::size_t memory_bytes) const {
    device_options all = of_vendor(GetParam());
    all.memory_limit_bytes = memory_bytes;
    all.check_order = true;
    return all;
  }
};

TEST_P(on_hardware, random_programs_give_what_the_sequence_gives) {
  std::uint64_t evictions = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    desk paper(std::size_t{16} << 20);
    program plan = random_plan(seed, 1, 60);
    plan.memory_bytes = most_of_a_task(plan);
    const outcome seen = run_on(plan, options(plan.memory_bytes), false, {}, on_stream(paper));
    EXPECT_EQ(seen.problem, "") << "seed " << seed;
    EXPECT_THAT(seen.errors, IsEmpty()) << "seed " << seed << ": " << seen.errors.front();
    EXPECT_THAT(seen.unordered, IsEmpty()) << "seed " << seed;
    EXPECT_EQ(seen.values, sequential(plan)) << "seed " << seed;
    if (HasFailure()) return;
    evictions += seen.counters.evictions;
  }
  EXPECT_GT(evictions, 20u);
}

TEST_P(on_hardware, a_refused_call_leaves_a_right_result_or_a_clean_error) {
  std::uint64_t faults = 0, with_errors = 0;
  for (const error_kind kind : {error_kind::out_of_memory, error_kind::invalid,
                                error_kind::copy_failed, error_kind::device_lost}) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      desk paper(std::size_t{16} << 20);
      const program plan = random_plan(seed, 1, 30);
      device_options how = options(plan.memory_bytes);
      const std::vector<operation> anywhere{operation::allocate,       operation::record,
                                            operation::wait,           operation::query,
                                            operation::copy_to_device, operation::copy_to_host};
      how.faults.rules = {
          {.on = anywhere, .nth = seed * 3, .make = {.what = fault::effect::fail, .kind = kind}}};
      const outcome seen = run_on(plan, how, true, {}, on_stream(paper));
      check(cudaDeviceSynchronize());  // What was given up may still use the desk.
      SCOPED_TRACE(std::string(to_string(kind)) + ", seed " + std::to_string(seed));
      ASSERT_EQ(seen.problem, "");
      faults += seen.faults;
      with_errors += !seen.errors.empty();
      const values expected = without_failures(plan, seen);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        if (!seen.lost[i]) {
          ASSERT_EQ(seen.values[i], expected[i]) << "datum " << i;
        }
      }
      for (const std::string& text : seen.errors) ASSERT_EQ(text.rfind("deed[D0", 0), 0u) << text;
    }
  }
  EXPECT_GT(faults, 100u);
  RecordProperty("with_errors", static_cast<int>(with_errors));
}

INSTANTIATE_TEST_SUITE_P(of, on_hardware, testing::ValuesIn(vendors()),
                         [](const auto& test) { return test.param; });

}  // namespace
