// SPDX-License-Identifier: MIT
#include <deed/base/undone.hpp>
#include <deed/runtime/migration.hpp>

#include "about_datum.hpp"
#include "core.hpp"
#include "report.hpp"

/// @file
/// Data that change their owners: an entry of the ledger, and a transfer where the new owner has no
/// copy. Tasks in flight need no care: they are ordered with the transfer by their datum.

namespace deed::runtime {

void migrate(core& home, std::span<const move_to> moves, place where) {
  home.migrate(moves, where);
}

void core::migrate(std::span<const move_to> moves, place where) {
  context& self = caller(call_kind::steps, where);
  for (const move_to& each : moves) check_migration(each, where);
  if (undone("migrate")) return;
  for (const move_to& each : moves) {
    hold_back(self);
    const turn held(*this, self);
    close_reduction(each.datum, 0, where);
    log_step(common_step::kind::migration, each.datum, each.owner, where);
    change_owner(each.datum, static_cast<std::uint32_t>(each.owner), where);
  }
}

void core::check_migration(const move_to& wanted, place where) const {
  const bool private_here = ledger_.is_per_rank(wanted.datum);
  if (!private_here && wanted.owner >= 0 && wanted.owner < size()) return;
  throw error_about(
      about(wanted.datum),
      error(error_code::no_such_owner,
            private_here
                ? quoted(name_of(wanted.datum)) + " is on every rank and has no owner to change"
                : "owner " + std::to_string(wanted.owner) + " of " + quoted(name_of(wanted.datum)) +
                      " does not exist",
            {{"migrated", to_string(where)},
             {"registered", to_string(data_[wanted.datum].where)},
             {"ranks", "there are " + std::to_string(size())}},
            private_here ? "register it with `deed::owner{r}` if one rank is to have it"
                         : "use a rank in [0, " + std::to_string(size()) +
                               "), for example `deed::owner{i % size}`"));
}

void core::change_owner(ownership::slot datum, std::uint32_t owner, place where) {
  const auto me = static_cast<std::uint32_t>(rank_);
  const std::uint32_t old = ledger_.owner(datum);
  if (old == owner) return;
  if (const auto tile = tile_with(data_[datum].tag)) tile->family->moved_ = true;
  const std::uint32_t version = ledger_.version(datum);
  ended_copies_.clear();
  const bool moves = ledger_.migrate(datum, owner, &ended_copies_);
  record_migration(datum, old, where);
  record_ended(ended_copies_.before, trace::drop_cause::capacity, where);
  end_copies(ended_copies_.before);
  if (old == me) {
    if (moves) send_version(datum, version, old, owner, where, trace::transfer_reason::migrate);
    end_copies(ended_copies_.after);  // What is not kept never counts as a copy.
    if (data_[datum].here != nullptr) submit_care(node_kind::lose, datum);
  } else if (owner == me) {
    if (data_[datum].here != nullptr) submit_care(node_kind::gain, datum);
    if (moves) receive_version(datum, version, old, old, where, trace::transfer_reason::migrate);
  }
}

void core::bring_home(ownership::slot datum, place where) {
  const std::uint32_t home = data_[datum].home;
  const std::uint32_t owner = ledger_.owner(datum);
  if (!ledger_.initialised(datum) || ledger_.holds(datum, home)) return;
  const std::uint32_t version = ledger_.version(datum);
  const auto me = static_cast<std::uint32_t>(rank_);
  if (owner == me)
    send_version(datum, version, owner, home, where, trace::transfer_reason::migrate);
  if (home == me)
    receive_version(datum, version, owner, owner, where, trace::transfer_reason::migrate);
}

}  // namespace deed::runtime
