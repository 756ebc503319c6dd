// SPDX-License-Identifier: MIT
#include <deed/base/planted.hpp>
#include <deed/runtime/tiled_matrix.hpp>

#include "core.hpp"
#include "tile_history.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

/// @file
/// Calls of `for_each_tile` whose tasks are found by rule.
///
/// Who runs a task is the owner of the tile that it writes. So what becomes of a tile, who holds
/// which version, follows from the tasks that name it, and from nothing that happens to others. A
/// rank looks at the tasks that name a tile which it knows; of the rest it keeps the calls, and
/// when it gets to know another tile it goes through those that named it.

namespace deed::runtime {

void insert_tiles(core& home, const tile_call& what) { home.insert_tiles(what); }

/// A call, and which of its pairs this rank has to look at.
struct core::tiles_in_progress {
  const tile_call& what;
  context& self;
  const std::shared_ptr<logged_call> call;
  const owner_period period;
  std::vector<std::uint64_t>& marks;
  std::uint64_t next = 0;  // The number of the first pair that was not looked at.

  void set(std::uint64_t first, std::uint64_t last) noexcept {
    for (first = std::max(first, next); first < last;) {
      const std::uint64_t end = std::min(last, (first | 63) + 1);
      const std::uint64_t ones = ~std::uint64_t{0} >> (64 - (end - first));
      marks[first / 64] |= ones << first % 64;
      first = end;
    }
  }
};

void core::check_tiles_exist(const tile_call& what) {
  for (const tile_use& use : what.uses) {
    if (use.tiles == nullptr) continue;
    const tile_rule& rule = use.tiles->rule();
    const auto wrong =
        first_outside({use.row, use.col}, what.region, static_cast<std::int64_t>(rule.rows),
                      static_cast<std::int64_t>(rule.cols));
    if (!wrong) continue;
    const auto [i, j] = *wrong;
    refuse_tile(use.tiles->what().name, static_cast<std::size_t>(use.row.at(i, j)),
                static_cast<std::size_t>(use.col.at(i, j)), rule.rows, rule.cols,
                use.tiles->what().where, use.where, std::pair(i, j));
  }
}

/// Whether some task names the tile that it writes twice: D209, which the task itself says.
bool core::names_twice(const tile_call& what, const tile_use& written) const {
  return std::ranges::any_of(what.uses, [&](const tile_use& other) {
    if (&other == &written) return false;
    tile_form form{other.row, other.col};
    const tile_records* family = other.tiles;
    if (family == nullptr) {
      const auto tile = tile_with(data_[other.fixed].tag);
      if (!tile) return false;
      family = tile->family;
      const std::size_t cols = family->rule().cols;
      form = {{static_cast<std::int64_t>(tile->k / cols)},
              {static_cast<std::int64_t>(tile->k % cols)}};
    }
    return family == written.tiles && runtime::meet({written.row, written.col}, form, what.region);
  });
}

/// Whether the owners of the tiles that are written run the tasks, and nothing but the ledger, the
/// graph and the network hears of them.
bool core::goes_by_rule(const tile_call& what) const {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();  // As matrices have.
  if (!what.plain || what.uses.size() > few_data || what.region.empty() ||
      what.region.last_row > most || what.region.last_col > most)
    return false;
  if (options_.pruning == pruning::off || environment_.dry != nullptr || !nobody_looks() ||
      ledger_.ends_copies() || ledger_.any_open() || planted(planted_bug::pruned_write_forgotten))
    return false;
  const tile_use* written = nullptr;
  for (const tile_use& use : what.uses) {
    const bool here = use.tiles != nullptr ? use.tiles->home_ == this : use.session == this;
    if (!here || use.mode == access_mode::reduce) return false;
    if (use.tiles == nullptr && ledger_.is_per_rank(use.fixed)) return false;
    if (!writes(use.mode)) continue;
    if (written != nullptr || use.tiles == nullptr || use.tiles->moved_) return false;
    written = &use;
  }
  return written != nullptr && !names_twice(what, *written);
}

void core::insert_tiles(const tile_call& what) {
  context& self = caller(call_kind::leaves_out, what.uses.front().where);
  check_tiles_exist(what);
  if (size() > 1 && goes_by_rule(what)) return insert_by_rule(self, what);
  for (std::int64_t i = what.region.first_row; i < what.region.last_row; ++i) {
    const std::int64_t end = what.region.row_end(i);
    for (std::int64_t j = what.region.first_col; j < end; ++j)
      what.insert(what.with, static_cast<std::size_t>(i), static_cast<std::size_t>(j), size() > 1);
  }
}

namespace {

logged_use logged(const tile_use& use) {
  return {use.tiles->first(),
          static_cast<std::int32_t>(use.row.offset),
          static_cast<std::int32_t>(use.col.offset),
          use.row.of,
          use.col.of,
          use.mode};
}

std::shared_ptr<logged_call> logged(const tile_call& what) {
  auto call = std::make_shared<logged_call>();
  const auto written =
      std::ranges::find_if(what.uses, [](const tile_use& use) { return writes(use.mode); });
  call->region = what.region;
  call->owners = written->tiles->what().rule;
  call->where = written->where;
  call->uses.reserve(what.uses.size());
  call->uses.push_back(logged(*written));
  for (const tile_use& use : what.uses) {
    if (&use != &*written && use.tiles != nullptr) call->uses.push_back(logged(use));
  }
  return call;
}

}  // namespace

void core::insert_by_rule(context& self, const tile_call& what) {
  const std::shared_ptr<logged_call> call = logged(what);
  const auto pairs =
      static_cast<std::size_t>((call->region.last_row - call->region.first_row) * call->width());
  tile_marks_.assign((pairs + 63) / 64, 0);
  tiles_in_progress now{what, self, call, call->period(), tile_marks_};
  call->until = 0;
  log_call(now);
  struct in_progress {  // Also where it ends by an exception.
    explicit in_progress(core& of, tiles_in_progress& now) : of_(of) { of_.tiles_now_ = &now; }
    in_progress(const in_progress&) = delete;
    ~in_progress() { of_.tiles_now_ = nullptr; }
    core& of_;
  } const lasts(*this, now);
  mark_known(now);
  std::int64_t i = call->region.first_row;
  std::uint64_t row = 0;  // The number of its first pair.
  const auto width = static_cast<std::uint64_t>(call->width());
  for (std::size_t word = 0; word < tile_marks_.size(); ++word) {
    while (tile_marks_[word] != 0) {
      const auto bit = static_cast<std::uint64_t>(std::countr_zero(tile_marks_[word]));
      const std::uint64_t number = word * 64 + bit;
      tile_marks_[word] &= tile_marks_[word] - 1;
      for (; number - row >= width; ++i) row += width;
      call->until = number;
      now.next = number + 1;
      visit(now, i, call->region.first_col + static_cast<std::int64_t>(number - row));
    }
  }
  call->until = logged_call::all;
  for (const tile_use& use : what.uses) {
    if (use.tiles == nullptr) continue;
    constexpr std::size_t record = 250;  // Bytes; a history must not cost more than what it spares.
    const std::size_t unknown = use.tiles->rule().count() - use.tiles->all().size();
    if (use.tiles->history_->bytes <= unknown * record) continue;
    const turn held(*this, self);
    meet_all_tiles_of(*use.tiles);
  }
}

void core::log_call(tiles_in_progress& now) {
  for (const tile_use& use : now.what.uses) {
    if (use.tiles == nullptr) continue;
    tile_records& family = *use.tiles;
    const tile_rule& rule = family.rule();
    if (family.history_ == nullptr) {
      family.history_ = std::make_unique<tile_history>(rule.rows, rule.cols);
      for (const tile_records::record& each : family.records_)
        family.history_->known.add(each.tile / rule.cols, each.tile % rule.cols);
    }
    tile_history& history = *family.history_;
    const bool named_before = !history.calls.empty() && history.calls.back() == now.call;
    if (family.records_.size() == rule.count() || named_before) continue;
    if (!now.call->writes_in(family.first_)) {
      const auto written = std::ranges::find_if(
          now.what.uses, [](const tile_use& each) { return writes(each.mode); });
      written->tiles->what_.rule->asked_later = true;
    }
    history.add(family.first_, now.call);
  }
}

/// `all`: each pair may change something. Else it is who runs it that is noted, once.
void core::mark(tiles_in_progress& now, const pair_box& pairs, bool all) {
  const owner_period period = all ? owner_period{no_period, no_period} : now.period;
  const logged_call& call = *now.call;
  for_each_row(call.region, pairs, period,
               [&](std::int64_t i, std::int64_t first, std::int64_t last) {
                 now.set(call.number(i, first), call.number(i, last));
               });
}

/// The pairs in which one use of a call names a tile.
void core::mark(tiles_in_progress& now, const tile_use& use, std::int64_t r, std::int64_t c,
                ownership::slot datum) {
  const pair_box pairs = pairs_that_name({use.row, use.col}, r, c, now.call->region);
  if (pairs.empty()) return;
  const bool mine = ledger_.owner(datum) == static_cast<std::uint32_t>(rank_);
  mark(now, pairs, mine || now.call->may_write(use.tiles->first_, r, c));
}

void core::mark_known(tiles_in_progress& now) {
  const tile_region& region = now.call->region;
  const pair_box whole{region.first_row, region.last_row, region.first_col, region.last_col};
  for (const tile_use& use : now.what.uses) {
    if (use.tiles == nullptr) {
      mark(now, whole, ledger_.owner(use.fixed) == static_cast<std::uint32_t>(rank_));
      continue;
    }
    const std::int64_t last_i = region.last_row - 1, last_j = region.last_col - 1;
    const auto named = [&](std::int64_t r, std::int64_t c) {
      const auto k =
          static_cast<std::size_t>(r) * use.tiles->rule().cols + static_cast<std::size_t>(c);
      mark(now, use, r, c, use.tiles->find(k)->datum);
    };
    const std::int64_t end = use.row.at(last_i, last_j);
    for (std::int64_t r = use.row.at(region.first_row, region.first_col); r <= end; ++r) {
      std::int64_t first = use.col.at(region.first_row, region.first_col);
      std::int64_t last = use.col.at(last_i, last_j);
      if (use.row.of == use.col.of && use.row.of != affine::variable::none)
        first = last = r - use.row.offset + use.col.offset;
      use.tiles->history_->known.for_each_in_row(r, first, last + 1, named);
    }
  }
}

void core::visit(tiles_in_progress& now, std::int64_t i, std::int64_t j) {
  const std::uint32_t executor = now.call->executor(i, j);
  const auto me = static_cast<std::uint32_t>(rank_);
  if (executor == me)
    return now.what.insert(now.what.with, static_cast<std::size_t>(i), static_cast<std::size_t>(j),
                           false);
  std::array<access_description, few_data> known;
  std::size_t count = 0;
  bool involved = false;
  for (const tile_use& use : now.what.uses) {
    ownership::slot datum = use.fixed;
    if (use.tiles != nullptr) {
      const std::int64_t r = use.row.at(i, j), c = use.col.at(i, j);
      if (!use.tiles->history_->known.contains(r, c)) continue;
      const auto k =
          static_cast<std::size_t>(r) * use.tiles->rule().cols + static_cast<std::size_t>(c);
      datum = use.tiles->find(k)->untyped().datum(use.where);
    }
    known[count++] = {this, datum, use.mode, use.where};
    involved = involved || ledger_.involves(me, executor, {datum, use.mode});
  }
  const std::span<const access_description> accesses(known.data(), count);
  if (involved) return take_part(now, executor, accesses);
  for (const access_description& each : accesses) {
    ledger_.note(executor, {each.datum, each.mode});
    if (writes(each.mode)) last_writes_[each.datum] = each.where;
  }
}

/// As the insertion of a task of another rank. `accesses`: those to data that are known here; the
/// task has others, of which this rank is neither owner nor sender.
void core::take_part(tiles_in_progress& now, std::uint32_t executor,
                     std::span<const access_description> accesses) {
  hold_back(now.self);
  const turn held(*this, now.self);
  std::array<ownership::request, few_data> requests;
  std::array<ownership::effect, few_data> results;
  const std::span<const ownership::effect> effects(results.data(), accesses.size());
  check_accesses(accesses, requests);
  if (failed_.load(std::memory_order_relaxed)) rethrow_failure();
  if (alarm_.rung()) explain_difference();
  task_description task{.codelet = now.what.codelet,
                        .accesses = accesses,
                        .body = nullptr,
                        .closure = nullptr,
                        .where_to_run = {},
                        .priority = now.what.priority,
                        .where = now.what.uses.back().where};
  count(inserted_, std::uint64_t{1});
  ledger_.run(executor, std::span(requests).first(accesses.size()),
              std::span(results).first(accesses.size()));
  log_insertion(task, executor, effects);
  census_.add(executor, task.where);
  bring(executor, accesses, effects, task.priority);
  note_writes(accesses);
}

void core::catch_up(tile_records& family, std::size_t k, ownership::slot datum) {
  tile_history& history = *family.history_;
  const std::size_t cols = family.rule().cols;
  const auto r = static_cast<std::int64_t>(k / cols), c = static_cast<std::int64_t>(k % cols);
  history.known.add(k / cols, k % cols);
  const auto& calls = history.calls;
  for (std::size_t at = history.newest_write(family.first_, r, c); at < calls.size(); ++at) {
    if (calls[at] == nullptr) {
      ledger_.flush(datum);
    } else {
      apply(*calls[at], family.first_, r, c, datum);
    }
  }
  if (tiles_now_ == nullptr) return;
  for (const tile_use& use : tiles_now_->what.uses) {
    if (use.tiles == &family) mark(*tiles_now_, use, r, c, datum);
  }
}

void core::apply(const logged_call& call, std::uint64_t matrix, std::int64_t r, std::int64_t c,
                 ownership::slot datum) {
  struct event {
    std::uint64_t number;
    std::int64_t i, j;
    access_mode mode;
  };
  std::vector<event> events;
  const bool written = call.may_write(matrix, r, c);
  const owner_period period = written ? owner_period{no_period, no_period} : call.period();
  for (const logged_use& use : call.uses) {
    if (use.matrix != matrix) continue;
    const pair_box pairs = pairs_that_name(use.form(), r, c, call.region);
    if (pairs.empty()) continue;
    for_each_row(call.region, pairs, period,
                 [&](std::int64_t i, std::int64_t first, std::int64_t last) {
                   for (std::int64_t j = first; j < last && call.number(i, j) < call.until; ++j)
                     events.push_back({call.number(i, j), i, j, use.mode});
                 });
  }
  std::ranges::sort(events, {}, &event::number);
  for (const event& each : events) ledger_.note(call.executor(each.i, each.j), {datum, each.mode});
  if (written && !events.empty()) last_writes_[datum] = call.where;
}

void core::note_flush() {
  for (const auto& [_, family] : families_) {
    if (family->history_ != nullptr) family->history_->add_flush();
  }
}

}  // namespace deed::runtime
