// SPDX-License-Identifier: MIT
#include <deed/base/planted.hpp>
#include <deed/runtime/deadlock_error.hpp>

#include "about_datum.hpp"
#include "comparison.hpp"
#include "control.hpp"
#include "core.hpp"
#include "hang_report.hpp"
#include "of_all_ranks.hpp"
#include "report.hpp"
#include "resting.hpp"
#include "whole_file.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

/// @file
/// How ranks find out that they submitted different programs: what each logs, the sums that meet at
/// every call of all ranks, and what they tell rank 0 when these do not fit.

namespace deed::runtime {

std::string_view call_name(collective call) noexcept {
  switch (call) {
    case collective::barrier:
      return "barrier()";
    case collective::any:
      return "any()";
    case collective::start:
      return "the start of the session";
    case collective::wait:
      return "wait()";
    case collective::checkpoint:
      return "checkpoint()";
    case collective::resume:
      return "resume()";
    case collective::close:
    case collective::end:
      return leaving_call;
  }
  return "a call";
}

namespace {

/// As it stands in a sentence.
std::string told_name(collective call) {
  const std::string_view name = call_name(call);
  return name.ends_with("()") ? quoted(name) : std::string(name);
}

/// Whoever computes until then is not called lost.
constexpr std::chrono::seconds longest_answer{60};

/// Codes of transfers whose two ends believe different things.
bool is_misfit(error_code code) {
  switch (code) {
    case error_code::sizes_differ:
    case error_code::types_differ:
    case error_code::message_sizes_differ:
    case error_code::message_types_differ:
    case error_code::version_mismatch:
      return true;
    default:
      return false;
  }
}

/// "sends 512 bytes" without its first word.
std::string_view without_verb(std::string_view text) {
  return text.substr(std::min(text.size(), text.find(' ') + 1));
}

std::string shape_of(const common_step& step) {
  const auto text = [](const data::extents& shape) {
    return std::to_string(shape.rows) + " x " + std::to_string(shape.cols);
  };
  if (step.tiles != nullptr)
    return ", " + text(step.tiles->whole) + " in tiles of " + text(step.tiles->tile);
  if (step.bytes == 0) return "";
  if (step.shape.rows == 1 && step.shape.cols == 1) return ", " + counted(step.bytes, "byte");
  return ", " + text(step.shape);
}

told_message told_of(const sent_message* sent) {
  if (sent == nullptr) return {};
  return {true, std::string(sent->type->type_name), quoted(sent->name), to_string(sent->where),
          quoted(sent->name) + " at " + to_string(sent->registered)};
}

}  // namespace

std::string core::name_of_tag(std::uint64_t tag) const {
  for (std::uint64_t i = log_.steps_before(submission_log::latest); i-- > log_.first_step();) {
    const common_step step = *log_.step(i);
    if (step.is != common_step::kind::registration) continue;
    if (step.tiles != nullptr && tag - step.tag < step.tiles->count()) {
      const std::size_t k = tag - step.tag, cols = step.tiles->cols;
      return quoted(label_of(step.name, static_cast<int>(k / cols), static_cast<int>(k % cols)));
    }
    if (step.tag == tag) return quoted(label_of(step.name, step.i, step.j));
  }
  return "tag " + std::to_string(tag);
}

void core::log_registration(ownership::slot datum) {
  const datum_info& info = data_[datum];
  const bool alike = !ledger_.is_per_rank(datum) && info.type->form == data::wire_form::fixed;
  common_step step;
  step.rank = owner_of(datum);
  step.tag = info.tag;
  step.bytes = alike ? bytes_of(datum) : 0;
  step.type = info.type;
  step.shape = info.shape;
  step.name = info.name;
  step.i = info.i;
  step.j = info.j;
  step.where = info.where;
  log_.add(step);
}

void core::log_registration(const tile_records& family) {
  const tile_description& what = family.what();
  common_step step;
  step.rank = what.rule->owner(0);
  step.tag = family.first();
  if (what.type->form == data::wire_form::fixed)
    step.bytes = what.type->element_bytes * what.rule->whole.rows * what.rule->whole.cols;
  step.type = what.type;
  step.shape = what.rule->whole;
  step.name = what.name;
  step.where = what.where;
  step.tiles = what.rule;
  log_.add(step);
}

void core::log_step(common_step::kind is, std::optional<ownership::slot> datum, int rank,
                    place where) {
  common_step step;
  step.is = is;
  step.rank = rank;
  if (datum) {
    const datum_info& info = data_[*datum];
    step.tag = info.tag;
    step.name = info.name;
    step.i = info.i;
    step.j = info.j;
  }
  step.where = where;
  log_.add(step);
}

/// A task that `ranks` ranks run, each with copies of its own.
void core::log_replication(const task_description& task, std::size_t ranks) {
  common_step step;
  step.is = common_step::kind::replication;
  step.rank = static_cast<int>(ranks);
  step.name = task.codelet.name;
  for (const access_description& each : task.accesses)
    step.tag = mix(step.tag, data_[each.datum].tag * 8 + static_cast<std::uint64_t>(each.mode));
  step.where = task.where;
  if (verify_ != nullptr && ranks == static_cast<std::size_t>(size()))
    step.bytes = verify_->keep_values(log_.steps_before(submission_log::latest), task);
  log_.add(step);
}

/// A call that takes a list of data, which go to `root` or come from it.
void core::log_list(std::string_view call, std::size_t data, int root, place where) {
  common_step step;
  step.is = common_step::kind::list;
  step.rank = root;
  step.tag = data;
  step.bytes = call.size();  // `gather` and `scatter` differ in it.
  step.name = call;
  step.where = where;
  log_.add(step);
}

/// `target` uses a datum, which `source` sends it, if anybody does; it and the owner say so of each
/// other.
void core::log_use(const access_description& what, std::uint32_t target,
                   std::optional<std::uint32_t> source) {
  const auto me = static_cast<std::uint32_t>(rank_);
  const std::uint32_t owner = ledger_.owner(what.datum);
  if (owner == ownership::ledger::everywhere || owner == target) return;
  if (owner != me && target != me) return;
  const std::uint32_t peer = owner == me ? target : owner;
  dealing one;
  one.where = what.where;
  one.number = inserted_;
  one.tag = data_[what.datum].tag;
  one.version = ledger_.version(what.datum);
  one.signature = mix(one.tag, target);
  one.transfers = source ? 1 + std::uint64_t{*source} : 0;
  one.executor = target;
  if (source && *source != owner) one.passes_on = static_cast<int>(*source);
  log_.add(peer, one);
}

void core::log_insertion(const task_description& task, std::uint32_t executor,
                         std::span<const ownership::effect> effects) {
  const auto me = static_cast<std::uint32_t>(rank_);
  const auto deal = [&](std::uint32_t owner, std::uint32_t peer) {
    dealing one;
    one.codelet = &keep(task.codelet);
    one.where = task.where;
    one.number = inserted_ - 1;
    one.executor = executor;
    one.signature = mix(one.codelet->hash, executor);
    bool first = true;
    ownership::slot first_datum = 0;
    for (std::size_t i = 0; i < effects.size(); ++i) {
      if (effects[i].owner != owner) continue;
      const std::uint64_t tag = data_[task.accesses[i].datum].tag;
      const auto mode = static_cast<std::uint64_t>(task.accesses[i].mode);
      one.signature = mix(one.signature, tag * 8 + mode);
      const auto [_, version, fetched, written_back, source] = effects[i];
      const std::uint64_t due =
          (fetched ? 1 + std::uint64_t{source} : 0) * 2 + (written_back ? 1 : 0);
      one.transfers = one.transfers * 0x9e3779b97f4a7c15u + due;
      if (fetched && source != owner) one.passes_on = static_cast<int>(source);
      if (std::exchange(first, false)) {
        one.tag = tag;
        one.version = version;
        first_datum = task.accesses[i].datum;
      }
    }
    if (verify_ != nullptr && verify_->on.global) {  // Also what is neither rank's.
      for (const access_description& each : task.accesses) {
        const auto mode = static_cast<std::uint64_t>(each.mode);
        one.signature = mix(one.signature, data_[each.datum].tag * 8 + mode);
      }
    }
    log_.add(peer, one);
    if (keeps_ != nullptr) keeps_->dealings.push_back({peer, first_datum, one});
  };
  if (executor != me) {
    const auto mine = [&](const ownership::effect& each) { return each.owner == me; };
    if (std::ranges::any_of(effects, mine)) deal(me, executor);
    return;
  }
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const std::uint32_t owner = effects[i].owner;
    if (owner == me || owner == ownership::ledger::everywhere) continue;
    const auto before = effects.first(i);
    if (std::ranges::find(before, owner, &ownership::effect::owner) == before.end())
      deal(owner, owner);
  }
}

