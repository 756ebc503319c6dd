// SPDX-License-Identifier: MIT
#include "analysis/read/run.hpp"

#include "analysis/read/rank_folder.hpp"
#include "analysis/read/shared_clocks.hpp"
#include "analysis/read/slice_moments.hpp"
#include "analysis/read/still_recorded.hpp"
#include "analysis/read/tail.hpp"
#include "analysis/read/told_losses.hpp"
#include "analysis/read/unpacked.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace deed::viewer {
namespace {

std::string at(const std::map<std::string, std::string>& table, const char* key) {
  const auto found = table.find(key);
  return found == table.end() ? std::string{} : found->second;
}

/// A recorder that was closed has cut off what it prepared: packets with a stamp of ten years on.
/// `first` is the stream's first file: the last one may hold prepared packets alone.
bool has_prepared_packets(const rank_layout& layout, std::span<const std::byte> first,
                          std::span<const std::byte> file) {
  constexpr std::uint64_t three_years = 100'000'000;
  packet_head head, tail;
  std::size_t position = 0;
  const char* why = nullptr;
  if (!read_head(layout, first, position, head, why) || head.packet_bits / 8 > file.size())
    return false;
  const auto last = file.subspan(file.size() - head.packet_bits / 8);
  return read_head(layout, last, position, tail, why) && tail.begin == tail.end &&
         tail.end > head.begin && (tail.end - head.begin) / layout.metadata.hertz > three_years;
}

/// Since when it is known what a rank did, where nothing was given up.
constexpr std::int64_t everything = std::numeric_limits<std::int64_t>::min();

std::int64_t median_of(std::vector<std::int64_t> times) {
  if (times.empty()) return 0;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// As if the rank's clock had been right: time = offset + stamp / hertz has to give what it gave,
/// less `ahead + rate * (time - at)`.
void shift_clock(trace_layout& of, const clock_shift& by) {
  __extension__ using int128 = __int128;
  constexpr std::int64_t ns_per_second = 1'000'000'000;
  const int128 stamp =
      (static_cast<int128>(by.at) - static_cast<int128>(of.offset_seconds) * ns_per_second) *
          static_cast<int128>(of.hertz) / ns_per_second -
      of.offset_stamps;
  const double faster = std::clamp(by.rate, -0.01, 0.01);
  of.hertz = static_cast<std::uint64_t>(std::llround(static_cast<double>(of.hertz) / (1 - faster)));
  const std::int64_t right = by.at - by.ahead;
  of.offset_seconds = right / ns_per_second;
  of.offset_stamps = static_cast<std::int64_t>(static_cast<int128>(right % ns_per_second) *
                                                   static_cast<int128>(of.hertz) / ns_per_second -
                                               stamp);
}

}  // namespace

/// The segments of one stream.
struct run::stream_files {
  const rank_layout* layout = nullptr;
  stamp_scale scale;
  std::uint32_t first_file = 0;  // In `files_`.
  std::vector<std::string> names;
};

run::~run() = default;
run::run(run&&) noexcept = default;
run& run::operator=(run&&) noexcept = default;

run::run(const std::string& path, std::vector<clock_shift> clocks)
    : path_(path), clocks_(std::move(clocks)) {
  std::vector<stream_files> streams;
  shared_clocks shared;
  std::string run_id;
  std::uint64_t size = 0;
  for (const auto& [rank, folder] : rank_folders(path)) {
    try {
      open_rank(folder, rank, shared, streams);
      const auto& environment = layouts_.back()->metadata.environment;
      if (run_id.empty()) run_id = at(environment, "run_id");
      if (run_id != at(environment, "run_id"))
        incomplete_.push_back("rank " + std::to_string(rank) + " is of another run");
      size = std::max(size, to_number(at(environment, "size")));
    } catch (const unreadable& wrong) {
      incomplete_.push_back("rank " + std::to_string(rank) + ": " + wrong.what());
    }
  }
  if (layouts_.empty()) throw unreadable("`" + path + "`: " + incomplete_.front());
  constexpr std::uint64_t most_ranks = 1 << 20;
  std::set<int> present;
  for (const rank_info& each : ranks_) present.insert(each.rank);
  for (int rank = 0; rank < static_cast<int>(std::min(size, most_ranks)); ++rank) {
    if (present.contains(rank)) continue;
    rank_info absent;
    absent.rank = rank;
    absent.lost = true;
    ranks_.push_back(absent);
  }
  std::sort(ranks_.begin(), ranks_.end(),
            [](const auto& a, const auto& b) { return a.rank < b.rank; });
  read_streams(streams);
  say_absent();
  add_network_lanes();
}

/// Ranks of which others recorded that they took part: something of them arrived, or all came to a
/// barrier. An error ends barriers, too: one proves something if its program did more before the
/// first error. Cost: O(events).
std::set<int> run::met_ranks() const {
  constexpr std::uint64_t receives = 1;
  std::set<int> all, met;
  for (const rank_info& each : ranks_) all.insert(each.rank);
  std::set<std::uint32_t> behind_barrier;  // Lanes that recorded nothing since.
  bool failed = false;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const record what = events_.what(i);
    failed |= what == record::error || what == record::stop_run;
    const bool arrives = what == record::xfer_done || what == record::clock_sync;
    if (!arrives && (failed || (what != record::wait_end && behind_barrier.empty()))) continue;
    const event e = events_[i];
    if (!failed && behind_barrier.contains(e.lane)) return all;
    if (arrives && (what == record::clock_sync || get(e, field::dir) == receives))
      met.insert(static_cast<int>(get(e, field::peer)));
    if (!failed && what == record::wait_end &&
        static_cast<trace::wait_kind>(get(e, field::what)) == trace::wait_kind::barrier)
      behind_barrier.insert(e.lane);
  }
  return !failed && !behind_barrier.empty() ? all : met;
}

