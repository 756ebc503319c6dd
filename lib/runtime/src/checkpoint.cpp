// SPDX-License-Identifier: MIT
#include "checkpoint.hpp"

#include <deed/deed.hpp>

#include "among_ranks.hpp"
#include "core.hpp"
#include "of_all_ranks.hpp"
#include "partner_copies.hpp"
#include "report.hpp"
#include "value_log.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// @file
/// Checkpoints: all ranks write what they own, and the first says what lies where. Whatever fails,
/// fails on every rank.

namespace deed::runtime {
namespace {

[[noreturn]] void refuse_fit(std::string_view happened, const saved_value& saved,
                             std::string_view here) {
  throw error(error_code::checkpoint_does_not_fit, happened,
              {{"in the checkpoint", saved.type_name + ", registered at " + saved.where},
               {"in the program", std::string(here)}},
              "resume with the program that wrote the checkpoint; give data a tag, "
              "`{.tag = deed::tag{7}}`, if the order of registrations changes");
}

}  // namespace

std::vector<ownership::slot> core::data_by_tag() const {
  std::vector<std::pair<std::uint64_t, ownership::slot>> order(slot_of_tag_.begin(),
                                                               slot_of_tag_.end());
  for (const auto& [first, family] : families_) {
    for (const tile_records::record& each : family->all()) {
      if (is_registered(each.datum, first + each.tile))
        order.emplace_back(first + each.tile, each.datum);
    }
  }
  std::ranges::sort(order);
  std::vector<ownership::slot> list;
  for (const auto& [_, datum] : order) list.push_back(datum);
  return list;
}

std::vector<saved_value> core::save_values(const value_sink& sink, place where) {
  std::vector<saved_value> saved;
  for (const ownership::slot datum : data_by_tag()) {
    const bool per_rank = ledger_.is_per_rank(datum);
    if (!per_rank && owner_of(datum) != rank_) continue;
    const datum_info& info = data_[datum];
    saved_value& value =
        saved.emplace_back(saved_value{.tag = info.tag,
                                       .file = static_cast<std::uint32_t>(rank_),
                                       .per_rank = per_rank,
                                       .present = ledger_.initialised(datum),
                                       .type_hash = info.type->type_hash,
                                       .shape = info.shape,
                                       .name = name_of(datum),
                                       .type_name = std::string(info.type->type_name),
                                       .where = to_string(info.where)});
    if (!value.present) continue;
    borrow_node& lent = begin_borrow({this, datum, access_mode::read, where}, false);
    try {
      save_value(lent, sink, value);
    } catch (...) {
      end_borrow(lent);
      throw;
    }
    end_borrow(lent);
  }
  return saved;
}

void core::save_value(borrow_node& lent, const value_sink& sink, saved_value& value) {
  const replica& copy = lent.only.datum();
  const const_memory_block block = copy.type->source(copy.storage);
  if (block.address != nullptr && block.contiguous()) {
    sink({block.address, block.bytes()}, value);
    return;
  }
  data::packed_buffer packed = packed_buffers_.take();
  copy.type->pack(copy.storage, packed);
  sink(packed.bytes(), value);
  packed_buffers_.give_back(std::move(packed));
}

/// For a run that is compared with another.
void core::note_values(place where) {
  const auto hash = [](std::span<const std::byte> bytes, saved_value& value) {
    value.hash = hash_of(bytes);
  };
  for (saved_value& each : save_values(hash, where))
    environment_.values->add(where, std::move(each.name), each.hash);
}

/// Every rank's ledger learns that all these were written; the owners read the values. Nothing is
/// written before all were seen to fit.
void core::load_values(std::string_view folder, const manifest& all, place where) {
  meet_all_tiles();  // Each of them is written.
  const auto is_mine = [this](ownership::slot datum, const saved_value& each) {
    return !ledger_.is_per_rank(datum) || each.file == static_cast<std::uint32_t>(rank_);
  };
  std::vector<bool> saved(data_.size());
  visit_values(all, [&](const saved_value& each) {
    const std::optional<ownership::slot> datum = slot_with(each.tag);
    if (!datum)
      refuse_fit("the checkpoint has `" + each.name + "`, and the program does not", each,
                 "no datum with tag " + std::to_string(each.tag));
    check_fit(*datum, each, all.ranks);
    if (is_mine(*datum, each)) saved[*datum] = true;
  });
  check_all_saved(saved);
  visit_values(all, [&](const saved_value& each) {
    const ownership::slot datum = *slot_with(each.tag);
    if (!each.present || !is_mine(datum, each)) return;
    if (each.per_rank || owner_of(datum) == rank_) {
      load_value(datum, read_value(folder, all, each), where);
    } else {
      const turn held(*this, team_->main());
      ended_copies_.clear();
      ledger_.write(datum, &ended_copies_);
      end_copies(ended_copies_.after);
    }
  });
}

void core::check_all_saved(const std::vector<bool>& saved) const {
  for (const ownership::slot datum : data_by_tag()) {
    if (saved[datum]) continue;
    const datum_info& info = data_[datum];
    throw error(error_code::checkpoint_does_not_fit,
                quoted(name_of(datum)) + " is not in the checkpoint",
                {{"registered", to_string(info.where) + ", tag " + std::to_string(info.tag)},
                 {"in the checkpoint", std::to_string(std::ranges::count(saved, true)) + " data"}},
                "resume with the program that wrote the checkpoint, before data are registered "
                "that it did not have");
  }
}

void core::check_fit(ownership::slot datum, const saved_value& saved, std::uint32_t ranks) const {
  const datum_info& info = data_[datum];
  const std::string here =
      std::string(info.type->type_name) + ", registered at " + to_string(info.where);
  if (saved.name != name_of(datum))
    refuse_fit("tag " + std::to_string(info.tag) + " is `" + saved.name +
                   "` in the checkpoint and " + quoted(name_of(datum)) + " in the program",
               saved, here);
  if (saved.type_hash != info.type->type_hash)
    refuse_fit("the type of " + quoted(saved.name) +
                   (saved.type_name == info.type->type_name ? " has another size or version"
                                                            : " is another one"),
               saved, here);
  if (saved.shape != info.shape)
    refuse_fit("the size of " + quoted(saved.name) + " is another one", saved,
               std::to_string(info.shape.rows) + " x " + std::to_string(info.shape.cols) +
                   " instead of " + std::to_string(saved.shape.rows) + " x " +
                   std::to_string(saved.shape.cols) + ", " + here);
  const bool per_rank = ledger_.is_per_rank(datum);
  if (saved.per_rank != per_rank)
    refuse_fit(quoted(saved.name) + (per_rank ? " is per rank now" : " was per rank"), saved, here);
  if (per_rank && ranks != static_cast<std::uint32_t>(size()))
    refuse_fit(quoted(saved.name) + " is per rank: " + std::to_string(ranks) +
                   " ranks wrote the checkpoint, and there are " + std::to_string(size()),
               saved, here);
}

void core::load_value(ownership::slot datum, std::span<const std::byte> bytes, place where) {
  borrow_node& lent = begin_borrow({this, datum, access_mode::write, where}, false);
  try {
    const replica& copy = lent.only.datum();
    const memory_block room = copy.type->prepare(copy.storage, bytes.size());
    if (room.address != nullptr && room.contiguous()) {
      std::ranges::copy(bytes, room.address);
    } else {
      copy.type->unpack(copy.storage, bytes);
    }
  } catch (...) {
    end_borrow(lent);
    throw;
  }
  end_borrow(lent);
}

namespace {

/// Says once that there is no new checkpoint, if so. A run goes on without.
bool is_well(const session& all, const std::string& failure, std::string_view folder,
             std::uint64_t epoch) {
  if (failure.empty()) return true;
  if (all.rank() == 0 && all.logs(log_level::warning)) {
    std::cerr << "deed[D006] no checkpoint of epoch " + std::to_string(epoch) + " in " +
                     quoted(folder) + ": " + failure + "; what was written before is as it was\n";
  }
  return false;
}

}  // namespace

namespace {

/// A disk may be full today and not tomorrow; a folder that is none will never be one.
void check_folder(session& all, std::string_view folder, place where) {
  std::error_code failure;
  const std::filesystem::path path(folder);
  const bool is_other =
      std::filesystem::exists(path, failure) && !std::filesystem::is_directory(path, failure);
  if (!all.any(is_other, where)) return;
  throw common<error>(of_all_ranks(all.rank() == 0, of_all_ranks::nowhere),
                      error_code::cannot_write, quoted(folder) + " is no folder",
                      std::vector<error::fact>{{"called", to_string(where)}},
                      "name another, or one that does not exist yet");
}

/// Who keeps the copies of each rank's values; empty: nobody does.
std::vector<std::uint32_t> choose_partners(session& all, const core& home, place where) {
  if (!home.options().checkpoint.partner || all.size() == 1) return {};
  return partners_of(all.all_gather(value(home.environment().machine), where));
}

/// Each would remove what the other wrote, and resume from it.
void check_alone(session& all, std::uint64_t last, std::uint64_t newest, std::string_view folder,
                 place where) {
  if (!all.any(last != 0 && newest > last, where)) return;
  std::vector<error::fact> facts{{"called", to_string(where)}};
  if (last != 0) {  // With copies, another rank may be the one that saw it.
    facts.push_back({"there", "generation " + std::to_string(newest)});
    facts.push_back({"this run", "wrote generation " + std::to_string(last) + " last"});
  }
  throw common<error>(of_all_ranks(all.rank() == 0, of_all_ranks::nowhere),
                      error_code::cannot_write,
                      "another run writes checkpoints to " + quoted(folder), std::move(facts),
                      "give each run a folder of its own");
}

/// What it would lose otherwise: the run was started anew by mistake, or another one's folder
/// named.
void tell_of_others(const session& all, std::string_view folder,
                    std::span<const std::uint64_t> there) {
  const auto whole = static_cast<std::uint64_t>(std::ranges::count_if(
      there, [&](std::uint64_t generation) { return is_whole(folder, generation); }));
  if (whole == 0 || all.rank() != 0 || !all.logs(log_level::warning)) return;
  std::cerr << "deed: " + quoted(folder) + " has " + counted(whole, "checkpoint") +
                   " of an earlier run, from which this one did not go on; what was there stays\n";
}

/// A number behind all that are there: with copies, the first rank's own may be lost.
std::uint64_t next_generation(session& all, core& home, std::string_view folder, bool copies,
                              place where) {
  core::checkpoint_series& own = home.series_in(folder);
  std::uint64_t newest = 0, last = 0;
  if (copies || all.rank() == 0) {
    const std::vector<std::uint64_t> there = generations_in(folder);
    if (!there.empty()) newest = there.front();
    last = own.last;
    if (last == 0 && !own.resumed) {
      own.first = newest + 1;
      tell_of_others(all, folder, there);
    }
  }
  check_alone(all, last, newest, folder, where);
  const std::uint64_t mine = std::max(newest, last) + 1;  // Some may still remove the last.
  const auto later = [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); };
  const std::uint64_t next = copies ? all.all_reduce(value(mine), later, where)
                                    : all.broadcast(value(mine), from{0}, where);
  own.last = next;
  return next;
}

/// Gives this rank's file to its partner, and keeps that of another. @return why it failed.
std::string keep_copies(const session& all, core& home, disk& on, std::string_view folder,
                        std::uint64_t generation, std::span<const std::uint32_t> partners) {
  const auto self = static_cast<std::uint32_t>(all.rank());
  const auto other =
      static_cast<std::uint32_t>(std::ranges::find(partners, self) - partners.begin());
  return pass_file(home, on,
                   {.to = static_cast<int>(partners[self]),
                    .given = file_of(folder, generation, self),
                    .from = static_cast<int>(other),
                    .folder = folder_of(folder, generation),
                    .taken = copy_of(folder, generation, other)});
}

}  // namespace

