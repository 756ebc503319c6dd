// SPDX-License-Identifier: MIT
#include "analysis/ask/state_at.hpp"

#include <deed/trace/events.hpp>

#include <algorithm>
#include <ranges>
#include <utility>

namespace deed::viewer {
namespace {

/// Whether `apply` looks at it. Of the records of a datum most are others, whose fields lie where
/// nobody has looked yet.
bool changes_state(record what) {
  switch (what) {
    case record::ledger_step:
    case record::handle_register:
    case record::handle_unregister:
    case record::owner:
    case record::cache_insert:
    case record::copy_state:
    case record::xfer_done:
    case record::cache_drop:
    case record::borrow:
    case record::release:
      return true;
    default:
      return false;
  }
}

/// What was registered while all was recorded has no past that is not.
std::int64_t told_from(const model& of, std::uint32_t handle) {
  const run& r = of.events();
  const std::int64_t from = r.known_from();
  if (from == 0) return 0;
  for (const std::uint32_t i : of.events_of(handle))
    if (r.events().what(i) == record::handle_register) return r.events().time(i) >= from ? 0 : from;
  return from;
}

trace::owner_cause cause_of(const run& r, const event& e) {
  return static_cast<trace::owner_cause>(r.get(e, field::cause));
}

/// A slice begins with what was, a part of a flight recorder with what was decided.
bool tells_what_was(const run& r, const event& e) {
  return cause_of(r, e) == trace::owner_cause::snapshot && r.get(e, field::by) == as_it_was;
}

/// Of a rank without a trace nobody says what it wrote; one that had not begun wrote nothing.
bool is_told_of(const rank_info& rank) { return rank.present || !rank.begun; }
bool is_there(const run& r, std::size_t rank) { return is_told_of(r.ranks()[rank]); }
bool all_are_there(const run& r) { return std::ranges::all_of(r.ranks(), is_told_of); }

}  // namespace

datum_walk::datum_walk(const model& of, std::uint32_t handle)
    : of_(of),
      handle_(handle),
      from_(told_from(of, handle)),
      certain_(from_ == 0 && all_are_there(of.events())),
      owner_told_(from_ == 0),
      copies_(static_cast<std::size_t>(of.ranks())) {
  if (from_ == 0) know_copies();
  if (!certain_) look_ahead();
}

/// What is not recorded from now on is none.
void datum_walk::know_copies() {
  for (std::size_t rank = 0; rank < copies_.size(); ++rank)
    copies_[rank].known = is_there(of_.events(), rank);
}

/// What comes later tells of what was before.
void datum_walk::look_ahead() {
  const run& r = of_.events();
  bool any_owner = false;
  for (const std::uint32_t i : of_.events_of(handle_)) {
    const record what = r.events().what(i);
    if (what != record::owner && what != record::ledger_step && what != record::task_access)
      continue;
    const event e = r.events()[i];
    const int rank = r.rank_of(e);
    if (what == record::owner && !std::exchange(any_owner, true)) {
      first_owner_ = r.get32(e, field::from);
    } else if (what == record::ledger_step) {
      written_outside_ |=
          static_cast<trace::ledger_change>(r.get(e, field::op)) == trace::ledger_change::write;
    } else if (what == record::task_access) {
      const std::uint32_t index = of_.find_task(rank, r.get(e, field::task));
      if (index == none || r.get32(e, field::ver_out) == r.get32(e, field::ver_in)) continue;
      const task& t = of_.tasks()[index];
      // One that was submitted before may have ended before.
      const bool may_have_ended =
          t.submit < from_ && r.ranks()[static_cast<std::size_t>(rank)].ended;
      if (t.failed() || (t.end == never && !may_have_ended))
        first_unended_ = std::min(first_unended_, r.get32(e, field::ver_out));
    }
  }
}

bool datum_walk::is_left_out(std::uint32_t index) const {
  const run& r = of_.events();
  const record what = r.events().what(index);
  return index >= left_out_.from &&
         (what == record::handle_unregister || what == record::release) &&
         r.rank_of(r.events()[index]) == left_out_.rank;
}

void datum_walk::hold(std::uint64_t rank, std::uint32_t version) {
  if (rank >= copies_.size() || copies_[rank].ended || is_missing(of_, handle_, version)) return;
  copies_[rank] = {true, true, std::max(version, copies_[rank].version)};
}

void datum_walk::drop(std::uint64_t rank, std::uint32_t version) {
  if (rank >= copies_.size() || copies_[rank].version > version) return;
  copies_[rank] = {false, true, 0, copies_[rank].ended};
}

void datum_walk::apply_writes(std::int64_t until) {
  const datum& about = of_.data()[handle_];
  for (; next_write_ < about.writes.size(); ++next_write_) {
    const access& a = of_.all_accesses()[about.writes[next_write_]];
    const task& t = of_.tasks()[a.task];
    if (t.end > until) return;
    if (t.failed()) continue;
    if (t.end >= from_) hold(static_cast<std::uint64_t>(t.rank), a.ver_out);
    if (!about.is_per_rank() && a.ver_out < state_.version) continue;
    state_.version = std::max<std::uint32_t>(a.ver_out, state_.version);
    state_.writer = a.task;
    state_.call = state_.message = none;
    apply_calls();
  }
}

/// A version that the owner's program writes itself is there when it has called for it and the one
/// before is there, or never will be: a borrow is granted then, which the state does not wait for.
void datum_walk::apply_calls() {
  const run& r = of_.events();
  for (; next_call_ < calls_.size(); ++next_call_) {
    const event e = r.events()[calls_[next_call_]];
    const std::uint32_t version = r.get32(e, field::version);
    std::uint32_t next = state_.version + 1;
    while (next < version && is_missing(of_, handle_, next)) ++next;
    if (version > next) return;
    if (version <= state_.version) continue;
    state_.version = version;
    state_.writer = state_.message = none;
    state_.call = calls_[next_call_];
    hold(static_cast<std::uint64_t>(r.rank_of(e)), version);
  }
}

/// Of a datum that each rank has one of: whoever writes last, whatever the others' versions are.
void datum_walk::apply_own_write(std::uint64_t rank, std::uint32_t version) {
  hold(rank, version);
  state_.version = std::max(version, state_.version);
  state_.writer = state_.message = none;
  state_.call = of_.events_of(handle_)[next_event_];
}

/// What a message brings into a datum is a version that nobody else writes.
void datum_walk::apply_message(std::uint64_t rank, std::uint32_t version) {
  const bool per_rank = of_.data()[handle_].is_per_rank();
  if (!per_rank && (rank != state_.owner || version <= state_.version)) return;
  const std::uint32_t message = of_.message_that_brought(handle_, version, static_cast<int>(rank));
  if (message == none) return;
  state_.version = std::max(version, state_.version);
  state_.writer = state_.call = none;
  state_.message = message;
  if (!per_rank) apply_calls();
}

void datum_walk::advance(std::int64_t when) {
  const run& r = of_.events();
  const auto events = of_.events_of(handle_);
  for (; next_event_ < events.size(); ++next_event_) {
    const event e = r.events()[events[next_event_]];
    if (e.time > when) break;
    if (!changes_state(e.what) || is_left_out(events[next_event_])) continue;
    apply_writes(e.time);
    apply_moves(e.time);
    end_copies(e.time - 1);
    apply(e);
  }
  apply_writes(when);
  apply_moves(when);
  end_copies(when);
  now_ = when;
  follow_transfers();
}

void datum_walk::end_copies(std::int64_t until) {
  std::erase_if(ending_, [&](const copy_end& each) {
    if (each.time > until) return false;
    drop(each.rank, each.version);
    if (each.version == none && each.rank < copies_.size()) copies_[each.rank].ended = true;
    return true;
  });
}

void datum_walk::follow_transfers() {
  const auto& all = of_.transfers_of(handle_);  // By when they left.
  for (; next_transfer_ < all.size(); ++next_transfer_) {
    const transfer& x = of_.transfers()[all[next_transfer_]];
    // What was only asked for is not on its way: it may not have been written yet.
    if (x.left() == never) continue;
    if (x.left() > now_) break;
    under_way_.push_back(all[next_transfer_]);
  }
  std::erase_if(under_way_, [&](std::uint32_t x) {
    const std::int64_t end = of_.transfers()[x].end();
    return end != never && end <= now_;
  });
}

void datum_walk::apply(const event& e) {
  const run& r = of_.events();
  const datum& about = of_.data()[handle_];
  const int rank = r.rank_of(e);
  switch (e.what) {
    case record::handle_register:
      if (state_.owner != none || from_ != 0) break;
      if (!about.is_per_rank()) state_.owner = about.home;
      hold(about.is_per_rank() ? static_cast<std::uint32_t>(rank) : about.home, 0);
      break;
    case record::handle_unregister:
      apply_end();
      break;
    case record::ledger_step:
      if (!is_program_write(of_, e)) break;
      if (about.is_per_rank()) {
        apply_own_write(static_cast<std::uint64_t>(rank), r.get32(e, field::version));
      } else if (static_cast<std::uint32_t>(rank) == state_.owner) {
        calls_.push_back(of_.events_of(handle_)[next_event_]);
        apply_calls();
      }
      break;
    case record::owner:
      apply_owner(e);
      break;
    case record::cache_insert:
    case record::copy_state:
    case record::xfer_done:
    case record::cache_drop:
      apply_copy(e);
      break;
    case record::borrow:
      state_.borrows.push_back({rank, static_cast<std::uint8_t>(r.get(e, field::kind)),
                                r.get(e, field::holder), r.get32(e, field::loc), e.time});
      break;
    case record::release: {
      const auto found =
          std::find_if(state_.borrows.begin(), state_.borrows.end(), [&](const auto& b) {
            return b.rank == rank && b.kind == r.get(e, field::kind) &&
                   b.holder == r.get(e, field::holder);
          });
      if (found != state_.borrows.end()) state_.borrows.erase(found);
      break;
    }
    default:
      break;
  }
}

/// A migration is told by each rank when its program comes to it; `apply_moves` knows when it is
/// done. Who registers late says what was.
void datum_walk::apply_owner(const event& e) {
  const run& r = of_.events();
  const trace::owner_cause cause = cause_of(r, e);
  submitted_version_ = std::max(submitted_version_, r.get32(e, field::version));
  submitted_told_ = true;
  if (cause == trace::owner_cause::migrate_call) {
    make_effects();
    return apply_moves(e.time);
  }
  if (cause == trace::owner_cause::registration && state_.owner != none) return;
  if (tells_what_was(r, e)) {
    certain_ = all_are_there(r);
    know_copies();
  }
  const bool as_submitted = cause == trace::owner_cause::snapshot && !tells_what_was(r, e);
  set_owner(r.get32(e, field::to), r.get32(e, field::version), as_submitted, tells_what_was(r, e));
}

/// Of its version only what no task writes is taken from it: a task's end says when it was written.
void datum_walk::set_owner(std::uint32_t owner, std::uint32_t version, bool as_submitted,
                           bool is_exact) {
  state_.owner = owner;
  owner_told_ = true;
  const bool told = from_ == 0 || certain_ || is_exact;
  if (as_submitted || !told || version <= state_.version || of_.writer(handle_, version) != none)
    return;
  if (from_ == 0 || is_exact) {
    state_.version = version;
    state_.writer = state_.call = state_.message = none;
  } else {
    in_doubt_until_ = std::max(in_doubt_until_, version);
  }
}

void datum_walk::make_effects() {
  if (effects_ == nullptr) effects_ = std::make_shared<const effects>(of_, handle_);
}

void datum_walk::apply_moves(std::int64_t until) {
  if (effects_ == nullptr) return;
  for (; next_move_ < effects_->moves().size(); ++next_move_) {
    const owner_move& move = effects_->moves()[next_move_];
    if (move.time > until) return;
    set_owner(move.to, move.version, false, false);
  }
}

std::span<const owner_move> datum_walk::moves_to_come() const {
  if (effects_ == nullptr) return {};
  const std::span all = std::span(effects_->moves()).subspan(next_move_);
  const auto later = std::ranges::find_if(all, [&](const auto& each) { return each.asked > now_; });
  return all.first(static_cast<std::size_t>(later - all.begin()));
}

std::span<const owner_move> datum_walk::moves_since(std::int64_t moment) const {
  if (effects_ == nullptr) return {};
  const std::span done = std::span(effects_->moves()).first(next_move_);
  const auto first = std::ranges::upper_bound(done, moment, {}, &owner_move::time);
  return done.subspan(static_cast<std::size_t>(first - done.begin()));
}

/// A copy of before may have gone since, and nobody that was recorded said so.
void datum_walk::apply_copy(const event& e) {
  const run& r = of_.events();
  const auto rank = static_cast<std::uint64_t>(r.rank_of(e));
  const std::uint32_t version = r.get32(e, field::version);
  const bool of_state = e.what == record::copy_state;
  if (e.what == record::cache_drop) return apply_drop();
  if (e.time < from_ && !(of_state && tells_what_was(r, e))) return;
  if (e.what == record::xfer_done && r.get(e, field::dir) != 1) return;
  if (!of_state) hold(rank, version);
  if (e.what == record::xfer_done) apply_message(rank, version);
  if (!of_state) return;
  constexpr std::uint64_t invalid = 0, shared = 1, owned = 2;
  const std::uint64_t copy = r.get(e, field::state);
  const bool as_submitted = cause_of(r, e) == trace::owner_cause::snapshot && !tells_what_was(r, e);
  if (r.get(e, field::memnode) != 0 || as_submitted) return;
  if (copy == shared || copy == owned) hold(rank, version);
  if (copy == invalid) drop(rank, none);
}

/// The program says so when it comes to it; its tasks, and the copy itself, may be far behind.
void datum_walk::apply_drop() {
  make_effects();
  if (const auto end = effects_->of_drop(next_event_); end && end->time >= from_)
    ending_.push_back(*end);
}

/// Each rank tells when its program comes to it; tasks of before run on.
void datum_walk::apply_end() {
  make_effects();
  state_.unregistered.push_back(of_.events_of(handle_)[next_event_]);
  ending_.push_back(effects_->of_unregister(next_event_));
}

void datum_walk::tell_owner(datum_state& of) const {
  if (owner_told_) return;
  of.owner = of_.data()[handle_].is_per_rank() ? none : first_owner_;
  of.owner_known = of.owner != none || of_.data()[handle_].is_per_rank();
}

/// A writer of the one after it has not ended, or failed.
std::uint32_t datum_walk::newest_possible() const {
  const auto& writes = of_.data()[handle_].writes;
  const std::uint32_t next =
      next_write_ < writes.size() ? of_.all_accesses()[writes[next_write_]].ver_out : none;
  const std::uint32_t after = std::min(next, first_unended_);
  return after == none ? none : after - std::min(after, 1u);
}

void datum_walk::tell_version(datum_state& of) const {
  if (of_.data()[handle_].is_per_rank())  // Messages bring one, too.
    for (const held& each : copies_) of.version = std::max(of.version, each.version);
  if (certain_) {
    of.version_known = of.version >= in_doubt_until_;
    return;
  }
  const std::uint32_t newest = newest_possible();
  of.version_known = !of_.data()[handle_].is_per_rank() && of.version == newest;
  if (of.version_known || of_.data()[handle_].is_per_rank() || written_outside_ ||
      now_ < of_.all_told_from())
    return;
  // Whoever wrote an earlier version has ended.
  const bool bounded = newest != none;
  of.version_known = bounded || submitted_told_ || of.writer != none;
  const std::uint32_t reached = bounded ? newest : std::max(of.version, submitted_version_);
  if (!of.version_known || reached == of.version) return;
  of.version = reached;
  of.writer = of.call = of.message = none;
}

void datum_walk::tell_copies(datum_state& of) const {
  // Whoever has the current version got it after it was written.
  of.valid_known =
      certain_ || (of.version_known && of.writer != none && of_.tasks()[of.writer].end >= from_);
  for (std::size_t rank = 0; rank < copies_.size(); ++rank)
    of.copies.push_back(told_copy(copies_[rank], rank, of));
}

copy_at datum_walk::told_copy(const held& mine, std::size_t rank, const datum_state& of) const {
  if (!mine.here) return {copy_kind::absent, 0, mine.known || certain_, mine.ended};
  if (of_.data()[handle_].is_per_rank()) return {copy_kind::shared, mine.version, true};
  const bool older = mine.version < of.version;
  if (!of.version_known && !older) return {copy_kind::absent, mine.version, false};
  const copy_kind kind = mine.version != of.version ? copy_kind::stale
                         : of.owner == rank         ? copy_kind::owner
                                                    : copy_kind::shared;
  return {kind, mine.version, true};
}

/// The last version is still told.
void datum_walk::tell_end(datum_state& of) const {
  const auto present = std::ranges::count_if(of_.events().ranks(), &rank_info::present);
  const bool used =
      std::ranges::any_of(ending_, [](const copy_end& each) { return each.version == none; });
  of.ended = !used && present != 0 && std::ssize(of.unregistered) >= present;
  if (!of.ended) return;
  of.owner = none;
  of.owner_known = of.valid_known = true;
  of.moves_to.clear();
  std::ranges::fill(of.copies, copy_at{.ended = true});
}

datum_state datum_walk::state(bool in_flight) const {
  datum_state state = state_;
  state.all_known = certain_;
  for (const owner_move& each : moves_to_come()) state.moves_to.push_back(each.to);
  tell_owner(state);
  tell_version(state);
  tell_copies(state);
  tell_end(state);
  if (!in_flight || state.ended) return state;
  state.in_flight = under_way_;
  for (const std::uint32_t x : under_way_) {
    const transfer& moved = of_.transfers()[x];
    const auto to = static_cast<std::size_t>(moved.dst);
    if (to < state.copies.size() && state.copies[to].kind <= copy_kind::stale)
      state.copies[to] = {copy_kind::pending, moved.version};
  }
  return state;
}

/// Of the whole run at once: otherwise each look at a later time than before would take long.
void datum_seeker::keep() {
  constexpr std::size_t apart = 256;  // Events between what is kept.
  const auto events = of_.events_of(handle_);
  datum_walk walk(of_, handle_);
  kept_.emplace_back(never, walk);
  for (std::size_t next = apart; next < events.size(); next = walk.seen() + apart) {
    const std::int64_t time = of_.events().events()[events[next]].time;
    walk.advance(time);
    kept_.emplace_back(time, walk);
  }
}

datum_state datum_seeker::at(std::int64_t when, const undone_by& left_out) {
  if (kept_.empty()) keep();
  // What is left out may be in a walk up to that moment.
  const std::int64_t from = left_out.from == none ? when : when - 1;
  const auto after =
      std::upper_bound(kept_.begin(), kept_.end(), from,
                       [](std::int64_t time, const auto& each) { return time < each.first; });
  datum_walk walk = after == kept_.begin() ? datum_walk(of_, handle_) : std::prev(after)->second;
  walk.leave_out(left_out);
  walk.advance(when);
  return walk.state();
}

bool is_program_write(const model& of, const event& e) {
  const run& r = of.events();
  if (e.what != record::ledger_step) return false;
  const std::uint32_t handle = r.get32(e, field::handle);
  return static_cast<trace::ledger_change>(r.get(e, field::op)) == trace::ledger_change::write &&
         handle < of.data().size() &&
         of.message_that_brought(handle, r.get32(e, field::version), r.rank_of(e)) == none;
}

bool is_missing(const model& of, std::uint32_t handle, std::uint32_t version) {
  if (handle >= of.data().size() || of.data()[handle].is_per_rank()) return false;
  const std::uint32_t writer = of.writer(handle, version);
  return writer != none && of.tasks()[writer].failed();
}

std::vector<std::uint32_t> failed_writers(const model& of, std::uint32_t handle,
                                          std::uint32_t version, std::int64_t when) {
  std::vector<std::uint32_t> found;
  if (of.data()[handle].is_per_rank()) return found;
  for (const std::uint32_t index : of.data()[handle].writes) {
    const access& a = of.all_accesses()[index];
    const task& t = of.tasks()[a.task];
    if (t.end > when) break;
    if (t.failed() && a.ver_out > version) found.push_back(a.task);
  }
  return found;
}

bool is_own_write(const model& of, const event& e) {
  return is_program_write(of, e) && of.data()[of.events().get32(e, field::handle)].is_per_rank();
}

namespace {

bool is_removal(const run& of, const event& e) {
  return e.what == record::ledger_step &&
         static_cast<trace::ledger_change>(of.get(e, field::op)) == trace::ledger_change::remove;
}

/// The end of a datum that an exception takes along is no step of the ledger.
bool is_meant(const run& of, const event& end) {
  return std::ranges::any_of(of.events_of(of.get32(end, field::handle)), [&](std::uint32_t index) {
    const event e = of.events()[index];
    return of.rank_of(e) == of.rank_of(end) && is_removal(of, e);
  });
}

/// Whether a thread may record it while an exception leaves its program.
bool is_of_unwinding(const run& of, const event& e) {
  switch (e.what) {
    case record::cache_drop:
    case record::release:
    case record::phase_pop:
      return true;
    default:
      return e.what == record::ledger_step && !is_removal(of, e);
  }
}

/// Whether it ends a borrow that the error is about: nobody but the exception does.
bool ends_what_was_lent(const model& of, const event& e, const event& failed) {
  constexpr std::uint64_t borrowed_twice = 307, application = 0;
  const run& r = of.events();
  return e.what == record::release && r.get(failed, field::code) == borrowed_twice &&
         r.get(e, field::handle) == r.get(failed, field::handle) &&
         r.get(e, field::holder) == application &&
         !of.is_place(r.rank_of(e), r.get32(e, field::loc));
}

moment_of_error just_before(std::int64_t time) { return {std::max<std::int64_t>(0, time - 1), {}}; }

}  // namespace

moment_of_error before_unwinding(const model& of, std::uint32_t error) {
  const run& r = of.events();
  const event failed = r.events()[error];
  const moment_of_error own{failed.time, {}};
  if (failed.what != record::error || !r.lanes()[failed.lane].is_program()) return own;
  std::uint32_t first = none;  // Of what it undoes.
  std::uint32_t last = error;  // Virtual ranks record much at one time, in no order of threads.
  while (last < r.events().size() && r.events().time(last) == failed.time) ++last;
  for (std::uint32_t i = last; i-- > 0;) {
    const event e = r.events()[i];
    if (i == error || r.rank_of(e) != r.rank_of(failed)) continue;
    if (i > error && e.what != record::handle_unregister) continue;
    if (e.what == record::handle_unregister) {
      if (is_meant(r, e)) break;
      first = i;
    } else if (e.lane == failed.lane) {
      if (e.what == record::wait_end && first != none) return just_before(e.time);
      if (first != none && ends_what_was_lent(of, e, failed)) first = i;
      if (!is_of_unwinding(r, e)) break;
    }
  }
  if (first == none) return own;
  const std::int64_t time = r.events().time(first);
  return time < failed.time ? just_before(time) : moment_of_error{time, {r.rank_of(failed), first}};
}

datum_state state_at(const model& of, std::uint32_t handle, std::int64_t when,
                     const undone_by& left_out) {
  datum_walk walk(of, handle);
  walk.leave_out(left_out);
  walk.advance(when);
  return walk.state();
}

std::vector<std::int64_t> times_of_change(const model& of, std::uint32_t handle, bool in_flight) {
  const auto events = of.events_of(handle);
  const effects all(of, handle);
  std::vector<std::int64_t> times;
  for (std::size_t place = 0; place < events.size(); ++place) {
    times.push_back(of.events().events().time(events[place]));
    const record what = of.events().events().what(events[place]);
    if (what == record::handle_unregister) times.push_back(all.of_unregister(place).time);
    if (what != record::cache_drop) continue;
    if (const auto end = all.of_drop(place)) times.push_back(end->time);
  }
  for (const owner_move& each : all.moves()) times.push_back(each.time);
  for (const std::uint32_t i : of.data()[handle].writes)
    times.push_back(of.tasks()[of.all_accesses()[i].task].end);
  if (in_flight)
    for (const std::uint32_t i : of.transfers_of(handle)) {
      times.push_back(of.transfers()[i].left());
      times.push_back(of.transfers()[i].end());
    }
  std::ranges::sort(times);
  times.erase(std::ranges::unique(times).begin(), times.end());
  // The definitions of a slice are whole: data may end behind it.
  const std::int64_t end = of.events().end();
  std::erase_if(times, [&](std::int64_t time) { return time < 0 || time > end; });
  return times;
}

namespace {

/// When the last of all ranks came to the end of a datum; `never` if one did not.
std::int64_t end_of(const model& of, const datum& about) {
  const run& r = of.events();
  auto left = std::ranges::count_if(r.ranks(), &rank_info::present);
  std::int64_t last = never;
  for (const std::uint32_t index : about.events | std::views::reverse) {  // It is near the last.
    const std::int64_t time = r.events().time(index);
    if (r.events().what(index) != record::handle_unregister || time > r.end()) continue;
    last = std::max(last, time);
    if (--left == 0) return last;
  }
  return never;
}

}  // namespace

std::int64_t last_with_data(const model& of) {
  const std::int64_t end = of.events().end();
  std::int64_t unregistered = never;
  for (const datum& each : of.data()) {
    if (!each.known) continue;
    const std::int64_t mine = end_of(of, each);
    if (mine == never) return end;
    unregistered = std::max(unregistered, mine);
  }
  if (unregistered == never) return end;
  std::int64_t last = never;
  for (const task& each : of.tasks()) last = std::max(last, each.end);
  for (const transfer& each : of.transfers()) last = std::max(last, each.end());
  if (last == never) return end;
  return unregistered > last ? last : last - 1;
}

}  // namespace deed::viewer
