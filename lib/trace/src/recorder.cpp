// SPDX-License-Identifier: MIT
#include <deed/base/call_stack.hpp>
#include <deed/base/error.hpp>
#include <deed/base/random.hpp>
#include <deed/trace/recorder.hpp>

#include "backtraces.hpp"
#include "event_writer.hpp"
#include "helper_thread.hpp"
#include "metadata_writer.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace deed::trace {
namespace {

std::string file_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));  // All of it when there is no '/'.
}

std::string stream_name(stream_kind kind, int index) {
  std::array<char, 24> name{};
  switch (kind) {
    case stream_kind::definitions:
      return "defs";
    case stream_kind::worker:
      std::snprintf(name.data(), name.size(), "w%02d", index);
      break;
    case stream_kind::application:
      std::snprintf(name.data(), name.size(), "app%.0d", index);
      break;
    case stream_kind::progress:
      std::snprintf(name.data(), name.size(), "comm%.0d", index);
      break;
    case stream_kind::gpu:
      std::snprintf(name.data(), name.size(), "gpu%d", index);
      break;
  }
  return name.data();
}

std::string rank_folder(const std::string& path, int rank) {
  std::array<char, 24> name{};
  std::snprintf(name.data(), name.size(), "/rank-%06d", rank);
  return path + name.data();
}

}  // namespace

bool take_path(const std::string& path) {
  if (!detail::make_folders(path)) return true;  // Whoever writes there says what is wrong.
  std::error_code failed;
  return std::filesystem::create_directory(rank_folder(path, 0), failed) || failed;
}

namespace {

// One of eight colours, the same for a name on every rank and in every run.
std::uint32_t colour_of(std::string_view name) {
  constexpr std::array<std::uint32_t, 8> okabe_ito{0xe69f00, 0x56b4e9, 0x009e73, 0xf0e442,
                                                   0x0072b2, 0xd55e00, 0xcc79a7, 0x999999};
  std::uint64_t hash = 0;
  for (const char c : name) hash = mix(hash, static_cast<unsigned char>(c));
  return okabe_ito[hash % okabe_ito.size()];
}

// A text has to fit into a packet; nobody reads a name of this length.
std::string shortened(std::string_view text) { return std::string(text.substr(0, 4000)); }

// Of one process: simulated runs of one seed have one identity.
std::string live_folder(const run_identity& run) {
  std::array<char, 56> id{};
  std::snprintf(
      id.data(), id.size(), "%016llx%016llx-%x", static_cast<unsigned long long>(run.run_id[0]),
      static_cast<unsigned long long>(run.run_id[1]), static_cast<unsigned>(detail::process_id()));
  return std::string("/dev/shm/deed-") + id.data();
}

/// "0-6/2,9": 0, 2, 4, 6, 9. As many ranks as a text has room for; those are taken away.
std::string next_members(std::span<const int>& left) {
  constexpr std::size_t enough = 3900;
  std::string text;
  while (!left.empty() && text.size() < enough) {
    const int first = left.front(), step = left.size() < 2 ? 0 : left[1] - first;
    std::size_t run = 1;
    while (step > 0 && run < left.size() && left[run] - left[run - 1] == step) ++run;
    if (run < 3) run = 1;
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (run > 1) text += "-" + std::to_string(left[run - 1]);
    if (run > 1 && step > 1) text += "/" + std::to_string(step);
    left = left.subspan(run);
  }
  return text;
}

constexpr std::uint64_t ten_years_in_seconds = 315'360'000;
constexpr auto calibration = std::chrono::milliseconds{1};

struct rank_recording {
  rank_recording(const recorder_options& options, const run_identity& identity,
                 const clock* session_clock)
      : run(identity), stamps(session_clock), categories(options.categories) {
    settings.folder = rank_folder(options.path, run.rank);
    settings.live = settings.folder;
    if (options.io == packet_place::shared_memory) {
      live = live_folder(run);
      settings.live = rank_folder(live, run.rank);
    }
    settings.packet_bytes = options.packet_bytes;
    settings.ring_bytes = options.mode == recording::ring ? options.ring_bytes : 0;
    settings.limit_bytes = options.limit_bytes;
    settings.synchronous = options.synchronous || session_clock != nullptr;
    settings.used_bytes = &used_bytes;

    started = clock_anchor::take(stamps);
    began = detail::steady_anchor::take(stamps);
    const clock_description known = calibrate();
    settings.far_stamp = started.stamp + ten_years_in_seconds * known.hertz;
    if (!detail::make_folders(settings.live)) refuse(settings.live);
    const std::string described = describe(known);
    if (!detail::make_folders(settings.folder) ||
        !detail::replace_text(settings.folder, "metadata", described))
      refuse(settings.folder);
    described_in = settings.folder + "/metadata";
    lost_from_at = detail::place_of_number(described, "lost_from");
    unplaced_at = detail::place_of_number(described, "unplaced");
    settings.lost = [this](std::uint64_t stamp) { note_loss(stamp); };

    definitions.emplace(
        settings, detail::packet_supply::identity{"defs", detail::definitions_id, 0, 0}, stamps);
    backtraces.emplace(defining, *definitions, text_count);
    static_cast<void>(call_stack::of_caller());  // The first one makes ready what handlers use.
    if (settings.synchronous) return;
    settings.wake = [this] { helper->wake(); };
    helper.emplace([this] { prepare_all(); });
    if (options.sync.count() != 0) syncing.emplace(options.sync, [this] { sync_all(); });
  }
  ~rank_recording() { close(); }
  rank_recording(const rank_recording&) = delete;
  rank_recording& operator=(const rank_recording&) = delete;

