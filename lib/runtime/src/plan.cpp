// SPDX-License-Identifier: MIT
#include <deed/runtime/plan.hpp>

#include "report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <string>

namespace deed {
namespace {

const rank_plan& of(const plan& all, rank who) {
  if (who.value >= 0 && static_cast<std::size_t>(who.value) < all.ranks.size())
    return all.ranks[static_cast<std::size_t>(who.value)];
  throw std::out_of_range("the plan is of " + std::to_string(all.ranks.size()) +
                          " ranks and has no rank " + std::to_string(who.value));
}

planned_traffic& operator+=(planned_traffic& sum, const planned_traffic& more) {
  sum.transfers += more.transfers;
  sum.bytes += more.bytes;
  sum.unsized += more.unsized;
  return sum;
}

std::uint64_t most_copies_of(const rank_plan& one) {
  return one.epochs.empty() ? 0 : one.epochs.back().most_copies;
}

auto busiest_of(const plan& all) {
  return std::ranges::max_element(all.ranks, {}, &rank_plan::tasks);
}

std::uint64_t most_owned_of(const rank_plan& one) {
  std::uint64_t most = 0;
  for (const planned_memory& then : one.epochs) most = std::max(most, then.owned);
  return most;
}

using line = std::array<char, 200>;

/// The ranks that a table of the first few may not show.
std::string extremes_of(const plan& all) {
  if (all.ranks.empty()) return {};
  const auto busiest = busiest_of(all);
  const auto fullest = std::ranges::max_element(all.ranks, {}, most_copies_of);
  line text{};
  std::snprintf(text.data(), text.size(),
                "  busiest is rank %td: %.2f times the mean; most copies on rank %td: %s\n",
                busiest - all.ranks.begin(), all.imbalance(), fullest - all.ranks.begin(),
                runtime::amount(most_copies_of(*fullest)).c_str());
  return text.data();
}

std::string detail_of(const plan& all, int shown) {
  const rank_plan& one = all.ranks.at(static_cast<std::size_t>(shown));
  line text{};
  std::string said = "rank " + std::to_string(shown) + "\n";
  if (one.tasks_of.empty()) said += "  runs no task\n";
  for (const auto& [codelet, tasks] : one.tasks_of)
    said += "  " + codelet + ": " + runtime::counted(tasks, "task") + "\n";
  for (const auto& [peer, sent] : one.sent_to)
    said += "  to rank " + std::to_string(peer) + ": " +
            runtime::counted(sent.transfers, "transfer") + ", " + runtime::amount(sent.bytes) +
            "\n";
  constexpr std::size_t most = 20;  // Epochs: the table is one screen.
  const std::size_t step = std::max<std::size_t>(1, one.epochs.size() / most);
  said += "  epoch        owned       copies  most copies\n";
  for (std::size_t epoch = 0; epoch < one.epochs.size(); epoch += step) {
    const planned_memory& then = one.epochs[epoch];
    std::snprintf(text.data(), text.size(), "  %5zu %12s %12s %12s\n", epoch,
                  runtime::amount(then.owned).c_str(), runtime::amount(then.copies).c_str(),
                  runtime::amount(then.most_copies).c_str());
    said += text.data();
  }
  return said;
}

}  // namespace

std::uint64_t plan::tasks() const noexcept {
  return std::accumulate(ranks.begin(), ranks.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const rank_plan& each) { return sum + each.tasks; });
}

std::uint64_t plan::flops() const noexcept {
  return std::accumulate(ranks.begin(), ranks.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const rank_plan& each) { return sum + each.flops; });
}

planned_traffic plan::between(rank from, rank to) const {
  static_cast<void>(of(*this, to));
  const auto& sent = of(*this, from).sent_to;
  const auto found = sent.find(to.value);
  return found == sent.end() ? planned_traffic{} : found->second;
}

planned_traffic plan::sent() const noexcept {
  planned_traffic sum;
  for (const rank_plan& one : ranks) {
    for (const auto& [_, each] : one.sent_to) sum += each;
  }
  return sum;
}

planned_traffic plan::sent_by(rank who) const {
  planned_traffic sum;
  for (const auto& [_, each] : of(*this, who).sent_to) sum += each;
  return sum;
}

planned_traffic plan::received_by(rank who) const {
  static_cast<void>(of(*this, who));
  planned_traffic sum;
  for (std::size_t from = 0; from < ranks.size(); ++from)
    sum += between(rank{static_cast<int>(from)}, who);
  return sum;
}

std::uint64_t plan::most_copies_bytes() const noexcept {
  std::uint64_t most = 0;
  for (const rank_plan& each : ranks) most = std::max(most, most_copies_of(each));
  return most;
}

double plan::imbalance() const noexcept {
  const auto all = static_cast<double>(tasks());
  if (all == 0) return 1;
  return static_cast<double>(busiest_of(*this)->tasks) * static_cast<double>(ranks.size()) / all;
}

std::string plan::text(int shown) const {
  constexpr std::size_t most = 8;  // Ranks: the table is one screen.
  line row{};
  std::string said = "deed dry run: " + runtime::counted(ranks.size(), "rank") + ", " +
                     runtime::counted(tasks(), "task") + ", " +
                     runtime::counted(sent().transfers, "transfer") + " of " +
                     runtime::amount(sent().bytes) + "; no task was run\n";
  if (const std::uint64_t unsized = sent().unsized; unsized != 0) {
    said += "  without the contents of " + runtime::counted(unsized, "transfer") +
            ", whose length only a run knows (as of std::vector)\n";
  }
  std::snprintf(row.data(), row.size(), "  critical path %s: at most %.1f run at once on average\n",
                runtime::counted(critical_path.tasks, "task").c_str(),
                static_cast<double>(tasks()) /
                    static_cast<double>(std::max<std::uint64_t>(1, critical_path.tasks)));
  said += row.data();
  if (critical_path.flops != 0) {
    std::snprintf(row.data(), row.size(), "  by flops %.3g of %.3g: at most %.1f times faster\n",
                  static_cast<double>(critical_path.flops), static_cast<double>(flops()),
                  static_cast<double>(flops()) / static_cast<double>(critical_path.flops));
    said += row.data();
  }
  said += extremes_of(*this);
  said += "  rank           tasks         sent     received        owned  most copies\n";
  for (std::size_t at = 0; at < std::min(most, ranks.size()); ++at) {
    const rank_plan& one = ranks[at];
    const rank who{static_cast<int>(at)};
    std::snprintf(
        row.data(), row.size(), "  %-8zu %11llu %12s %12s %12s %12s\n", at,
        static_cast<unsigned long long>(one.tasks), runtime::amount(sent_by(who).bytes).c_str(),
        runtime::amount(received_by(who).bytes).c_str(),
        runtime::amount(most_owned_of(one)).c_str(), runtime::amount(most_copies_of(one)).c_str());
    said += row.data();
  }
  if (ranks.size() > most)
    said += "  and " + runtime::counted(ranks.size() - most, "rank") + " more; DEED_DRY=R/" +
            std::to_string(ranks.size()) + " shows rank R\n";
  if (shown >= 0) said += detail_of(*this, shown);
  return said;
}

}  // namespace deed
