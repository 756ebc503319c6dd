// SPDX-License-Identifier: MIT
#include "analysis/read/merge.hpp"

#include <algorithm>
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
struct cursor {
  const stored_event* at;
  const stored_event* end;
};

/// Streams that meet in a tree: each node keeps the one that came second there, so that the next
/// event costs one comparison per level. Of one time, the earlier stream comes first.
class tournament {
 public:
  explicit tournament(std::vector<cursor> streams) : streams_(std::move(streams)) {
    leaves_ = std::bit_ceil(std::max<std::size_t>(1, streams_.size()));
    seconds_.resize(leaves_);
    first_ = winner_of(1);
  }
  [[nodiscard]] bool empty() const noexcept { return first_.time == ended; }
  stored_event take() {
    cursor& from = streams_[first_.stream];
    const stored_event taken = *from.at++;
    first_.time = time_of(from);
    for (std::size_t node = (leaves_ + first_.stream) / 2; node != 0; node /= 2)
      if (seconds_[node].before(first_)) std::swap(seconds_[node], first_);
    return taken;
  }

 private:
  static constexpr std::uint64_t ended = ~std::uint64_t{0};  // More than any time.
  struct entry {
    std::uint64_t time = ended;
    std::size_t stream = 0;
    [[nodiscard]] bool before(const entry& other) const noexcept {
      return time != other.time ? time < other.time : stream < other.stream;
    }
  };

  [[nodiscard]] static std::uint64_t time_of(const cursor& of) noexcept {
    return of.at == of.end ? ended : of.at->time();
  }
  entry winner_of(std::size_t node) {
    if (node >= leaves_) {
      const std::size_t stream = node - leaves_;
      return {stream < streams_.size() ? time_of(streams_[stream]) : ended, stream};
    }
    entry one = winner_of(2 * node), other = winner_of(2 * node + 1);
    if (other.before(one)) std::swap(one, other);
    seconds_[node] = other;
    return one;
  }

  std::vector<cursor> streams_;
  std::size_t leaves_ = 1;
  std::vector<entry> seconds_;  // By node; the root is 1.
  entry first_;
};

void merge_into(std::vector<cursor> streams, stored_event* into) {
  for (tournament left(std::move(streams)); !left.empty();) *into++ = left.take();
}

/// Times that cut all events into about equal pieces.
std::vector<std::uint64_t> cuts(const std::vector<std::vector<stored_event>>& streams,
                                std::size_t pieces) {
  std::vector<std::uint64_t> sample;
  for (const auto& each : streams)
    for (std::size_t i = 0; i < each.size(); i += 4'096) sample.push_back(each[i].time());
  std::sort(sample.begin(), sample.end());
  std::vector<std::uint64_t> found;
  for (std::size_t i = 1; i < pieces && !sample.empty(); ++i)
    found.push_back(sample[sample.size() * i / pieces]);
  return found;
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

std::unique_ptr<stored_event[]> merge(std::vector<std::vector<stored_event>>& streams,
                                      std::size_t& size) {
  size = 0;
  for (const auto& each : streams) size += each.size();
  auto merged = std::make_unique_for_overwrite<stored_event[]>(size);
  constexpr std::size_t worth_a_thread = 100'000;
  const std::size_t pieces = size < worth_a_thread ? 1 : 2 * threads_for(64);
  const auto times = cuts(streams, pieces);

  const auto place_of = [](const std::vector<stored_event>& in, std::uint64_t time) {
    return std::lower_bound(in.data(), in.data() + in.size(), time,
                            [](const stored_event& e, std::uint64_t t) { return e.time() < t; });
  };
  std::vector<std::vector<cursor>> parts(times.size() + 1);
  std::vector<stored_event*> starts(parts.size(), merged.get());
  std::size_t before = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    starts[p] = merged.get() + before;
    for (std::size_t s = 0; s < streams.size(); ++s) {
      const auto& in = streams[s];
      const stored_event* const first = p == 0 ? in.data() : place_of(in, times[p - 1]);
      const stored_event* const last =
          p == times.size() ? in.data() + in.size() : place_of(in, times[p]);
      parts[p].push_back({first, last});
      before += static_cast<std::size_t>(last - first);
    }
  }
  in_parallel(parts.size(), [&](std::size_t p) { merge_into(std::move(parts[p]), starts[p]); });
  streams = {};
  return merged;
}

}  // namespace deed::viewer