  using clock_anchor = detail::clock_anchor;
  using clock_description = detail::clock_description;

  [[noreturn]] void refuse(const std::string& folder) const {
    const int why = errno;
    const bool for_memory = folder != settings.folder;
    remove_live_folder();
    throw error(error_code::cannot_write, "the trace cannot be written",
                {{"folder", folder}, {"because", std::strerror(why)}},
                for_memory ? "use DEED_TRACE_IO=mmap, or switch the trace off"
                           : "name another folder, or switch the trace off");
  }

  /// That of the process goes with its last rank.
  void remove_live_folder() const noexcept {
    if (live.empty()) return;
    detail::remove_folder(settings.live);
    detail::remove_folder(live);
  }

  clock_description calibrate() const {
    if (stamps.what() != detail::stamp_source::kind::tsc)
      return detail::describe_clock(stamps, started, started);
    const auto until = std::chrono::steady_clock::now() + calibration;
    while (std::chrono::steady_clock::now() < until) {
    }
    return detail::describe_clock(stamps, started, clock_anchor::take(stamps));
  }

  std::string describe(const clock_description& known) const {
    return detail::metadata(run, known,
                            {.live = live.empty() ? "" : settings.live,
                             .is_ring = settings.gives_up_the_oldest(),
                             .categories = categories,
                             .lost_from = lost_from.load(std::memory_order_relaxed),
                             .unplaced = unplaced});
  }

  /// What a killed run lost has to be seen, also where no packet could be made that counts it.
  void note_loss(std::uint64_t stamp) noexcept {
    std::uint64_t none = 0;
    if (lost_from.compare_exchange_strong(none, stamp, std::memory_order_relaxed))
      detail::change_text(described_in, lost_from_at, detail::changed_number(stamp).text());
  }

  void count_losses() noexcept {
    std::uint64_t found = definitions->unplaced();
    lost += definitions->discarded();
    for (auto* const writer : writers) {
      lost += writer->discarded();
      found += writer->unplaced();
    }
    unplaced = found;
    detail::change_text(described_in, unplaced_at, detail::changed_number(found).text());
  }

  /// The lock is held while names are read, not while the disk works.
  void sync_all() {
    std::vector<std::string> files;
    {
      const std::scoped_lock lock(opening);
      const auto add = [&](detail::packet_supply& supply) {
        for (std::string& each : supply.written()) files.push_back(std::move(each));
      };
      add(definitions->supply());
      for (auto* writer : writers) add(writer->supply());
    }
    for (const std::string& each : files) detail::bring_to_disk(each);
  }

  void prepare_all() {
    const std::scoped_lock lock(opening);
    definitions->supply().prepare();
    for (auto* writer : writers) writer->supply().prepare();
  }

