// SPDX-License-Identifier: MIT
#include "analysis/ask/copy_lives.hpp"

#include "analysis/ask/sizes.hpp"
#include "analysis/ask/state_at.hpp"
#include "analysis/ask/unused_copies.hpp"
#include "analysis/read/event_walk.hpp"
#include "analysis/read/merge.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <tuple>
#include <utility>

namespace deed::viewer {
namespace {

/// A task that read a datum, when it began.
struct reading {
  int rank = 0;
  std::uint32_t version = 0;
  std::int64_t when = 0;
};

/// Of each datum, one after the other.
class readings {
 public:
  explicit readings(const model& of) : first_(of.data().size() + 1) {
    const auto counts = [&](const access& a) {
      return a.reads() && a.handle < of.data().size() && of.tasks()[a.task].begin != never;
    };
    for (const access& a : of.all_accesses())
      if (counts(a)) ++first_[a.handle + 1];
    for (std::size_t h = 1; h < first_.size(); ++h) first_[h] += first_[h - 1];
    all_.resize(first_.back());
    std::vector<std::size_t> next = first_;
    for (const access& a : of.all_accesses())
      if (counts(a))
        all_[next[a.handle]++] = {of.tasks()[a.task].rank, a.ver_in, of.tasks()[a.task].begin};
  }
  [[nodiscard]] std::span<const reading> of(std::uint32_t handle) const {
    return std::span(all_).subspan(first_[handle], first_[handle + 1] - first_[handle]);
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<reading> all_;
};

bool came_for_tasks(const transfer& x) {
  return x.is(trace::transfer_reason::task) || x.is(trace::transfer_reason::prefetch);
}

using lives_in_order = std::vector<copy_life*>;

auto key_of(const copy_life* each) { return std::tuple(each->rank, each->version, each->from); }

lives_in_order in_order(std::vector<copy_life>& lives) {
  lives_in_order sorted;
  for (copy_life& each : lives) sorted.push_back(&each);
  std::ranges::sort(sorted, {}, key_of);
  return sorted;
}

/// A version may lie on a rank several times, one behind the other. Null: then it did not.
copy_life* life_at(const lives_in_order& sorted, int rank, std::uint32_t version,
                   std::int64_t when) {
  const auto after = std::ranges::upper_bound(sorted, std::tuple(rank, version, when), {}, key_of);
  if (after == sorted.begin()) return nullptr;
  copy_life& life = **std::prev(after);
  return life.rank == rank && life.version == version && when <= life.until ? &life : nullptr;
}

void count_uses(std::span<const reading> all, std::vector<copy_life>& lives) {
  const lives_in_order sorted = in_order(lives);
  for (const reading& each : all)
    if (copy_life* const life = life_at(sorted, each.rank, each.version, each.when)) ++life->uses;
}

/// Of one datum, as a walk over it goes on.
class open_lives {
 public:
  open_lives(const model& of, std::uint32_t handle)
      : handle_(handle), open_(static_cast<std::size_t>(of.ranks())) {}

  void look(const datum_state& state, std::int64_t now) {
    for (std::size_t rank = 0; rank < open_.size(); ++rank) {
      std::optional<copy_life>& mine = open_[rank];
      const copy_at& copy = state.copies[rank];
      const bool here =
          rank != state.owner && (copy.kind == copy_kind::shared || copy.kind == copy_kind::stale);
      if (mine && (!here || mine->version != copy.version)) close(mine, now);
      if (here && !mine) mine = copy_life{handle_, copy.version, static_cast<int>(rank), now, 0, 0};
    }
  }
  std::vector<copy_life> end(std::int64_t now) {
    for (std::optional<copy_life>& each : open_) close(each, now);
    std::ranges::stable_sort(closed_, {}, &copy_life::from);
    return std::move(closed_);
  }

 private:
  void close(std::optional<copy_life>& which, std::int64_t now) {
    if (!which) return;
    which->until = now;
    if (which->from < now) closed_.push_back(*which);
    which.reset();
  }

