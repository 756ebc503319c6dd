// SPDX-License-Identifier: MIT
// A device task from its acceptance to its end.
#include "driver/core.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace deed::gpu {
namespace {

constexpr std::size_t most_tasks_looked_at = 64;
constexpr std::size_t most_readers = 8;

/// A device with tasks that take less wants more of them at once: it is through with a few before
/// somebody has looked, and one look, which costs two fifths of a launch, is then one for many.
constexpr std::chrono::microseconds brief_time{50};
constexpr std::size_t more_of_brief_ones = 8;
constexpr std::size_t events_at_once = 16;

/// "heat.cpp:57", or nothing where the caller did not say.
std::string line_of(const request& task) {
  return task.where.line() == 0 ? std::string() : deed::to_string(task.where);
}

/// Of its streams for kernels.
std::ptrdiff_t number_of(const device_node& device, const lane& on) {
  return std::find_if(device.compute.begin(), device.compute.end(),
                      [&](const lane& one) { return &one == &on; }) -
         device.compute.begin();
}

void insert_in_order(std::deque<std::shared_ptr<request>>& queue,
                     const std::shared_ptr<request>& task) {
  // From the back: nearly always, the newest comes last.
  auto at = queue.end();
  while (at != queue.begin() && (*std::prev(at))->number > task->number) --at;
  queue.insert(at, task);
}

}  // namespace

void driver::core::accept(const std::shared_ptr<request>& fresh) {
  fresh->number = ++requests;
  for (const auto& use : fresh->uses) {
    use.datum->tickets.emplace_back(fresh.get(), use.mode);
    use.datum->waiting_writers += writes(use.mode);
  }
  if (fresh->node == 0) {
    host_queue.push_back(fresh);
  } else if (node(fresh->node).dead) {
    relocate(fresh, error_of(node(fresh->node), node(fresh->node).why_lost, fresh.get(), nullptr));
  } else {
    insert_in_order(node(fresh->node).queue, fresh);
  }
}

bool driver::core::may_go(const request& task) const {
  for (const auto& use : task.uses) {
    const auto& tickets = use.datum->tickets;
    if (writes(use.mode) && tickets.front().first != &task) return false;
    if (!writes(use.mode) && use.datum->waiting_writers != 0) {
      for (const auto& [earlier, mode] : tickets) {
        if (earlier == &task) break;
        if (writes(mode)) return false;
      }
    }
    if (writes(use.mode) && use.datum->readers_at_home.must_wait()) return false;
  }
  return true;
}

void driver::core::drop_tickets(request& task) {
  for (const auto& use : task.uses) {
    auto& tickets = use.datum->tickets;
    const auto mine = std::find_if(tickets.begin(), tickets.end(),
                                   [&](const auto& ticket) { return ticket.first == &task; });
    if (mine == tickets.end()) continue;
    tickets.erase(mine);  // Near the front, so nearly free.
    use.datum->waiting_writers -= writes(use.mode);
  }
}

std::exception_ptr driver::core::poison_of(const request& task) const {
  for (const auto& use : task.uses) {
    if (!reads(use.mode) || !use.datum->poisoned()) continue;
    std::string reason = "its writer failed";
    try {
      std::rethrow_exception(use.datum->writer->error);
    } catch (const std::exception& cause) {
      const std::string_view whole = cause.what();
      reason = whole.substr(0, whole.find('\n'));
    } catch (...) {
    }
    return std::make_exception_ptr(data_lost({.task = task.name,
                                              .handle = use.datum->name,
                                              .bytes = use.datum->bytes(),
                                              .where = line_of(task),
                                              .number = task.of_caller},
                                             reason, use.datum->writer->error));
  }
  return nullptr;
}

