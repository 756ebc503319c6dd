// SPDX-License-Identifier: MIT
#include "generate.hpp"

#include <deed/base/random.hpp>

#include "model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

namespace oracle {
namespace {

class drawing {
 public:
  drawing(std::uint64_t seed, const range& from) : random_(deed::mix(77, seed)) {
    settings& how = made_.how;
    how.ranks = from.fewest_ranks + below(from.most_ranks - from.fewest_ranks + 1);
    how.seed = random_();
    how.window = one_in(3) ? static_cast<std::size_t>(log_uniform(1, 4096)) : 4096;
    how.frame = one_in(4) ? 128 + 8 * static_cast<std::size_t>(below(64)) : 8192;
    if (one_in(4)) how.bulk = std::size_t{1024} << below(4);
    how.delay_one_in = one_in(4) ? static_cast<std::uint64_t>(1 + below(8)) : 0;
    how.workers = 1 + below(3);
    how.by_time = one_in(4);
    how.cache = !one_in(10);
    if (one_in(5)) how.budget = static_cast<std::uint64_t>(log_uniform(32, 20'000));
    tasks_ = log_uniform(from.fewest_tasks, from.most_tasks);
    most_data_ = log_uniform(1, 64);
    large_one_in_ = one_in(3) ? 4 : 60;
    tags_ = 1 + below(4);
    calm_ = one_in(4);
    if (from.most_devices == 0) return;
    how.devices = 1 + below(from.most_devices);
    // A large tile takes 17 KB: a few of them, or all. The trial of the network takes 64 KiB.
    how.device_bytes = std::size_t{1} << (one_in(4) ? 20 : 15 + below(3));
    how.direct = how.device_bytes == std::size_t{1} << 20 && one_in(2);
    large_one_in_ = 3;
    if (seed % 1600 == 0) huge();
  }

  plan draw() {
    model world(made_.how);
    const int first = 1 + below(std::min(most_data_, 8));
    for (int i = 0; i < first; ++i) take(world, registration());
    while (done_ < tasks_) {
      const int kind = below(100);
      if (kind < 1)
        repetition(world);
      else if (kind < 64 || calm_)
        take(world, task());
      else if (kind < 68)
        take(world, in_two_steps(world));
      else if (kind < 70)
        take(world, step{.what = verb::copy,
                         .datum = any_datum(),
                         .target = fitting(any_datum()),
                         .pruned = one_in(3)});
      else if (kind < 74)
        take(world, registration());
      else if (kind < 75)
        take(world, one_in(2) ? partition() : unite(world));
      else if (kind < 76)
        if (one_in(2))
          succession(world);
        else
          take(world, one_in(2) ? step{.what = verb::take, .datum = any_datum()} : end());
      else if (kind < 83)
        take(world, message(world));
      else if (kind < 86)
        take(world, one_in(3) ? of_a_list() : collective(world));
      else if (kind < 88)
        take(world, fetch());
      else if (kind < 90)
        take(world, copies());
      else if (kind < 94)
        take(world, one_in(4) ? await() : read(world));
      else if (kind < 97)
        take(world, write(world));
      else if (kind < 98)
        take(world, one_in(3) ? watch() : step{.what = verb::wait});
      else if (kind < 99)
        take(world, one_in(2) ? step{.what = verb::barrier} : group(world));
      else
        give_up_if_stuck();
    }
    // A borrow may live to the end of the plan only if the plan outlives it.
    for (int i = 0; i < 4; ++i) {
      take(world, step{.what = verb::task,
                       .task = done_,
                       .where = placed::on_rank,
                       .target = below(made_.how.ranks)});
    }
    return std::move(made_);
  }

 private:
  int below(int bound) {
    return static_cast<int>(random_.below(static_cast<std::uint64_t>(std::max(1, bound))));
  }
  bool one_in(int n) { return below(n) == 0; }
  int log_uniform(int least, int most) {
    const double share = static_cast<double>(random_() >> 11) * 0x1p-53;
    const double drawn =
        std::exp(std::log(least) + share * (std::log(most + 1.0) - std::log(least)));
    return std::clamp(static_cast<int>(drawn), least, most);
  }
  int any_datum() {
    // Mostly what was registered or used lately: conflicts are what finds bugs.
    const int count = static_cast<int>(made_.data.size());
    return one_in(2) ? below(count) : std::max(0, count - 1 - below(6));
  }
  const datum& of(int d) const { return made_.data[static_cast<std::size_t>(d)]; }

  void take(model& world, step s) {
    // A step that the model refuses is dropped: what is legal has one definition.
    if (s.what != verb::add && made_.data.empty()) return;
    if (world.perform(made_, s, made_.steps.size())) {
      if (is_task(s)) ++done_;
      made_.steps.push_back(std::move(s));
    } else {
      made_.data.resize(made_.data.size() - makes(s));
    }
    world.expected().refused.clear();
    ++tried_;
    give_up_if_stuck();
  }
  /// Everything may have ended or be unreadable: then there is something new.
  void give_up_if_stuck() {
    if (tried_ % 50 == 49) most_data_ = static_cast<int>(made_.data.size()) + 1;
  }

  /// Steps that are done several times, in half of the cases none but plain tasks: their graph is
  /// kept. What the model refuses the second time leaves nothing behind.
  void repetition(model& world) {
    const model before = world;
    const plan kept = made_;
    const int tasks_before = done_;
    const bool many = made_.how.ranks > 16;  // A collective of theirs is a thousand messages.
    const bool plain = many || one_in(2);
    take(world, {.what = verb::repeat, .rank = log_uniform(1, many ? 4 : 12)});
    for (int left = 1 + below(8); left > 0; --left) {
      step s = task();
      const int kind = plain ? 0 : below(8);
      if (kind == 1) s = message(world);
      if (kind == 2) s = one_in(2) ? collective(world) : of_a_list();
      if (kind == 3) s = one_in(2) ? copies() : fetch();
      if (kind == 4) s = one_in(2) ? read(world) : write(world);
      s.held = 0;
      if (plain) {
        s.gated = false;
        for (use& u : s.uses) {
          if (u.mode == access_mode::reduce) u.mode = access_mode::read_write;
        }
      }
      take(world, std::move(s));
    }
    const std::size_t steps = made_.steps.size();
    take(world, {.what = verb::again});
    if (made_.steps.size() > steps) return;
    world = before;
    made_ = kept;
    done_ = tasks_before;
  }

  /// Few tiles, of which a device holds two: they are copied, sent and evicted in pieces.
  void huge() {
    huge_ = true;
    made_.how.ranks = 1 + below(2);
    made_.how.device_bytes = std::size_t{24} << 20;
    made_.how.direct = one_in(2);
    made_.how.bulk = std::size_t{1} << (20 + 8 * below(2));
    tasks_ = 8 + below(16);
    most_data_ = 4;
  }

  step registration() {
    if (static_cast<int>(made_.data.size()) >= most_data_) return end();
    datum fresh;
    const int kind = below(10);
    fresh.is = kind < 5   ? form::number
               : kind < 8 ? form::list
               : kind < 9 ? form::record
                          : form::tile;
    fresh.owner = one_in(5) ? -1 : below(made_.how.ranks);
    fresh.given = !one_in(6);
    fresh.large = fresh.is != form::number && one_in(large_one_in_);
    if (one_in(5)) fresh.tag = 1000 + static_cast<std::uint64_t>(below(6));
    if (huge_ && !one_in(4)) {
      fresh.is = form::tile;
      fresh.large = true;
      fresh.rows = huge_rows;
    }
    made_.data.push_back(fresh);
    return {.what = verb::add, .datum = static_cast<int>(made_.data.size()) - 1};
  }
  /// A tag goes on to another datum while the last one with it may still be on its way to a rank,
  /// and the next follows it there.
  void succession(model& world) {
    const int rank = below(made_.how.ranks);
    datum each{.owner = below(made_.how.ranks),
               .large = one_in(large_one_in_),
               .tag = 1000 + static_cast<std::uint64_t>(below(6))};
    for (const form is : {form::list, form::number}) {
      each.is = is;
      const int fresh = static_cast<int>(made_.data.size());
      made_.data.push_back(each);
      take(world, {.what = verb::add, .datum = fresh});
      if (static_cast<int>(made_.data.size()) == fresh) return;  // Another one has the tag.
      take(world, {.what = verb::fetch, .datum = fresh, .rank = rank});
      if (is == form::list || one_in(2)) take(world, {.what = verb::end, .datum = fresh});
      each.large = false;
    }
  }
  step partition() {
    step s{.what = verb::partition, .datum = any_datum()};
    for (int i = 0; i < 8 && of(s.datum).is != form::list && of(s.datum).is != form::tile; ++i)
      s.datum = any_datum();
    const datum whole = of(s.datum);
    const std::size_t count = 1 + static_cast<std::size_t>(below(4));
    for (std::size_t i = 0; i < count; ++i) {
      if (whole.owner >= 0) s.ranks.push_back(below(made_.how.ranks));
      s.uses.push_back({static_cast<int>(made_.data.size()), access_mode::write});
      made_.data.push_back(part_of(whole, i, count, whole.owner < 0 ? -1 : s.ranks.back()));
    }
    return s;
  }
  step unite(const model& world) {
    const auto& all = world.partitions();
    if (all.empty()) return partition();
    const auto one = std::next(all.begin(), below(static_cast<int>(all.size())));
    return {.what = verb::unite, .datum = one->first, .uses = one->second};
  }
  step end() { return {.what = verb::end, .datum = any_datum()}; }
  step fetch() {
    step s{
        .what = verb::fetch, .datum = any_datum(), .rank = one_in(2) ? -1 : below(made_.how.ranks)};
    if (s.rank >= 0 && one_in(3)) s.how = one_in(2) ? called::requested : called::with_callback;
    return s;
  }

  /// A task that goes ahead, or one of those that did.
  step in_two_steps(const model& world) {
    const std::vector<int> ahead = world.prepared();
    if (!ahead.empty() && (ahead.size() > 4 || one_in(2)))
      return {.what = verb::submit,
              .task = ahead[static_cast<std::size_t>(below(static_cast<int>(ahead.size())))]};
    step s = task();
    s.what = verb::prepare;
    s.pruned = s.gated = s.listed = false;
    return s;
  }

  step group(const model& world) {
    step s{.what = verb::group, .datum = static_cast<int>(world.groups().size())};
    for (int r = 0; r < made_.how.ranks; ++r) {
      if (!one_in(3))
        s.ranks.insert(s.ranks.begin() + below(static_cast<int>(s.ranks.size()) + 1), r);
    }
    return s;
  }
  int any_group(const model& world) {
    const int count = static_cast<int>(world.groups().size());
    return count == 0 || one_in(2) ? -1 : below(count);
  }

  /// Another datum of the type of `like`, if there is one nearby.
  int fitting(int like) {
    int found = any_datum();
    for (int i = 0;
         i < 8 && (of(like).is != of(found).is || (of(like).owner < 0) != (of(found).owner < 0));
         ++i)
      found = any_datum();
    return found;
  }

  step of_a_list() {
    const bool gathers = one_in(2);
    step s{.what = gathers ? verb::gather_list : verb::scatter_list,
           .rank = below(made_.how.ranks)};
    const int first = any_datum(), count = 1 + below(4);
    for (int i = 0; i < count; ++i) {
      const int d = i == 0 || one_in(6) ? first : fitting(first);  // A list may name one twice.
      s.uses.push_back({d, gathers ? access_mode::read : access_mode::write});
    }
    return s;
  }

  /// What changes who owns and who holds data.
  step copies() {
    const int kind = below(10);
    if (kind == 9) return {.what = verb::expect, .datum = any_datum(), .rank = below(8)};
    if (kind == 8)
      return {.what = verb::prefer, .datum = any_datum(), .rank = below(made_.how.ranks)};
    if (kind < 5)
      return {.what = verb::migrate, .datum = any_datum(), .rank = below(made_.how.ranks)};
    if (kind < 6) return {.what = verb::cache, .rank = below(2)};
    return {.what = verb::flush, .datum = any_datum(), .rank = one_in(3) ? -1 : 0};
  }

  step task() {
    step s{.what = verb::task, .task = done_};
    if (one_in(40)) {
      s.where = placed::on_rank;
      s.target = below(made_.how.ranks);
      return s;
    }
    const int first = any_datum();
    const bool is_private = of(first).owner < 0;
    s.typed = one_in(3);
    if (!s.typed && one_in(8)) return of_lists(std::move(s), first);
    const int count = s.typed ? 1 + below(2) : log_uniform(1, 6);
    for (int i = 0; i < count; ++i) {
      const int d = i == 0 ? first : any_datum();
      if ((of(d).owner < 0) != is_private || (s.typed && of(d).is != of(first).is)) continue;
      constexpr std::array modes{access_mode::read,       access_mode::read,  access_mode::read,
                                 access_mode::read_write, access_mode::write, access_mode::commute};
      s.uses.push_back({d, modes[static_cast<std::size_t>(below(6))]});
      const bool adds = of(d).is == form::number && !s.typed && one_in(5) && !calm_;
      if (adds) s.uses.back().mode = access_mode::reduce;
    }
    if (one_in(8)) {
      s.where = placed::on_each;
      s.typed = false;
      s.pruned = !is_private && one_in(3);
      for (int r = 0; r < made_.how.ranks; ++r) {
        if (!one_in(3)) s.ranks.push_back(r);
      }
      if (one_in(3)) s.uses.push_back({any_datum(), access_mode::read});
    } else if (is_private) {
      for (int r = 0; r < made_.how.ranks; ++r) {
        if (!one_in(4)) s.ranks.push_back(r);
      }
      if (s.ranks.empty() || one_in(2)) {
        s.ranks.resize(static_cast<std::size_t>(made_.how.ranks));
        std::iota(s.ranks.begin(), s.ranks.end(), 0);
      }
    } else if (one_in(5)) {
      s.where = placed::on_rank;
      s.target = below(made_.how.ranks);
      s.typed = false;
    } else if (one_in(8)) {
      s.where = placed::with_owner;
      s.target = any_datum();
      s.typed = false;
    } else {
      s.pruned = one_in(4);
    }
    s.gated = !s.typed && one_in(6) && !calm_;
    return s;
  }

  /// A task that takes its data in lists.
  step of_lists(step s, int first) {
    s.listed = true;
    const bool is_private = of(first).owner < 0;
    const int count = log_uniform(1, 40);
    for (int i = 0; i < count; ++i) {
      const int d = i == 0 ? first : fitting(first);
      const bool fits = of(d).is == of(first).is && (of(d).owner < 0) == is_private;
      if (!fits || std::ranges::find(s.uses, d, &use::datum) != s.uses.end()) continue;
      constexpr std::array modes{access_mode::read, access_mode::read, access_mode::read,
                                 access_mode::write, access_mode::read_write};
      s.uses.push_back({d, modes[static_cast<std::size_t>(below(5))]});
    }
    std::ranges::sort(s.uses, {}, [](const use& u) {
      const int list = u.mode == access_mode::read ? 0 : u.mode == access_mode::write ? 1 : 2;
      return std::pair(list, u.datum);
    });
    if (is_private) {
      s.ranks.resize(static_cast<std::size_t>(made_.how.ranks));
      std::iota(s.ranks.begin(), s.ranks.end(), 0);
    } else if (one_in(4)) {
      s.where = placed::on_rank;
      s.target = below(made_.how.ranks);
    } else {
      s.pruned = one_in(4);
    }
    return s;
  }

  /// Who owns a datum that lives, or owned it at first.
  int owner(const model& world, int d) const {
    return world.live(d) ? world.owner(d) : of(d).owner;
  }

  step message(const model& world) {
    step s{.what = verb::message,
           .datum = any_datum(),
           .rank = below(made_.how.ranks),
           .target = any_datum(),
           .receiver = below(made_.how.ranks),
           .tag = static_cast<std::uint64_t>(below(tags_)),
           .how = static_cast<called>(below(4))};
    // Most pairs do not fit: make one end fit where that is easy.
    for (int i = 0; i < 8 && (of(s.datum).is != of(s.target).is || s.datum == s.target); ++i)
      s.target = any_datum();
    if (of(s.target).owner >= 0) s.receiver = owner(world, s.target);
    if (of(s.datum).owner >= 0 && !(world.live(s.datum) && world.holds(s.datum, s.rank)))
      s.rank = owner(world, s.datum);
    s.group = any_group(world);
    return s;
  }
  step collective(const model& world) {
    step s{.what = verb::collective,
           .datum = any_datum(),
           .rank = below(made_.how.ranks),
           .target = any_datum(),
           .kind = static_cast<together>(below(7))};
    s.group = any_group(world);
    s.among = s.group >= 0 && one_in(3);
    // Most pairs do not fit: look for some that do.
    const bool scatters = s.kind == together::scatter;
    const bool adds = s.kind == together::all_reduce || s.kind == together::reduce;
    const bool at_root = s.kind == together::gather || s.kind == together::reduce;
    const bool cuts = scatters || s.kind == together::all_to_all;
    const auto gives = [&](int d) {
      const form is = of(d).is;
      return (of(d).owner < 0) != scatters &&
             (s.kind == together::broadcast || is == form::list || (is == form::number && !cuts)) &&
             (!adds || is == form::number);
    };
    const auto takes = [&](int d) {
      return d != s.datum && (of(d).owner >= 0) == at_root &&
             of(d).is == (adds ? form::number : form::list);
    };
    for (int i = 0; i < 80 && !gives(s.datum); ++i) s.datum = any_datum();
    for (int i = 0; i < 80 && !takes(s.target); ++i) s.target = any_datum();
    return s;
  }
  step read(const model& world) {
    step s{.what = verb::read, .datum = any_datum(), .rank = below(made_.how.ranks)};
    if (of(s.datum).owner >= 0 && !(world.live(s.datum) && world.holds(s.datum, s.rank)))
      s.rank = owner(world, s.datum);
    if (one_in(4)) s.held = 1 + below(3);
    return s;
  }
  step watch() {
    return {.what = verb::observe, .rank = below(made_.how.ranks), .target = below(3) > 0 ? 1 : 0};
  }
  step await() {
    return {.what = verb::await, .datum = any_datum(), .rank = below(made_.how.ranks)};
  }
  step write(const model& world) {
    step s{.what = verb::write, .datum = any_datum(), .rank = below(made_.how.ranks)};
    if (of(s.datum).owner >= 0) s.rank = owner(world, s.datum);
    return s;
  }

  deed::random_source random_;
  plan made_;
  int tasks_ = 0, done_ = 0, most_data_ = 1, large_one_in_ = 60, tags_ = 1, tried_ = 0;
  bool calm_ = false;  // Tasks alone, without sums and callbacks.
  bool huge_ = false;  // Most data are tiles of 9 MiB.
};

}  // namespace

plan generate(std::uint64_t seed, const range& from) { return drawing(seed, from).draw(); }

}  // namespace oracle
