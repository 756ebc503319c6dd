// SPDX-License-Identifier: MIT
#include <deed/ownership/access_list.hpp>

#include "tasks.hpp"

#include <ranges>
#include <span>

/// @file
/// Tasks whose data come in three lists: read, written, changed.

namespace oracle {
namespace {

template <class T>
using readable = std::span<const deed::ownership::list_element<T, access_mode::read>>;
template <class T>
using writable = std::span<const deed::ownership::list_element<T, access_mode::write>>;

template <class T>
void body_of_lists(readable<T> reads, writable<T> writes, writable<T> changes,
                   const task_card& card) {
  std::vector<seen> values;
  const auto look = [&](const auto& all) {
    for (const auto& each : all) {
      if constexpr (std::is_same_v<T, tile>)
        values.push_back(seen_of(each));
      else
        values.push_back(seen_of(*each));
    }
  };
  look(reads);
  look(writes);
  look(changes);
  run_kernel(card, values);
}

template <class T>
constexpr deed::codelet lists{"lists", &body_of_lists<T>};

/// The handles of those uses that have this mode.
template <class T>
auto used(const step& s, std::vector<any_handle>& handles, access_mode mode) {
  return s.uses | std::views::filter([mode](const use& u) { return u.mode == mode; }) |
         std::views::transform([&handles](const use& u) -> deed::handle<T>& {
           return std::get<deed::handle<T>>(handles[static_cast<std::size_t>(u.datum)]);
         });
}

template <class T>
void insert_lists(deed::session& session, const step& s, std::vector<any_handle>& handles,
                  const task_card& card) {
  auto reads = deed::read(used<T>(s, handles, access_mode::read));
  auto writes = deed::write(used<T>(s, handles, access_mode::write));
  auto changes = deed::read_write(used<T>(s, handles, access_mode::read_write));
  if (s.where == placed::on_rank) {
    return session.insert_task(lists<T>, reads, writes, changes, deed::value(card),
                               deed::on(deed::rank{s.target}));
  }
  if (s.pruned && !session.relevant(reads, writes, changes)) return;
  session.insert_task(lists<T>, reads, writes, changes, deed::value(card));
}

}  // namespace

void insert_listed(deed::session& session, const step& s, std::vector<any_handle>& handles,
                   const task_card& card) {
  std::visit(
      [&](auto& h) {
        if constexpr (is_handle<decltype(h)>)
          insert_lists<typename std::remove_cvref_t<decltype(h)>::value_type>(session, s, handles,
                                                                              card);
      },
      handles[static_cast<std::size_t>(s.uses.front().datum)]);
}

}  // namespace oracle