fault_site driver::core::site_of(const device_node& device, const status& what, const request* task,
                                 const datum_core* datum) {
  fault_site site{.device = device.info.id.value, .device_name = device.info.name};
  if (task) {
    site.task = task->name;
    site.where = line_of(*task);
    site.number = task->of_caller;
    for (const auto& use : task->uses)
      site.data += (site.data.empty() ? "`" : ", `") + use.datum->name + "`";
  }
  if (datum) {
    site.handle = datum->name;
    site.bytes = datum->bytes();
  }
  if (what.native != 0) site.native_name = device.api->native_name(what.native);
  return site;
}

std::exception_ptr driver::core::error_of(const device_node& device, const status& what,
                                          const request* task, const datum_core* datum) {
  return std::make_exception_ptr(gpu_error(what, site_of(device, what, task, datum)));
}

void driver::core::enter(device_node& device) {
  if (current_api == device.api && current_device == device.ordinal) return;
  const status entered = device.api->set_device(device.ordinal);
  if (!entered.ok()) throw call_failed{entered};
  current_api = device.api;
  current_device = device.ordinal;
}

bool driver::core::poll(device_node& device) {
  if (device.dead || device.failing) return false;
  bool moved = false;
  const auto ask = [&](pooled_event& event) {
    const status asked = device.api->query(event.ref, event.done);
    if (asked.ok()) {
      device.refusals = 0;
      return true;
    }
    event.done = false;
    if (is_sticky(asked.kind) || ++device.refusals > most_refusals) lose(device, asked);
    return false;
  };
  const auto look = [&](lane& one, bool computes) {
    bool newest_asked = false;
    const auto since = one.front_since;
    for (int ended = 1; !one.outstanding.empty(); ++ended) {
      pooled_event& front = *one.outstanding.front().operator->();
      if (!front.done && !ask(front)) return;
      if (!front.done) {
        if (now() - one.front_since > options.patience) {
          lose(device, {error_kind::timeout, 0, operation::query});
        }
        return;
      }
      one.outstanding.pop_front();
      const auto seen = now();
      if (computes) device.brief_tasks = seen - since < ended * brief_time;
      one.front_since = seen;
      moved = true;
      // Where the device keeps up, one more answer is that of all.
      if (newest_asked || one.outstanding.size() < 2) continue;
      newest_asked = true;
      pooled_event& newest = *one.outstanding.back().operator->();
      if (!ask(newest)) return;
      if (!newest.done) continue;
      for (event_handle& earlier : one.outstanding) earlier->done = true;
    }
  };
  look(*device.in, false);
  look(*device.out, false);
  for (lane& one : device.compute) look(one, true);
  return moved;
}

bool driver::core::complete(device_node& device) {
  bool moved = false;
  for (std::size_t i = 0; i < device.running.size();) {
    const auto task = device.running[i];
    const bool upstream_known = std::all_of(task->upstream.begin(), task->upstream.end(),
                                            [](const auto& one) { return one.second->done; });
    if (!task->end.done() || !upstream_known) {
      ++i;
      continue;
    }
    moved = true;
    device.running.erase(device.running.begin() + static_cast<std::ptrdiff_t>(i));
    finish(device, *task);
  }
  return moved;
}

/// Its kernels have ended, and those that wrote what it reads.
void driver::core::finish(device_node& device, request& task) {
  ending& result = *task.result;
  if (!result.error && task.kernel_error) result.error = *task.kernel_error;
  for (const auto& [name, writer] : task.upstream) {
    if (result.error || !writer->error) continue;
    result.error = std::make_exception_ptr(data_lost({.device = device.info.id.value,
                                                      .device_name = device.info.name,
                                                      .task = task.name,
                                                      .handle = name,
                                                      .where = line_of(task),
                                                      .number = task.of_caller},
                                                     "its writer failed", writer->error));
  }
  result.done = true;
  ++(result.error ? counters.failed_tasks : counters.tasks);
  tell_task(device, task);
  tell_end(task, result.error);
}

void driver::core::fail(const std::shared_ptr<request>& task, std::exception_ptr error) {
  drop_tickets(*task);
  task->result->error = error;
  task->result->done = true;
  for (const auto& use : task->uses) {
    if (writes(use.mode)) use.datum->writer = task->result;
  }
  ++counters.failed_tasks;
  tell_end(*task, error);
}

