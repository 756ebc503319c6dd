// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

/// @file
/// What a rank of `mpi_crash_program` did, in a file that its end does not take along.

struct counts_of_rank {
  std::atomic<std::uint64_t> started{0};  // Bodies.
  std::atomic<std::uint64_t> ended{0};
};

constexpr int crash_ranks = 4;

/// `crash_ranks` of them; nothing if there is no such file.
inline counts_of_rank* counts_in(const char* file) {
  const int descriptor = ::open(file, O_RDWR | O_CREAT, 0600);
  constexpr std::size_t size = crash_ranks * sizeof(counts_of_rank);
  if (descriptor < 0 || ::ftruncate(descriptor, size) != 0) return nullptr;
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  ::close(descriptor);
  return memory == MAP_FAILED ? nullptr : static_cast<counts_of_rank*>(memory);
}
