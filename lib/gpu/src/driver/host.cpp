// SPDX-License-Identifier: MIT
// The host as a node: leases, and tasks that no device can run.
#include "driver/core.hpp"

#include <algorithm>
#include <utility>

namespace deed::gpu {
namespace {

constexpr std::size_t most_looked_at = 256;

bool readable_at_home(const datum_core& datum) {
  const auto& writer = datum.writer;
  return datum.replicas[0].valid() && (!writer || (writer->done && !writer->error)) &&
         datum.waiting_writers == 0;
}

}  // namespace

/// A reader of what is valid here takes no request: a count of the datum keeps writers away. Null
/// if that is not so, or if others step just now.
std::shared_ptr<datum_core> driver::core::lend_at_once(const operand& wanted, std::string_view name,
                                                       memory_block& home) {
  // What was asked before comes before: also a writer that no step has seen.
  if (wanted.mode != access_mode::read || incoming->any.load(std::memory_order_acquire) || !adopt())
    return nullptr;
  std::shared_ptr<datum_core> lent;
  if (datum_core& datum = *wanted.datum->core_; readable_at_home(datum)) {
    lent = wanted.datum->core_;
    home = datum.home;
    datum.readers_at_home.enter();
    if (incoming->order_checked) note_host(datum, false, name);
  }
  leave();
  return lent;
}

/// The end of that, in any thread, maybe after that of the driver.
void driver::core::end_read(std::shared_ptr<datum_core> datum) {
  inbox& in = *datum->incoming;
  if (in.order_checked) {
    in.post([datum](driver::core& self) {
      self.note_host(*datum, false, "the host");
      static_cast<void>(datum->readers_at_home.leave());
    });
  } else if (datum->readers_at_home.leave()) {
    in.post([](driver::core&) {});  // A step looks again.
  }
}

void driver::core::move_to_host(const std::shared_ptr<request>& task) {
  task->node = 0;
  task->at = request::stage::queued;
  task->asked_for_loads = false;
  const auto later = std::find_if(host_queue.begin(), host_queue.end(),
                                  [&](const auto& other) { return other->number > task->number; });
  host_queue.insert(later, task);
}

bool driver::core::schedule_host() {
  bool moved = false;
  for (std::size_t i = 0; i < host_queue.size() && i < most_looked_at;) {
    const auto access = host_queue[i];
    if (!grant(access)) {
      ++i;
      continue;
    }
    host_queue.erase(host_queue.begin() + static_cast<std::ptrdiff_t>(i));
    moved = true;
  }
  return moved;
}

/// True if the request left the queue, granted or failed.
bool driver::core::grant(const std::shared_ptr<request>& access) {
  if (access->to_network_from != 0) {
    const direct how = grant_to_network(access);
    if (how != direct::never) return how == direct::granted;
    access->to_network_from = 0;
  }
  if (access->at == request::stage::queued) {
    if (!may_go(*access)) return false;
    for (const auto& use : access->uses) ++use.datum->replicas[0].pins;
    access->at = request::stage::reserved;
  }
  std::exception_ptr error;
  bool ready = true;
  for (const auto& use : access->uses) {
    datum_core& datum = *use.datum;
    replica& home = datum.replicas[0];
    if (reads(use.mode)) {
      if (datum.writer && !datum.writer->done) ready = false;
      if (!home.valid() && !datum.poisoned()) {
        if (home.state == replica_state::invalid && access->asked_for_loads && home.load_error) {
          error = home.load_error;
        } else {
          load(datum, 0, copy_reason::fetch);
          if (access->in_pieces && home.loading != nullptr) home.loading->in_pieces = true;
        }
        ready = false;
      }
    } else if (home.state == replica_state::loading) {
      ready = false;
    }
    if (writes(use.mode) && (datum.loading_elsewhere(0) || !all_done(home.readers))) ready = false;
  }
  access->asked_for_loads = true;
  if (!error) error = poison_of(*access);
  if (!error && !ready) return access->in_pieces && grant_in_pieces(access);

  if (error) {
    for (const auto& use : access->uses) --use.datum->replicas[0].pins;
    if (access->lease) {
      drop_tickets(*access);
      // The lease ends here; a writer that never wrote leaves the data as they were.
      access->lease->error = error;
      access->lease->now.store(host_request::failed, std::memory_order_release);
      tell_later([this, lease = access->lease] {
        if (lease->on_granted) lease->on_granted();
        open.fetch_sub(1, std::memory_order_acq_rel);
      });
    } else {
      fail(access, std::move(error));
    }
    return true;
  }

  std::vector<memory_block> memory;
  for (const auto& use : access->uses) {
    memory.push_back(use.datum->home);
    note_host(*use.datum, writes(use.mode), access->name);
  }
  if (access->lease) {
    access->in_pieces = false;  // All is there.
    grant_now(access, std::move(memory));
    return true;
  }
  access->at = request::stage::running;
  host_running.push_back(access);
  tell_later([this, access, memory = std::move(memory)]() mutable {
    std::exception_ptr thrown;
    try {
      access->on_host(memory);
    } catch (...) {
      thrown = std::current_exception();
    }
    incoming->post([access = std::move(access), thrown](driver::core& self) {
      self.end_host(access, thrown);
    });
  });
  return true;
}

void driver::core::grant_now(const std::shared_ptr<request>& access,
                             std::vector<memory_block> memory) {
  access->at = request::stage::running;
  host_running.push_back(access);
  access->lease->memory = std::move(memory);
  if (!access->in_pieces && access->uses.size() == 1)
    access->lease->arrived.store(access->lease->memory.front().bytes(), std::memory_order_relaxed);
  // Release; pairs with the acquire in `host_lease`.
  access->lease->now.store(host_request::granted, std::memory_order_release);
  tell_later([lease = access->lease] {
    if (lease->on_granted) lease->on_granted();
  });
}

void driver::core::end_host(const std::shared_ptr<request>& access, std::exception_ptr error) {
  const auto found = std::find(host_running.begin(), host_running.end(), access);
  if (found == host_running.end()) {
    // A lease that ends before it was granted: withdrawn.
    const auto waiting = std::find(host_queue.begin(), host_queue.end(), access);
    if (waiting == host_queue.end()) return;
    if (access->at == request::stage::reserved) {
      for (const auto& use : access->uses) {
        unsigned& pins = use.datum->replicas[static_cast<std::size_t>(access->node)].pins;
        if (pins > 0) --pins;  // None on a device that was lost.
      }
    }
    drop_tickets(*access);
    host_queue.erase(waiting);
    open.fetch_sub(1, std::memory_order_acq_rel);
    return;
  }
  host_running.erase(found);
  if (access->node != 0) {
    note_network(*access);
  } else {
    for (const auto& use : access->uses) note_host(*use.datum, writes(use.mode), access->name);
  }
  access->result->error = error;
  access->result->done = true;
  release(*access, {});
  if (access->lease) {
    open.fetch_sub(1, std::memory_order_acq_rel);
    return;
  }
  ++(error ? counters.failed_tasks : counters.host_tasks);
  tell_end(*access, error);
}

}  // namespace deed::gpu
