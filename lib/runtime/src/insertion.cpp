// SPDX-License-Identifier: MIT
#include <deed/base/planted.hpp>
#include <deed/base/undone.hpp>

#include "core.hpp"
#include "report.hpp"
#include "resting.hpp"

#include <algorithm>
#include <array>

namespace deed::runtime {
namespace {

/// A list that lies on the stack as long as tasks are of the usual size.
template <class T>
class short_list {
 public:
  explicit short_list(std::size_t size) {
    if (size > few_.size()) many_.resize(size);
    view_ = size > few_.size() ? std::span<T>(many_) : std::span<T>(few_).first(size);
  }
  [[nodiscard]] std::span<T> view() noexcept { return view_; }

 private:
  std::array<T, 12> few_;
  std::vector<T> many_;
  std::span<T> view_;
};

/// A task that only reads what its rank holds is no step of the ledger; but where copies have a
/// budget, each use of one counts.
bool changes_ledger(std::span<const ownership::request> requests,
                    std::span<const ownership::effect> effects, bool uses_count) {
  if (uses_count) return true;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (writes(requests[i].mode) || effects[i].fetch) return true;
  }
  return false;
}

}  // namespace

void core::insert(const task_description& task) {
  context& self = caller(call_kind::inserts, task.where);
  hold_back(self);
  if (keeps_ != nullptr) [[unlikely]]
    note_call(task);
  const bool alone = size() == 1;
  if (is_plain(task) && ((!alone && passes_by(task)) || stays_here(self, task))) return;
  insert_any(self, task);
}

void core::insert_any(context& self, const task_description& task) {
  if (task.extras != nullptr && task.extras->done) expect_callback();
  const turn held(*this, self);
  short_list<ownership::request> listed(task.accesses.size());
  const std::span<ownership::request> requests = listed.view();
  const bool on_each = task.where_to_run.how == placement::kind::on_each;
  const bool per_rank = check_accesses(task.accesses, requests, on_each);
  check_placement(task.where_to_run, task.where);
  check_count(task);
  check_callback(self, task.accesses);
  if (task.extras != nullptr) check_extras(*task.extras, task.where);
  if (failed_.load(std::memory_order_relaxed)) rethrow_failure();
  if (alarm_.rung() && &self == &team_->main()) explain_difference();
  if (on_each) return insert_on_each(self, task);

  const auto me = static_cast<std::uint32_t>(rank_);
  const std::uint32_t executor = per_rank ? me : choose(task.where_to_run, requests, task.where);
  if (ledger_.budget().limited()) check_room(executor, requests, task.where);
  const bool for_devices = task.body->enqueue_cuda != nullptr || task.body->enqueue_hip != nullptr;
  if (for_devices && environment_.dry == nullptr) check_workers(task, executor);
  if (observer_) [[unlikely]]
    show(self, task, std::span(&executor, 1));
  close_reductions(task.accesses);
  count(inserted_, std::uint64_t{1});
  const bool recorded = recorder_ != nullptr && (executor == me || ledger_.concerns(me, requests));
  std::uint64_t copies_before = 0;
  if (recorded) record_copies(requests, copies_before);

  short_list<ownership::effect> results(requests.size());
  const std::span<ownership::effect> effects = results.view();
  ended_copies_.clear();
  ledger_.run(executor, requests, effects, &ended_copies_);
  if (verify_ != nullptr) note_submission(task, executor, effects);
  log_insertion(task, executor, effects);
  if (!per_rank) census_.add(executor, task.where);  // Those of callbacks come at any time.
  if (recorder_ != nullptr) {
    if (!per_rank && changes_ledger(requests, effects, ledger_.budget().limited())) ++steps_;
    if (recorded) {
      record_insertion(task, executor, per_rank, effects);
      record_drops(requests, copies_before, inserted_ - 1);
    }
    record_ended(ended_copies_.before, trace::drop_cause::capacity, task.where);
    record_step();
  }
  end_copies(ended_copies_.before);

  if (!per_rank) bring(executor, task.accesses, effects, task.priority);
  if (executor == me) {
    claim_copies(requests, effects);
    run_here(task, effects);
  } else if (task.extras != nullptr) {
    note_elsewhere(task, executor);
  }
  note_writes(task.accesses);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto& [owner, version, _, written_back, source] = effects[i];
    if (!written_back || planted(planted_bug::write_back_skipped)) continue;
    const place where = task.accesses[i].where;
    if (executor == me) {
      send_version(requests[i].datum, version + 1, owner, owner, where,
                   trace::transfer_reason::write_back, nullptr, task.accesses[i].synchronous,
                   task.priority);
    } else if (owner == me) {
      receive_version(requests[i].datum, version + 1, owner, executor, where,
                      trace::transfer_reason::write_back);
    }
  }
  // Of the executor, only what is not kept ends here: behind the request for it.
  if (executor == me && !ledger_.keeps_copies()) {
    record_ended(ended_copies_.after, trace::drop_cause::cache_off,
                 uncached_at_.value_or(task.where));
  }
  end_copies(ended_copies_.after);
}