void core::begin_round(collective kind, std::uint64_t word, place where,
                       std::function<void(std::uint64_t)> done) {
  const std::uint64_t round = log_.begin_round({static_cast<std::uint64_t>(kind), where});
  const std::array<std::uint64_t, 4> words{mix(static_cast<std::uint64_t>(kind)), log_.steps_hash(),
                                           log_.dealings_sum(), word};
  engine_->all_reduce(
      words, transport::reduce_with::sum,
      [this, words, round, done = std::move(done)](std::span<const std::uint64_t> sums) {
        const auto ranks = static_cast<std::uint64_t>(size());
        const bool fit = sums[0] == ranks * words[0] && sums[1] == ranks * words[1] && sums[2] == 0;
        if (!fit) alarm_.ring(round);
        if (fit && done) done(sums[3]);
        if ((!fit || done) && team_ != nullptr) team_->wake_everybody();
      });
}

void core::begin_census(std::function<void()> done) {
  const auto ended = [this, done = std::move(done)] {
    done();
    if (team_ != nullptr) team_->wake_everybody();
  };
  if (!census_.counts()) return ended();
  const std::uint64_t mine = census_.of(rank_).count;
  engine_->all_reduce(
      census_.words(rank_), transport::reduce_with::max,
      [this, mine, ended](std::span<const std::uint64_t> largest) {
        const auto vain = census::in_vain(largest);
        if (vain.empty()) return ended();
        if (alarm_.rung()) return;  // The pairs' own sums, which came before, say more.
        const auto me = vain.find(rank_);
        alarm_.ring(me == vain.end()
                        ? misfit{}
                        : inserted_in_vain(me->second.by, me->second.count, rank_, mine));
        if (team_ != nullptr) team_->wake_everybody();
      });
}

