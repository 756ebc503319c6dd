// SPDX-License-Identifier: MIT
// The goals of docs/performance_gpu.md that need no device: what the library itself takes of a
// processor. Prints the table that lib/gpu/bench/run prints of a GPU.
#include "measure.hpp"

#include <memory>
#include <thread>

using namespace goals;

namespace {

/// The arena asks for slabs and never touches them: any memory will do.
void allocations() {
  std::vector<std::unique_ptr<std::byte[]>> slabs;
  deed::gpu::arena memory(
      [&](std::size_t bytes, void*& at) {
        at = slabs.emplace_back(new std::byte[bytes]).get();
        return deed::gpu::status{};
      },
      [](void*) { return deed::gpu::status{}; }, 64 * mib, 16 * mib);
  const double spent = time_of_a_hit(memory);
  row("GG6", "1 MiB, taken and given back", "-", number(spent, "ns"), spent / 150, "<= 1.0");
}

void what_is_here_already() {
  driver on{deed::gpu::device_set{{.cuda = false, .hip = false, .emulated = {.devices = 1}}}};
  const double spent = time_of_what_is_here(on);
  row("GG8", "a datum is asked for where it is valid", "-", number(spent, "ns"), spent / 60,
      "<= 1.0");
}

}  // namespace

int main() {
  std::thread([] {}).join();  // From now on counts of shared pointers are atomic, as in any run.
  std::printf("No device; the best of %d\n\n", rounds);
  std::printf("| goal | what | by hand | deed | ratio | wanted |\n|---|---|---|---|---|---|\n");
  allocations();
  what_is_here_already();
}
