// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace deed::check {

/// What a value is on one rank: its number if that is known, and whether all ranks have the same.
struct outcome {
  std::optional<std::int64_t> number;
  bool uniform = false;
  bool whole = false;  // of an object: all ranks have the same in every part of it
};

/// What is known of variables and their parts, by resolved key. A call is run on it and undone: it
/// costs what it changes, however much is known.
class memory {
 public:
  using entries = std::map<std::string, outcome>;
  using parts = std::vector<std::pair<std::string, outcome>>;

  [[nodiscard]] entries::const_iterator find(const std::string& name) const {
    return known_.find(name);
  }
  [[nodiscard]] entries::const_iterator end() const { return known_.end(); }

  void set(const std::string& name, const outcome& now);
  void erase(const std::string& name);

  /// Of an object without itself: `v3.rows`, `v3[operator[],2]` of `v3`.
  [[nodiscard]] parts parts_of(const std::string& object) const;
  void erase_parts(const std::string& object);
  /// Neither an object nor a part of it is whole any more. Costs as much as there were whole.
  void differ_within(const std::string& object);

  /// What changes between a mark and its `undo` is as before then. Marks nest.
  [[nodiscard]] std::size_t mark();
  void undo(std::size_t mark);

 private:
  void put(const std::string& name, const outcome* now);
  void remember(const std::string& name);

  entries known_;
  std::set<std::string> whole_;  // the names of those that are
  std::vector<std::pair<std::string, std::optional<outcome>>> before_;  // since the first mark
  int marks_ = 0;
};

}  // namespace deed::check