bool core::misfits(int peer, const std::exception_ptr& reason, const transfer_node* received) {
  misfit what;
  bool second_hand = false;
  try {
    std::rethrow_exception(reason);
  } catch (const error& known) {
    if (!is_misfit(known.code())) return false;
    second_hand = dynamic_cast<const transport::refused_by_peer*>(&known) != nullptr;
    what.code = static_cast<std::uint16_t>(known.code());
    what.happened = known.happened();
    what.help = known.help();
    what.facts = known.facts();
  } catch (...) {
    return false;
  }
  what.peer = peer;
  if (received != nullptr && what.facts.size() > 1) {
    const transport::receive_operation& operation = received->receiving;
    const replica& copy = received->only.datum();
    what.received = true;
    what.message = operation.what.kind == transport::transfer_kind::message;
    what.tag = operation.what.tag;
    what.channel = what.message ? operation.what.version : 0;
    what.type_hash = operation.sent_type;
    what.bytes = operation.sent_bytes;
    what.type = copy.type->type_name;
    what.datum = copy.label();
    what.datum_tag = copy.tag;
    what.where = to_string(received->where);
    what.sent = without_verb(what.facts[0].text);
    what.wanted = without_verb(what.facts[1].text);
  }
  if (second_hand) {  // Who refused it rings when it has come to it, and knows more.
    alarm_.keep(std::move(what));
    return true;
  }
  alarm_.ring(std::move(what));
  for (int rank = 0; rank < size(); ++rank) tell(*engine_, rank, control::alarm, misfit{});
  return true;
}