core::checkpoint_series& core::series_in(std::string_view folder) {
  std::error_code failure;
  const std::filesystem::path known =
      std::filesystem::weakly_canonical(std::filesystem::absolute(folder, failure), failure);
  return series_[failure ? std::string(folder) : (known / "").string()];
}

bool checkpoint(session& all, core& home, disk& on, std::string_view folder, std::uint64_t epoch,
                place where) {
  constexpr std::size_t generations = 2;
  home.begin_common(collective::checkpoint, epoch, where);
  if (all.is_dry()) return true;  // There is nothing to keep.
  check_folder(all, folder, where);
  const bool first = all.rank() == 0;
  const std::vector<std::uint32_t> partners = choose_partners(all, home, where);
  const std::uint64_t generation = next_generation(all, home, folder, !partners.empty(), where);

  std::string lines;
  std::string failure = failure_of([&] {
    value_writer writer(on, folder, generation, static_cast<std::uint32_t>(all.rank()));
    const auto append = [&](std::span<const std::byte> bytes, saved_value& value) {
      writer.append(bytes, value);
    };
    lines = lines_of(home.save_values(append, where));
    writer.finish();
  });
  if (!partners.empty()) {
    const std::string not_kept = keep_copies(all, home, on, folder, generation, partners);
    if (failure.empty()) failure = not_kept;
  }
  const std::vector<sent_text> failures = told_by_all(all, failure, where);
  const std::vector<sent_text> parts = told_by_all(all, lines, where);
  std::string refused = first_of(failures), text;
  if (first && refused.empty()) {
    std::string joined;
    for (const sent_text& part : parts) joined += as_string(part);
    text = text_of({.generation = generation,
                    .epoch = epoch,
                    .ranks = static_cast<std::uint32_t>(all.size()),
                    .copies = partners},
                   joined);
  }
  if (!partners.empty()) {
    const std::string not_kept =
        commit_copy(home, on, folder, generation, text, static_cast<int>(partners.front()));
    if (!not_kept.empty()) refused = of_rank(partners.front(), not_kept);
  }
  std::uint64_t oldest = 0;
  if (first && refused.empty()) {
    refused = failure_of([&] {
      commit(on, folder, generation, text);
      oldest = prune(on, folder, {home.series_in(folder).first, generation}, generations);
    });
  }
  if (!is_well(all, said_by_first(all, refused, where), folder, epoch)) {
    remove_generation(on, folder, generation);  // All have ended; a disk that is full needs room.
    return false;
  }
  oldest = all.broadcast(value(oldest), from{0}, where);
  if (!first) prune_older(on, folder, oldest);
  return true;
}

