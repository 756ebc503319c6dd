// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/clock.hpp>
#include <deed/base/place.hpp>
#include <deed/trace/options.hpp>
#include <deed/trace/stream.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// @file
/// The recording of one rank of a run.

namespace deed::trace {

/// What a handle's registration says of the datum.
struct handle_description {
  std::uint32_t handle = 0;  ///< The number of the registration.
  std::string_view name;     ///< Of the user; for a tile, of its matrix.
  std::uint64_t bytes = 0;   ///< As its type and its extents say: of a vector, of the object.
  /// Of the value that this rank has now, or `no_size`; none: as many as `bytes`.
  std::optional<std::uint64_t> held{};
  std::int32_t i = -1;  ///< Row of the tile; -1 if it is none.
  std::int32_t j = -1;
  std::uint32_t home_rank = 0;  ///< `every_rank` for per-rank data.
  std::uint64_t tag = 0;
  std::uint32_t parent = nothing;  ///< The handle this one is a part of.
  std::uint32_t loc = nothing;     ///< From `location`.
};

/// Writes one rank's part of a run as CTF 1.8, valid at every instant: what was recorded before a
/// SIGKILL is there after it.
///
/// Keeps: streams live as long as their recorder.
/// Threads: any thread may define and open; each stream has one writer at a time. `close` comes
///   when no stream is being written.
/// @throws deed::error D006 if the folder or its metadata cannot be written; later faults of the
///   disk stop the recording and never the run.
class recorder {
 public:
  /// `session_clock` null: the machine's fastest steady clock and a helper thread. Otherwise stamps
  /// are its nanoseconds, there is no thread, and equal runs write equal bytes.
  recorder(const recorder_options& options, const run_identity& run,
           const clock* session_clock = nullptr);
  ~recorder();
  recorder(recorder&&) noexcept;
  recorder& operator=(recorder&&) noexcept;

  [[nodiscard]] bool on() const noexcept;

  /// `index` counts the streams of one kind. Off: a stream that records nothing.
  stream& open_stream(stream_kind kind, int index, std::string_view name = {});

  /// Numbers for what records name. The same thing has the same number; 0 or `nothing` when off.
  std::uint16_t codelet(std::string_view name, place where);
  std::uint32_t location(place where);
  std::uint32_t text(std::string_view words);
  /// Lines, the innermost function first.
  std::uint32_t backtrace(std::string_view frames);
  /// Of a `call_stack`: what the functions are called. `nothing` if there are none.
  std::uint32_t backtrace(std::span<const void* const> addresses);

  /// `members`: ranks in the order of the group, which has this number on this rank.
  void group_made(std::uint32_t number, std::span<const int> members, std::uint32_t loc);
  void handle_registered(const handle_description& what);
  void handle_unregistered(std::uint32_t handle, std::uint32_t loc);
  /// `device` counts those of one kind.
  void memory_node(std::uint16_t id, memory_kind kind, std::uint16_t device, std::uint8_t numa,
                   std::string_view name);
  /// What this rank's clock says now; 0 when off.
  [[nodiscard]] std::uint64_t stamp() const noexcept;
  /// The stamp of a moment on the session's clock; without one, on the machine's steady clock. The
  /// closer the moment, the more exact: stamps and the clock drift by some parts in a million.
  [[nodiscard]] std::uint64_t stamp_of(std::chrono::nanoseconds moment) const noexcept;

  /// Events that found no packet, of all streams.
  [[nodiscard]] std::uint64_t discarded() const;

  /// Cuts off what was prepared and not used, and measures the clock's rate over the whole run.
  /// A second call does nothing.
  void close() noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace deed::trace
