// SPDX-License-Identifier: MIT
#include <deed/base/undone.hpp>
#include <deed/runtime/partition.hpp>

#include "about_datum.hpp"
#include "core.hpp"
#include "report.hpp"

#include <algorithm>

/// @file
/// Data that are cut into parts: what is refused, and which data are cut at present. The values
/// move by ordinary tasks, on the rank that owns the whole, and by the transfers of the parts.

namespace deed::runtime {
namespace {

std::string text(const row_range& rows) {
  return "rows [" + std::to_string(rows.first) + ", " + std::to_string(rows.last) + ")";
}

[[noreturn]] void refuse_cut(std::string what, std::vector<error::fact> facts) {
  throw error(error_code::parts_overlap, std::move(what), std::move(facts),
              "`deed::row_blocks{n}`");
}

/// Each range begins where the one before ends.
void check_ranges(const std::vector<row_range>& ranges, place where) {
  constexpr std::string_view what = "parts overlap or leave a gap";
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const row_range before = i == 0 ? row_range{0, 0} : ranges[i - 1];
    const row_range& each = ranges[i];
    const std::string name = "part " + std::to_string(i);
    if (each.last < each.first) {
      refuse_cut(std::string(what), {{name, text(each) + ", at " + to_string(where)},
                                     {"it", "ends before it begins"}});
    }
    if (each.first == before.last) continue;
    const std::string other = i == 0 ? "the whole" : "part " + std::to_string(i - 1);
    const row_range both{each.first, std::min(before.last, each.last)};
    const row_range none{before.last, each.first};
    refuse_cut(std::string(what),
               {{name, text(each) + ", at " + to_string(where)},
                {other, i == 0 ? "begins with row 0"
                               : text(before) + (each.first < before.last
                                                     ? ": both hold " + text(both).substr(5)
                                                     : ": nobody holds " + text(none).substr(5))}});
  }
}

std::string name_of_part(const std::string& whole, const partition_rule& rule, std::size_t i,
                         std::size_t j) {
  return whole + "[" + std::to_string(i) + (rule.cols() > 1 ? "," + std::to_string(j) : "") + "]";
}

}  // namespace

void check_slice(const part_slice& slice, std::size_t length) {
  if (slice.even_rows || (slice.rows.last <= length && (!slice.last || slice.rows.last == length)))
    return;
  refuse_cut("parts overlap or leave a gap",
             {{slice.last ? "last part" : "a part", text(slice.rows)},
              {"the whole", counted(length, "element")}});
}

void refuse_part(const ownership::untyped_handle& whole, std::size_t i,
                 std::optional<std::size_t> j, std::size_t rows, std::size_t cols) {
  const auto as_written = [](std::size_t index) {  // -1 is -1.
    return std::to_string(static_cast<std::ptrdiff_t>(index));
  };
  const auto& [name, registered] = whole.registered();
  throw error(
      error_code::index_out_of_range,
      quoted(name) + " has no part " +
          (j ? "(" + as_written(i) + ", " + as_written(*j) + ")" : as_written(i)),
      {{"registered", to_string(registered)},
       {"cut into", std::to_string(rows) + " by " + std::to_string(cols) + " parts, from 0"}},
      "stay below `size()`");
}

std::vector<planned_part> plan_parts(core& home, ownership::slot whole, const partition_rule& rule,
                                     const owner_rule* owners, whole_form form, place where) {
  return home.plan_parts(whole, rule, owners, form, where);
}
bool has_value(const core& home, ownership::slot whole) noexcept {
  return home.books().initialised(whole) && !undone("partition");
}
void split(core& home, ownership::slot whole, std::vector<ownership::slot> parts, place where) {
  home.split(whole, std::move(parts), where);
}
bool join(core& home, ownership::slot whole, std::span<const ownership::slot> parts, place where) {
  return home.join(whole, parts, where);
}

std::vector<planned_part> core::plan_parts(ownership::slot whole, const partition_rule& rule,
                                           const owner_rule* owners, whole_form form, place where) {
  static_cast<void>(caller(call_kind::steps, where));
  const data::extents shape =
      form == whole_form::span ? data::extents{data_[whole].shape.cols, 1} : data_[whole].shape;
  check_cut(whole, rule, form, shape, where);
  std::vector<planned_part> all;
  for (std::size_t i = 0; i < rule.rows(); ++i) {
    for (std::size_t j = 0; j < rule.cols(); ++j) {
      planned_part part;
      const bool even = rule.ranges().empty();
      part.slice = {.rows = even ? row_range{i, rule.rows()} : rule.ranges()[i],
                    .cols = {j, rule.cols()},
                    .even_rows = even,
                    .first = i == 0 && j == 0,
                    .last = i + 1 == rule.rows()};
      if (form != whole_form::vector) {
        const row_range rows = part.slice.rows_of(shape.rows);
        const row_range cols = part.slice.cols_of(shape.cols);
        part.shape = {rows.last - rows.first, cols.last - cols.first};
        if (form == whole_form::span) std::swap(part.shape.rows, part.shape.cols);
      }
      if (owners != nullptr) {
        part.owner = (*owners)(i, j, rule.rows(), rule.cols());
      } else if (!ledger_.is_per_rank(whole)) {
        part.owner = owner_of(whole);
      }
      part.name = name_of_part(name_of(whole), rule, i, j);
      check_part_owner(whole, part, owners != nullptr, where);
      all.push_back(std::move(part));
    }
  }
  return all;
}