bool core::misfits(const transfer_node& failed) {
  const bool receives = failed.kind == node_kind::receive;
  const int peer = receives ? failed.receiving.peer.value : failed.sending.peer.value;
  return misfits(peer, failed.failure, receives ? &failed : nullptr);
}

digest core::digest_before(std::uint64_t round) const {
  digest mine;
  mine.round = round;
  mine.last = last_call_.line() == 0 ? "its start" : "the call at " + to_string(last_call_);
  if (const auto* const call = log_.call_of(round)) {
    mine.kind = call->kind;
    mine.call = told_name(static_cast<collective>(call->kind));
    if (mine.call != leaving_call && call->where.line() != 0) mine.where = to_string(call->where);
  }
  mine.first_step = log_.first_step();
  for (std::uint64_t i = mine.first_step; i < log_.steps_before(round); ++i)
    mine.steps.push_back(log_.step(i)->hash);
  for (const dealings_so_far& each : log_.dealings_before(round))
    mine.dealings.push_back({each.peer, each.count, each.sum});
  return mine;
}

reply core::answer_to(const inquiry& question) const {
  reply told;
  told.rank = rank_;
  switch (static_cast<inquiry::about>(question.what)) {
    case inquiry::about::step: {
      const std::optional<common_step> step = log_.step(question.index);
      if (!step) return told;
      told.step.there = true;
      told.step.is = static_cast<std::uint8_t>(step->is);
      told.step.rank = step->rank;
      told.step.tag = step->tag;
      told.step.name = label_of(step->name, step->i, step->j);
      if (step->type != nullptr) told.step.type = step->type->type_name;
      told.step.shape = shape_of(*step);
      told.step.where = to_string(step->where);
      if (step->i > 0 || step->j > 0) told.step.goes_on = step->name;
      if (step->tiles != nullptr) {
        told.step.tile_cols = step->tiles->cols;
        for (std::size_t k = 0; k < step->tiles->count(); ++k)
          told.step.owners.push_back(step->tiles->owner(k));
      }
      if (verify_ != nullptr) told.step.values = verify_->values_of(question.index);
      return told;
    }
    case inquiry::about::dealings:
      for (const dealing& each :
           log_.dealings_with(static_cast<std::uint32_t>(question.peer), question.round)) {
        const testimony known = testify(each.tag);
        told.dealings.push_back({each.index, each.signature, each.transfers, each.executor,
                                 each.version, each.passes_on, each.tag, each.number,
                                 each.codelet == nullptr ? "" : std::string(each.codelet->name),
                                 name_of_tag(each.tag), to_string(each.where),
                                 known.known ? known.last_write : "unknown"});
      }
      if (verify_ != nullptr && verify_->on.global) tell_submissions(told);
      return told;
    case inquiry::about::insertions: {
      const auto runner = static_cast<int>(question.index);
      const census::inserted& those = census_.of(runner);
      if (those.count > 0) told.newest = to_string(those.newest);
      if (verify_ != nullptr && verify_->on.global) {
        told.insertions = counted(verify_->submissions);
        std::erase_if(told.insertions,
                      [&](const insertion_use& each) { return each.executor != question.index; });
      }
      return told;
    }
    case inquiry::about::message: {
      const messages_alike those{static_cast<std::uint32_t>(question.peer), question.tag,
                                 question.type_hash, question.channel};
      told.message = told_of(log_.newest_of_size(those, question.bytes));
      return told;
    }
  }
  return told;
}

/// Messages of one lane start and are received in order: what is left are the newest that started.
told_message core::sent_by_me(const stray_key& which) {
  const std::uint64_t waiting =
      messages_.waiting_sends(which.receiver, which.channel, which.tag, which.type_hash);
  const messages_alike those{static_cast<std::uint32_t>(which.receiver), which.tag, which.type_hash,
                             which.channel};
  return told_of(log_.newest_but(those, waiting + which.newer));
}

