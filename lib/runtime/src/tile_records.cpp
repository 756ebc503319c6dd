// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/base/random.hpp>
#include <deed/runtime/tile_records.hpp>

#include "about_datum.hpp"
#include "core.hpp"
#include "report.hpp"
#include "tile_history.hpp"

#include <algorithm>
#include <limits>

/// @file
/// Tiles that get their records when a rank has to do with them.

namespace deed::runtime {

tile_records::tile_records(core& home, tile_description&& what)
    : home_(&home), what_(std::move(what)), index_(what_.rule->count()) {
  index_.reserve(0);
  home.registrar::keep();
  try {
    home.reserve(*this);
  } catch (...) {
    end_all();
    throw;
  }
}

tile_records::~tile_records() { end_all(); }

void tile_records::end_all() noexcept {
  for (record& each : records_) what_.destroy(each.handle);
  home_->release(*this);
  home_->drop();
}

tile_records::record& tile_records::meet(std::size_t k, place where) {
  return home_->meet(*this, k, where);
}

namespace {

/// Asks who owns what, once, and hashes it; `each` gets tile and owner.
template <class Each>
void ask(tile_rule& rule, Each&& each) {
  rule.hash = mix(rule.tile.rows, rule.tile.cols);
  const bool once = !rule.owners.of_library();
  if (once) rule.answers.reserve(rule.count());
  for (std::size_t i = 0, k = 0; i < rule.rows; ++i) {
    for (std::size_t j = 0; j < rule.cols; ++j, ++k) {
      const int owner = rule.owners(i, j, rule.rows, rule.cols);
      rule.hash = mix(rule.hash, static_cast<std::uint64_t>(owner));
      if (once) rule.answers.push_back(owner);
      each(k, owner);
    }
  }
}

}  // namespace

void core::reserve(tile_records& family) {
  tile_description& what = family.what_;
  tile_rule& rule = *what.rule;
  const turn held(*this, caller(call_kind::steps, what.where));
  std::vector<std::size_t> entered;  // At once.
  ask(rule, [&](std::size_t k, int owner) {
    check_owner(owner, what.name, what.where);
    if (owner == rank_ || recorder_ != nullptr) entered.push_back(k);
  });
  check_tags_free(registrations_, rule.count(), what.name, what.where);
  what.name = *names_.emplace(what.name).first;
  family.first_ = registrations_;
  registrations_ += rule.count();
  families_.emplace(family.first_, &family);
  log_registration(family);
  family.index_.reserve(entered.size());
  for (const std::size_t k : entered) static_cast<void>(enter(family, k));
}

tile_records::record& core::meet(tile_records& family, std::size_t k, place where) {
  if (!registrar::open()) {
    throw error(error_code::session_closed, "the session of this matrix has ended",
                {{"wanted", to_string(where)}}, "keep the session until its last handle is used");
  }
  const turn held(*this, caller(call_kind::submits, where));
  if (tile_records::record* const known = family.find(k)) return *known;  // By another thread.
  return enter(family, k);
}

void core::meet_all_tiles() {
  const turn held(*this, team_->main());
  for (const auto& [_, family] : families_) meet_all_tiles_of(*family);
}

void core::meet_all_tiles_of(tile_records& family) {
  for (std::size_t k = 0; k < family.rule().count(); ++k) {
    if (family.find(k) == nullptr) static_cast<void>(enter(family, k));
  }
  if (family.history_ != nullptr) family.history_->forget();
}

tile_records::record& core::enter(tile_records& family, std::size_t k) {
  const tile_description& what = family.what_;
  tile_source source{what.rule->shape(k), what.value.get()};
  const std::uint64_t tag = family.first_ + k;
  const ownership::slot datum = add_record({.owner = what.rule->owner(k),
                                            .type = what.type,
                                            .shape = source.shape,
                                            .source = &source,
                                            .make = what.make,
                                            .tag = {},
                                            .name = what.name,
                                            .i = static_cast<int>(k / what.rule->cols),
                                            .j = static_cast<int>(k % what.rule->cols),
                                            .where = what.where},
                                           tag, tag);
  record_registration(datum);
  tile_records::record& fresh = family.records_.emplace_back();
  fresh.tile = static_cast<std::uint32_t>(k);
  fresh.datum = datum;
  what.build(fresh.handle, *this, datum, registration_of(datum));
  family.index_.add(fresh);
  if (family.history_ != nullptr) catch_up(family, k, datum);
  return fresh;
}

/// Tiles whose handles were moved elsewhere live on by themselves.
void core::release(tile_records& family) noexcept {
  const auto known = families_.find(family.first_);
  if (known == families_.end() || known->second != &family) return;  // It was refused.
  families_.erase(known);
  tile_rule& rule = *family.what_.rule;
  const std::uint64_t count = rule.count();
  // The log keeps the rule, but not so much of it.
  if (!rule.answers.empty() && !rule.asked_later) {
    rule.answers = {};
    rule.rows = rule.cols = 0;
  }
  if (!registrar::open()) return;
  for (const tile_records::record& each : family.records_) {
    if (is_registered(each.datum, family.first_ + each.tile))
      slot_of_tag_.emplace(family.first_ + each.tile, each.datum);
  }
  constexpr std::size_t most = 64;  // For reports alone.
  if (ended_families_.size() == most) ended_families_.pop_front();
  ended_families_.push_back({family.first_, count, to_string(family.what_.where)});
}

bool core::is_registered(ownership::slot datum, std::uint64_t number) const noexcept {
  return data_[datum].type != nullptr && data_[datum].number == static_cast<std::uint32_t>(number);
}

std::optional<core::tile_of_tag> core::tile_with(std::uint64_t tag) const {
  const auto after = families_.upper_bound(tag);
  if (after == families_.begin()) return std::nullopt;
  tile_records& family = *std::prev(after)->second;
  const std::uint64_t k = tag - family.first_;
  if (k >= family.rule().count()) return std::nullopt;
  return tile_of_tag{&family, k, family.find(k)};
}

std::optional<ownership::slot> core::slot_with(std::uint64_t tag) const {
  if (const auto known = slot_of_tag_.find(tag); known != slot_of_tag_.end()) return known->second;
  const std::optional<tile_of_tag> tile = tile_with(tag);
  if (!tile || tile->known == nullptr || !is_registered(tile->known->datum, tag))
    return std::nullopt;
  return tile->known->datum;
}

/// By what the datum with this tag is known; nothing if there is none.
std::string core::user_of(std::uint64_t tag) const {
  if (const std::optional<ownership::slot> datum = slot_with(tag)) return known_as(*datum);
  const std::optional<tile_of_tag> tile = tile_with(tag);
  if (!tile || tile->known != nullptr) return "";
  const tile_description& what = tile->family->what();
  const std::size_t cols = what.rule->cols;
  return quoted(label_of(what.name, static_cast<int>(tile->k / cols),
                         static_cast<int>(tile->k % cols))) +
         " at " + to_string(what.where);
}

void core::check_tag_free(std::uint64_t tag, std::string_view name, place where) const {
  const std::string user = user_of(tag);
  if (user.empty()) return;
  throw error_about(
      about_tag(tag),
      error(error_code::tag_in_use, "tag " + std::to_string(tag) + " is already in use",
            {{"registered", quoted(name) + " at " + to_string(where)}, {"in use by", user}},
            "leave the tag out: the library numbers the registrations"));
}

/// Numbers rise, so only a tag of the program can be there.
void core::check_tags_free(std::uint64_t first, std::uint64_t count, std::string_view name,
                           place where) const {
  std::uint64_t taken = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [tag, _] : slot_of_tag_) {
    if (tag - first < count) taken = std::min(taken, tag);
  }
  if (taken != std::numeric_limits<std::uint64_t>::max()) check_tag_free(taken, name, where);
}

}  // namespace deed::runtime