/// A rank makes its folder when its session begins, and a run that is killed or fails may have
/// ranks that had not come to that. One that ends well has met all; a part of a run proves nothing.
void run::say_absent() {
  if (std::ranges::all_of(ranks_, &rank_info::present)) return;
  std::set<int> here;  // Some may be there and not readable.
  for (const auto& [rank, folder] : rank_folders(path_)) here.insert(rank);
  const bool part = std::ranges::any_of(layouts_, [](const auto& each) {
    const auto& says = each->metadata.environment;
    return says.contains("slice_from") || says.contains("slice_left_open");
  });
  bool failed = false;
  for (std::size_t i = 0; i < events_.size() && !failed; ++i)
    failed = events_.what(i) == record::error || events_.what(i) == record::stop_run;
  const bool may_not_have_begun = !part && std::ranges::none_of(ranks_, [&](const rank_info& each) {
    return each.present && ((each.ended && !failed) || each.from != 0);
  });
  const std::set<int> met = may_not_have_begun ? met_ranks() : std::set<int>();
  for (rank_info& each : ranks_) {
    if (each.present) continue;
    const bool is_here = here.contains(each.rank);
    each.begun = each.lost = is_here || !may_not_have_begun || met.contains(each.rank);
    const std::string who = "rank " + std::to_string(each.rank);
    incomplete_.push_back(is_here         ? "no trace from " + who
                          : each.begun    ? "no trace from " + who + absent_files
                          : is_recorded() ? who + " has not begun yet"
                                          : who + " had not begun when the recording ends");
  }
}

mapped_file run::opened(const std::string& path) {
  mapped_file file(path);
  if (file.bytes().empty())
    if (const std::string why = why_closed(path); !why.empty())
      incomplete_.push_back("`" + path + "` cannot be read: " + why);
  if (!is_packed(path)) return file;
  if (auto whole = unpack(file.bytes())) return std::move(*whole);
  incomplete_.push_back("`" + path + "` is packed, and damaged or more than this program unpacks");
  return {};
}

