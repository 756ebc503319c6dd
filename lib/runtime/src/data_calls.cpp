// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/base/undone.hpp>
#include <deed/runtime/data_copy.hpp>
#include <deed/runtime/session.hpp>

#include "about_datum.hpp"
#include "core.hpp"
#include "report.hpp"

#include <algorithm>
#include <iterator>

/// @file
/// Copies between data, ranges of tags, and hints who is to send a version.

namespace deed {

tag_range::tag_range(runtime::core& home, std::uint64_t first, std::uint64_t count) noexcept
    : home_(&home), first_(first), count_(count) {
  home.registrar::keep();
}

tag_range::~tag_range() {
  if (home_ == nullptr) return;
  home_->free_tags(first_, count_);
  home_->drop();
}

std::uint64_t tag_range::number(std::uint64_t i, place where) const {
  if (i < count_) return first_ + i;
  throw error(error_code::index_out_of_range,
              "tag " + std::to_string(i) + " of a range of " + std::to_string(count_),
              {{"used", to_string(where)}}, "allocate more: `session.allocate_tags(n)`");
}

namespace runtime {

void check_same_extents(core& home, const access_description& from, const access_description& to) {
  home.check_same_extents(from, to);
}
tag_range allocate_tags(core& home, std::uint64_t count, place where) {
  return {home, undone("allocate_tags") ? 0 : home.allocate_tags(count, where), count};
}
void prefer_source(core& home, ownership::slot datum, int rank, place where) {
  if (!undone("prefer_source")) home.prefer_source(datum, rank, where);
}
void expect_readers(core& home, ownership::slot datum, int ranks, place where) {
  if (!undone("expect_readers")) home.expect_readers(datum, ranks, where);
}

void core::check_same_extents(const access_description& from, const access_description& to) const {
  const data::extents here = data_[from.datum].shape, there = data_[to.datum].shape;
  if (here == there) return;
  const auto text = [](const data::extents& shape) {
    return std::to_string(shape.rows) + " by " + std::to_string(shape.cols);
  };
  throw error_about(about(from.datum), error(error_code::impossible_extent,
                                             quoted(name_of(from.datum)) + " cannot be copied to " +
                                                 quoted(name_of(to.datum)),
                                             {{"called", to_string(from.where)},
                                              {"from", text(here) + ", " + known_as(from.datum)},
                                              {"to", text(there) + ", " + known_as(to.datum)}},
                                             "give both the same extents"));
}

std::uint64_t core::allocate_tags(std::uint64_t count, place where) {
  const turn held(*this, caller(call_kind::steps, where));
  for (auto gap = free_tags_.begin(); gap != free_tags_.end(); ++gap) {
    const auto [first, length] = *gap;
    if (length < count) continue;
    free_tags_.erase(gap);
    if (length > count) free_tags_.emplace(first + count, length - count);
    return first;
  }
  return std::exchange(next_tag_, next_tag_ + count);
}

bool core::any_tag_in_use(std::uint64_t first, std::uint64_t count) const {
  if (count > slot_of_tag_.size()) {
    return std::ranges::any_of(slot_of_tag_,
                               [&](const auto& each) { return each.first - first < count; });
  }
  for (std::uint64_t tag = first; tag != first + count; ++tag) {
    if (slot_of_tag_.contains(tag)) return true;
  }
  return false;
}

void core::free_tags(std::uint64_t first, std::uint64_t count) {
  // Where data outlive the range, its tags stay taken: there are more than a program can use.
  if (count == 0 || any_tag_in_use(first, count)) return;
  auto next = free_tags_.lower_bound(first);
  if (next != free_tags_.end() && next->first == first + count) {
    count += next->second;
    next = free_tags_.erase(next);
  }
  if (next != free_tags_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == first) {
      before->second += count;
      return;
    }
  }
  free_tags_.emplace(first, count);
}

void core::prefer_source(ownership::slot datum, int rank, place where) {
  const turn held(*this, caller(call_kind::steps, where));
  check_placement({placement::kind::on_rank, rank}, where);
  log_step(common_step::kind::preference, datum, rank, where);
  if (ledger_.is_per_rank(datum)) return;
  ledger_.prefer(datum, static_cast<std::uint32_t>(rank));
}

void core::expect_readers(ownership::slot datum, int ranks, place where) {
  const turn held(*this, caller(call_kind::steps, where));
  const int known = std::max(ranks, 0);
  log_step(common_step::kind::readers, datum, known, where);
  if (!ledger_.is_per_rank(datum)) ledger_.expect_readers(datum, static_cast<std::uint64_t>(known));
}

}  // namespace runtime
}  // namespace deed