  void close() noexcept {
    if (closed) return;
    closed = true;
    syncing.reset();
    helper.reset();  // From here on nobody else prepares.
    const std::scoped_lock lock(defining);
    count_losses();
    for (stream& each : streams) each.close();
    definitions->close();
    remove_live_folder();
    if (stamps.what() != detail::stamp_source::kind::tsc) return;
    const clock_anchor ended = clock_anchor::take(stamps);
    const std::int64_t ran = ended.epoch_ns - started.epoch_ns;
    if (ran < std::chrono::nanoseconds(20 * calibration).count()) return;
    detail::replace_text(settings.folder, "metadata",
                         describe(detail::describe_clock(stamps, started, ended)));
  }

  run_identity run;
  detail::stamp_source stamps;
  std::uint32_t categories;
  std::string live;  // Of this process in shared memory; empty: packets lie in the folder.
  detail::clock_anchor started;
  detail::steady_anchor began;
  std::string described_in;                       // The file of the metadata, and where in it
  std::size_t lost_from_at = 0, unplaced_at = 0;  // these two stand.
  std::atomic<std::uint64_t> lost_from{0};
  std::optional<std::uint64_t> unplaced;
  std::atomic<std::uint64_t> used_bytes{0};
  detail::supply_settings settings;

  std::mutex opening;  // Guards `streams` and `writers`.
  std::deque<stream> streams;
  std::vector<detail::event_writer*> writers;
  std::optional<detail::definition_writer> definitions;

  std::mutex defining;  // Guards the tables and the definitions stream.
  std::map<std::tuple<std::string, std::string, unsigned>, std::uint16_t> codelets;
  std::map<std::pair<const char*, unsigned>, std::uint32_t> locations;
  std::unordered_map<std::string, std::uint32_t> texts;
  std::uint32_t text_count = 0;                  // A handler of signals adds some, too.
  std::optional<detail::backtraces> backtraces;  // Guards itself by `defining`.

  std::uint64_t lost = 0;
  bool closed = false;
  // Last: they use all of the above.
  std::optional<detail::helper_thread> helper;
  std::optional<detail::periodic_thread> syncing;
};

}  // namespace

struct recorder::state {
  stream silent;  // What everybody records into while the recording is off.
  std::optional<rank_recording> recording;
};

recorder::recorder(const recorder_options& options, const run_identity& run,
                   const clock* session_clock)
    : state_(std::make_unique<state>()) {
  if (!options.path.empty()) state_->recording.emplace(options, run, session_clock);
}
recorder::~recorder() = default;
recorder::recorder(recorder&&) noexcept = default;
recorder& recorder::operator=(recorder&&) noexcept = default;

bool recorder::on() const noexcept { return state_->recording && !state_->recording->closed; }

stream& recorder::open_stream(stream_kind kind, int index, std::string_view name) {
  if (!on()) return state_->silent;
  rank_recording& to = *state_->recording;
  {
    const std::scoped_lock lock(to.defining);
    deed_ctf_definitions_trace_worker(to.definitions->context(), static_cast<std::uint16_t>(index),
                                      static_cast<std::uint8_t>(kind), 0, 0,
                                      shortened(name).c_str());
    to.definitions->commit();
  }
  auto writer = std::make_unique<detail::event_writer>(
      to.settings,
      detail::packet_supply::identity{stream_name(kind, index), detail::events_id,
                                      static_cast<std::uint32_t>(kind),
                                      static_cast<std::uint32_t>(index)},
      to.stamps);
  const std::scoped_lock lock(to.opening);
  to.writers.push_back(writer.get());
  return to.streams.emplace_back(std::move(writer), to.categories, *to.backtraces);
}

std::uint16_t recorder::codelet(std::string_view name, place where) {
  if (!on()) return 0;
  rank_recording& to = *state_->recording;
  const std::scoped_lock lock(to.defining);
  const std::string file = file_name(where.file_name());
  const auto [at, added] = to.codelets.try_emplace({std::string(name), file, where.line()},
                                                   static_cast<std::uint16_t>(to.codelets.size()));
  if (added) {
    deed_ctf_definitions_trace_codelet(to.definitions->context(), at->second,
                                       shortened(name).c_str(), file.c_str(), where.line(),
                                       colour_of(name));
    to.definitions->commit();
  }
  return at->second;
}

