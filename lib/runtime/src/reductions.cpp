// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/base/undone.hpp>

#include "about_datum.hpp"
#include "core.hpp"
#include "report.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

/// @file
/// Contributions, and how they become one value.
///
/// A task that contributes works on a value of its own; those of one rank belong to a replica
/// beside that of the datum (`datum_info::partial`) and are handed from task to task. The reduction
/// is closed at a place in the sequence: there each rank adds up its own values and those of the
/// ranks below it in a tree, and the owner adds the sum to the datum.

namespace deed::runtime {

void close_reduction(core& home, ownership::slot datum, arity wanted, place where) {
  home.reduce(datum, wanted, where);
}

void core::reduce(ownership::slot datum, arity wanted, place where) {
  context& self = caller(call_kind::steps, where);
  hold_back(self);
  const turn held(*this, self);
  close_reduction(datum, wanted.count, where);
}

void core::refuse_open(const access_description& asked, std::string_view used) const {
  throw error_about(
      about(asked.datum),
      error(error_code::reduction_open,
            std::string(used == "written" ? "write to " : "use of ") +
                quoted(name_of(asked.datum)) + " while its reduction is open",
            {{std::string(used), to_string(asked.where)},
             {"last contribution", to_string(data_[asked.datum].seldom->last_contribution)}},
            "`session.reduce(" + name_of(asked.datum) + ")` first"));
}

replica& core::partial_of(ownership::slot datum) {
  datum_info& info = data_[datum];
  datum_extras& extras = info.extras();
  if (extras.partial == nullptr) {
    extras.partial = beside(datum).release();
    extras.partial->pool = std::make_unique<contributions>(*info.type, extras.rule);
  }
  return *extras.partial;
}

/// A replica that belongs to the datum and is not its value.
std::unique_ptr<replica> core::beside(ownership::slot datum) const {
  const datum_info& info = data_[datum];
  auto fresh = std::make_unique<replica>();
  fresh->type = info.type;
  fresh->shape = info.shape;
  fresh->datum = datum;
  fresh->name = info.name;
  fresh->i = info.i;
  fresh->j = info.j;
  fresh->tag = info.tag;
  fresh->number = info.number;
  fresh->where = info.where;
  if (info.seldom != nullptr) fresh->rule = info.seldom->rule;
  return fresh;
}

void core::link_contribution(node& fresh, node_access& access, ownership::slot datum,
                             std::uint32_t& edges) {
  replica& partial = partial_of(datum);
  access.set(partial, access_mode::reduce);
  // Tasks that contribute run together, unless their order is asked for.
  if (partial.rule->in_order()) {
    graph_.write(partial.order, fresh, access.at, edges);
  } else {
    graph_.read(partial.order, fresh, access.at, edges);
  }
}

void core::close_reductions(std::span<const access_description> accesses) {
  if (!ledger_.any_open()) return;
  for (const access_description& each : accesses) {
    if (each.mode != access_mode::reduce) close_reduction(each.datum, 0, each.where);
  }
}

void core::close_all_reductions(place where) {
  // In the order of their registration, which is that of all ranks; that of their slots is not.
  std::vector<ownership::slot> open = ledger_.open_reductions();
  std::ranges::sort(open, {}, [&](ownership::slot datum) { return data_[datum].number; });
  for (const ownership::slot datum : open) close_reduction(datum, 0, where);
}

namespace {

std::size_t fitting_arity(std::size_t ranks, std::uint64_t bytes) {
  // One message more is cheaper than one step more, as long as values are small.
  if (ranks <= 5) return ranks;
  return bytes <= 8192 ? 4 : 2;
}

}  // namespace

void core::close_reduction(ownership::slot datum, std::size_t wanted, place where) {
  if (!ledger_.is_open(datum) || undone("reduce")) return;
  const auto me = static_cast<std::uint32_t>(rank_);
  const std::uint32_t owner = ledger_.owner(datum);
  std::vector<std::uint32_t> tree{owner};  // Place 0 is the root; the others in rising order.
  for (const std::uint32_t rank : ledger_.contributors(datum)) {
    if (rank != owner) tree.push_back(rank);
  }
  const std::size_t below = wanted != 0 ? wanted : fitting_arity(tree.size(), bytes_of(datum));
  const bool had_copy = recorder_ != nullptr && has_copy(datum);
  ended_copies_.clear();
  ledger_.close(datum, &ended_copies_);
  const std::uint32_t version = ledger_.version(datum);
  last_writes_[datum] = where;
  record_change(trace::ledger_change::write, datum, trace::nothing, where);
  if (had_copy) record_stale(datum, trace::no_task);

  const auto mine = static_cast<std::size_t>(std::ranges::find(tree, me) - tree.begin());
  if (mine < tree.size()) {
    if (mine != 0) static_cast<void>(partial_of(datum));
    replica* const partial = std::exchange(data_[datum].extras().partial, nullptr);
    if (partial != nullptr) submit_combine(*partial, nullptr);
    replica& sum = mine == 0 ? here(datum) : *partial;
    if (mine == 0 && partial != nullptr) submit_combine(sum, partial);
    for (std::size_t i = below * mine + 1; i <= below * (mine + 1) && i < tree.size(); ++i) {
      auto* const incoming = beside(datum).release();
      receive_version(datum, version, tree[i], tree[i], where, trace::transfer_reason::reduce,
                      incoming);
      submit_combine(sum, incoming);
      static_cast<void>(submit_end(*incoming));
    }
    if (mine != 0) {
      send_version(datum, version, me, tree[(mine - 1) / below], where,
                   trace::transfer_reason::reduce, partial);
    }
    if (partial != nullptr) data_[datum].extras().contributed = submit_end(*partial);
  }
  end_copies(ended_copies_.after);
}

void core::submit_combine(replica& into, replica* from) {
  borrow_node& fresh = borrows_.take();
  fresh.kind = node_kind::combine;
  fresh.access_count = 1;
  fresh.where = last_writes_[into.datum];  // The call that closes the reduction.
  std::uint32_t edges = 0;
  link_to(into, fresh, fresh.only, access_mode::read_write, edges);
  fresh.from = from;
  if (from != nullptr) link_to(*from, fresh, fresh.other, access_mode::read, edges);
  commit(fresh, edges);
}

/// What is behind all uses.
tasks::chain core::submit_end(replica& last_used) {
  borrow_node& last = borrows_.take();
  last.kind = node_kind::end;
  last.access_count = 1;
  std::uint32_t edges = 0;
  link_to(last_used, last, last.only, access_mode::write, edges);
  const tasks::chain order = last_used.order;  // Which may be gone a moment later.
  commit(last, edges);
  return order;
}

namespace {

/// The operation threw, or what makes its neutral value.
failure failure_of_reduction(const borrow_node& sum, int rank, const std::exception_ptr& thrown) {
  const replica& into = sum.only.datum();
  failure why;
  why.code = static_cast<std::uint16_t>(error_code::task_threw);
  why.rank = rank;
  why.codelet = "reduce";
  why.thrown = text_of(thrown);
  why.happened = "task `reduce` threw: " + why.thrown;
  why.inserted = to_string(sum.where);
  why.facts = {{"reduced", into.label() + ", tag " + std::to_string(into.tag)},
               {"closed", why.inserted},
               {"ran on", "rank " + std::to_string(rank)},
               {"registered", to_string(into.where)}};
  return why;
}

}  // namespace

void core::combine(context& self, borrow_node& sum) {
  replica& into = sum.only.datum();
  replica* const from = sum.from;
  if (auto why = why_missing(sum, into)) into.poison = std::move(why);
  try {
    if (environment_.dry != nullptr) {
      pretend_to_combine(sum);
    } else if (from == nullptr) {
      into.storage = into.pool->add_up();  // Null if all that would have contributed threw.
      into.poison = into.pool->spoiled();
    } else if (into.poison != nullptr || from->poison != nullptr) {
      if (into.poison == nullptr) into.poison = from->poison;
      // Of an earlier epoch, perhaps: what was contributed now is lost, too.
      if (options_.exceptions == on_exception::propagate) failures_.add(*into.poison);
    } else if (from->storage != nullptr) {
      if (into.storage == nullptr) {
        into.adopt(
            [](void* at, void* rule) { static_cast<contribution_rule*>(rule)->construct(at); },
            const_cast<contribution_rule*>(from->rule.get()));
      }
      from->rule->combine(into.storage, from->storage);
      into.packed_bytes = 0;
    }
    if (from == nullptr && into.storage == nullptr && environment_.dry == nullptr)
      into.storage = static_cast<std::byte*>(into.pool->take());
  } catch (...) {
    into.poison =
        std::make_shared<const failure>(failure_of_reduction(sum, rank_, std::current_exception()));
    note(self, *into.poison, into.number);
  }
  std::array accesses{sum.only, sum.other};
  complete(self, sum, std::span(accesses).first(from == nullptr ? 1 : 2));
  borrows_.give_back(sum);
}

}  // namespace deed::runtime
