// SPDX-License-Identifier: MIT
#include <deed/runtime/balance.hpp>

#include "core.hpp"
#include "report.hpp"
#include "resting.hpp"

#include <algorithm>
#include <numeric>

namespace deed {
namespace {

using nanoseconds = std::chrono::nanoseconds;

std::vector<int> with_fewest_moves(std::span<const load_item> items, int ranks) {
  std::vector<int> owners;
  std::vector<nanoseconds> load(static_cast<std::size_t>(ranks));
  for (const load_item& each : items) {
    owners.push_back(each.owner);
    load[static_cast<std::size_t>(each.owner)] += each.took;
  }
  // Each move makes the sum of squares smaller, so this ends.
  for (;;) {
    const auto most = std::ranges::max_element(load), least = std::ranges::min_element(load);
    const nanoseconds gap = *most - *least;
    std::size_t best = items.size();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const bool there = owners[i] == static_cast<int>(most - load.begin());
      if (!there || items[i].took.count() <= 0 || items[i].took >= gap) continue;
      // Half of the gap is what helps most.
      const auto off = [&](std::size_t at) { return std::chrono::abs(2 * items[at].took - gap); };
      if (best == items.size() || off(i) < off(best)) best = i;
    }
    if (best == items.size()) return owners;
    *most -= items[best].took;
    *least += items[best].took;
    owners[best] = static_cast<int>(least - load.begin());
  }
}

std::vector<int> cut_in_pieces(std::span<const load_item> items, int ranks) {
  const auto sum = [](nanoseconds before, const load_item& each) { return before + each.took; };
  const nanoseconds all = std::accumulate(items.begin(), items.end(), nanoseconds{}, sum);
  std::vector<int> owners;
  nanoseconds before{};
  for (const load_item& each : items) {
    // By the middle of each item: an item that spans a border goes where most of it lies.
    const auto middle = static_cast<double>((before + each.took / 2).count());
    const double share =
        all.count() == 0 ? static_cast<double>(owners.size()) / static_cast<double>(items.size())
                         : middle / static_cast<double>(all.count());
    owners.push_back(std::min(ranks - 1, static_cast<int>(share * ranks)));
    before += each.took;
  }
  return owners;
}

}  // namespace

constinit const balance_policy fewest_moves{"fewest_moves", &with_fewest_moves};
constinit const balance_policy in_pieces{"in_pieces", &cut_in_pieces};

namespace runtime {

std::vector<int> balanced_owners(core& home, std::span<const ownership::slot> list,
                                 const balance_policy& policy, place where) {
  return home.balanced_owners(list, policy, where);
}

std::vector<int> core::balanced_owners(std::span<const ownership::slot> list,
                                       const balance_policy& policy, place where) {
  wait(where);
  // Each rank knows what its own tasks took; together that is all.
  std::vector<std::uint64_t> took(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    replica* const copy = data_[list[i]].here;
    if (copy != nullptr) took[i] = static_cast<std::uint64_t>(std::exchange(copy->took_ns, 0));
  }
  add_over_ranks(took, where);
  measures_.store(true, std::memory_order_relaxed);
  std::vector<load_item> items;
  for (std::size_t i = 0; i < list.size(); ++i)
    items.push_back({owner_of(list[i]), std::chrono::nanoseconds(took[i])});
  std::vector<int> owners;
  if (std::ranges::all_of(took, [](std::uint64_t ns) { return ns == 0; })) {
    for (const load_item& each : items) owners.push_back(each.owner);  // Nothing to judge by.
  } else {
    owners = policy.choose(items, size());
  }
  if (owners.size() == list.size()) return owners;
  throw error(error_code::list_lengths_differ,
              "policy `" + std::string(policy.name()) + "` gives " +
                  counted(owners.size(), "owner") + " for " + counted(list.size(), "datum"),
              {{"balanced", to_string(where)}}, "return one owner per item, in their order");
}

void core::add_over_ranks(std::span<std::uint64_t> words, place where) {
  waits_in("a sum over all ranks");
  constexpr collective_channel sum{collective_kind::all_reduce, 0};
  const recorded_wait recorded = record_wait(trace::wait_kind::collective, sum.recorded(), where);
  for (std::size_t at = 0; at < words.size();) {
    const std::span<std::uint64_t> part =
        words.subspan(at, std::min(words.size() - at, engine_->max_words()));
    struct sums {
      std::vector<std::uint64_t> words;
      std::atomic<bool> here{false};
    };
    const auto shared = std::make_shared<sums>();  // It may come when this call has failed.
    engine_->all_reduce(part, transport::reduce_with::sum,
                        [this, shared](std::span<const std::uint64_t> result) {
                          shared->words.assign(result.begin(), result.end());
                          shared->here.store(true, std::memory_order_release);
                          if (team_ != nullptr) team_->wake_everybody();
                        });
    help_until([&] { return shared->here.load(std::memory_order_acquire); });
    std::ranges::copy(shared->words, part.begin());
    at += part.size();
  }
}

}  // namespace runtime
}  // namespace deed