/// Whether nobody wants to know of a task but the ledger and the graph.
bool core::nobody_looks() const {
  return !observer_ && recorder_ == nullptr && verify_ == nullptr && keeps_ == nullptr &&
         !callbacks_ && splits_.empty() && !failed_.load(std::memory_order_relaxed) &&
         !alarm_.rung();
}

/// And whether no check has anything to say of it that they do not see.
bool core::is_plain(const task_description& task) const {
  if (task.extras != nullptr || task.accesses.size() > few_data) return false;
  if (task.body->enqueue_cuda != nullptr || task.body->enqueue_hip != nullptr) return false;
  return nobody_looks();
}

/// What a plain task asks of the ledger. Empty: a handle of another session.
std::span<const ownership::request> core::asked_by(
    std::span<const access_description> accesses,
    std::array<ownership::request, few_data>& room) const {
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const access_description& each = accesses[i];
    if (each.session != this) return {};
    room[i] = {each.datum, each.mode};
  }
  return std::span(room).first(accesses.size());
}

/// Who runs a plain task that concerns this rank in nothing; the ledger knows then that it has run.
/// `everywhere`: nothing has changed, also where a check has something to say.
std::uint32_t core::run_elsewhere(std::span<const access_description> accesses,
                                  const placement& asked) {
  using enum placement::kind;
  constexpr std::uint32_t unknown = ownership::ledger::everywhere;
  if (size() == 1 || asked.how == by_policy || asked.how == on_each) return unknown;
  if (asked.how == on_rank && (asked.rank < 0 || asked.rank >= size())) return unknown;
  std::array<ownership::request, few_data> room;
  const auto requests = asked_by(accesses, room);
  if (requests.size() != accesses.size()) return unknown;
  return ledger_.run_without(static_cast<std::uint32_t>(rank_), named_by(asked), requests);
}

/// Whether a plain task concerns this rank in nothing, as most do where there are many ranks; then
/// it is inserted.
bool core::passes_by(const task_description& task) {
  const std::uint32_t executor = run_elsewhere(task.accesses, task.where_to_run);
  if (executor == ownership::ledger::everywhere) return false;
  count(inserted_, std::uint64_t{1});
  census_.add(executor, task.where);
  for (const access_description& each : task.accesses) {
    if (writes(each.mode)) last_writes_[each.datum] = each.where;
  }
  return true;
}