/// Rank 0, with all statements, inside the mutex of the inquest.
void core::compare_digests() {
  std::ranges::sort(inquest_.statements, {}, &statement::rank);
  std::vector<digest>& all = inquest_.digests;
  for (statement& each : inquest_.statements) all.push_back(std::move(each.submitted));
  const bool deadlock = std::ranges::all_of(all, [](const digest& each) {
    return each.round == submission_log::latest && each.broken.code == 0;
  });
  if (auto found = first_difference(all)) {
    inquest_.found = *found;
    inquiry question = found->question;
    question.peer = found->two;
    tell(*engine_, found->one, control::inquiry, question);
    question.peer = found->one;
    return tell(*engine_, found->two, control::inquiry, question);
  }
  if (const auto result = calls_differ(all)) return announce(*result);
  if (deadlock) return ask_for_testimony();
  const auto out_of_order = calls_out_of_order(inquest_.statements);
  announce(out_of_order ? *out_of_order : unexplained(all));
}

void core::hear_reply(const reply& told) {
  inquest_.replies.push_back(told);
  if (inquest_.replies.size() < 2) return;
  const bool in_order = inquest_.replies[0].rank == inquest_.found.one;
  announce(explain(inquest_.digests, inquest_.found, inquest_.replies[in_order ? 0 : 1],
                   inquest_.replies[in_order ? 1 : 0]));
}

void core::announce(const verdict& result) {
  for (int rank = size() - 1; rank >= 0; --rank) tell(*engine_, rank, control::verdict, result);
}

void core::explain_difference() {
  statement mine{rank_, waiting_at_, {}, {}, digest_before(alarm_.round())};
  mine.submitted.broken = alarm_.broken();
  mine.calls = calls_by_group();
  tell(*engine_, 0, control::statement, mine);
  throw_verdict();
}

/// A rank has left, and never says how far it had come.
void core::throw_without_verdict() {
  const misfit known = alarm_.broken();
  if (known.code != 0) {
    throw error_about(about_tag(known.datum_tag), error(static_cast<error_code>(known.code),
                                                        known.happened, known.facts, known.help));
  }
  throw error(error_code::order_differs, "ranks submit different programs",
              {{"rank " + std::to_string(rank_), "last the call at " + to_string(last_call_)},
               {"other ranks", "not all say how far they have come"}},
              "look at what the others report");
}

/// On rank 0, which has heard all.
void core::leave_hang_report(const verdict& result, std::vector<error::fact>& facts) {
  if (hang_report_.empty()) return;
  const bool written = write_whole(hang_report_, hang_report(inquest_.statements, result));
  facts.push_back(
      {"report", hang_report_ + (written ? ": `deed-view` and `deed-trace waits` open it"
                                         : " cannot be written")});
}

void core::throw_verdict() {
  broken_ = true;
  const std::chrono::nanoseconds since = environment_.time->now();
  while (!inquest_.judged()) {
    rethrow_failure();
    if (environment_.time->now() - since > longest_answer) throw_without_verdict();
    if (!engine_->progress()) engine_->rest(std::chrono::milliseconds(5));
  }
  const verdict& result = *inquest_.result;
  std::vector<error::fact> facts;
  for (std::size_t i = 0; i < result.labels.size(); ++i)
    facts.push_back({result.labels[i], result.texts[i]});
  if (result.deadlock && rank_ == 0) leave_hang_report(result, facts);
  const auto code = static_cast<error_code>(result.code);
  const of_all_ranks how(rank_ == 0, of_all_ranks::nowhere);
  const about_datum what = about_tag(result.tag);
  if (!result.deadlock) {
    throw common<error_about<error>>(how, what,
                                     error(code, result.happened, std::move(facts), result.help));
  }
  throw common<error_about<deadlock_error>>(
      how, what,
      deadlock_error(code, "deadlock: " + result.happened, std::move(facts), result.help));
}

}  // namespace deed::runtime
