// SPDX-License-Identifier: MIT
#pragma once

#include <deed/transport/endpoint.hpp>

#include "frame_ring.hpp"
#include "shared_waker.hpp"
#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

/// @file
/// Frames between ranks of one machine, past MPI.

namespace deed::transport::detail {

/// A stretch of memory of which processes of one user and one machine map the same bytes. Nothing
/// is left of it when the last of them has ended, however that ends, once all have it.
class shared_memory {
 public:
  shared_memory() = default;
  /// The memory behind this file, which may be closed. Empty if it cannot be mapped.
  shared_memory(int file, std::size_t bytes) noexcept;
  ~shared_memory();
  shared_memory(const shared_memory&) = delete;
  shared_memory& operator=(const shared_memory&) = delete;
  shared_memory(shared_memory&& from) noexcept;
  shared_memory& operator=(shared_memory&& from) noexcept;

  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

/// Sleep of threads of any process that maps the word.
struct shared_futex {
  static void wait(const std::uint32_t& word, std::uint32_t seen,
                   std::chrono::nanoseconds at_most) noexcept;
  static void wake_all(const std::uint32_t& word) noexcept;
};

/// This rank and the others of its machine: a ring of frames to each, and one from all of them.
/// A frame ends the sleep of its reader.
class neighbours {
 public:
  /// Null where a rank is alone on its machine, or where one of its ranks cannot share memory, or
  /// says that it does not want to.
  /// Collective: every rank of the communicator. Blocks: until all of this machine call it.
  /// @throws mpi_error if a call fails.
  [[nodiscard]] static std::unique_ptr<neighbours> meet(MPI_Comm ranks, bool wanted);

  /// @return whether the frame has gone: the peer is a neighbour, and its ring had room.
  bool send(rank peer, std::span<const std::byte> header,
            const const_memory_block& payload) noexcept;
  /// Fills `events` with frames from the front. They end with the next call. @return how many.
  [[nodiscard]] std::size_t take(std::span<event> events) noexcept;
  /// Something comes to the peer by MPI: if it is a neighbour, it need not sleep on.
  void tell(rank peer) noexcept;

  // Of this rank, as those of `endpoint`:
  [[nodiscard]] std::uint64_t signals() const noexcept { return waker_.signals(); }
  void rest(std::chrono::nanoseconds at_most, std::uint64_t seen) const {
    waker_.rest(at_most, seen, [this] { return own_.anything(); });
  }
  void wake() const noexcept { waker_.wake(); }

 private:
  struct neighbour {
    int rank;
    frame_ring to;
    shared_waker<shared_futex> waker;
    frame_ring::writer own;
  };

  neighbours(shared_memory memory, const std::vector<int>& ranks, std::size_t self);
  [[nodiscard]] neighbour* find(int rank) noexcept;

  shared_memory memory_;
  std::vector<neighbour> all_;  // This rank too, by number.
  int self_;
  frame_ring own_;
  frame_ring::reader reader_;
  shared_waker<shared_futex> waker_;
};

}  // namespace deed::transport::detail