/// Whether a plain task concerns this rank alone, as most do where there are few; then it is
/// inserted. Else nothing has changed: also where a check has something to say.
bool core::stays_here(context& self, const task_description& task) {
  using enum placement::kind;
  const placement& asked = task.where_to_run;
  const auto me = static_cast<std::uint32_t>(rank_);
  if (task.accesses.empty() || asked.how == by_policy || asked.how == on_each) return false;
  // The default policy chooses the one owner of all.
  const bool by_owner = asked.how == by_rule && default_policy_;
  std::array<ownership::request, few_data> room;
  const auto requests = asked_by(task.accesses, room);
  if (requests.empty() || !ledger_.run_within(me, by_owner ? me : named_by(asked), requests))
    return false;
  count(inserted_, std::uint64_t{1});
  census_.add(me, task.where);
  const known_codelet& codelet = keep(task.codelet);
  if (undeferred_.on() && undeferred_.takes(codelet) && nothing_waits()) {
    run_at_once(self, task, codelet);
    return true;
  }
  undeferred_.leave(codelet);
  const turn held(*this, self);
  task_node& fresh = furnished(task, codelet);
  std::uint32_t edges = 0;
  node_access* at = fresh.accesses().data();
  for (const access_description& each : task.accesses) {
    at->set(here(each.datum), each.mode);
    put_in_order(fresh, *at++, edges);
    if (writes(each.mode)) last_writes_[each.datum] = each.where;
  }
  commit(fresh, edges);
  return true;
}

/// What a task on `executor` reads goes there.
void core::bring(std::uint32_t executor, std::span<const access_description> accesses,
                 std::span<const ownership::effect> effects, int priority) {
  const auto me = static_cast<std::uint32_t>(rank_);
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const auto& [owner, version, fetched, _, source] = effects[i];
    const auto& [session, datum, mode, where, synchronous_mode] = accesses[i];
    if (!fetched) {
      const bool copied = owner != me && owner != ownership::ledger::everywhere;
      if (executor == me && copied && reads(mode)) count_hit(datum, owner);
    } else if (executor == me) {
      ++uses_of_copies_[static_cast<int>(owner)].misses;
      count(copies_missed_);
      receive_version(datum, version, owner, source, where, trace::transfer_reason::task);
    } else if (source == me) {
      send_version(datum, version, owner, executor, where,
                   owner == me ? trace::transfer_reason::task : trace::transfer_reason::relay,
                   nullptr, synchronous_mode, priority);
    }
  }
}

void core::note_writes(std::span<const access_description> accesses) {
  for (const access_description& each : accesses) {
    if (writes(each.mode)) last_writes_[each.datum] = each.where;
    if (each.mode == access_mode::reduce) data_[each.datum].extras().last_contribution = each.where;
  }
}

bool core::relevant(std::span<const access_description> accesses, const placement& asked) {
  const place where = accesses.empty() ? place{} : accesses.front().where;
  context& self = caller(call_kind::leaves_out, where);
  const bool plain = accesses.size() <= few_data && options_.pruning != pruning::off &&
                     nobody_looks() && !planted(planted_bug::pruned_write_forgotten);
  if (plain && run_elsewhere(accesses, asked) != ownership::ledger::everywhere) return false;
  const turn held(*this, self);
  short_list<ownership::request> listed(accesses.size());
  const std::span<ownership::request> requests = listed.view();
  const bool on_each = asked.how == placement::kind::on_each;
  const auto contributes = [](const auto& each) { return each.mode == access_mode::reduce; };
  if (on_each || std::ranges::any_of(accesses, contributes)) stop_keeping();
  if (keeps_ != nullptr) [[unlikely]]
    note_call(accesses, asked);
  check_accesses(accesses, requests, on_each);
  check_placement(asked, where);
  close_reductions(accesses);
  if (options_.pruning == pruning::off) return true;
  if (on_each) return relevant_on_each(accesses, asked, where);

  // A holder of a copy that becomes stale need not take part: it learns of the write right here.
  // Who passes a copy on does.
  const auto me = static_cast<std::uint32_t>(rank_);
  const bool owns_one = std::ranges::any_of(requests, [&](const ownership::request& used) {
    return ledger_.owner(used.datum) == me || ledger_.is_per_rank(used.datum);
  });
  if (owns_one) return true;
  const std::uint32_t executor = choose(asked, requests, where);
  if (executor == me) return true;
  const bool passes_on = std::ranges::any_of(requests, [&](const ownership::request& used) {
    return reads(used.mode) && !ledger_.holds(used.datum, executor) &&
           ledger_.source(used.datum) == me;
  });
  if (passes_on) return true;
  if (planted(planted_bug::pruned_write_forgotten)) return false;
  std::uint64_t copies_before = 0;
  if (recorder_ != nullptr) record_copies(requests, copies_before);
  short_list<ownership::effect> results(requests.size());
  ended_copies_.clear();
  ledger_.run(executor, requests, results.view(), &ended_copies_);
  if (recorder_ != nullptr) {
    if (changes_ledger(requests, results.view(), ledger_.budget().limited())) ++steps_;
    record_drops(requests, copies_before, trace::no_task);
    record_step();
  }
  end_copies(ended_copies_.after);
  return false;
}

