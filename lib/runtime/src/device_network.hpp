// SPDX-License-Identifier: MIT
#pragma once

#include <deed/transport/transfer.hpp>

#include "devices.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

/// @file
/// A trial: values go from the devices of each rank to the next rank, before anything depends on
/// it.

namespace deed::runtime {

/// The transfers of one rank. The engine uses them until `open` is 0, or until it ends.
struct network_trial {
  explicit network_trial(std::size_t count);

  static void sent(transport::send_operation& operation, const transport::outcome& result) noexcept;
  static void received(transport::receive_operation& operation,
                       const transport::outcome& result) noexcept;
  static memory_block make_room(transport::receive_operation& operation, std::uint64_t bytes);
  void end(bool well) noexcept {
    if (!well) right = false;
    open.fetch_sub(1, std::memory_order_acq_rel);
  }

  std::vector<std::unique_ptr<trial_value>> values;  // Null: this rank has no such device.
  std::vector<std::vector<std::byte>> given, arrived;
  std::vector<transport::send_operation> sends;
  std::vector<transport::receive_operation> receives;
  std::atomic<int> open{0};
  std::atomic<bool> right{true};
};

}  // namespace deed::runtime