void run::open_rank(const std::string& folder, int rank, shared_clocks& shared,
                    std::vector<stream_files>& streams) {
  described_rank described = describe([&] { return parse_metadata(metadata_text(folder)); });
  shared.share(described.layout);
  for (const clock_shift& each : clocks_)
    if (each.rank == rank) shift_clock(described.layout, each);
  auto layout = std::make_unique<rank_layout>(std::move(described.layout), rank);

  const auto same = std::ranges::find_if(
      layouts_, [&](const auto& each) { return each->known == layout->known; });
  const record_layout* const records = (same == layouts_.end() ? *layout : **same).known.data();
  const auto& environment = layout->metadata.environment;
  const told_losses told = told_losses_in(layout->metadata);
  const slice_moments part = slice_moments_in(environment);
  const segments all = segments_of(folder, environment);
  ranks_.push_back({.rank = rank,
                    .present = true,
                    .host = at(environment, "hostname"),
                    .clock_kind = at(environment, "clock_kind"),
                    .command = at(environment, "argv"),
                    .pid = to_number(at(environment, "pid")),
                    .discarded = told.unplaced,
                    .lost_from = told.since,
                    .lost = told.since.has_value() || part.has_gaps,
                    .has_gaps = told.since.has_value() || part.has_gaps,
                    .ended = !told.not_closed && !part.left_open,
                    .goes_on = part.goes_on,
                    .recorded = described.may_be_recorded});
  if (part.has_gaps) incomplete_.push_back("rank " + std::to_string(rank) + slice_of_gaps);
  for (const auto& [stem, files] : all) {
    stream_files& stream = streams.emplace_back();
    stream.layout = layout.get();
    stream.first_file = static_cast<std::uint32_t>(files_.size());
    const auto lane_number = static_cast<std::uint32_t>(lanes_.size());
    lanes_.push_back({.rank = rank, .name = stem});
    layout_of_lane_.push_back(layout.get());
    records_of_lane_.push_back(records);
    for (const auto& [number, file] : files) {
      files_.push_back(opened(file));
      file_places_.push_back({files_.back().bytes(), lane_number});
      if (stream.names.empty())
        sources_.push_back({lane_number, layout.get(), folder, files_.back().bytes()});
      stream.names.push_back("rank " + std::to_string(rank) + ", " +
                             std::filesystem::path(file).filename().string() + ": ");
    }
  }
  layouts_.push_back(std::move(layout));
}

void run::read_streams(std::vector<stream_files>& streams) {
  // All times are counted from long before the median stream: a damaged one must not move them.
  std::vector<std::int64_t> starts;
  std::map<const rank_layout*, stamp_scale> of_rank;  // Equal stamps of a rank are equal times.
  for (stream_files& each : streams) {
    for (std::size_t i = 0; i < each.names.size(); ++i) {
      std::uint64_t stamp = 0;
      if (!first_stamp(*each.layout, files_[each.first_file + i].bytes(), stamp)) continue;
      const auto [known, fresh] = of_rank.try_emplace(each.layout);
      if (fresh) known->second = stamp_scale(each.layout->metadata, stamp);
      each.scale = known->second;
      starts.push_back(each.scale(stamp));
      break;
    }
  }
  const std::int64_t base = median_of(std::move(starts)) - hundred_days;

  std::vector<stream_content> read(streams.size());
  const bool large = is_large();
  in_parallel(streams.size(), [&](std::size_t s) {
    const stream_files& from = streams[s];
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < from.names.size(); ++i)
      bytes += files_[from.first_file + i].bytes().size();
    constexpr std::size_t usual_event = 24;
    read[s].events.reserve(bytes / usual_event);
    for (std::size_t i = 0; i < from.names.size(); ++i) {
      const auto file = static_cast<std::uint32_t>(from.first_file + i);
      if (!large) files_[file].fetch();
      read_packets(*from.layout, from.scale, base, files_[file].bytes(), file, from.names[i],
                   read[s]);
      if (large) files_[file].rest();  // The model looks at it again, from its first page on.
    }
  });

  for (rank_info& each : ranks_) {
    const auto mine = [&](const stream_files& s) { return s.layout->rank == each.rank; };
    const auto first = std::find_if(streams.begin(), streams.end(), mine);
    const auto last = std::find_if_not(first, streams.end(), mine);
    if (first == last) {
      each.ended &= each.lost_from.has_value();  // Else nobody says it.
      if (each.present)
        incomplete_.push_back("rank " + std::to_string(each.rank) + ": all events are missing");
      continue;
    }
    const auto at_first = static_cast<std::size_t>(first - streams.begin());
    const auto count = static_cast<std::size_t>(last - first);
    describe_rank(each, std::span(streams).subspan(at_first, count),
                  std::span(read).subspan(at_first, count), base);
  }
  merge_streams(read, base);
  say_lost();
  find_recorded();
}