/// The rank that the call itself names; `everywhere` if it names none.
std::uint32_t core::named_by(const placement& asked) const {
  using enum placement::kind;
  if (asked.how == on_rank && !undone("on")) return static_cast<std::uint32_t>(asked.rank);
  const bool as_asked = !planted(planted_bug::placement_ignored) && !undone("on_owner_of");
  if (asked.how == on_owner_of && as_asked) return ledger_.owner(asked.datum);
  return ownership::ledger::everywhere;
}

std::uint32_t core::choose(const placement& asked, std::span<const ownership::request> requests,
                           place where) const {
  const bool by_data =
      asked.how == placement::kind::by_rule || asked.how == placement::kind::by_policy;
  if (by_data && requests.empty()) [[unlikely]] {  // A list of nothing.
    throw error(error_code::no_runner, "nothing says who runs this task, whose list is empty",
                {{"inserted", to_string(where)}}, "add `deed::on(deed::rank{0})`");
  }
  if (asked.how == placement::kind::by_policy && !undone("choose_by"))
    return choose_by(*asked.policy, requests, where);
  const std::uint32_t named = named_by(asked);
  if (named != ownership::ledger::everywhere) return named;
  const std::uint32_t writer = ledger_.writer_of(requests);
  if (writer != ownership::ledger::everywhere) return writer;
  return choose_by(policy_, requests, where);
}

std::uint64_t core::bytes_of(ownership::slot datum) const {
  // From type and extents only: every rank must come to the same answer.
  const datum_info& info = data_[datum];
  return info.type->element_bytes * info.shape.rows * info.shape.cols;
}

void core::wait_for_window(context& self, std::uint64_t made) {
  if (&self != &team_->main()) return;  // A callback must not run tasks.
  completed_seen_ = team_->completed();
  if (!lent_.empty()) return;  // What waits for a live borrow would be waited for in vain.
  if (undeferred_.begins(made, environment_.time->now())) return begin_undeferred(self, made);
  // Half a window at a time: waking for every single task would cost more than the task.
  if (made - completed_seen_ >= window_) wait_until_few_wait(self, made, window_ / 2);
}

