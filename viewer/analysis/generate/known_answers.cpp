// SPDX-License-Identifier: MIT
#include <deed/base/random.hpp>

#include "analysis/generate/simulation.hpp"
#include "analysis/say/sentence.hpp"

#include <algorithm>

// What analyses have to answer, from what was simulated and not from its record.

namespace deed::viewer {

using trace::no_task;
using trace::worker_state;

std::uint64_t add_to_digest(std::uint64_t digest, std::uint32_t version, std::uint32_t owner) {
  return mix(digest, mix(version, owner));
}

void simulation::ran(const made_task& what, int worker, std::size_t kernel) {
  ++truth_.tasks;
  looked(what.rank, worker, what.begin);
  made_worker& mine = worker_of(what.rank, worker);
  if (mine.says) mine.looks_since = what.end;
  truth_.breakdown[{what.rank, worker}][made_kernel_names[kernel]] += what.end - what.begin;
  if (last_task_ == no_task || what.end > ran_[last_task_ - 1].end) last_task_ = what.number;
  ran_.push_back(what);
}

void simulation::says(int rank, int worker, worker_state state, std::int64_t from,
                      std::int64_t to) {
  looked(rank, worker, from);
  worker_of(rank, worker).says = true;
  truth_.breakdown[{rank, worker}][state_name(static_cast<std::uint8_t>(state))] += to - from;
}

void simulation::looked(int rank, int worker, std::int64_t until) {
  std::int64_t& since = worker_of(rank, worker).looks_since;
  if (since >= 0 && until > since)
    truth_.breakdown[{rank, worker}]
                    [state_name(static_cast<std::uint8_t>(worker_state::scheduling))] +=
        until - since;
  since = -1;
}

void simulation::look_until_the_end() {
  for (int rank = 0; rank < options_.ranks; ++rank)
    for (int worker = 0; worker < options_.workers; ++worker)
      looked(rank, worker, log_.recorded_until());
}

void simulation::came(made_task& to, std::uint32_t handle, const made_arrival& read) {
  const bool from_the_start = read.asked < 0 && tiles_[handle].writer == no_task;
  if (read.at <= to.came || from_the_start) return;
  to.came = read.at;
  to.asked = read.asked;
  to.writer = tiles_[handle].writer;
}

/// From the last task backwards: what each waited for last.
std::vector<known_step> simulation::critical_path() const {
  std::vector<known_step> path;
  const auto add = [&](const char* kind, std::uint64_t task, std::int64_t begin, std::int64_t end) {
    if (begin < end) path.push_back({kind, task, begin, end});
  };
  for (std::uint64_t now = last_task_; now != no_task;) {
    const made_task& t = ran_[now - 1];
    const bool waited = t.came > t.submitted;
    std::int64_t since = waited ? t.came : t.submitted;
    add("compute", now, t.begin, t.end);
    add("queueing", now, since, t.begin);
    std::uint64_t next = waited ? t.writer : no_task;
    if (waited && t.asked >= 0) {
      const std::int64_t written = next == no_task ? 0 : ran_[next - 1].end;
      add("network", now, std::max(written, t.asked), since);
      since = std::max(written, t.asked);
      if (written < t.asked) next = no_task;  // The program was late, not the writer.
    }
    if (next == no_task) {
      // What the program submitted after a wait waited for the last task before.
      const auto wait = std::find_if(waits_.rbegin(), waits_.rend(), [&](const made_wait& each) {
        return each.end <= since && ran_[each.last_task - 1].end > each.begin;
      });
      const bool first = wait == waits_.rend();
      add("submission", now, first ? 0 : wait->end, since);
      if (!first) {
        next = wait->last_task;
        add("wait", next, ran_[next - 1].end, wait->end);
      }
    }
    now = next;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace deed::viewer
