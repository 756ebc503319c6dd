// SPDX-License-Identifier: MIT
#pragma once

#include "hand_over.hpp"
#include "mapped_file.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

/// @file
/// Prepared packets for one stream, from segments that appear in the folder by a rename.

namespace deed::trace::detail {

/// What the supplies of one rank share.
struct supply_settings {
  std::string folder;  ///< Of the rank.
  std::string live;    ///< Where packets are written: `folder`, or in shared memory.
  std::size_t packet_bytes = 0;
  std::size_t ring_bytes = 0;     ///< 0: keep everything.
  std::uint64_t limit_bytes = 0;  ///< 0: none.
  std::uint64_t far_stamp = 0;    ///< What prepared packets carry: later than all events.
  bool synchronous = false;
  std::function<void()> wake = [] {};  ///< Asks the helper thread to prepare.
  /// An event found no packet, the first of its stream. Async-signal-safe.
  std::function<void(std::uint64_t stamp)> lost = [](std::uint64_t) {};
  std::atomic<std::uint64_t>* used_bytes = nullptr;

  /// What comes is worth more than what was: the oldest goes for it.
  [[nodiscard]] bool gives_up_the_oldest() const noexcept {
    return ring_bytes != 0 || limit_bytes != 0;
  }
};

/// Segments 2, 4, 8, … packets long (1, 2, 4, … without a helper thread). One is being written, the
/// next stands ready.
///
/// The files are valid for any CTF reader at every instant: a segment gets a header in each packet
/// under a hidden name and is then renamed; prepared packets are empty, and carry a stamp that is
/// later than all events, and sequence numbers that run on.
///
/// Threads: `take` and `finish` on the writer, `prepare` on any, also by `take` of the writer.
class packet_supply {
 public:
  struct identity {
    std::string name;
    std::uint32_t stream_id = 0;
    std::uint32_t kind = 0;
    std::uint32_t index = 0;
  };

  packet_supply(const supply_settings& settings, identity who);

  /// The next packet, or null if none is ready. The one before may still be closed. What gives up
  /// the oldest prepares one itself rather than lose the newest; it blocks then.
  [[nodiscard]] std::byte* take() noexcept;
  /// The packet that was taken last is being opened: the writer is done with those before it.
  void opened() noexcept;
  /// True once after `take` has gone to a new segment, other than the first, of a ring.
  [[nodiscard]] bool new_segment() noexcept { return std::exchange(new_segment_, false); }
  /// Makes the next segment ready if it is not; gives back what the writer has left.
  void prepare() noexcept;
  /// Cuts off all that was not taken.
  void finish() noexcept;
  /// Files in the rank's folder that were written since the last call. On the preparing thread.
  [[nodiscard]] std::vector<std::string> written();

 private:
  struct segment {
    std::uint32_t number = 0;
    std::size_t packets = 0;
    mapped_file memory;
  };

  [[nodiscard]] std::string file_name(std::uint32_t number) const;
  [[nodiscard]] std::string path(std::uint32_t number, bool hidden) const;
  void prepare_locked() noexcept;
  [[nodiscard]] bool copies() const noexcept { return settings_.live != settings_.folder; }
  void retire(std::uint32_t number) noexcept;
  void remove(std::uint32_t number) noexcept;
  [[nodiscard]] std::size_t next_packets() const noexcept;
  void write_headers(const segment& made) noexcept;
  void keep_ring() noexcept;

  const supply_settings& settings_;
  identity who_;

  // The writer's.
  segment* current_ = nullptr;
  std::size_t taken_ = 0;  // Packets of `current_`.
  bool new_segment_ = false;

  hand_over<segment> between_;  // The two.

  std::uint32_t next_written_ = 0;  // The first that `written` has not named for the last time.

  std::atomic<std::thread::id> preparer_{};
  std::mutex preparing_;  // Guards what follows; `finish` is alone.
  std::deque<std::unique_ptr<segment>> segments_;
  std::uint32_t next_number_ = 0;
  std::uint32_t oldest_file_ = 0;
  std::uint64_t next_sequence_ = 0;
  std::size_t last_packets_ = 0;
  std::deque<std::size_t> file_bytes_;  // From `oldest_file_` on.
  bool failed_ = false;
};

}  // namespace deed::trace::detail