void core::check_cut(ownership::slot whole, const partition_rule& rule, whole_form form,
                     const data::extents& shape, place where) const {
  const std::vector<row_range>& ranges = rule.ranges();
  check_ranges(ranges, where);
  const bool fixed = form != whole_form::vector;
  if (fixed && !ranges.empty() && ranges.back().last != shape.rows) {
    refuse_cut("parts overlap or leave a gap",
               {{"last part", text(ranges.back()) + ", at " + to_string(where)},
                {"the whole", known_as(whole) + ", " + text({0, shape.rows})}});
  }
  // Of vectors a part may be empty: how long they are is not known here.
  const bool fits = rule.rows() > 0 && rule.cols() > 0 &&
                    (form == whole_form::tile || rule.cols() == 1) &&
                    (!fixed || (rule.rows() <= shape.rows && rule.cols() <= shape.cols));
  if (fits) return;
  throw error_about(
      about(whole),
      error(error_code::impossible_extent,
            quoted(name_of(whole)) + " cannot be cut into " + std::to_string(rule.rows()) + " by " +
                std::to_string(rule.cols()) + " parts",
            {{"partitioned", to_string(where)},
             {"the whole", known_as(whole) + (fixed ? ", " + std::to_string(shape.rows) + " by " +
                                                          std::to_string(shape.cols)
                                                    : ", one column of elements")}},
            "give at least one part, and no more than there are rows and columns"));
}

void core::check_part_owner(ownership::slot whole, const planned_part& part, bool chosen,
                            place where) const {
  if (!chosen) return;
  if (ledger_.is_per_rank(whole)) {
    throw error_about(about(whole),
                      error(error_code::owned_in_per_rank_task,
                            quoted(part.name) + " has an owner, and its whole is on every rank",
                            {{"partitioned", to_string(where)}, {"per rank", known_as(whole)}},
                            "leave the owners out: each rank cuts its own"));
  }
  if (*part.owner >= 0 && *part.owner < size()) return;
  throw error_about(
      about(whole),
      error(error_code::no_such_owner,
            "owner " + std::to_string(*part.owner) + " of " + quoted(part.name) + " does not exist",
            {{"partitioned", to_string(where)}, {"ranks", "there are " + std::to_string(size())}},
            "use a rank in [0, " + std::to_string(size()) + "), for example `i % size`"));
}

void core::split(ownership::slot whole, std::vector<ownership::slot> parts, place where) {
  const turn held(*this, caller(call_kind::steps, where));
  const ownership::split known{name_of(whole), parts.size(), where};
  splits_.insert_or_assign(whole, cut_whole{known, std::move(parts)});
}

bool core::join(ownership::slot whole, std::span<const ownership::slot> parts, place where) {
  const turn held(*this, caller(call_kind::steps, where));
  if (!std::ranges::equal(parts, splits_.at(whole).parts)) {
    throw error_about(
        about(whole),
        error(error_code::parts_overlap, "parts of " + quoted(name_of(whole)) + " were exchanged",
              {{"united", to_string(where)},
               {"partitioned", to_string(splits_.at(whole).known.where)}},
              "leave them in the order in which `partition` gave them"));
  }
  const auto written = [&](ownership::slot part) { return ledger_.initialised(part); };
  const bool any = std::ranges::any_of(parts, written);
  if (any) {
    for (const ownership::slot part : parts) check_access({this, part, access_mode::read, where});
  }
  splits_.erase(whole);
  return any;
}

const ownership::split* core::split_of(ownership::slot datum,
                                       const ownership::registration& known) const {
  const auto found = splits_.find(datum);
  if (found == splits_.end()) return nullptr;
  const datum_info& info = data_[datum];  // The slot may have another datum by now.
  const bool same =
      info.name.data() == known.name.data() && info.where.line() == known.where.line();
  return same ? &found->second.known : nullptr;
}

}  // namespace deed::runtime
