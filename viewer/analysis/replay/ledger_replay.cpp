// SPDX-License-Identifier: MIT
#include "analysis/replay/ledger_replay.hpp"

#include <deed/trace/events.hpp>

#include "analysis/read/event_walk.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

namespace deed::viewer {
namespace {

using trace::ledger_change;
using trace::no_step;

constexpr std::uint64_t send_way = 0;

ledger_change change_of(const run& r, const event& e) {
  return static_cast<ledger_change>(r.get(e, field::op));
}
bool tells_of_the_ledger(record what) {
  return what == record::task_submit || what == record::ledger_step ||
         what == record::ledger_digest;
}
bool tells_of_a_copy(record what) {
  return what == record::cache_lookup || what == record::xfer_post;
}
bool is_snapshot(ledger_change what) { return what >= ledger_change::snapshot; }

access_mode mode_of(const access& used) {
  constexpr std::uint8_t read = 0, write = 1, reduce = 3;
  return used.mode == read     ? access_mode::read
         : used.mode == write  ? access_mode::write
         : used.mode == reduce ? access_mode::reduce
                               : access_mode::read_write;
}

}  // namespace

ledger_replay::ledger_replay(const model& of)
    : of_(&of), of_groups_(of), ledger_(std::max(1, of.ranks())) {
  // A damaged number must not allocate the machine.
  most_slots_ = static_cast<std::uint32_t>(std::min<std::size_t>(
      none - 1, std::max<std::size_t>(4'096, 2 * of.events().events().size())));
  collect();
  // What makes a step comes first, also where ranks came to it behind more of `of_groups_`.
  const auto order = [](const ledger_event& e) {
    const bool makes_it =
        e.what == ledger_event::kind::change || e.what == ledger_event::kind::writer;
    return std::tuple{e.step, !makes_it, e.place, e.what, e.event};
  };
  std::sort(events_.begin(), events_.end(),
            [&](const auto& a, const auto& b) { return order(a) < order(b); });
  for (const ledger_event& each : events_) last_step_ = std::max(last_step_, each.step);
  guarded_ = viewer::guarded(of.events(), of_groups_);
  restart();
}

void ledger_replay::collect() {
  const run& r = of_->events();
  std::map<std::uint32_t, std::uint64_t> first;  // The first step that each rank recorded.
  walk(r.events(), tells_of_the_ledger, [&](std::uint32_t i) {
    const event e = r.events()[i];
    const auto rank = static_cast<std::uint32_t>(r.rank_of(e));
    follow_private(e, i, rank);
    const std::uint64_t counted = r.get(e, field::step, no_step);
    if (counted == no_step) return;
    const int me = r.rank_of(e);
    const std::uint64_t step = of_groups_.common(me, counted),
                        place = of_groups_.place(me, counted);
    if (counted == 0 &&
        e.what == record::ledger_step) {  // What was decided before the first change.
      rules_.keep = change_of(r, e) == ledger_change::keep;
      rules_.bytes = std::uint64_t{r.get32(e, field::slot)} << 32 | r.get32(e, field::handle);
      return;
    }
    first.try_emplace(rank, step);
    if (e.what == record::ledger_step) {
      events_.push_back({step, place, i,
                         of_groups_.contains(i)         ? ledger_event::kind::group_write
                         : is_snapshot(change_of(r, e)) ? ledger_event::kind::snapshot
                                                        : ledger_event::kind::change});
    } else if (e.what == record::ledger_digest) {
      events_.push_back({step, place, i, ledger_event::kind::digest});
    } else if (r.get32(e, field::exec_rank) == rank) {
      const std::uint32_t task = of_->find_task(static_cast<int>(rank), r.get(e, field::task));
      if (task == none) return;
      if (r.ranks()[rank].is_left_open()) last_of_killed_[rank] = task;
      bool writes = false;
      for (const access& used : of_->accesses(of_->tasks()[task])) writes |= used.writes();
      events_.push_back(
          {step, place, i, writes ? ledger_event::kind::writer : ledger_event::kind::reader, task});
    }
  });
  // A flight recorder forgets the start: then all is known from the first step that nobody forgot.
  for (const auto& [rank, step] : first) first_step_ = std::max(first_step_, step);
  if (first_step_ <= 1) first_step_ = 0;
  whole_ = first_step_ == 0;
  for (const rank_info& each : r.ranks()) whole_ = whole_ && each.discarded == 0 && !each.lost_from;
}

void ledger_replay::collect_claim(const event& e, std::uint32_t rank) {
  const run& r = of_->events();
  const auto add = [&](claim::kind what) {
    const std::uint32_t task = of_->find_task(static_cast<int>(rank), r.get(e, field::for_task));
    if (task != none) claims_.push_back({task, r.get32(e, field::handle), what});
  };
  if (e.what == record::cache_lookup) {
    lookups_recorded_ = true;
    constexpr std::uint64_t hit = 0;
    add(r.get(e, field::result) == hit ? claim::kind::hit : claim::kind::miss);
    return;
  }
  transfers_recorded_ = true;
  const auto reason = static_cast<trace::transfer_reason>(r.get(e, field::reason));
  const bool sends = r.get(e, field::dir) == send_way;
  if (!sends && reason == trace::transfer_reason::task) add(claim::kind::fetched);
  if (sends && reason == trace::transfer_reason::write_back) add(claim::kind::written_back);
}

void ledger_replay::collect_claims() {
  const run& r = of_->events();
  walk(r.events(), tells_of_a_copy, [&](std::uint32_t i) {
    const event e = r.events()[i];
    collect_claim(e, static_cast<std::uint32_t>(r.rank_of(e)));
  });
  first_claim_.resize(of_->tasks().size() + 1);
  for (const claim& each : claims_) ++first_claim_[each.task + std::size_t{1}];
  std::partial_sum(first_claim_.begin(), first_claim_.end(), first_claim_.begin());
  std::vector<claim> sorted(claims_.size());
  std::vector<std::size_t> next = first_claim_;
  for (const claim& each : claims_) sorted[next[each.task]++] = each;
  claims_ = std::move(sorted);
}

/// What a rank alone knows: how often it wrote its per-rank data.
void ledger_replay::follow_private(const event& e, std::uint32_t index, std::uint32_t rank) {
  const run& r = of_->events();
  if (rank >= private_.size()) private_.resize(rank + 1);
  private_data& mine = private_[rank];
  const auto written = [&](std::uint32_t handle) {
    const auto at = mine.of_handle.find(handle);
    if (at == mine.of_handle.end()) return;
    mine.sum -= at->second.digest();
    ++at->second.version;
    mine.sum += at->second.digest();
  };
  if (e.what == record::ledger_digest) {
    private_sum_[index] = mine.sum;
    return;
  }
  if (e.what == record::task_submit) {
    if (mine.of_handle.empty() || r.get(e, field::step, no_step) != no_step) return;
    const std::uint32_t task = of_->find_task(static_cast<int>(rank), r.get(e, field::task));
    if (task == none) return;
    for (const access& used : of_->accesses(of_->tasks()[task]))
      if (used.writes()) written(used.handle);
    return;
  }
  const ledger_change what = change_of(r, e);
  const std::uint32_t handle = r.get32(e, field::handle);
  if (what == ledger_change::write) return written(handle);
  const bool of_one = what == ledger_change::add || what == ledger_change::add_empty ||
                      what == ledger_change::remove || is_snapshot(what);
  if (!of_one) return;
  const auto known = mine.of_handle.find(handle);
  const bool of_every_rank = r.get32(e, field::rank) == trace::every_rank;
  if (known != mine.of_handle.end() &&
      (what == ledger_change::remove || (of_every_rank && is_snapshot(what)))) {
    mine.sum -= known->second.digest();
    mine.of_handle.erase(known);
  }
  if (!of_every_rank || what == ledger_change::remove) return;
  const private_datum fresh{r.get32(e, field::slot), r.get32(e, field::version)};
  mine.of_handle.emplace(handle, fresh);
  mine.sum += fresh.digest();
}

void ledger_replay::restart() {
  ledger_ = ownership::ledger(std::max(1, of_->ranks()), rules_);
  sum_ = 0;
  slots_.clear();
  next_ = 0;
  step_ = before();
  changed_by_ = none;
  changed_as_ = 0;
  group_writes_.clear();
  digests_ = 0;
}

const ownership::ledger& ledger_replay::at(std::uint64_t step) {
  if (step < step_) restart();
  while (next_ < events_.size() && events_[next_].step <= step && advance(nullptr)) {
  }
  return ledger_;
}

std::vector<finding> ledger_replay::compare() {
  restart();
  std::vector<finding> found;
  if (!possible()) return found;
  if (first_claim_.empty()) collect_claims();
  while (next_ < events_.size() && advance(&found)) {
  }
  return found;
}

namespace {

/// Of one step: what does not make it, but that a reader may have made.
bool comes_behind_a_change(ledger_event::kind what) {
  using enum ledger_event::kind;
  return what == group_write || what == reader || what == digest;
}

}  // namespace

/// False where a change is missing: what comes after it cannot be known.
bool ledger_replay::advance(std::vector<finding>* found) {
  if (events_[next_].step < first_step_) {
    ++next_;
    return true;
  }
  if (events_[next_].step > step_ + 1) return false;
  if (events_[next_].step > step_ && comes_behind_a_change(events_[next_].what) &&
      !bring_forward_the_change())
    return false;
  const ledger_event& here = events_[next_];
  switch (here.what) {
    case ledger_event::kind::change:
      change(here, found);
      break;
    case ledger_event::kind::group_write:
      if (here.step != step_) return false;
      change_by_group(here, found);
      break;
    case ledger_event::kind::reader:
    case ledger_event::kind::writer:
      if (!run_task(here, found)) return false;
      break;
    case ledger_event::kind::snapshot:
      restore(here);
      break;
    case ledger_event::kind::digest:
      if (here.step != step_) return false;
      if (found != nullptr) compare_digest(here, *found);
      break;
  }
  ++next_;
  return true;
}

/// Where copies have a budget, a change of one datum may end copies of others.
void ledger_replay::follow_digest() {
  if (ledger_.budget().limited()) sum_ = ledger_.digest();
}

template <class Change>
void ledger_replay::with_digest(ownership::slot datum, Change&& change) {
  if (datum < ledger_.slots()) sum_ -= ledger_.digest_of(datum);
  change();
  sum_ += ledger_.digest_of(datum);
  follow_digest();
}

std::optional<ownership::slot> ledger_replay::slot_of(std::uint32_t handle) const {
  const auto known = slots_.find(handle);
  if (known == slots_.end()) return {};
  return known->second;
}

void ledger_replay::change(const ledger_event& here, std::vector<finding>* found) {
  const run& r = of_->events();
  const event& e = r.events()[here.event];
  const std::uint32_t before = std::exchange(changed_by_, here.event);
  if (here.step == step_) {  // Every rank records it; they have to agree.
    if (found != nullptr && changed_as_ == step_ && !same(before, here.event))
      found->push_back(differs(here, r.get32(e, field::handle), r.get32(e, field::version),
                               "records another change than the rank before it"));
    return;
  }
  step_ = changed_as_ = here.step;
  const std::uint32_t handle = r.get32(e, field::handle), rank = r.get32(e, field::rank);
  const ledger_change what = change_of(r, e);
  const bool of_an_end = what == ledger_change::add || what == ledger_change::add_empty ||
                         what == ledger_change::remove;
  if (found != nullptr && of_an_end && r.get32(e, field::version) != 0)
    found->push_back(differs(here, handle, r.get32(e, field::version), "records a version"));
  if (what == ledger_change::add || what == ledger_change::add_empty) {
    const bool filled = what == ledger_change::add;
    const ownership::slot wanted = r.get32(e, field::slot);
    if (wanted > most_slots_) return;
    if (!whole_) {
      with_digest(wanted, [&] { ledger_.restore(wanted, rank, 0, filled); });
      slots_[handle] = wanted;
      return;
    }
    const ownership::slot slot =
        ledger_.add(rank, filled, handle < of_->data().size() ? of_->data()[handle].bytes : 0);
    sum_ += ledger_.digest_of(slot);
    slots_[handle] = slot;
    if (slot != wanted && found != nullptr)
      found->push_back(differs(here, handle, 0,
                               "puts it into slot " + std::to_string(wanted) +
                                   "; the ledger into " + std::to_string(slot)));
    return;
  }
  if (what == ledger_change::flush_all || what == ledger_change::keep ||
      what == ledger_change::keep_not) {
    if (what == ledger_change::flush_all)
      ledger_.flush_all();
    else
      ledger_.keep_copies(what == ledger_change::keep);
    sum_ = ledger_.digest();
    return;
  }
  const auto slot = slot_of(handle);
  if (!slot) return;
  if (found != nullptr && r.get32(e, field::slot) != *slot)
    found->push_back(differs(here, handle, r.get32(e, field::version),
                             "names slot " + std::to_string(r.get32(e, field::slot)) +
                                 "; it lies in slot " + std::to_string(*slot)));
  if (what == ledger_change::remove) {
    sum_ -= ledger_.digest_of(*slot);
    ledger_.remove(*slot);
    slots_.erase(handle);
    return;
  }
  with_digest(*slot, [&] {
    if (what == ledger_change::fetch) static_cast<void>(ledger_.fetch(*slot, rank));
    if (what == ledger_change::migrate) static_cast<void>(ledger_.migrate(*slot, rank));
    if (what == ledger_change::flush) ledger_.flush(*slot);
    if (what == ledger_change::write && ledger_.is_open(*slot)) {
      ledger_.close(*slot);
    } else if (what == ledger_change::write) {
      ledger_.write(*slot);
    }
  });
  compare_version(here, *slot, found);
}

void ledger_replay::compare_version(const ledger_event& here, ownership::slot datum,
                                    std::vector<finding>* found) const {
  const run& r = of_->events();
  const event e = r.events()[here.event];
  const std::uint32_t said = r.get32(e, field::version);
  if (found == nullptr || ledger_.is_per_rank(datum) || said == ledger_.version(datum)) return;
  if (of_groups_.data().contains(r.get32(e, field::handle))) return;
  found->push_back(differs(here, r.get32(e, field::handle), said,
                           "records v" + std::to_string(said) + "; the ledger has v" +
                               std::to_string(ledger_.version(datum))));
}

/// Each member records it; they have to agree.
void ledger_replay::change_by_group(const ledger_event& here, std::vector<finding>* found) {
  const std::uint32_t handle =
      of_->events().get32(of_->events().events()[here.event], field::handle);
  const auto slot = slot_of(handle);
  const auto [first, added] = group_writes_.try_emplace(here.place, here.event);
  if (!added) {
    if (found != nullptr && !same(first->second, here.event))
      found->push_back(
          differs(here, handle, 0, "records another change than the member before it"));
    return;
  }
  if (!slot) return;
  with_digest(*slot, [&] { ledger_.write(*slot); });
  compare_version(here, *slot, found);
}

void ledger_replay::restore(const ledger_event& here) {
  const run& r = of_->events();
  const event& e = r.events()[here.event];
  step_ = std::max(step_, here.step);
  const ownership::slot slot = r.get32(e, field::slot);
  if (slot > most_slots_) return;
  const ledger_change what = change_of(r, e);
  with_digest(slot, [&] {
    if (what == ledger_change::snapshot_holder) {
      if (slot < ledger_.slots()) static_cast<void>(ledger_.fetch(slot, r.get32(e, field::rank)));
    } else {
      ledger_.restore(slot, r.get32(e, field::rank), r.get32(e, field::version),
                      what == ledger_change::snapshot);
    }
  });
  slots_[r.get32(e, field::handle)] = slot;
}

bool ledger_replay::run_task(const ledger_event& here, std::vector<finding>* found) {
  const task& t = of_->tasks()[here.task];
  const auto used = of_->accesses(t);
  const event& e = of_->events().events()[here.event];
  if (used.size() != of_->events().get(e, field::n_acc, used.size())) return false;  // Cut off.
  requests_.clear();
  known_.clear();
  for (const access& each : used) {
    const auto slot = slot_of(each.handle);
    if (!slot) continue;  // Before its snapshot.
    requests_.push_back({*slot, mode_of(each)});
    known_.push_back(&each);
  }
  effects_.resize(requests_.size());
  const auto first = [&](std::size_t i) {
    for (std::size_t j = 0; j < i; ++j)
      if (requests_[j].datum == requests_[i].datum) return false;
    return true;
  };
  for (std::size_t i = 0; i < requests_.size(); ++i)
    if (first(i)) sum_ -= ledger_.digest_of(requests_[i].datum);
  ledger_.run(static_cast<std::uint32_t>(t.rank), requests_, effects_);
  bool changed = here.what == ledger_event::kind::writer;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (first(i)) sum_ += ledger_.digest_of(requests_[i].datum);
    changed |= effects_[i].fetch;
  }
  follow_digest();
  changed |= ledger_.budget().limited();
  if (changed && here.step == step_ && found != nullptr)
    found->push_back(differs(here, known_.empty() ? none : known_[0]->handle, 0,
                             "runs " + of_->task_name(here.task) + " as change " +
                                 std::to_string(here.step) + ", which another one is already"));
  if (!changed && here.step != step_) return !whole_ && (step_ = here.step, true);
  step_ = here.step;
  if (found == nullptr) return true;
  for (std::size_t i = 0; i < known_.size(); ++i)
    if (first(i)) compare_access(here, i, *found);
  return true;
}

/// Of tasks that only read and bear one number, the first was a change: it made a rank a holder.
/// Those that change nothing may have been recorded earlier, on ranks that were ahead.
bool ledger_replay::bring_forward_the_change() {
  const bool any = !whole_ || ledger_.budget().limited();  // There each use is a change.
  for (std::size_t i = next_; i < events_.size() && events_[i].step == events_[next_].step; ++i) {
    if (events_[i].what != ledger_event::kind::reader) continue;
    const task& t = of_->tasks()[events_[i].task];
    const auto rank = static_cast<std::uint32_t>(t.rank);
    const auto fetches = [&](const access& used) {
      const auto slot = slot_of(used.handle);
      return slot && used.reads() && !ledger_.is_per_rank(*slot) && !ledger_.holds(*slot, rank);
    };
    if (!any && std::ranges::none_of(of_->accesses(t), fetches)) continue;
    const auto at = [&](std::size_t place) {
      return events_.begin() + static_cast<std::ptrdiff_t>(place);
    };
    std::rotate(at(next_), at(i), at(i + 1));
    return true;
  }
  return false;
}

std::ptrdiff_t ledger_replay::claimed(std::uint32_t task, std::uint32_t handle,
                                      claim::kind what) const {
  const auto of_task = std::span(claims_).subspan(
      first_claim_[task], first_claim_[task + std::size_t{1}] - first_claim_[task]);
  return std::ranges::count_if(
      of_task, [&](const claim& c) { return c.handle == handle && c.what == what; });
}

/// Whether its rank was killed before it had recorded any later task: then what this one makes
/// necessary may not have been recorded any more.
bool ledger_replay::cut_off(std::uint32_t task) const {
  const auto known = last_of_killed_.find(static_cast<std::uint32_t>(of_->tasks()[task].rank));
  return known != last_of_killed_.end() && known->second == task;
}

/// All uses of one datum by one task; `first` is the first of them.
void ledger_replay::compare_access(const ledger_event& here, std::size_t first,
                                   std::vector<finding>& found) const {
  const access& used = *known_[first];
  const task& t = of_->tasks()[here.task];
  const std::string name = of_->task_name(here.task), what = of_->handle_name(used.handle);
  const ownership::effect& decided = effects_[first];
  if (of_groups_.data().contains(used.handle)) return;  // Who is no member has another version.
  if (used.ver_in != decided.version_read) {
    const std::uint32_t writer = of_->writer(used.handle, decided.version_read);
    found.push_back(differs(here, used.handle, used.ver_in,
                            "runs " + name + " on " + what + " v" + std::to_string(used.ver_in) +
                                "; the sequence prescribes v" +
                                std::to_string(decided.version_read) +
                                (writer == none ? "" : ", written by " + of_->task_name(writer))));
    if (used.reads()) found.back().rule = "read_sees_prescribed_version";
    return;
  }
  if (!whole_ || cut_off(here.task)) return;
  bool fetch = false, back = false;
  std::ptrdiff_t hits = 0, misses = 0;  // One datum may be read twice.
  for (std::size_t i = first; i < known_.size(); ++i) {
    if (known_[i]->handle != used.handle) continue;
    fetch |= effects_[i].fetch;
    back |= effects_[i].write_back;
    const bool away = effects_[i].owner != static_cast<std::uint32_t>(t.rank);
    if (known_[i]->reads() && away) ++(effects_[i].fetch ? misses : hits);
  }
  const auto say = [&](const std::string& sentence) {
    found.push_back(differs(here, used.handle, used.ver_in, sentence));
  };
  const std::string version = what + " v" + std::to_string(used.ver_in);
  if (transfers_recorded_ && fetch != (claimed(here.task, used.handle, claim::kind::fetched) != 0))
    say(fetch ? "did not ask for " + version + " for " + name + "; it does not hold it"
              : "asked for " + version + " for " + name + "; it holds it");
  if (transfers_recorded_ &&
      back != (claimed(here.task, used.handle, claim::kind::written_back) != 0))
    say(back ? "did not send " + what + " back to its owner after " + name
             : "sent " + what + " away after " + name + "; it owns it");
  if (!lookups_recorded_) return;
  for (const auto& [kind, wanted, word] :
       {std::tuple{claim::kind::hit, hits, "hit"}, {claim::kind::miss, misses, "miss"}}) {
    if (claimed(here.task, used.handle, kind) < wanted)
      say(std::string("records no cache ") + word + " for " + version + " in " + name);
  }
}

void ledger_replay::compare_digest(const ledger_event& here, std::vector<finding>& found) {
  const run& r = of_->events();
  const event& e = r.events()[here.event];
  // A rank that is no member knows nothing of such a write.
  if (of_groups_.made(r.rank_of(e), r.get(e, field::step)) != group_writes_.size()) return;
  ++digests_;
  if (!whole_ && r.get(e, field::common) != sum_) return;  // What came before is not known.
  if (r.get(e, field::common) != sum_)
    found.push_back(differs(here, none, 0, "knows another ownership than its records decide"));
  else if (whole_ && r.get(e, field::own) != sum_ + private_sum_[here.event])
    found.push_back(differs(here, none, 0, "counts other writes of its per-rank data"));
}

bool ledger_replay::same(std::uint32_t one, std::uint32_t other) const {
  const run& r = of_->events();
  const event &a = r.events()[one], &b = r.events()[other];
  if (a.what != b.what) return false;
  for (const field f : {field::op, field::handle, field::slot, field::rank})
    if (r.get(a, f) != r.get(b, f)) return false;
  // Of per-rank data, and of what groups write, every rank counts its own versions.
  const std::uint32_t handle = r.get32(a, field::handle);
  const auto slot = slot_of(handle);
  const bool of_each_rank =
      (slot && ledger_.is_per_rank(*slot)) || of_groups_.data().contains(handle);
  return of_each_rank || r.get(a, field::version) == r.get(b, field::version);
}

finding ledger_replay::differs(const ledger_event& here, std::uint32_t handle,
                               std::uint32_t version, const std::string& sentence) const {
  const run& r = of_->events();
  const event& e = r.events()[here.event];
  return {"ledger_mismatch",
          "rank " + std::to_string(r.rank_of(e)) + " " + sentence + " (at " + say_time(e.time) +
              ", change " + std::to_string(here.step) + " of the ledger" +
              (handle == none ? "" : ", " + of_->handle_name(handle)) + ")",
          handle,
          version,
          r.rank_of(e),
          e.time};
}

}  // namespace deed::viewer