/// The definitions name every stream that was opened.
void run::add_names(const rank_layout& of, const stream_content& definitions,
                    stream_names& into) const {
  const auto& places = of.known[static_cast<std::size_t>(record::worker)].places;
  const field_place& id = places[static_cast<std::size_t>(field::id)];
  const field_place& kind = places[static_cast<std::size_t>(field::kind)];
  const field_place& name = places[static_cast<std::size_t>(field::name)];
  if (id.bytes == 0 || kind.bytes == 0 || name.offset < 0 || name.texts_before != 0) return;
  for (std::size_t i = 0, f = 0; i < definitions.events.size(); ++i) {
    while (f + 1 < definitions.files.size() && definitions.files[f + 1].first <= i) ++f;
    const stored_event& each = definitions.events[i];
    if (each.what() != record::worker) continue;
    const std::byte* const payload = files_[definitions.files[f].file].bytes().data() + each.offset;
    into.try_emplace({number_at(payload + kind.offset, kind), number_at(payload + id.offset, id)},
                     reinterpret_cast<const char*>(payload + name.offset));
  }
}

void run::describe_rank(rank_info& of, std::span<const stream_files> streams,
                        std::span<const stream_content> read, std::int64_t base) {
  of.from =
      slice_moments_in(streams.front().layout->metadata.environment).from.value_or(everything);
  of.first = std::numeric_limits<std::int64_t>::max();
  stream_names missing;
  std::uint64_t unknown = 0, backwards = 0;
  for (std::size_t s = 0; s < streams.size(); ++s) {
    const stream_content& content = read[s];
    lane& mine = lanes_[file_places_[streams[s].first_file].lane];
    mine.kind = static_cast<std::uint32_t>(content.kind);
    mine.index = static_cast<std::uint32_t>(content.index);
    mine.events = content.events.size();
    mine.counts = content.counts;
    mine.discarded = content.discarded;
    of.events += mine.events;
    of.discarded += mine.discarded;
    if (content.kind == definitions_kind) add_names(*streams[s].layout, content, missing);
    unknown += content.unknown;
    backwards += content.backwards;
    for (const std::string& each : content.incomplete) incomplete_.push_back(each);
    of.has_gaps |= content.discarded != 0 || !content.incomplete.empty() || !content.gaps.empty();
    if (content.known_from != 0)
      of.from = std::max(of.from, static_cast<std::int64_t>(content.known_from) + base);
    const std::size_t last_file = streams[s].first_file + streams[s].names.size() - 1;
    if (has_prepared_packets(*streams[s].layout, files_[streams[s].first_file].bytes(),
                             files_[last_file].bytes()))
      of.ended = false;
    if (content.events.empty()) continue;
    mine.first = static_cast<std::int64_t>(content.events.front().time()) + base;
    of.first = std::min(of.first, mine.first);
    of.last = std::max(of.last, static_cast<std::int64_t>(content.events.back().time()) + base);
  }
  if (of.events == 0) of.first = 0;
  const std::string who = "rank " + std::to_string(of.rank) + ": ";
  bool has_names = false;
  for (const stream_content& each : read) {
    if (!each.is_read) continue;
    missing.erase({each.kind, each.index});
    has_names = has_names || each.kind == definitions_kind;
  }
  of.has_gaps |= !has_names || (of.ended && !missing.empty());
  of.lost |= of.has_gaps;
  if (!has_names) incomplete_.push_back(who + "the definitions are missing");
  if (of.ended) {  // Else a stream may have no packet yet.
    for (const auto& [stream, name] : missing)
      incomplete_.push_back(who + "the events of `" + name + "` are missing");
  }
  for (std::size_t s = 0; s < streams.size(); ++s) {
    // Files that come from shared memory may move while they are read.
    if (!of.ended && !tail_of(streams[s].layout->metadata.environment).empty()) continue;
    incomplete_.insert(incomplete_.end(), read[s].gaps.begin(), read[s].gaps.end());
  }
  if (unknown != 0)
    incomplete_.push_back(who + say_some(unknown, "event") + " of unknown kinds skipped");
  if (backwards != 0)
    incomplete_.push_back(who + "the clock went back " + say_some(backwards, "time"));
}

