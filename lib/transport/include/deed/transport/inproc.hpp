// SPDX-License-Identifier: MIT
#pragma once

#include <deed/transport/endpoint.hpp>

#include <memory>

/// @file
/// Ranks that are threads of this process, in real time.

namespace deed::transport {

/// One mailbox per rank. Whoever makes the world starts the threads, and ends them before it.
/// Threads: `at` any; endpoints as `endpoint` says, each by its own rank.
class inproc_world {
 public:
  explicit inproc_world(int ranks, std::size_t frame_bytes = 8192);
  ~inproc_world();
  inproc_world(const inproc_world&) = delete;
  inproc_world& operator=(const inproc_world&) = delete;

  [[nodiscard]] int ranks() const noexcept;
  [[nodiscard]] endpoint& at(rank r);

 private:
  class door;
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace deed::transport
