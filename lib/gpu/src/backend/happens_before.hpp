// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace deed::gpu {

/// Tells whether two accesses to the same bytes are ordered by what the program asked for: a vector
/// clock per stream and one for the host, joined by record, wait and sync.
///
/// It looks at calls alone, so it is the same for every schedule, and for real devices.
/// Threads: one at a time; the host counts as one thread, since device steps exclude each other.
/// Source: vector clocks as in FastTrack (Flanagan, Freund, PLDI 2009), with whole ranges for
/// variables.
class happens_before {
 public:
  /// Two accesses that nothing orders.
  struct conflict {
    std::string first;
    std::string second;
  };

  void record(const void* event, const void* stream);
  /// True if the stream was behind that point already: the wait is redundant.
  bool wait(const void* stream, const void* event);
  void host_saw_event(const void* event);
  void host_saw_stream(const void* stream);
  void host_saw_all();
  void forget_event(const void* event) { events_.erase(event); }
  /// New work on a stream: what the host knows, it knows, too.
  void submit(const void* stream);

  void stream_access(const void* stream, const std::byte* begin, std::size_t bytes, bool written,
                     std::string what);
  void host_access(const std::byte* begin, std::size_t bytes, bool written, std::string what);
  /// The end of an allocation: as a write by the host, and then nothing is known of it.
  void released(const std::byte* begin, std::size_t bytes, std::string what);

  [[nodiscard]] const std::vector<conflict>& conflicts() const noexcept { return conflicts_; }
  [[nodiscard]] std::uint64_t redundant_waits() const noexcept { return redundant_; }

 private:
  using clock = std::vector<std::uint32_t>;
  struct access {
    const std::byte* end;
    std::size_t actor;
    std::uint32_t count;
    bool written;
    std::string what;
  };

  static void join(clock& into, const clock& from);
  static bool behind(const clock& whole, const clock& part);
  std::size_t actor_of(const void* stream);
  void touch(std::size_t actor, const std::byte* begin, std::size_t bytes, bool written,
             std::string what);

  std::vector<clock> clocks_{clock(1)};  // Of the host first, then of each stream.
  std::map<const void*, std::size_t> actors_;
  std::map<const void*, clock> events_;
  std::multimap<const std::byte*, access> accesses_;
  std::size_t longest_ = 0;
  std::vector<conflict> conflicts_;
  std::uint64_t redundant_ = 0;
};

}  // namespace deed::gpu
