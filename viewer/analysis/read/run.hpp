// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/read/metadata.hpp"
#include "analysis/read/records.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// A recorded run as one sequence of events.

namespace deed::viewer {

/// One event; its fields stay in the mapped file.
struct event {
  std::int64_t time = 0;  ///< Nanoseconds since the start of the run.
  const std::byte* payload = nullptr;
  std::uint32_t lane = 0;
  record what = record::unknown;
};

/// One stream: who wrote it.
struct lane {
  int rank = 0;
  std::uint32_t kind = 0;  ///< A `trace::stream_kind`.
  std::uint32_t index = 0;
  std::string name;  ///< "w00", "app", "comm".
  std::uint64_t events = 0;
  std::uint64_t discarded = 0;
};

struct rank_info {
  int rank = 0;
  bool present = false;
  std::string host;
  std::string clock_kind;
  std::string command;
  std::uint64_t pid = 0;
  std::uint64_t events = 0;
  std::uint64_t discarded = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool ended = false;  ///< Closed by its recorder; otherwise it was killed, or is still running.
};

/// All events of all ranks in time order. Unreadable parts are left out and named in `incomplete`.
///
/// Keeps: files stay mapped as long as the run lives.
/// Threads: any number of readers.
/// Cost: 32 bytes per event.
class run {
 public:
  /// @throws unreadable if there is no rank that can be read.
  explicit run(const std::string& path);
  ~run();
  run(run&&) noexcept;
  run& operator=(run&&) noexcept;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::vector<event>& events() const { return events_; }
  [[nodiscard]] const std::vector<lane>& lanes() const { return lanes_; }
  [[nodiscard]] const std::vector<rank_info>& ranks() const { return ranks_; }
  /// Sentences, one per thing that is missing or damaged.
  [[nodiscard]] const std::vector<std::string>& incomplete() const { return incomplete_; }
  [[nodiscard]] std::int64_t end() const { return events_.empty() ? 0 : events_.back().time; }
  [[nodiscard]] int rank_of(const event& e) const { return lanes_[e.lane].rank; }

  /// A number of an event, sign-extended; `otherwise` if the record has no such field.
  [[nodiscard]] std::uint64_t get(const event& e, field f, std::uint64_t otherwise = 0) const;
  [[nodiscard]] std::uint32_t get32(const event& e, field f) const {
    return static_cast<std::uint32_t>(get(e, f));
  }
  /// A text of an event.
  [[nodiscard]] std::string_view text(const event& e, field f) const;
  /// The fields that a record has, in its order.
  [[nodiscard]] std::vector<field> fields(const event& e) const;

 private:
  struct place {
    std::int16_t offset =
        -1;  ///< In bytes; -1: no such field; from the last text on, relative to it.
    std::uint8_t bytes = 0;  ///< 0: a text.
    bool is_signed = false;
    std::uint8_t texts_before = 0;
  };
  struct record_layout {
    std::array<place, field_count> places{};
    std::vector<field> order;
    std::size_t fixed_bytes = 0;
    std::uint8_t texts = 0;
  };
  struct rank_layout;
  struct mapped;

  void open_rank(const std::string& folder, int rank);
  void open_file(const std::string& file, rank_layout& layout,
                 std::vector<std::vector<event>>& sorted);
  [[nodiscard]] const std::byte* find(const event& e, const place& where) const;
  void merge(std::vector<std::vector<event>> sorted);

  std::string path_;
  std::vector<event> events_;
  std::vector<lane> lanes_;
  std::vector<std::uint32_t> layout_of_lane_;
  std::vector<rank_info> ranks_;
  std::vector<std::string> incomplete_;
  std::vector<std::unique_ptr<rank_layout>> layouts_;
  std::vector<std::unique_ptr<mapped>> files_;
  std::vector<std::vector<event>> streams_;
};

}  // namespace deed::viewer