/// A callback runs without the lock. It has nothing of the request: with the last of it, events go
/// back to their pool.
void driver::core::tell_end(request& ended, const std::exception_ptr& error) {
  callbacks.push_back({std::move(ended.done), error, {}});
}

bool driver::core::ready_to_launch(device_node& device, request& task, std::exception_ptr& error) {
  bool ready = true;
  for (const auto& use : task.uses) {
    replica& here = use.datum->replicas[static_cast<std::size_t>(device.node)];
    if (reads(use.mode)) {
      if (here.state == replica_state::invalid) {
        if (task.asked_for_loads && here.load_error) {
          error = here.load_error;
          return false;
        }
        load(*use.datum, device.node, copy_reason::fetch, &use, task.of_caller);
        ready = false;
      } else if (here.state == replica_state::loading) {
        if (here.loading && here.loading->why > copy_reason::fetch)
          here.loading->why = copy_reason::fetch;
        ready = ready && here.ready_known;
      }
    } else if (here.state == replica_state::loading) {
      ready = false;
    }
    // A copy that is on its way elsewhere reads what this task would overwrite.
    if (writes(use.mode) && use.datum->loading_elsewhere(device.node)) ready = false;
  }
  task.asked_for_loads = true;
  return ready;
}

bool driver::core::schedule(device_node& device) {
  if (device.dead || device.failing) return false;
  const auto depth = static_cast<std::size_t>(options.depth);
  const std::size_t most = device.brief_tasks ? more_of_brief_ones * depth : depth;
  bool moved = false, parked = false;
  std::size_t reserved = 0;
  const auto take_out = [&](std::size_t i) {
    device.queue.erase(device.queue.begin() + static_cast<std::ptrdiff_t>(i));
    moved = true;
  };
  for (std::size_t i = 0; i < device.queue.size() && i < most_tasks_looked_at && !device.failing;) {
    if (const request& next = *device.queue[i]; next.at == request::stage::queued) {
      if (parked || reserved >= depth || !may_go(next)) {
        ++i;
        continue;
      }
    }
    const auto task = device.queue[i];
    if (auto poison = poison_of(*task)) {
      if (task->at == request::stage::reserved) unreserve(device, *task);
      take_out(i);
      fail(task, std::move(poison));
      continue;
    }
    if (task->at == request::stage::queued) {
      const room found = reserve(device, *task);
      if (found == room::never) {
        take_out(i);
        if (task->on_host) {
          move_to_host(task);
        } else {
          std::size_t bytes = 0;
          for (const auto& use : task->uses) bytes += use.datum->bytes();
          fail(task, std::make_exception_ptr(device_capacity_error({.device = device.info.id.value,
                                                                    .device_name = device.info.name,
                                                                    .task = task->name,
                                                                    .bytes = bytes,
                                                                    .where = line_of(*task),
                                                                    .number = task->of_caller},
                                                                   device.memory->limit())));
        }
        continue;
      }
      if (found == room::later) {
        parked = true;  // Those behind must not take what it waits for.
        ++i;
        continue;
      }
      task->at = request::stage::reserved;
      moved = true;
    }
    ++reserved;
    std::exception_ptr error;
    const bool ready = ready_to_launch(device, *task, error);
    if (error) {
      --reserved;
      unreserve(device, *task);
      take_out(i);
      fail(task, std::move(error));
    } else if (ready && device.running.size() < most && launch(device, task)) {
      --reserved;
      take_out(i);
    } else {
      ++i;
    }
  }
  device.short_of_memory = parked;
  return moved;
}