/// Of `made` nodes only so many are not complete; or there is no work here, and what is left may
/// wait for other ranks, and they for what comes next.
void core::wait_until_few_wait(context& self, std::uint64_t made, std::uint64_t few) {
  struct runs_again {  // However it ends.
    context& program;
    ~runs_again() { program.said = thread_activity::running; }
  };
  const runs_again afterwards{self};
  const recorded_wait recorded(app(), trace::wait_kind::window, window_, trace::nothing);
  const time_passed waits(self.times, *environment_.time, &thread_times::called);
  const auto low = [&] { return made - (completed_seen_ = team_->completed()) <= few; };
  constexpr std::chrono::nanoseconds patience = std::chrono::milliseconds(1);
  std::uint64_t seen = team_->completed();
  auto since = environment_.time->now();
  const bool of_window = few != 0;  // Submission included. Else it has no tasks like this one.
  if (team_->may_choose() && of_window) in_window_.end(seen, since);
  while (!low()) {
    const bool runs = team_->main_runs_tasks() && in_window_.usual();
    if (runs && step(self)) continue;
    stop_running(self);
    rethrow_failure();
    record_rest(self);
    if (runs || environment_.simulated) {
      team_->rest(self, low, patience, false);
    } else {
      team_->await_completed(made - few, patience);
    }
    const std::uint64_t now = team_->completed();
    const auto time = environment_.time->now();
    const bool too_few = now - seen < window_ / 16;
    if (!in_window_.usual() && too_few && of_window) in_window_.give_up(now, time);
    if (now != seen || team_->anything_ready()) {
      seen = now;
      since = time;
    } else if (time - since >= patience) {      // A frame that came is not enough to go on.
      gives_way_until_ = made + window_ / 256;  // Not a wait for every single task.
      return;
    }
  }
  stop_running(self);
}

const known_codelet& core::keep(const ownership::codelet_info& codelet) {
  // The name is a literal, so its address tells codelets apart, and where it lies finds them again.
  const auto address = reinterpret_cast<std::uintptr_t>(codelet.name.data());
  const known_codelet*& met = met_[(address ^ (address >> 8)) % met_.size()];
  const auto same = [&](const known_codelet& known) {
    return known.name.data() == codelet.name.data() && known.where.line() == codelet.where.line();
  };
  if (met != nullptr && same(*met)) [[likely]]
    return *met;
  const auto known = std::ranges::find_if(codelets_, same);
  met = known != codelets_.end() ? &*known : &meet(codelet);
  return *met;
}

const known_codelet& core::meet(const ownership::codelet_info& codelet) {
  warn_of_name(codelet);
  const auto index = static_cast<std::uint32_t>(codelets_.size());
  known_codelet& met = codelets_.emplace_back(codelet, index);
  for (const char letter : codelet.name)
    met.hash = mix(met.hash, static_cast<unsigned char>(letter));
  if (recorder_ != nullptr) met.number = recorder_->codelet(codelet.name, codelet.where);
  return met;
}

/// A task that will run here, with room for its accesses.
task_node& core::furnished(const task_description& task, const known_codelet& codelet) {
  for (const access_description& each : task.accesses) {
    if (!writes(each.mode)) continue;
    if (const replica* const copy = data_[each.datum].here) tasks::graph::ask_for(copy->order);
  }
  task_node& fresh = tasks_.take();
  fresh.kind = node_kind::task;
  fresh.number = inserted_.load(std::memory_order_relaxed) - 1;
  if (task.flops != 0 && environment_.spend) flops_.emplace(fresh.number, task.flops);
  fresh.body = task.body;
  fresh.codelet = &codelet;
  fresh.where = task.where;
  fresh.access_count = static_cast<std::uint16_t>(task.accesses.size());
  fresh.placed = false;
  fresh.urgency = static_cast<std::int8_t>(std::clamp(task.priority, -127, 127));
  fresh.followed = task.extras != nullptr;
  fresh.furnish();
  if (task.body->move_closure != nullptr) task.body->move_closure(fresh.closure(), task.closure);
  return fresh;
}

void core::run_here(const task_description& task, std::span<const ownership::effect> effects) {
  task_node& fresh = furnished(task, keep(task.codelet));
  std::uint32_t edges = 0;
  const std::span<node_access> accesses = fresh.accesses();
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const auto& [_, datum, mode, where, moved] = task.accesses[i];
    link(fresh, accesses[i], datum, mode, edges);
    const bool hit = reads(mode) && !effects[i].fetch &&
                     effects[i].owner != ownership::ledger::everywhere &&
                     effects[i].owner != static_cast<std::uint32_t>(rank_);
    if (hit && data_[datum].type->form != data::wire_form::fixed) accesses[i].set_hit();
  }
  if (task.extras != nullptr)
    follow(fresh, std::move(*task.extras), fresh.codelet->name, task.where, edges);
  commit(fresh, edges);
}