bool run::records(std::string_view category) const {
  return std::ranges::all_of(layouts_, [&](const auto& each) {
    const auto known = each->metadata.environment.find("events");
    if (known == each->metadata.environment.end()) return true;
    const std::string all = "," + known->second + ",";
    return all.find("," + std::string(category) + ",") != std::string::npos;
  });
}

std::int64_t run::known_from() const {
  std::int64_t from = 0;
  for (const rank_info& each : ranks_) from = std::max(from, each.from);
  return from;
}

bool run::is_recorded_from_start() const {
  return std::ranges::all_of(
      ranks_, [](const rank_info& each) { return each.present && !each.lost && each.from == 0; });
}

bool run::is_whole() const {
  return incomplete_.empty() &&
         std::ranges::all_of(ranks_, [](const rank_info& each) { return each.ended; });
}

/// Transfers are drawn in a lane of their own, also where no thread has nothing else to do.
void run::add_network_lanes() {
  for (const rank_info& each : ranks_) {
    const auto network = [&](const lane& l) { return l.rank == each.rank && l.is_progress(); };
    if (!each.present || std::any_of(lanes_.begin(), lanes_.end(), network)) continue;
    lanes_.push_back({.rank = each.rank,
                      .kind = static_cast<std::uint32_t>(trace::stream_kind::progress),
                      .name = "net"});
    layout_of_lane_.push_back(layouts_.front().get());
    records_of_lane_.push_back(layouts_.front()->known.data());
  }
}

/// Times count from the first event; those of a virtual clock, from its zero.
void run::merge_streams(std::span<stream_content> read, std::int64_t base) {
  std::vector<slice_moments> cut;
  for (const auto& each : layouts_) cut.push_back(slice_moments_in(each->metadata.environment));
  std::uint64_t first = ~std::uint64_t{0};
  for (const stream_content& each : read)
    if (!each.events.empty()) first = std::min(first, each.events.front().time());
  if (first == ~std::uint64_t{0}) return;
  first = static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, origin_of(static_cast<std::int64_t>(first) + base, cut) - base));
  // A time of a virtual clock before its zero is damage.
  if (std::ranges::any_of(ranks_, [](const auto& r) { return r.clock_kind == "virtual"; }))
    first = static_cast<std::uint64_t>(std::clamp<std::int64_t>(-base, 0, latest_time));
  merged_events merged =
      merge(read, file_places_, first, first + static_cast<std::uint64_t>(hundred_days));
  if (merged.wild != 0)
    incomplete_.push_back(say_some(merged.wild, "event") + " with an impossible time");
  const auto shift = static_cast<std::int64_t>(first);
  origin_ = base + shift;
  events_ = std::move(merged.events);
  of_data_ = std::move(merged.of_data);
  file_places_ = {};
  if (!events_.empty())
    end_ = std::max<std::int64_t>(0, end_of(origin_ + events_.back().time, cut) - origin_);
  for (lane& each : lanes_)
    if (each.events != 0)
      each.first = std::clamp<std::int64_t>(each.first - base - shift, 0, hundred_days);
  for (rank_info& each : ranks_) {
    if (each.events == 0) continue;
    each.first = std::clamp<std::int64_t>(each.first - base - shift, 0, hundred_days);
    each.last = std::clamp<std::int64_t>(each.last - base - shift, 0, std::min(hundred_days, end_));
    each.from = each.from == everything
                    ? 0
                    : std::clamp<std::int64_t>(each.from - base - shift, 0, hundred_days);
    each.lost |= each.from != 0;
  }
  say_given_up();
}

