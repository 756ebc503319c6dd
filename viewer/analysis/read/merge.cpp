// SPDX-License-Identifier: MIT
#include "analysis/read/merge.hpp"

#include "analysis/store/give_back.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace deed::viewer {
namespace {

std::size_t threads_for(std::size_t pieces) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::min({pieces, cores, std::size_t{8}});
}

/// The part of a stream that is not merged yet.
class cursor {
 public:
  cursor(const stream_content& of, const event_list& into, std::size_t first, std::size_t last)
      : of_(&of), into_(&into), at_(first), last_(last) {
    if (first != last) open_file();
  }
  [[nodiscard]] bool at_end() const noexcept { return at_ == last_; }
  [[nodiscard]] std::uint64_t time() const noexcept { return of_->events[at_].time(); }
  struct taken {
    const stored_event* event;
    std::uint64_t address;
  };
  taken take() {
    if (at_ == end_of_file_) open_file();
    const stored_event* const event = &of_->events[at_++];
    __builtin_prefetch(event + 8);  // There are more streams than the processor follows.
    return {event, address_of_file_ + event->offset};
  }

 private:
  void open_file() {
    const auto& files = of_->files;
    auto next = std::ranges::upper_bound(files, at_, {}, &file_events::first);
    address_of_file_ = into_->address_of_file(std::prev(next)->file);
    end_of_file_ = next == files.end() ? last_ : next->first;
  }

  const stream_content* of_;
  const event_list* into_;
  std::size_t at_, last_, end_of_file_ = 0;
  std::uint64_t address_of_file_ = 0;
};

/// Streams that meet in a tree: each node keeps the one that came second there, so that the next
/// event costs one comparison per level. Of one time, the earlier stream comes first: a key is a
/// time, and below it the number of the stream.
template <class Key>
class tournament {
 public:
  tournament(std::vector<cursor> streams, std::uint64_t from, int stream_bits)
      : streams_(std::move(streams)), from_(from), stream_bits_(stream_bits) {
    leaves_ = std::bit_ceil(std::max<std::size_t>(1, streams_.size()));
    seconds_.resize(leaves_);
    first_ = winner_of(1);
  }
  [[nodiscard]] bool empty() const noexcept { return first_ == ended; }
  cursor::taken take() {
    const auto stream = static_cast<std::size_t>(first_ & ((Key{1} << stream_bits_) - 1));
    const cursor::taken taken = streams_[stream].take();
    Key first = key_of(stream);
    for (std::size_t node = (leaves_ + stream) / 2; node != 0; node /= 2) {
      const Key other = seconds_[node];
      seconds_[node] = std::max(first, other);
      first = std::min(first, other);
    }
    first_ = first;
    return taken;
  }

 private:
  static constexpr Key ended = ~Key{0};

  [[nodiscard]] Key key_of(std::size_t stream) const noexcept {
    const cursor& of = streams_[stream];
    return of.at_end() ? ended : Key{of.time() - from_} << stream_bits_ | stream;
  }
  Key winner_of(std::size_t node) {
    if (node >= leaves_) return node - leaves_ < streams_.size() ? key_of(node - leaves_) : ended;
    const Key one = winner_of(2 * node), other = winner_of(2 * node + 1);
    seconds_[node] = std::max(one, other);
    return std::min(one, other);
  }

  std::vector<cursor> streams_;
  std::uint64_t from_;
  int stream_bits_;
  std::size_t leaves_ = 1;
  std::vector<Key> seconds_;  // By node; the root is 1.
  Key first_ = ended;
};

/// How many events of each stream are among the first `count` of all.
std::vector<std::size_t> split(std::span<const stream_content> streams, std::size_t count) {
  std::vector<std::size_t> low(streams.size()), high, middle(streams.size());
  for (const stream_content& each : streams) high.push_back(each.events.size());
  const auto place_of = [&](std::size_t s, std::uint64_t time) {
    const stored_event* const events = streams[s].events.data();
    return static_cast<std::size_t>(
        std::lower_bound(events + low[s], events + high[s], time,
                         [](const stored_event& e, std::uint64_t t) { return e.time() < t; }) -
        events);
  };
  // Fewer than `count` are before `from`, or just as many; more are before `to`.
  std::uint64_t from = 0, to = std::uint64_t{1} << 56;
  while (to - from > 1) {
    const std::uint64_t time = from + (to - from) / 2;
    std::size_t before = 0;
    for (std::size_t s = 0; s < streams.size(); ++s) before += middle[s] = place_of(s, time);
    (before <= count ? from : to) = time;
    (before <= count ? low : high) = middle;
  }
  std::size_t missing = count;
  for (const std::size_t each : low) missing -= each;
  for (std::size_t s = 0; s < streams.size() && missing != 0; ++s) {  // All of one time.
    const std::size_t more = std::min(missing, high[s] - low[s]);
    low[s] += more;
    missing -= more;
  }
  return low;
}

/// A part of all events, and what was found in it. It begins with a whole block.
struct part {
  std::size_t begin = 0;
  std::vector<cursor> streams;
  std::uint64_t earliest = ~std::uint64_t{0}, latest = 0;
  std::uint64_t wild = 0;
  std::size_t data = 0;  // After the number of each datum that is registered.
  std::vector<std::pair<std::size_t, std::vector<std::int64_t>>> far;  // Blocks with their times.