void driver::core::look_ahead(device_node& device) {
  if (device.dead || device.failing || device.short_of_memory) return;
  const auto most = static_cast<std::size_t>(options.prefetch_share *
                                             static_cast<double>(device.memory->limit()));
  int looked = 0;
  for (const auto& task : device.queue) {
    if (task->at != request::stage::queued) continue;
    if (++looked > options.look_ahead) return;
    for (const auto& use : task->uses) {
      datum_core& datum = *use.datum;
      if (!reads(use.mode) || datum.poisoned()) continue;
      if (datum.replicas[static_cast<std::size_t>(device.node)].state != replica_state::invalid)
        continue;
      bool behind_a_writer = false;
      for (const auto& [earlier, mode] : datum.tickets) {
        if (earlier == task.get()) break;
        behind_a_writer = behind_a_writer || writes(mode);
      }
      if (behind_a_writer || device.prefetched_bytes + datum.bytes() > most) continue;
      load(datum, device.node, copy_reason::prefetch, &use, task->of_caller);
    }
  }
}

lane& driver::core::lane_for(device_node& device, const request& task) {
  // Behind the writer of an input, on the same stream, there is nothing to wait for.
  for (const auto& use : task.uses) {
    const replica& here = use.datum->replicas[static_cast<std::size_t>(device.node)];
    if (here.ready.done()) continue;
    for (lane& one : device.compute) {
      if (one.ref == here.ready->on) return one;
    }
  }
  device.next_lane = (device.next_lane + 1) % device.compute.size();
  return device.compute[device.next_lane];
}

/// Waits for the last event of each stream; it comes behind the others.
void driver::core::stream_waits(device_node& device, lane& on, const event_list& events) {
  for (const event_handle& event : events) {
    if (event.done() || event->on == on.ref) continue;
    const bool covered = std::any_of(events.begin(), events.end(), [&](const event_handle& later) {
      return !later.done() && later->on == event->on && later->number > event->number;
    });
    const bool twice = std::find(events.data(), &event, event) != &event;
    if (covered || twice) continue;
    ++counters.waits;
    status asked = device.api->wait(on.ref, event->ref);
    if (!asked.ok() && !is_sticky(asked.kind)) {
      asked = device.api->sync_event(event->ref);  // The host waits instead.
      if (asked.ok()) event->done = true;
    }
    if (!asked.ok()) throw call_failed{asked};
  }
}

/// One that is free, or a fresh one. Empty: the vendor refuses.
event_handle driver::core::event_for(device_node& device, lane& on) {
  event_handle event = device.events.take();
  if (event == event_handle{}) {
    event_list fresh;  // Several: how many are in use at most shows late.
    while (fresh.size() < events_at_once) {
      void* native = nullptr;
      const status made = device.api->create_event(false, native);
      if (is_sticky(made.kind)) throw call_failed{made};
      if (!made.ok()) break;
      fresh.push_back(device.events.adopt(event_ref(native, device_id{device.ordinal})));
    }
    if (fresh.empty()) return {};
    event = std::move(fresh.front());
  }
  event->on = on.ref;
  return event;
}

event_handle driver::core::record(device_node& device, lane& on) {
  event_handle event = event_for(device, on);
  status made{error_kind::invalid, 0, operation::create_event};
  if (event != event_handle{}) made = device.api->record(event->ref, on.ref);
  if (made.ok()) {
    event->number = ++records;
    if (on.outstanding.empty()) on.front_since = now();
    on.outstanding.push_back(event);
    return event;
  }
  // Nobody could say later when it is done: wait until it is.
  if (!is_sticky(made.kind)) made = device.api->sync_stream(on.ref);
  if (!made.ok()) throw call_failed{made};
  return {};
}