/// Of a slice, what was cut off is what was asked for.
void run::say_given_up() {
  const auto given_up = [](const rank_layout& each) {
    return !each.metadata.environment.contains("slice_from");
  };
  std::int64_t from = 0;
  for (const rank_info& each : ranks_)
    if (const auto of_rank =
            std::ranges::find(layouts_, each.rank, [](const auto& layout) { return layout->rank; });
        of_rank != layouts_.end() && given_up(**of_rank))
      from = std::max(from, each.from);
  if (from != 0) incomplete_.push_back(viewer::say_given_up(from));
}

void run::say_lost() {
  for (rank_info& each : ranks_) {
    if (events_.empty()) each.lost_from.reset();  // Since when times count is not known.
    if (each.lost_from)
      *each.lost_from = std::clamp<std::int64_t>(*each.lost_from - origin_, 0, hundred_days);
    if (const std::string lost = say_losses(each.discarded, each.lost_from); !lost.empty())
      incomplete_.push_back("rank " + std::to_string(each.rank) + ": " + lost);
  }
}

/// Whether its process lived was asked before the files were read, so that one that was gone had
/// written all of them; one that lived may have closed them since. Of another machine there is
/// the time of this one alone.
void run::find_recorded() {
  using namespace std::chrono;
  const nanoseconds now = system_clock::now().time_since_epoch();
  for (rank_info& each : ranks_) {
    const bool lately = nanoseconds(origin_) > now - nanoseconds(each.last) - minutes(1);
    each.recorded = each.recorded && each.is_left_open() && (lately || is_this_machine(each.host));
  }
}

const trace_layout* run::clock_of(int rank) const {
  const auto of_rank =
      std::ranges::find(layouts_, rank, [](const auto& each) { return each->rank; });
  return of_rank == layouts_.end() ? nullptr : &(*of_rank)->metadata;
}

std::int64_t run::moment(const event& e, field stamp) const {
  const std::int64_t exact =
      stamp_scale::exact(layout_of_lane_[e.lane]->metadata, get(e, stamp)) - origin_;
  return std::clamp<std::int64_t>(exact, 0, hundred_days);
}

bool run::is_large() const noexcept {
  constexpr std::size_t plenty = std::size_t{1} << 30;
  std::size_t bytes = 0;
  for (const mapped_file& each : files_) bytes += each.bytes().size();
  return bytes > plenty;
}

void run::rest_files() const noexcept {
  if (is_large())
    for (const mapped_file& each : files_) each.rest();
}

void run::rest() const noexcept {
  for (const mapped_file& each : files_) each.rest();
#ifdef __GLIBC__
  ::malloc_trim(0);  // What was asked for and given back lies between what is still used.
#endif
}

const std::byte* run::find(const event& e, const field_place& where) const {
  return place_of(records_of_lane_[e.lane][static_cast<std::size_t>(e.what)], e.payload, where);
}

std::string_view run::text(const event& e, field f) const {
  const field_place& where = place(e, f);
  if (where.offset < 0 || where.bytes != 0) return {};
  return reinterpret_cast<const char*>(find(e, where));
}

std::size_t run::bytes_of(const event& e, field f) const {
  const field_place& where = place(e, f);
  return where.bytes != 0 ? where.bytes : text(e, f).size() + 1;
}

std::size_t run::payload_bytes(const event& e) const {
  std::size_t bytes = 0;
  const structure& payload = *layout_of_lane_[e.lane]->payloads[static_cast<std::size_t>(e.what)];
  for (const field_layout& each : payload) {
    bytes += each.bits != 0 ? each.bits / 8u
                            : std::strlen(reinterpret_cast<const char*>(e.payload + bytes)) + 1;
  }
  return bytes;
}

std::vector<field> run::fields(const event& e) const {
  return records_of_lane_[e.lane][static_cast<std::size_t>(e.what)].order;
}

}  // namespace deed::viewer