  void add(const stream_content& stream, const event_list& into, std::size_t first,
           std::size_t last) {
    streams.emplace_back(stream, into, first, last);
    if (first == last) return;
    earliest = std::min(earliest, stream.events[first].time());
    latest = std::max(latest, stream.events[last - 1].time());
  }
};

/// Where the merged events go.
struct merge_target {
  event_list& events;
  unset_vector<std::uint32_t>& handles;
  std::uint64_t first, last;

  void fill(part& of) const {
    __extension__ using wide = unsigned __int128;
    const auto stream_bits = static_cast<int>(std::bit_width(of.streams.size()));
    if (of.latest < of.earliest) return;
    if (static_cast<int>(std::bit_width(of.latest - of.earliest)) + stream_bits < 64)
      fill(of, tournament<std::uint64_t>(std::move(of.streams), of.earliest, stream_bits));
    else
      fill(of, tournament<wide>(std::move(of.streams), of.earliest, stream_bits));
  }

 private:
  template <class Key>
  void fill(part& of, tournament<Key> left) const {
    // A damaged number must not allocate the machine: there are no more data than records of them.
    const std::size_t most_data = std::max<std::size_t>(4'096, 2 * events.size());
    std::array<event_list::entry, event_list::block> entries;
    for (std::size_t index = of.begin; !left.empty();) {
      std::size_t n = 0;
      for (; n < entries.size() && !left.empty(); ++n) {
        const auto [event, address] = left.take();
        const std::uint64_t time = std::clamp(event->time(), first, last);
        if (time != event->time()) ++of.wild;
        entries[n] = {static_cast<std::int64_t>(time - first), address, event->what()};
        handles[index + n] = event->handle;
        if (event->what() == record::handle_register && event->handle < most_data)
          of.data = std::max<std::size_t>(of.data, event->handle + std::size_t{1});
      }
      const auto brought = std::span(entries).first(n);
      const std::size_t block = index / event_list::block;
      if (!events.put(block, brought)) {
        of.far.push_back({block, {}});
        for (const event_list::entry& each : brought) of.far.back().second.push_back(each.time);
      }
      index += n;
    }
  }
};

std::size_t parts_of(std::size_t events, std::size_t wanted) {
  constexpr std::size_t worth_a_thread = 100'000;
  return events < worth_a_thread ? 1 : wanted;
}

}  // namespace

void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < threads_for(count); ++i) threads.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

events_of_data::events_of_data(std::span<const std::uint32_t> handle_of_event, std::size_t count)
    : starts_(count + 1) {
  const std::size_t parts = parts_of(handle_of_event.size(), threads_for(64));
  const auto begin_of = [&](std::size_t part) { return handle_of_event.size() * part / parts; };
  std::vector<std::vector<std::size_t>> next(parts, std::vector<std::size_t>(count));
  in_parallel(parts, [&](std::size_t p) {
    for (std::size_t i = begin_of(p); i < begin_of(p + 1); ++i)
      if (handle_of_event[i] < count) ++next[p][handle_of_event[i]];
  });
  std::size_t before = 0;
  for (std::size_t h = 0; h < count; ++h) {
    starts_[h] = before;
    for (auto& of_part : next) before += std::exchange(of_part[h], before);
  }
  starts_[count] = before;
  events_.resize(before);
  in_parallel(parts, [&](std::size_t p) {
    for (std::size_t i = begin_of(p); i < begin_of(p + 1); ++i)
      if (handle_of_event[i] < count)
        events_[next[p][handle_of_event[i]]++] = static_cast<std::uint32_t>(i);
  });
}

merged_events merge(std::span<stream_content> streams, std::span<const event_file> files,
                    std::uint64_t first, std::uint64_t last) {
  std::size_t size = 0;
  for (const stream_content& each : streams) size += each.events.size();
  merged_events merged;
  merged.events = event_list(size, files);
  unset_vector<std::uint32_t> handles(size);
  std::vector<part> parts(parts_of(size, 2 * threads_for(64)));
  std::vector<std::size_t> from(streams.size()), to;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    constexpr std::size_t block = event_list::block;
    const bool is_last = p + 1 == parts.size();
    const std::size_t end = is_last ? size : size * (p + 1) / parts.size() / block * block;
    to = split(streams, end);
    for (std::size_t s = 0; s < streams.size(); ++s)
      parts[p].add(streams[s], merged.events, from[s], to[s]);
    from = to;
    if (!is_last) parts[p + 1].begin = end;
  }
  const merge_target target{merged.events, handles, first, last};
  in_parallel(parts.size(), [&](std::size_t p) { target.fill(parts[p]); });
  std::size_t data = 0;
  for (const part& each : parts) {
    merged.wild += each.wild;
    data = std::max(data, each.data);
    for (const auto& [block, times] : each.far) merged.events.put_times(block, times);
  }
  for (stream_content& each : streams) give_back(each.events);
  merged.of_data = events_of_data(handles, data);
  return merged;
}

}  // namespace deed::viewer