replica& core::make_here(ownership::slot datum) {
  datum_info& info = data_[datum];
  replica& made = *(info.here = new replica);
  made.type = info.type;
  made.shape = info.shape;
  made.datum = datum;
  made.name = info.name;
  made.i = info.i;
  made.j = info.j;
  made.tag = info.tag;
  made.number = info.number;
  made.where = info.where;
  made.order = info.before();
  made.bytes = bytes_of(datum);
  made.large = is_large(made);
  made.origin = owner_of(datum);
  if (owner_of(datum) != rank_ && !ledger_.is_per_rank(datum)) made.counted = &copies_here_;
  return made;
}

void core::link(node& fresh, node_access& access, ownership::slot datum, access_mode mode,
                std::uint32_t& edges) {
  if (mode == access_mode::reduce) return link_contribution(fresh, access, datum, edges);
  link_to(here(datum), fresh, access, mode, edges);
}

void core::link_to(replica& copy, node& fresh, node_access& access, access_mode mode,
                   std::uint32_t& edges) {
  if (verify_ != nullptr && verify_->on.leaks && fresh.kind != node_kind::end) {
    const bool puts = fresh.kind == node_kind::task || fresh.kind == node_kind::receive;
    verify_->leaks.used(copy.datum, writes(mode), puts);
  }
  access.set(copy, mode);
  if (keeps_ == nullptr) put_in_order(fresh, access, edges);
}

void core::put_in_order(node& fresh, node_access& access, std::uint32_t& edges) {
  tasks::chain& order = access.datum().order;
  if (access.writes()) {
    graph_.write(order, fresh, access.at, edges);
  } else {
    graph_.read(order, fresh, access.at, edges);
  }
}

/// Without order but that of its gates; only the end of the datum waits for it.
void core::link_loose(node& fresh, node_access& access, ownership::slot datum) {
  replica& copy = here(datum);
  access.set(copy, fresh.kind == node_kind::receive ? access_mode::read_write : access_mode::read);
  std::uint32_t none = 0;
  graph_.read(copy.loose, fresh, access.at, none);
}

void core::commit(node& fresh, std::uint32_t edges) {
  if (keeps_ != nullptr) [[unlikely]]
    return keeps_->nodes.push_back(&fresh);
  count(submitted_, std::uint64_t{1});
  const std::uint64_t number = fresh.number;  // Not behind it.
  const bool task = fresh.kind == node_kind::task;
  const auto came = fresh.commit(edges);
  if (came == tasks::vertex::arrival::early) return;
  if (task) submitter().task_ready(number, trace::ready_cause::submit, 0);
  if (came == tasks::vertex::arrival::last) release(fresh);
}

/// It waits for nothing.
void core::release(node& ready) {
  if (starts_at_once(ready)) {
    execute(*submitter_, ready);
    static_cast<void>(engine_->progress());  // Whoever is at the network now looks again.
  } else {
    enqueue(*submitter_, ready, seat_for(*submitter_, ready));
  }
  team_->call_for_help();  // Also for what has been sent: it is to be completed.
}

/// Another rank waits for what is sent, or for word that there is room for it, and the workers may
/// be in long tasks. What has to be packed is left to them: the program may have much to insert.
/// (Where virtual ranks try all orders, it waits. What lies on a device is asked for by who looks
/// after the devices.)
bool core::starts_at_once(const node& ready) const noexcept {
  if (!is_transfer(ready) || tries_orders() || devices_ != nullptr) return false;
  if (ready.kind == node_kind::receive) return true;
  const replica& copy = static_cast<const transfer_node&>(ready).only.datum();
  return copy.type->form != data::wire_form::packed;
}

}  // namespace deed::runtime
