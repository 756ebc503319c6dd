// SPDX-License-Identifier: MIT
#include "tasks.hpp"

#include <deed/runtime/prepared_task.hpp>

#include <array>
#include <new>

namespace oracle {
namespace {

namespace runtime = deed::runtime;

const plan& program_of(const task_card& card) {
  return *reinterpret_cast<const plan*>(card.program);
}
const step& step_of(const task_card& card) { return *reinterpret_cast<const step*>(card.step); }

template <class T>
seen stored(void* storage) {
  using traits = deed::data::datum_traits<T>;
  return seen_of(traits::read_view(*static_cast<typename traits::storage*>(storage)));
}

seen stored_as(form is, void* storage, bool written) {
  switch (is) {
    case form::number:
      return stored<number>(storage);
    case form::list:
      return stored<list>(storage);
    case form::record:
      return stored<record>(storage);
    case form::tile:
      break;
  }
  // A tile takes its memory at the first write view.
  auto& block = *static_cast<deed::data::tile_block<double>*>(storage);
  if (written) return block.write_view();
  return stored<tile>(storage);
}

void run_untyped(const runtime::task_frame& frame) {
  const task_card& card = *static_cast<const task_card*>(frame.closure);
  const step& s = step_of(card);
  std::vector<seen> values;
  for (std::size_t i = 0; i < s.uses.size(); ++i) {
    const form is = program_of(card).data[static_cast<std::size_t>(s.uses[i].datum)].is;
    values.push_back(stored_as(is, frame.storages[i], deed::writes(s.uses[i].mode)));
  }
  run_kernel(card, values);
}

constexpr runtime::body_operations untyped_body{
    .run = &run_untyped,
    .closure_bytes = sizeof(task_card),
    .closure_alignment = alignof(task_card),
    .move_closure = [](void* to,
                       void* from) { ::new (to) task_card(*static_cast<task_card*>(from)); },
    .destroy_closure = nullptr};

runtime::access_description described(any_handle& handle, access_mode mode) {
  return std::visit(
      [&](auto& h) -> runtime::access_description {
        if constexpr (is_handle<decltype(h)>) {
          using runtime::call_arguments;
          switch (mode) {
            case access_mode::read:
              return call_arguments::describe(deed::read(h));
            case access_mode::write:
              return call_arguments::describe(deed::write(h));
            case access_mode::read_write:
              return call_arguments::describe(deed::read_write(h));
            case access_mode::commute:
              return call_arguments::describe(deed::commute(h));
            case access_mode::reduce: {  // Of data that were registered with a reduction.
              auto token = call_arguments::describe(deed::commute(h));
              token.mode = access_mode::reduce;
              return token;
            }
          }
        }
        throw std::runtime_error("a task uses a datum that has ended");
      },
      handle);
}

/// `each` lives as long as what is made.
runtime::placement place_of(const step& s, std::vector<any_handle>& handles,
                            const std::vector<deed::rank>& each) {
  if (s.where == placed::by_rule) return {};
  if (s.where == placed::on_each)
    return {runtime::placement::kind::on_each, 0, 0, nullptr, each.empty() ? nullptr : &each};
  if (s.where == placed::on_rank) return {runtime::placement::kind::on_rank, s.target, 0};
  const auto owner = described(handles[static_cast<std::size_t>(s.target)], access_mode::write);
  return {runtime::placement::kind::on_owner_of, 0, owner.datum};
}

/// Whom a task on each names; nobody: everybody.
std::vector<deed::rank> each_of(const plan& program, const step& s) {
  std::vector<deed::rank> each;
  const bool all = static_cast<int>(s.ranks.size()) == program.how.ranks;
  if (s.where != placed::on_each || all) return each;
  for (const int r : s.ranks) each.push_back(deed::rank{r});
  return each;
}

std::vector<runtime::access_description> described(const step& s,
                                                   std::vector<any_handle>& handles) {
  std::vector<runtime::access_description> accesses;
  for (const auto& [datum, mode] : s.uses)
    accesses.push_back(described(handles[static_cast<std::size_t>(datum)], mode));
  return accesses;
}

task_card card_of(const plan& program, const step& s, rank_log& log) {
  return {s.task, reinterpret_cast<std::uintptr_t>(&s), reinterpret_cast<std::uintptr_t>(&program),
          reinterpret_cast<std::uintptr_t>(&log)};
}

}  // namespace

deed::handle<tile> register_tile(deed::session& session, int index, const datum& d) {
  const std::string name = "d" + std::to_string(index);
  struct source_of {
    deed::data::extents shape;
    std::uint64_t seed;
  } source{extents_of(d), first_seed(index, session.rank())};
  const auto make = [](void* at, void* from) {
    const auto& wanted = *static_cast<const source_of*>(from);
    auto* block = ::new (at) deed::data::tile_block<double>(wanted.shape);
    assign(block->write_view(), wanted.seed, true);
  };
  runtime::registration_description wanted{.owner = {},
                                           .type = &deed::data::operations_of<tile>(),
                                           .shape = source.shape,
                                           .source = &source,
                                           .make = d.given ? +make : nullptr,
                                           .tag = {},
                                           .name = name,
                                           .where = deed::place::current()};
  if (d.owner >= 0) wanted.owner = d.owner;
  if (d.tag) wanted.tag = deed::tag{*d.tag};
  return session.register_untyped<tile>(wanted);
}

void run_kernel(const task_card& card, std::span<const seen> values) {
  const step& s = step_of(card);
  std::vector<operand> operands;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& [datum, mode] = s.uses[i];
    operands.push_back(
        {values[i], mode, program_of(card).data[static_cast<std::size_t>(datum)].large});
  }
  reinterpret_cast<rank_log*>(card.log)->ran(card.task, kernel(card.task, operands));
}

void insert(deed::session& session, const plan& program, const step& s,
            std::vector<any_handle>& handles, rank_log& log, runtime::call_extras* extras) {
  if (s.typed) return insert_typed(session, s, handles, card_of(program, s, log));
  if (s.listed) return insert_listed(session, s, handles, card_of(program, s, log));
  const auto accesses = described(s, handles);
  const std::vector<deed::rank> each = each_of(program, s);
  const runtime::placement where = place_of(s, handles, each);
  if (s.pruned && !runtime::relevant(session.untyped(), accesses, where)) return;
  task_card card = card_of(program, s, log);
  runtime::insert(session.untyped(), {.codelet = {"random", deed::place::current()},
                                      .accesses = accesses,
                                      .body = &untyped_body,
                                      .closure = &card,
                                      .where_to_run = where,
                                      .priority = urgency_of(s),
                                      .where = deed::place::current(),
                                      .extras = extras});
}

std::function<void()> prepare(deed::session& session, const plan& program, const step& s,
                              std::vector<any_handle>& handles, rank_log& log) {
  const task_card card = card_of(program, s, log);
  if (s.typed) return prepare_typed(session, s, handles, card);
  const auto accesses = described(s, handles);
  const auto known = runtime::prepare(session.untyped(), accesses, place_of(s, handles, {}),
                                      deed::place::current());
  return [&session, accesses, known, carried = card]() mutable {
    runtime::check_prepared(session.untyped(), accesses, known, deed::place::current());
    runtime::insert(session.untyped(),
                    {.codelet = {"random, prepared", deed::place::current()},
                     .accesses = accesses,
                     .body = &untyped_body,
                     .closure = &carried,
                     .where_to_run = {runtime::placement::kind::on_rank, known.executor, 0},
                     .priority = 0,
                     .where = deed::place::current()});
  };
}

}  // namespace oracle
