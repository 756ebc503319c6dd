// SPDX-License-Identifier: MIT
#pragma once

#include <deed/trace/events.hpp>

#include "analysis/read/event_list.hpp"
#include "analysis/read/mapped_file.hpp"
#include "analysis/read/merge.hpp"
#include "analysis/read/packets.hpp"
#include "analysis/read/records.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// A recorded run as one sequence of events.

namespace deed::viewer {

class shared_clocks;

/// One stream: who wrote it.
struct lane {
  int rank = 0;
  std::uint32_t kind = 0;  ///< A `trace::stream_kind`.
  std::uint32_t index = 0;
  std::string name;  ///< "w00", "app", "comm".
  std::uint64_t events = 0;
  std::int64_t first = 0;  ///< When it wrote its first event, if it has any.
  std::uint64_t discarded = 0;
  std::array<std::uint64_t, record_count> counts{};  ///< Of events, by record.
  [[nodiscard]] std::uint64_t count(record what) const {
    return counts[static_cast<std::size_t>(what)];
  }
  [[nodiscard]] bool is(trace::stream_kind what) const {
    return kind == static_cast<std::uint32_t>(what);
  }
  [[nodiscard]] bool is_worker() const { return is(trace::stream_kind::worker); }
  [[nodiscard]] bool is_program() const { return is(trace::stream_kind::application); }
  [[nodiscard]] bool is_progress() const { return is(trace::stream_kind::progress); }
};

/// The files of a lane.
struct lane_source {
  std::uint32_t lane = 0;
  const rank_layout* layout = nullptr;
  std::string folder;                ///< Of the rank.
  std::span<const std::byte> first;  ///< The bytes of the first file.
};

/// How far a rank's clock is ahead of the others': by `ahead` at the moment `at`, and by `rate`
/// more for each nanosecond after it.
struct clock_shift {
  int rank = 0;
  std::int64_t at = 0;  ///< Since the Unix epoch, by the rank's own clock.
  std::int64_t ahead = 0;
  double rate = 0;
};

struct rank_info {
  int rank = 0;
  bool present = false;
  bool begun = true;  ///< False: it is absent because the recording ends before it had begun.
  std::string host;
  std::string clock_kind;
  std::string command;
  std::uint64_t pid = 0;
  std::uint64_t events = 0;
  std::uint64_t discarded = 0;
  std::optional<std::int64_t> lost_from;  ///< When the first of them found no packet.
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t from = 0;  ///< Since when all that it did is known: of a ring or a slice, later.
  bool lost = false;      ///< Events of it are missing or damaged, wherever: none proves nothing.
  bool has_gaps = false;  ///< Some are behind `from`, too.
  bool ended = false;     ///< Closed by its recorder; otherwise it was killed, or is still running.
  bool goes_on = false;   ///< After the end of a slice, which has a part of it: how is not known.
  /// It had not ended when the run was opened, but may: its process lived, or was of another
  /// machine and had said something within the last minute.
  bool recorded = false;
  [[nodiscard]] bool is_left_open() const { return present && !ended; }
  /// Nothing more comes of it.
  [[nodiscard]] bool is_cut() const { return is_left_open() && !recorded; }
};

/// All events of all ranks in time order. Unreadable parts are left out and named in `incomplete`.
///
/// Keeps: files stay mapped as long as the run lives.
/// Threads: any number of readers.
/// Cost: 11 bytes per event, 28 while it opens, and about 50 ns to open.
class run {
 public:
  /// `clocks`: what is taken from the times of ranks; none: they are as they were recorded.
  /// @throws unreadable if there is no rank that can be read.
  explicit run(const std::string& path, std::vector<clock_shift> clocks = {});
  ~run();
  run(run&&) noexcept;
  run& operator=(run&&) noexcept;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const event_list& events() const { return events_; }
  /// Events that name a datum, in time order; none of a number that no rank registered: damaged
  /// files name any.
  [[nodiscard]] std::span<const std::uint32_t> events_of(std::uint32_t handle) const {
    return of_data_.of(handle);
  }
  [[nodiscard]] const std::vector<lane>& lanes() const { return lanes_; }
  [[nodiscard]] const std::vector<rank_info>& ranks() const { return ranks_; }
  /// Sentences, one per thing that is missing or damaged.
  [[nodiscard]] const std::vector<std::string>& incomplete() const { return incomplete_; }
  /// Whether all ranks recorded events of a category, by its name in DEED_TRACE_EVENTS. Recordings
  /// that do not say it are taken for whole.
  [[nodiscard]] bool records(std::string_view category) const;
  /// Since when it is known what all ranks did.
  [[nodiscard]] std::int64_t known_from() const;
  /// Whether all that all ranks did is known, up to the end of what is there.
  [[nodiscard]] bool is_recorded_from_start() const;
  /// Nothing is missing or damaged, and each rank has ended its recording.
  [[nodiscard]] bool is_whole() const;
  /// More may come: a rank may go on with its recording.
  [[nodiscard]] bool is_recorded() const {
    return std::ranges::any_of(ranks_, &rank_info::recorded);
  }
  /// Where times count from, since the Unix epoch.
  [[nodiscard]] std::int64_t origin() const { return origin_; }
  /// Of the last event; of a slice, of what was asked for: of the rest, definitions alone are here.
  [[nodiscard]] std::int64_t end() const { return end_; }
  /// The files' memory may serve others until they are looked at again: of a large run. Of one that
  /// is not, to bring it back would take longer than it is worth while the run is read.
  void rest_files() const noexcept;
  /// More than a gigabyte: what it takes is given back as soon as it may be.
  [[nodiscard]] bool is_large() const noexcept;
  /// The same of any run, and what this program has given back.
  void rest() const noexcept;
  /// Where the lanes were read from.
  [[nodiscard]] const std::vector<lane_source>& sources() const { return sources_; }
  [[nodiscard]] int rank_of(const event& e) const { return lanes_[e.lane].rank; }

