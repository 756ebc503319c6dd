// SPDX-License-Identifier: MIT
// Goals of docs/performance_gpu.md on the first CUDA device: each beside the same by hand, in the
// same process. Prints a table; ends with 77 where there is no device.
#include "by_hand.hpp"

#include <limits>

using namespace goals;

namespace {

constexpr double far = std::numeric_limits<double>::max();

__global__ void empty() {}
__global__ void spin(long long nanoseconds) {
  long long begin = 0, now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - begin < nanoseconds);
}

void no_kernel(cudaStream_t) {}
void launch_empty(cudaStream_t stream) { empty<<<1, 1, 0, stream>>>(); }

void copies_of_pinned_memory(std::size_t bytes, const char* wanted) {
  const by_hand here;
  const pinned memory(bytes);
  double hand_in = 0, hand_out = 0;
  {
    const on_device there(bytes);
    hand_in = best(
        [&] { return here.time_copy(there.at(), memory.at(), bytes, cudaMemcpyHostToDevice); });
    hand_out = best(
        [&] { return here.time_copy(memory.at(), there.at(), bytes, cudaMemcpyDeviceToHost); });
  }
  driver on{cuda_alone()};
  const coherent_datum datum = on.hold(memory.block(0, bytes), "block");
  double in = far, out = far;
  for (int i = 0; i < rounds; ++i) {
    bring_home(on, datum, access_mode::write);  // The device has no copy any more.
    settle(on);
    double begin = wall();
    submit(on, {{&datum, access_mode::read_write}}, no_kernel);
    settle(on);
    in = std::min(in, wall() - begin);
    begin = wall();
    bring_home(on, datum, access_mode::read);
    out = std::min(out, wall() - begin);
  }
  const std::string text = std::to_string(bytes / mib) + " MiB, pinned, ";
  row("GG1", text + "to the device", speed(bytes, hand_in), speed(bytes, in), hand_in / in, wanted);
  row("GG1", text + "to the host", speed(bytes, hand_out), speed(bytes, out), hand_out / out,
      wanted);
}