std::uint32_t recorder::location(place where) {
  if (!on()) return nothing;
  rank_recording& to = *state_->recording;
  const std::scoped_lock lock(to.defining);
  // Texts of source_location are constants of the program, so their address names them.
  const auto [at, added] = to.locations.try_emplace(
      {where.file_name(), where.line()}, static_cast<std::uint32_t>(to.locations.size()));
  if (added) {
    deed_ctf_definitions_trace_src_loc(to.definitions->context(), at->second,
                                       file_name(where.file_name()).c_str(), where.line());
    to.definitions->commit();
  }
  return at->second;
}

std::uint32_t recorder::text(std::string_view words) {
  if (!on()) return nothing;
  rank_recording& to = *state_->recording;
  const std::scoped_lock lock(to.defining);
  const auto [at, added] = to.texts.try_emplace(shortened(words), to.text_count);
  if (added) {
    ++to.text_count;
    deed_ctf_definitions_trace_text(to.definitions->context(), at->second, at->first.c_str());
    to.definitions->commit();
  }
  return at->second;
}

std::uint32_t recorder::backtrace(std::string_view frames) {
  return on() ? state_->recording->backtraces->define(shortened(frames).c_str()) : nothing;
}

std::uint32_t recorder::backtrace(std::span<const void* const> addresses) {
  if (!on() || addresses.empty()) return nothing;
  return state_->recording->backtraces->define(addresses);
}

void recorder::group_made(std::uint32_t number, std::span<const int> members, std::uint32_t loc) {
  if (!on()) return;
  rank_recording& to = *state_->recording;
  const std::scoped_lock lock(to.defining);
  const auto size = static_cast<std::uint32_t>(members.size());
  while (!members.empty()) {
    deed_ctf_definitions_trace_group(to.definitions->context(), number, size, loc,
                                     next_members(members).c_str());
    to.definitions->commit();
  }
}

void recorder::handle_registered(const handle_description& what) {
  if (!on()) return;
  rank_recording& to = *state_->recording;
  const std::scoped_lock lock(to.defining);
  deed_ctf_definitions_trace_handle_register(
      to.definitions->context(), what.handle, what.bytes, what.i, what.j, what.home_rank, what.tag,
      what.parent, what.loc, what.held.value_or(what.bytes), shortened(what.name).c_str());
  to.definitions->commit();
}

void recorder::handle_unregistered(std::uint32_t handle, std::uint32_t loc) {
  if (!on()) return;
  rank_recording& to = *state_->recording;
  const std::scoped_lock lock(to.defining);
  deed_ctf_definitions_trace_handle_unregister(to.definitions->context(), handle, loc);
  to.definitions->commit();
}

void recorder::memory_node(std::uint16_t id, memory_kind kind, std::uint16_t device,
                           std::uint8_t numa, std::string_view name) {
  if (!on()) return;
  rank_recording& to = *state_->recording;
  const std::scoped_lock lock(to.defining);
  deed_ctf_definitions_trace_memnode(to.definitions->context(), id, static_cast<std::uint8_t>(kind),
                                     device, numa, shortened(name).c_str());
  to.definitions->commit();
}

std::uint64_t recorder::stamp() const noexcept {
  return state_->recording ? state_->recording->stamps.now() : 0;
}

std::uint64_t recorder::stamp_of(std::chrono::nanoseconds moment) const noexcept {
  if (!state_->recording) return 0;
  const rank_recording& to = *state_->recording;
  if (to.stamps.what() != detail::stamp_source::kind::tsc)
    return static_cast<std::uint64_t>(moment.count());
  // The rate of all the run so far.
  const auto now = detail::steady_anchor::take(to.stamps);
  const auto ran = static_cast<double>((now.at - to.began.at).count());
  const auto since = static_cast<double>((now.at - moment).count());
  const double rate = static_cast<double>(now.stamp - to.began.stamp) / std::max(1.0, ran);
  return now.stamp - static_cast<std::uint64_t>(static_cast<std::int64_t>(rate * since));
}

std::uint64_t recorder::discarded() const {
  if (!state_->recording) return 0;
  rank_recording& from = *state_->recording;
  const std::scoped_lock lock(from.opening);
  std::uint64_t sum = from.lost;
  if (!from.closed)
    for (const stream& each : from.streams) sum += each.discarded();
  return sum;
}

void recorder::close() noexcept {
  if (state_->recording) state_->recording->close();
}

}  // namespace deed::trace