  /// A number of an event, sign-extended; `otherwise` if the record has no such field.
  [[nodiscard]] std::uint64_t get(const event& e, field f, std::uint64_t otherwise = 0) const {
    const field_place& where = place(e, f);
    if (where.offset < 0 || where.bytes == 0) return otherwise;
    return number_at(where.texts_before == 0 ? e.payload + where.offset : find(e, where), where);
  }
  [[nodiscard]] std::uint32_t get32(const event& e, field f) const {
    return static_cast<std::uint32_t>(get(e, f));
  }
  /// A moment that an event names by its stamp, on the axis of the events' own times.
  [[nodiscard]] std::int64_t moment(const event& e, field stamp) const;
  /// How a rank translates its stamps; null: there is no trace of it.
  [[nodiscard]] const trace_layout* clock_of(int rank) const;
  /// A text of an event.
  [[nodiscard]] std::string_view text(const event& e, field f) const;
  /// The size of a number of an event; of a text, with its zero byte.
  [[nodiscard]] std::size_t bytes_of(const event& e, field f) const;
  /// The size of an event's fields, also of those that the analyses do not know.
  [[nodiscard]] std::size_t payload_bytes(const event& e) const;
  /// The fields that a record has, in its order.
  [[nodiscard]] std::vector<field> fields(const event& e) const;

 private:
  struct stream_files;

  [[nodiscard]] const field_place& place(const event& e, field f) const {
    return records_of_lane_[e.lane][static_cast<std::size_t>(e.what)]
        .places[static_cast<std::size_t>(f)];
  }
  [[nodiscard]] const std::byte* find(const event& e, const field_place& where) const;

  mapped_file opened(const std::string& path);
  void open_rank(const std::string& folder, int rank, shared_clocks& shared,
                 std::vector<stream_files>& streams);
  void read_streams(std::vector<stream_files>& streams);
  /// By kind and index.
  using stream_names = std::map<std::pair<std::uint64_t, std::uint64_t>, std::string>;
  void add_names(const rank_layout& of, const stream_content& definitions,
                 stream_names& into) const;
  void describe_rank(rank_info& of, std::span<const stream_files> streams,
                     std::span<const stream_content> read, std::int64_t base);
  void add_network_lanes();
  void merge_streams(std::span<stream_content> read, std::int64_t base);
  [[nodiscard]] std::set<int> met_ranks() const;
  void say_absent();
  void say_given_up();
  void say_lost();
  void find_recorded();

  std::string path_;
  std::vector<clock_shift> clocks_;
  std::int64_t origin_ = 0;  // Of the times, since the Unix epoch.
  std::int64_t end_ = 0;
  event_list events_;
  events_of_data of_data_;
  std::vector<lane> lanes_;
  std::vector<const rank_layout*> layout_of_lane_;
  // Of one table for all ranks that have the same: what is looked at for each event has to be near.
  std::vector<const record_layout*> records_of_lane_;
  std::vector<rank_info> ranks_;
  std::vector<std::string> incomplete_;
  std::vector<std::unique_ptr<rank_layout>> layouts_;
  std::vector<mapped_file> files_;
  std::vector<event_file> file_places_;
  std::vector<lane_source> sources_;
};

}  // namespace deed::viewer