/// The first copy of each of several data, and the later ones of the last of them.
void copies_of_pageable_memory() {
  constexpr std::size_t bytes = 64 * mib;
  std::vector<double> values(bytes / sizeof(double), 1.0);
  const by_hand here;
  double hand = 0, hand_pinned = 0;
  {
    const on_device there(bytes);
    hand = best([&] {
      const double begin = wall();
      check(cudaMemcpy(there.at(), values.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
      return wall() - begin;
    });
    const pinned memory(bytes);
    hand_pinned = best(
        [&] { return here.time_copy(there.at(), memory.at(), bytes, cudaMemcpyHostToDevice); });
  }
  driver on{cuda_alone()};
  const auto to_the_device = [&](const coherent_datum& datum) {
    const double begin = wall();
    submit(on, {{&datum, access_mode::read}}, no_kernel);
    settle(on);
    return wall() - begin;
  };
  const double first = best([&] {
    const coherent_datum fresh = on.hold(pageable(values), "fresh");
    return to_the_device(fresh);
  });
  const coherent_datum datum = on.hold(pageable(values), "known");
  const double later = best([&] {
    bring_home(on, datum, access_mode::write);
    settle(on);
    return to_the_device(datum);
  });
  row("GG2", "64 MiB, pageable, the first copy", speed(bytes, hand), speed(bytes, first),
      hand / first, ">= 1.0");
  row("GG2", "64 MiB, pageable, later copies; beside pinned ones", speed(bytes, hand_pinned),
      speed(bytes, later), hand_pinned / later, ">= 0.95");
}

void launches() {
  constexpr int tasks = 10'000;
  const by_hand here;
  cudaEvent_t event{};
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
  const double hand = best([&] {
    const double begin = processor();
    for (int i = 0; i < tasks; ++i) {
      launch_empty(here.stream);
      check(cudaEventRecord(event, here.stream), "cudaEventRecord");
    }
    const double spent = processor() - begin;
    here.sync();
    return spent;
  });
  const double hand_chain = best([&] {
    const double since = wall();
    for (int i = 0; i < tasks; ++i) launch_empty(here.stream);
    here.sync();
    return wall() - since;
  });
  check(cudaEventDestroy(event), "cudaEventDestroy");

  driver on{cuda_alone()};
  std::vector<double> x(512), y(512);
  const coherent_datum first = on.hold(pageable(x), "x"), second = on.hold(pageable(y), "y");
  double chain = far;
  const double spent = best([&] {
    const double begin = processor(), since = wall();
    for (int i = 0; i < tasks; ++i)
      submit(on, {{&first, access_mode::read}, {&second, access_mode::read_write}}, launch_empty);
    settle(on);
    chain = std::min(chain, wall() - since);
    return processor() - begin;
  });
  const double us = 1e6 / tasks;
  row("GG3", "processor time of a task with an empty kernel", number(hand * us, "us"),
      number(spent * us, "us"), spent / hand, "<= 1.5");
  row("GG4", "10,000 kernels in a chain, each", number(hand_chain * us, "us"),
      number(chain * us, "us"), chain / hand_chain, "<= 1.15");
  const auto before = on.stats();
  for (int i = 0; i < 1000; ++i) submit(on, {{&second, access_mode::read_write}}, launch_empty);
  settle(on);
  const auto after = on.stats();
  const auto made = static_cast<double>(after.slabs_allocated - before.slabs_allocated +
                                        after.events_created - before.events_created);
  row("GG6", "slabs and events made in a steady state", "-", number(made, ""), 0, "0");
}

/// The pipeline below by hand: a stream for each stage, and events between them. In seconds.
double pipeline_by_hand(const pinned& memory, std::size_t block, std::size_t count,
                        long long length) {
  const by_hand in, compute, out;
  const on_device there(block * count);
  std::vector<cudaEvent_t> events(2 * count);
  for (cudaEvent_t& each : events)
    check(cudaEventCreateWithFlags(&each, cudaEventDisableTiming), "cudaEventCreate");
  const auto then = [](cudaEvent_t event, const by_hand& first, const by_hand& second) {
    check(cudaEventRecord(event, first.stream), "cudaEventRecord");
    check(cudaStreamWaitEvent(second.stream, event, 0), "cudaStreamWaitEvent");
  };
  const double took = best([&] {
    const double begin = wall();
    for (std::size_t i = 0; i < count; ++i) {
      std::byte* const at = static_cast<std::byte*>(there.at()) + i * block;
      in.copy(at, memory.at(i * block), block, cudaMemcpyHostToDevice);
      then(events[2 * i], in, compute);
      spin<<<1, 1, 0, compute.stream>>>(length);
      then(events[2 * i + 1], compute, out);
      out.copy(memory.at(i * block), at, block, cudaMemcpyDeviceToHost);
    }
    out.sync();
    return wall() - begin;
  });
  for (cudaEvent_t each : events) check(cudaEventDestroy(each), "cudaEventDestroy");
  return took;
}

/// In, kernel, out, the kernel as long as the copy: the time of one of them, and little more.
void pipeline() {
  constexpr std::size_t block = 8 * mib, count = 40;
  const by_hand here;
  const pinned memory(block * count);
  double stage = 0;
  {
    const on_device there(block);
    stage = best([&] {
      const double begin = wall();
      for (std::size_t i = 0; i < count; ++i)
        here.copy(there.at(), memory.at(i * block), block, cudaMemcpyHostToDevice);
      here.sync();
      return (wall() - begin) / count;
    });
  }
  const auto length = static_cast<long long>(stage * 1e9);
  const double hand = pipeline_by_hand(memory, block, count, length);
  driver on{cuda_alone()};
  std::vector<coherent_datum> data;
  for (std::size_t i = 0; i < count; ++i)
    data.push_back(on.hold(memory.block(i * block, block), "block"));
  const double took = best([&] {
    for (const coherent_datum& each : data) bring_home(on, each, access_mode::write);
    settle(on);
    const double begin = wall();
    std::vector<deed::gpu::host_lease> home;
    for (const coherent_datum& each : data) {
      submit(on, {{&each, access_mode::read_write}},
             [length](cudaStream_t stream) { spin<<<1, 1, 0, stream>>>(length); });
      home.push_back(on.acquire({{&each, access_mode::read}}));
    }
    for (const auto& lease : home) finish(on, lease);
    return wall() - begin;
  });
  const double longest = stage * (count + 2);  // With the first to come in and the last to leave.
  row("GG5", "40 blocks of 8 MiB: in, kernel, out; by hand: one stage alone",
      number(longest * 1e3, "ms"), number(took * 1e3, "ms"), longest / took, ">= 0.95");
  row("GG5", "the same; by hand: three streams and events", number(hand * 1e3, "ms"),
      number(took * 1e3, "ms"), hand / took, "-");
}

void allocations() {
  constexpr int times = 100'000;
  const by_hand here;
  const auto give_and_take = [&] {
    void* at = nullptr;
    check(cudaMallocAsync(&at, mib, here.stream), "cudaMallocAsync");
    check(cudaFreeAsync(at, here.stream), "cudaFreeAsync");
  };
  give_and_take();
  const double hand = best([&] {
                        const double begin = wall();
                        for (int i = 0; i < times; ++i) give_and_take();
                        const double spent = wall() - begin;
                        here.sync();
                        return spent;
                      }) *
                      1e9 / times;
  const auto outcome = [](cudaError_t said) {
    return deed::gpu::status{
        said == cudaSuccess ? deed::gpu::error_kind::none : deed::gpu::error_kind::out_of_memory,
        said, deed::gpu::operation::allocate};
  };
  deed::gpu::arena memory(
      [&](std::size_t bytes, void*& at) { return outcome(cudaMalloc(&at, bytes)); },
      [&](void* at) { return outcome(cudaFree(at)); }, 64 * mib, 16 * mib);
  const double spent = time_of_a_hit(memory);
  row("GG6", "1 MiB, taken and given back; by hand: `cudaMallocAsync`", number(hand, "ns"),
      number(spent, "ns"), spent / hand, "<= 0.5, <= 150 ns");
}

void streaming() {
  constexpr std::size_t block = 32 * mib, blocks = 128, limit = 2048 * mib;
  const by_hand here;
  const pinned memory(block * blocks);
  double one = 0;
  {
    const on_device there(block);
    one = best([&] {
      const double begin = wall();
      for (std::size_t i = 0; i < 32; ++i)
        here.copy(there.at(), memory.at(i * block), block, cudaMemcpyHostToDevice);
      here.sync();
      return (wall() - begin) / 32;
    });
  }
  for (const access_mode mode : {access_mode::read, access_mode::read_write}) {
    const bool reads = mode == access_mode::read;
    driver on{cuda_alone(limit)};
    std::vector<coherent_datum> data;
    for (std::size_t i = 0; i < blocks; ++i)
      data.push_back(on.hold(memory.block(i * block, block), "block"));
    const double begin = wall();
    for (const coherent_datum& each : data) submit(on, {{&each, mode}}, launch_empty);
    settle(on);
    const double took = (wall() - begin) / blocks;
    row("GG7", reads ? "4 GiB through 2 GiB, read" : "4 GiB through 2 GiB, changed",
        speed(block, one), speed(block, took), one / took, reads ? ">= 0.90" : ">= 0.80");
  }
}

/// What the vendor's calls take of a processor, in microseconds: none of the goals, but their
/// floor.
void calls_by_hand() {
  constexpr int burst = 100;  // Fewer than the device lets wait.
  const by_hand here;
  cudaEvent_t event{};
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
  const auto tell = [&](const char* what, auto call) {
    const double took = best([&] {
      here.sync();
      const double begin = wall();
      for (int i = 0; i < burst; ++i) call();
      return wall() - begin;
    });
    row("-", what, number(took * 1e6 / burst, "us"), "-", 0, "-");
  };
  tell("a launch", [&] { launch_empty(here.stream); });
  tell("an event recorded", [&] { check(cudaEventRecord(event, here.stream), "cudaEventRecord"); });
  tell("an event asked for, that has happened",
       [&] { check(cudaEventQuery(event), "cudaEventQuery"); });
  tell("the device set", [] { check(cudaSetDevice(0), "cudaSetDevice"); });
  tell("the last error asked for", [] { check(cudaGetLastError(), "cudaGetLastError"); });
  check(cudaEventDestroy(event), "cudaEventDestroy");
}

void what_is_here_already() {
  driver on{cuda_alone()};
  const double spent = time_of_what_is_here(on);
  row("GG8", "a datum is asked for where it is valid", "-", number(spent, "ns"), spent / 60,
      "<= 1.0");
}

}  // namespace

int main() {
  const deed::gpu::device_set found = cuda_alone();
  if (found.size() == 0) {
    std::printf("%s: nothing was measured\n", found.summary().c_str());
    return 77;
  }
  int runtime = 0, vendor = 0;
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  check(cudaDriverGetVersion(&vendor), "cudaDriverGetVersion");
  std::printf("%s; CUDA %d, driver %d; the best of %d\n\n", found.summary().c_str(), runtime,
              vendor, rounds);
  std::printf("| goal | what | by hand | deed | ratio | wanted |\n|---|---|---|---|---|---|\n");
  try {
    copies_of_pinned_memory(64 * mib, ">= 0.97");
    copies_of_pinned_memory(mib, ">= 0.90");
    copies_of_pageable_memory();
    launches();
    pipeline();
    allocations();
    streaming();
    what_is_here_already();
    calls_by_hand();
  } catch (const std::exception& refused) {
    std::printf("\n%s\n", refused.what());
    return 1;
  }
  return 0;
}