bool checkpoint_by_plan(session& all, core& home, std::uint64_t epoch, place where) {
  const checkpoint_options& plan = home.options().checkpoint;
  if (plan.folder.empty() || epoch % plan.every != 0) return true;
  disk disk;
  const bool written = checkpoint(all, home, disk, plan.folder, epoch, where);
  const live_board* const board = home.environment().board;
  const int signal = board == nullptr ? 0 : board->stopped_by();
  if (!all.any(signal != 0, where)) return written;  // Launchers hand signals to any ranks.
  const std::string last = written ? "the run goes on from epoch " + std::to_string(epoch) +
                                         " with DEED_RESUME=" + plan.folder
                                   : "no checkpoint could be written";
  throw common<stop_run>(of_all_ranks(all.rank() == 0, of_all_ranks::nowhere),
                         exit_code::interrupted,
                         "stopped by " + name_of_signal(signal) + ": " + last);
}

}  // namespace deed::runtime

namespace deed {

bool session::checkpoint(std::string_view folder, std::uint64_t epoch, place where) {
  if (folder.empty()) {
    throw error(error_code::cannot_write, "a checkpoint has no folder to go to",
                {{"called", to_string(where)}}, "name one: `session.checkpoint(\"run\", epoch)`");
  }
  runtime::disk disk;
  return runtime::checkpoint(*this, *core_, disk, folder, epoch, where);
}

bool session::checkpoint(std::uint64_t epoch, place where) {
  return runtime::checkpoint_by_plan(*this, *core_, epoch, where);
}

std::optional<std::uint64_t> session::resume(place where) {
  const std::string& folder = core_->options().resume;
  return folder.empty() ? std::nullopt : runtime::resume(*this, *core_, folder, where);
}

std::optional<std::uint64_t> session::resume(std::string_view folder, place where) {
  return runtime::resume(*this, *core_, folder, where);
}

}  // namespace deed
