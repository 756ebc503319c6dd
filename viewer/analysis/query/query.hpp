// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// @file
/// One language for the search box, `--where` and breakpoints.
///
/// query = and ('|' and)*; and = term+; term = ['-'] (FIELD ':' VALUES | FIELD '>' NUMBER | WORD |
/// '(' query ')'). Blanks are "and". Fields: rank, lane, record, task, codelet, handle, ver, peer,
/// dir, reason, cause, phase, dur, bytes, t; words: error, redundant, late, or a
/// part of a name. Values:
/// lists `0,3-5`, globs `trsm*`, `A[3,*]`, times `1ms`, sizes `2MB`, ranges `10ms:20ms`.

namespace deed::viewer {

/// A query that cannot be read; `column` counts from 0.
class query_error : public std::runtime_error {
 public:
  query_error(const std::string& what, std::size_t column)
      : std::runtime_error(what), column_(column) {}
  [[nodiscard]] std::size_t column() const noexcept { return column_; }

 private:
  std::size_t column_;
};

using event_filter = std::function<bool(const model&, const event&)>;

/// @throws query_error
[[nodiscard]] event_filter parse_query(const std::string& text);

/// What a query says that a field is, as `gem` of `codelet:gem`.
struct named_value {
  std::string field;
  std::string value;
};
/// Those of records, codelets, data, lanes and phases that nothing of a run is called: what they
/// choose, no run of this program could have. @throws query_error
[[nodiscard]] std::vector<named_value> unknown_names(const model& of, const std::string& query);
/// What a run has for such a field, each once; nothing of other fields.
[[nodiscard]] std::vector<std::string> names_for(const model& of, const std::string& field);

/// The transfer that an event belongs to, the task that it is about; `none` if there is none.
[[nodiscard]] std::uint32_t transfer_of(const model& of, const event& e);
[[nodiscard]] std::uint32_t task_of(const model& of, const event& e);

/// A query that goes through a run piece by piece: of ten million events some take seconds.
class event_search {
 public:
  /// `of` outlives it. @throws query_error
  event_search(const model& of, const std::string& query);
  /// Looks at so many events more, or as many as there are.
  void advance(std::size_t count);
  [[nodiscard]] bool is_done() const noexcept { return at_ == size_; }
  /// How many of a hundred of those that may be hits it has looked at.
  [[nodiscard]] int percent() const noexcept;
  [[nodiscard]] std::size_t count() const noexcept { return found_.size(); }
  /// In the order of the run. None are left.
  [[nodiscard]] std::vector<std::uint32_t> take() { return std::exchange(found_, {}); }

 private:
  const model* of_;
  event_filter passes_;
  std::optional<std::vector<std::uint32_t>> only_;  // Of named data: their events.
  std::size_t at_ = 0, size_ = 0;
  std::vector<std::uint32_t> found_;
};

/// The indices of the events that a query lets through.
[[nodiscard]] std::vector<std::uint32_t> find(const model& of, const std::string& query);

/// "A[3,*]" against "A[3,2]"; `*` is any text.
[[nodiscard]] bool matches_glob(const std::string& pattern, const std::string& text);
/// The same of the name of a datum, of which a pattern may have the form of an error, "A(3,*)".
[[nodiscard]] bool names_datum(const std::string& pattern, const std::string& name);

/// "1ms" in nanoseconds, "2MB" in bytes.
[[nodiscard]] std::optional<double> parse_number(const std::string& text);
/// "A[3,*],B" in its parts; commas inside brackets belong to an index.
[[nodiscard]] std::vector<std::string> list_of(const std::string& text);
/// Whether "0", "3-5" name the value.
[[nodiscard]] bool in_numbers(const std::vector<std::string>& list, std::uint64_t value);

}  // namespace deed::viewer
