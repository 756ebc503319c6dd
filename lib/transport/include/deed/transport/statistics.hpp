// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/identity.hpp>

#include <cstdint>
#include <vector>

/// @file
/// What a rank sent and received. Transfers, payload and data frames are equal on all endpoints;
/// control frames depend on timing: at most two per announced transfer, and one per half window of
/// eager frames.

namespace deed::transport {

struct traffic {
  std::uint64_t transfers = 0;       ///< Sends; also those to itself, which need no frame.
  std::uint64_t payload_bytes = 0;   ///< Of the transfers.
  std::uint64_t announced = 0;       ///< Transfers that asked for room first.
  std::uint64_t data_frames = 0;     ///< Eager frames and chunks.
  std::uint64_t control_frames = 0;  ///< Everything else but collectives, probes and controls.
  std::uint64_t other_frames = 0;    ///< Collectives, probes and control messages.
  std::uint64_t header_bytes = 0;

  traffic& operator+=(const traffic& other) noexcept {
    transfers += other.transfers;
    payload_bytes += other.payload_bytes;
    announced += other.announced;
    data_frames += other.data_frames;
    control_frames += other.control_frames;
    other_frames += other.other_frames;
    header_bytes += other.header_bytes;
    return *this;
  }
  friend bool operator==(const traffic&, const traffic&) = default;
};

struct statistics {
  struct received {
    std::uint64_t transfers = 0;  ///< That matched here, with both ends of one mind.
    std::uint64_t payload_bytes = 0;
    friend bool operator==(const received&, const received&) = default;
  };
  struct with_peer {
    rank peer;
    traffic sent;
    struct received received;
  };
  traffic total;                           ///< Sent.
  std::uint64_t messages = 0;              ///< Sent; of one frame or several, as it happened.
  std::vector<with_peer> peers;            ///< Those that were talked to, by rank.
  std::uint64_t unexpected = 0;            ///< Eager frames that nobody waited for yet.
  std::uint64_t most_unmatched_bytes = 0;  ///< The most memory they took at once.
};

}  // namespace deed::transport
