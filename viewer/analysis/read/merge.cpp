// SPDX-License-Identifier: MIT
#include "analysis/read/merge.hpp"

#include <algorithm>
#include <atomic>
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
  std::size_t stream;
  [[nodiscard]] bool before(const cursor& other) const noexcept {
    const std::uint64_t mine = at->time(), others = other.at->time();
    return mine != others ? mine < others : stream < other.stream;
  }
};

void sift_down(std::vector<cursor>& heap, std::size_t at) {
  for (;;) {
    std::size_t first = at;
    for (std::size_t child = 2 * at + 1; child <= 2 * at + 2 && child < heap.size(); ++child)
      if (heap[child].before(heap[first])) first = child;
    if (first == at) return;
    std::swap(heap[at], heap[first]);
    at = first;
  }
}

void merge_into(std::vector<cursor> heap, stored_event* into) {
  std::erase_if(heap, [](const cursor& c) { return c.at == c.end; });
  for (std::size_t i = heap.size(); i-- > 0;) sift_down(heap, i);
  while (!heap.empty()) {
    cursor& top = heap.front();
    const cursor* second = heap.size() > 1 ? &heap[1] : nullptr;
    if (heap.size() > 2 && heap[2].before(heap[1])) second = &heap[2];
    do {  // Streams write in bursts: most often the next event is of the same one.
      *into++ = *top.at++;
    } while (top.at != top.end && (second == nullptr || top.before(*second)));
    if (top.at == top.end) {
      top = heap.back();
      heap.pop_back();
    }
    if (!heap.empty()) sift_down(heap, 0);
  }
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
      parts[p].push_back({first, last, s});
      before += static_cast<std::size_t>(last - first);
    }
  }
  in_parallel(parts.size(), [&](std::size_t p) { merge_into(std::move(parts[p]), starts[p]); });
  streams = {};
  return merged;
}

}  // namespace deed::viewer