  std::uint32_t handle_;
  std::vector<std::optional<copy_life>> open_;  // By rank.
  std::vector<copy_life> closed_;
};

/// Virtual ranks do much at one time: a copy may come and go in one moment.
void add_brief(const model& of, std::uint32_t handle, std::vector<copy_life>& lives) {
  const lives_in_order sorted = in_order(lives);
  std::vector<copy_life> brief;
  for (const std::uint32_t index : of.transfers_of(handle)) {
    const transfer& x = of.transfers()[index];
    const std::int64_t came = x.done_receive;
    if (came == never || x.src == x.dst || !came_for_tasks(x)) continue;
    if (life_at(sorted, x.dst, x.version, came) == nullptr)
      brief.push_back({handle, x.version, x.dst, came, came, 0});
  }
  lives.insert(lives.end(), brief.begin(), brief.end());
  std::ranges::stable_sort(lives, {}, &copy_life::from);
}

std::vector<copy_life> lives_of(const model& of, std::uint32_t handle,
                                std::span<const reading> read) {
  const datum& about = of.data()[handle];
  if (!about.known || about.is_per_rank()) return {};
  open_lives open(of, handle);
  datum_walk walk(of, handle);
  for (const std::int64_t time : times_of_change(of, handle, false)) {
    walk.advance(time);
    open.look(walk.state(false), time);
  }
  std::vector<copy_life> lives = open.end(of.events().end());
  add_brief(of, handle, lives);
  count_uses(read, lives);
  return lives;
}

}  // namespace

std::vector<copy_life> copy_lives(const model& of) {
  const readings read(of);
  std::vector<std::vector<copy_life>> by_handle(of.data().size());
  in_parallel(by_handle.size(), [&](std::size_t h) {
    const auto handle = static_cast<std::uint32_t>(h);
    by_handle[h] = lives_of(of, handle, read.of(handle));
  });
  std::vector<copy_life> all;
  for (const auto& each : by_handle) all.insert(all.end(), each.begin(), each.end());
  return all;
}

std::vector<curve> bytes_in_copies(const model& of, const std::vector<copy_life>& lives) {
  const std::vector<std::uint64_t> sizes = sizes_of_data(of);
  std::vector<std::vector<curve::point>> steps(static_cast<std::size_t>(of.ranks()));
  for (const copy_life& each : lives) {
    const auto bytes = static_cast<std::int64_t>(sizes[each.handle]);
    auto& mine = steps[static_cast<std::size_t>(each.rank)];
    mine.push_back({each.from, bytes});
    mine.push_back({each.until, -bytes});
  }
  std::vector<curve> found;
  for (auto& mine : steps) {
    std::ranges::sort(mine, {}, &curve::point::time);
    std::vector<curve::point> sums{{0, 0}};
    for (const curve::point& each : mine) {
      if (each.time == of.events().end()) break;  // What was there at the end.
      const std::int64_t now = sums.back().value + each.value;
      if (sums.back().time == each.time)
        sums.back().value = now;
      else
        sums.push_back({each.time, now});
    }
    found.emplace_back(std::move(sums), of.events().end());
  }
  return found;
}

miss_times misses(const model& of) {
  const run& r = of.events();
  miss_times found;
  walk(
      r.events(), [](record what) { return what == record::cache_lookup; },
      [&](std::uint32_t i) {
        const event e = r.events()[i];
        const std::uint64_t result = r.get(e, field::result);
        if (result > 0 && result <= found.size()) found[result - 1].push_back(e.time);
      });
  return found;
}

std::vector<copy_life> lives_in(const model& of, const std::vector<copy_life>& lives,
                                const run_part& part) {
  std::map<std::uint32_t, std::vector<bool>> chosen;  // Of a query: a look at a datum's events.
  const auto is_chosen = [&](const copy_life& life) {
    if (!part.has_query()) return true;
    const auto [known, is_new] = chosen.try_emplace(life.handle);
    if (is_new) known->second = part.ranks_of_datum(of, life.handle);
    return bool{known->second[static_cast<std::size_t>(life.rank)]};
  };
  std::vector<copy_life> found;
  for (const copy_life& each : lives)
    if (part.touches(each.from, each.until) && part.has_rank(each.rank) && is_chosen(each))
      found.push_back(each);
  return found;
}

void add_copy_lives(const model& of, const std::vector<copy_life>& lives, const run_part& part,
                    answer& to) {
  struct sums {
    std::uint64_t copies = 0, uses = 0, unused = 0;
    std::int64_t life = 0;
    bool uses_known = true;
  };
  std::map<std::uint32_t, sums> by_handle;
  const std::vector<int> unknown = ranks_of_unknown_use(of);
  for (const copy_life& each : lives_in(of, lives, part)) {
    sums& mine = by_handle[each.handle];
    mine.uses_known &= !std::ranges::binary_search(unknown, each.rank);
    ++mine.copies;
    mine.uses += each.uses;
    mine.life += each.until - each.from;
  }
  for (const std::uint32_t index : unused_copies(of)) {
    const auto mine = by_handle.find(of.transfers()[index].handle);
    if (mine != by_handle.end() && part.has_transfer(of, index)) ++mine->second.unused;
  }
  std::vector<std::pair<std::uint32_t, sums>> sorted(by_handle.begin(), by_handle.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const auto& each) { return each.second.copies; });
  table rows{"copies of each handle",
             {"handle", "copies", "uses by tasks", "uses of each", "mean life", "for nothing"},
             {}};
  for (const auto& [handle, all] : sorted) {
    const std::uint64_t tenths = (10 * all.uses + all.copies / 2) / all.copies;
    const cell mean(std::to_string(tenths / 10) + "." + std::to_string(tenths % 10),
                    static_cast<double>(all.uses) / static_cast<double>(all.copies), unit::count);
    const auto known = [&](cell said) { return all.uses_known ? std::move(said) : cell("-"); };
    rows.rows.push_back({of.handle_name(handle), say_count(all.copies), known(say_count(all.uses)),
                         known(mean), say_time(all.life / static_cast<std::int64_t>(all.copies)),
                         known(say_count(all.unused))});
    rows.links.push_back("handle:" + std::to_string(handle));
  }
  if (!rows.rows.empty()) to.tables.push_back(std::move(rows));
}

}  // namespace deed::viewer
