// SPDX-License-Identifier: MIT
#include <deed/base/planted.hpp>
#include <deed/base/undone.hpp>

#include "about_datum.hpp"
#include "core.hpp"
#include "report.hpp"

namespace deed::runtime {

void core::send(const access_description& what, int peer, std::uint64_t tag,
                message_options&& options, request_state* request) {
  context& self = caller(call_kind::submits, what.where);
  hold_back(self);
  if (options.done) expect_callback();
  const turn held(*this, self);
  check_access(what);
  if (ledger_.is_open(what.datum)) refuse_open(what, "sent");
  peer = rank_in(options.group.get(), peer, what.where);
  if (undone("send")) return;
  const std::uint64_t channel = options.group == nullptr ? 0 : options.group->number;
  check_callback(self, {&what, 1});
  check_extras(options, what.where);
  const auto me = static_cast<std::uint32_t>(rank_);
  if (!ledger_.holds(what.datum, me)) {
    throw error_about(
        about(what.datum),
        error(error_code::not_on_this_rank, quoted(name_of(what.datum)) + " is not on this rank",
              {{"sent", to_string(what.where) + " on rank " + std::to_string(rank_)},
               {"owner", "rank " + std::to_string(owner_of(what.datum))},
               {"registered", to_string(data_[what.datum].where)}},
              "send it where `session.owns(h)`, or bring it here with `session.fetch` on every "
              "rank"));
  }
  const data::type_operations& type = *data_[what.datum].type;
  const bool fixed = type.form == data::wire_form::fixed;
  log_.add(sent_message{static_cast<std::uint32_t>(peer), tag, &type, data_[what.datum].name,
                        what.where, data_[what.datum].where, channel,
                        fixed ? bytes_of(what.datum) : transport::any_size});
  if (verify_ != nullptr) {
    note_message(what, peer, channel, tag, true);
    options.synchronous |= verify_->on.messages && environment_.simulated;
  }
  if (request != nullptr)
    request->message = {data_[what.datum].number, ledger_.version(what.datum),
                        static_cast<std::uint32_t>(peer),
                        trace::short_tag(tag, static_cast<std::uint32_t>(channel))};
  submit_send(what.datum, ledger_.version(what.datum),
              {.kind = transport::transfer_kind::message,
               .origin = me,
               .tag = tag,
               .version = channel,
               .type_hash = type.type_hash,
               .bytes = transport::any_size},
              static_cast<std::uint32_t>(peer), what.where, trace::transfer_reason::user, &options,
              request);
}

void core::receive(const access_description& what, int peer, std::uint64_t tag,
                   message_options&& options, request_state* request) {
  context& self = caller(call_kind::submits, what.where);
  hold_back(self);
  if (options.done) expect_callback();
  const turn held(*this, self);
  check_access(what);
  peer = rank_in(options.group.get(), peer, what.where);
  const std::uint64_t channel = options.group == nullptr ? 0 : options.group->number;
  check_callback(self, {&what, 1});
  check_extras(options, what.where);
  if (request != nullptr) {
    request->slot = what.datum;
    request->first_value = !ledger_.initialised(what.datum);
    request->version = ledger_.version(what.datum) + 1;
    request->message = {data_[what.datum].number, request->version};
  }
  if (undone("receive")) return;
  ledger_.write(what.datum);
  record_change(trace::ledger_change::write, what.datum, trace::nothing, what.where);
  if (verify_ != nullptr) note_message(what, peer, channel, tag, false);
  const data::type_operations& type = *data_[what.datum].type;
  submit_receive(
      what.datum, ledger_.version(what.datum),
      {.kind = transport::transfer_kind::message,
       .origin = static_cast<std::uint32_t>(peer),
       .tag = tag,
       .version = channel,
       .type_hash = type.type_hash,
       .bytes = type.form == data::wire_form::fixed ? bytes_of(what.datum) : transport::any_size},
      static_cast<std::uint32_t>(peer), what.where, trace::transfer_reason::user, &options,
      request);
}

void core::fetch(const access_description& what, std::optional<int> peer) {
  context& self = caller(call_kind::steps, what.where);
  hold_back(self);
  const turn held(*this, self);
  check_access(what);
  if (peer) check_peer(*peer, what.where);
  if (undone("fetch")) return;
  const std::uint32_t another =
      ledger_.owner(what.datum) + 1;  // Copies are of one size everywhere.
  const ownership::request wanted[] = {{what.datum, access_mode::read}};
  check_room(another, wanted, what.where);
  close_reduction(what.datum, 0, what.where);
  const auto me = static_cast<std::uint32_t>(rank_);
  if (verify_ != nullptr && verify_->on.leaks) verify_->leaks.used(what.datum, false, false);
  log_step(common_step::kind::fetch, what.datum, peer.value_or(-1), what.where);
  const std::uint32_t owner = ledger_.owner(what.datum);
  const std::uint32_t version = ledger_.version(what.datum);
  const auto first = static_cast<std::uint32_t>(peer.value_or(0));
  const std::uint32_t last = peer ? first + 1 : static_cast<std::uint32_t>(size());
  for (std::uint32_t target = first; target < last; ++target) {
    if (planted(planted_bug::fetch_forgets_the_last) && target + 1 == last && last - first > 2)
      continue;
    ended_copies_.clear();
    const std::optional<std::uint32_t> source = ledger_.fetch(what.datum, target, &ended_copies_);
    log_use(what, target, source);
    // Where copies have a budget, it has been used, too.
    if (source || ledger_.budget().limited())
      record_change(trace::ledger_change::fetch, what.datum, target, what.where);
    if (!source) continue;
    record_ended(ended_copies_.before, trace::drop_cause::capacity, what.where);
    end_copies(ended_copies_.before);
    if (source == me)
      send_version(what.datum, version, owner, target, what.where, trace::transfer_reason::fetch);
    if (target == me)
      receive_version(what.datum, version, owner, *source, what.where,
                      trace::transfer_reason::fetch);
  }
}

}  // namespace deed::runtime
