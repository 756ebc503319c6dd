// SPDX-License-Identifier: MIT
#include "backend/happens_before.hpp"

#include <algorithm>
#include <utility>

namespace deed::gpu {
namespace {

constexpr std::size_t host = 0;
constexpr std::size_t most_reports = 64;

}  // namespace

void happens_before::join(clock& into, const clock& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

bool happens_before::behind(const clock& whole, const clock& part) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] > (i < whole.size() ? whole[i] : 0)) return false;
  }
  return true;
}

std::size_t happens_before::actor_of(const void* stream) {
  const auto [found, fresh] = actors_.emplace(stream, clocks_.size());
  if (fresh) clocks_.emplace_back();
  return found->second;
}

void happens_before::submit(const void* stream) {
  const std::size_t actor = actor_of(stream);  // First: it may move the clocks.
  join(clocks_[actor], clocks_[host]);
}

void happens_before::record(const void* event, const void* stream) {
  submit(stream);
  events_[event] = clocks_[actor_of(stream)];
}

bool happens_before::wait(const void* stream, const void* event) {
  submit(stream);
  const auto found = events_.find(event);
  clock& mine = clocks_[actor_of(stream)];
  const bool redundant = found == events_.end() || behind(mine, found->second);
  if (redundant) {
    ++redundant_;
  } else {
    join(mine, found->second);
  }
  return redundant;
}

void happens_before::host_saw_event(const void* event) {
  if (const auto found = events_.find(event); found != events_.end()) {
    join(clocks_[host], found->second);
  }
}

void happens_before::host_saw_stream(const void* stream) {
  const std::size_t actor = actor_of(stream);
  join(clocks_[host], clocks_[actor]);
}

void happens_before::host_saw_all() {
  for (std::size_t i = 1; i < clocks_.size(); ++i) join(clocks_[host], clocks_[i]);
}

void happens_before::stream_access(const void* stream, const std::byte* begin, std::size_t bytes,
                                   bool written, std::string what) {
  submit(stream);
  touch(actor_of(stream), begin, bytes, written, std::move(what));
}

void happens_before::host_access(const std::byte* begin, std::size_t bytes, bool written,
                                 std::string what) {
  touch(host, begin, bytes, written, std::move(what));
}

void happens_before::released(const std::byte* begin, std::size_t bytes, std::string what) {
  touch(host, begin, bytes, true, std::move(what));
  std::erase_if(accesses_, [&](const auto& entry) {
    return entry.first >= begin && entry.second.end <= begin + bytes;
  });
}

void happens_before::touch(std::size_t actor, const std::byte* begin, std::size_t bytes,
                           bool written, std::string what) {
  if (bytes == 0) return;
  clock& mine = clocks_[actor];
  if (mine.size() <= actor) mine.resize(actor + 1);
  const std::uint32_t count = ++mine[actor];
  const std::byte* const end = begin + bytes;
  const auto reach = std::min<std::size_t>(longest_, reinterpret_cast<std::uintptr_t>(begin));
  for (auto at = accesses_.lower_bound(begin - reach); at != accesses_.end() && at->first < end;) {
    const access& old = at->second;
    if (old.end <= begin) {
      ++at;
      continue;
    }
    const bool ordered = (old.actor < mine.size() ? mine[old.actor] : 0) >= old.count;
    if (!ordered && (old.written || written) && conflicts_.size() < most_reports) {
      conflicts_.push_back({old.what, what});
    }
    const bool covered = at->first >= begin && old.end <= end;
    const bool replaced = covered && ordered && (written || (!old.written && old.actor == actor));
    at = replaced ? accesses_.erase(at) : std::next(at);
  }
  longest_ = std::max(longest_, bytes);
  accesses_.emplace(begin, access{end, actor, count, written, std::move(what)});
}

}  // namespace deed::gpu