bool driver::core::launch(device_node& device, const std::shared_ptr<request>& task) {
  lane& on = lane_for(device, *task);
  std::vector<device_memory> memory;
  touches.clear();
  before_it.clear();
  try {
    enter(device);
    for (const auto& use : task->uses) {
      replica& here = use.datum->replicas[static_cast<std::size_t>(device.node)];
      before_it.push_back(here.ready);
      if (writes(use.mode))
        before_it.insert(before_it.end(), here.readers.begin(), here.readers.end());
      memory.push_back({here.block.address, use.datum->bytes(), writes(use.mode)});
      if (device.check != nullptr)
        touches.push_back({here.block.address, use.datum->bytes(), writes(use.mode)});
    }
    stream_waits(device, on, before_it);
    before_it.clear();  // They go back to their pool.
  } catch (const call_failed& refused) {
    if (is_sticky(refused.what.kind)) {
      lose(device, refused.what);
    } else if (++task->refusals > most_refusals) {
      unreserve(device, *task);
      fail(task, error_of(device, refused.what, task.get(), nullptr));
      return true;
    }
    return false;
  }
  detail::task_queue& queue = lend_right(device, on, *task);
  for (const auto& use : task->uses) {
    use.datum->replicas[static_cast<std::size_t>(device.node)].lent = launches;
    const auto& writer = use.datum->writer;
    if (reads(use.mode) && writer && !writer->done)
      task->upstream.emplace_back(use.datum->name, writer);
  }

  access_label label{task->name, {}};
  if (task->uses.size() == 1) label.handle = task->uses[0].datum->name;
  if (device.info.made_by == backend::emulated) {
    device.api->note_label(label);
  } else {
    device.api->note_access(on.ref, touches, label);
  }
  std::exception_ptr thrown;
  if (task->timed) task->times.begin = stamp(device, on);
  try {
    task->body(queue.right(), memory);
  } catch (...) {
    thrown = std::current_exception();
  }
  queue.end();
  device.api->note_label({});
  const status left = device.api->last_error();
  if (is_sticky(left.kind)) {
    if (options.synchronous) device.culprit = task;
    lose(device, left);  // Of an earlier kernel, or of this one: `clear_up` tells.
  } else if (!left.ok() && !thrown) {
    const status what = left.kind == error_kind::out_of_memory  // Of a call of the body's own.
                            ? left
                            : status{error_kind::launch_failed, left.native, operation::launch};
    thrown = error_of(device, what, task.get(), nullptr);
  }
  if (thrown && !queue.used()) {
    unreserve(device, *task);
    fail(task, std::move(thrown));  // Nothing was enqueued: the data are as before.
    return true;
  }
  task->result->error = std::move(thrown);
  if (task->timed) {
    task->times.end = stamp(device, on);
    task->queue = static_cast<int>(number_of(device, on));
  }
  try {
    if (options.synchronous) {
      const status done = device.api->sync_stream(on.ref);
      if (done.ok()) {
        task->waited_for = true;
      } else {
        device.culprit = task;
        throw call_failed{done};
      }
    } else if (!device.failing) {
      task->end = record(device, on);
    }
  } catch (const call_failed& refused) {
    lose(device, refused.what);
  }
  release(*task, task->end);
  task->at = request::stage::running;
  device.running.push_back(task);
  return true;
}

void driver::core::release(request& task, const event_handle& end) {
  drop_tickets(task);
  ++ticks;
  for (const auto& use : task.uses) {
    datum_core& datum = *use.datum;
    replica& here = datum.replicas[static_cast<std::size_t>(task.node)];
    if (here.pins > 0) --here.pins;  // None on a device that was lost while the network read it.
    here.last_use = ticks;
    if (!writes(use.mode)) {
      if (here.readers.size() >= most_readers) prune(here.readers);
      // One event per stream is enough: the later one comes behind the earlier.
      if (!end.done()) {
        std::erase_if(here.readers,
                      [&](const event_handle& old) { return !old.done() && old->on == end->on; });
        here.readers.push_back(end);
      }
      continue;
    }
    here.ready = end;
    here.readers.clear();
    here.state = replica_state::modified;
    here.version = ++datum.version;
    datum.shown = use.version == no_number ? no_number : use.version + 1;
    datum.writer = task.result;
    for (std::size_t i = 0; i < datum.replicas.size(); ++i) {
      if (static_cast<int>(i) == task.node) continue;
      replica& other = datum.replicas[i];
      other.state = replica_state::invalid;
      if (i != 0 && other.pins == 0) give_block(node(static_cast<int>(i)), datum);
    }
  }
}

}  // namespace deed::gpu
