// SPDX-License-Identifier: MIT
#include "analysis/query/moments.hpp"

#include "analysis/ask/sizes.hpp"
#include "analysis/ask/state_at.hpp"
#include "analysis/query/query.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <functional>
#include <optional>

namespace deed::viewer {
namespace {

using datum_test = std::function<bool(const datum_state&)>;

/// All terms of one alternative.
struct condition {
  std::vector<std::string> handles{"*"};
  std::vector<datum_test> tests;
  std::vector<std::string> ranks;
  std::optional<double> held;
  bool moves = false;
  bool in_flight = false;  ///< A test looks at copies that are on their way.
};

/// What has ended has none.
bool is_version_known(const datum_state& s) { return s.version_known && !s.ended; }

datum_test on_ranks(std::vector<std::string> list, copy_kind least, copy_kind most) {
  return [list = std::move(list), least, most](const datum_state& s) {
    for (std::size_t rank = 0; rank < s.copies.size(); ++rank)
      if (s.copies[rank].kind >= least && s.copies[rank].kind <= most && in_numbers(list, rank))
        return true;
    return false;
  };
}

void add_field(condition& to, const std::string& name, const std::string& value, std::size_t at) {
  auto list = list_of(value);
  if (name == "handle") {
    to.handles = std::move(list);
  } else if (name == "rank") {
    to.ranks = std::move(list);
  } else if (name == "owner") {
    to.tests.push_back(
        [list](const datum_state& s) { return s.owner != none && in_numbers(list, s.owner); });
  } else if (name == "valid") {
    to.tests.push_back(on_ranks(std::move(list), copy_kind::shared, copy_kind::owner));
  } else if (name == "stale") {
    to.tests.push_back(on_ranks(std::move(list), copy_kind::stale, copy_kind::stale));
  } else if (name == "pending") {
    to.tests.push_back(on_ranks(std::move(list), copy_kind::pending, copy_kind::pending));
    to.in_flight = true;
  } else if (name == "lent") {
    to.tests.push_back([list](const datum_state& s) {
      return std::any_of(s.borrows.begin(), s.borrows.end(), [&](const live_borrow& b) {
        return in_numbers(list, static_cast<std::uint64_t>(b.rank));
      });
    });
  } else if (name == "ver") {
    to.tests.push_back([list](const datum_state& s) {
      return is_version_known(s) && in_numbers(list, s.version);
    });
  } else {
    throw query_error("`" + name +
                          "` is no state; there are handle, owner, valid, stale, pending, lent, "
                          "ver, moves, and rank with held>",
                      at);
  }
}

void add_comparison(condition& to, const std::string& name, char sign, const std::string& value,
                    std::size_t at) {
  const auto limit = parse_number(value);
  if (!limit && name != "ver") throw query_error("`" + value + "` is no number; write 4GB", at);
  if (name == "held" && sign == '>') {
    to.held = *limit;
    return;
  }
  if (name != "ver") throw query_error("`" + name + "` cannot be compared; held> and ver can", at);
  char* end = nullptr;
  const double version = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0') throw query_error("`" + value + "` is no version", at);
  to.tests.push_back([sign, version](const datum_state& s) {
    return is_version_known(s) && (sign == '>' ? s.version > version : s.version < version);
  });
}

std::vector<condition> parse(const std::string& text) {
  std::vector<condition> all(1);
  bool any = false;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    if (text[at] == '|') {
      all.emplace_back();
      ++at;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" |", at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::size_t sign = word.find_first_of(":<>");
    if (word == "moves") {
      all.back().moves = true;
    } else if (sign == std::string::npos) {
      throw query_error("`" + word + "` is no state; write owner:2 or moves", at);
    } else if (sign + 1 == word.size()) {
      throw query_error("`" + word + "` says nothing behind it; write " + word + "2", at);
    } else if (word[sign] == ':') {
      add_field(all.back(), word.substr(0, sign), word.substr(sign + 1), at);
    } else {
      add_comparison(all.back(), word.substr(0, sign), word[sign], word.substr(sign + 1), at);
    }
    any = true;
    at = end;
  }
  for (const condition& each : all) {
    const bool of_datum = !each.tests.empty() || each.moves;
    if (!any || (!of_datum && !each.held))
      throw query_error("a state is missing, such as owner:2", text.size());
    if (each.held && (of_datum || each.ranks.empty()))
      throw query_error("held> goes with rank: alone, such as rank:2 held>4GB", text.size());
    if (!each.held && !each.ranks.empty())
      throw query_error("rank: goes with held>; of a datum write owner: or valid:", text.size());
  }
  return all;
}

std::string say_state(const model& of, std::uint32_t handle, const datum_state& s) {
  std::string valid;
  for (std::size_t rank = 0; rank < s.copies.size(); ++rank)
    if (s.copies[rank].kind == copy_kind::shared)
      valid += (valid.empty() ? "; valid copies on " : ", ") + std::to_string(rank);
  const std::string named =
      of.handle_name(handle) + " " +
      (s.version_known ? "v" + std::to_string(s.version) : "in a version that is not known");
  if (!s.owner_known) return named + ", owner not known" + valid;
  return named +
         (s.owner == none || s.owner >= s.copies.size()
              ? ", one on every rank"
              : ", owner rank " + std::to_string(s.owner)) +
         valid;
}

/// As it was between two migrations of one moment: what its last owner has is a copy.
datum_state behind_move(datum_state state, const owner_move& move) {
  state.owner = move.to;
  for (std::size_t rank = 0; rank < state.copies.size(); ++rank) {
    copy_kind& kind = state.copies[rank].kind;
    if (rank == move.to) kind = copy_kind::owner;
    if (rank != move.to && kind == copy_kind::owner) kind = copy_kind::shared;
  }
  return state;
}

/// The states of one moment, in order: behind each migration but one that it ends in, and at its
/// end. Of virtual ranks the datum may have ended by then, too.
std::vector<datum_state> states_since(const datum_walk& walk, std::int64_t before, bool in_flight) {
  std::vector<datum_state> states;
  const datum_state at_end = walk.state(in_flight);
  const auto moves = walk.moves_since(before);
  for (std::size_t i = 0; i < moves.size(); ++i)
    if (i + 1 < moves.size() || at_end.owner != moves[i].to)
      states.push_back(behind_move(at_end, moves[i]));
  states.push_back(at_end);
  return states;
}

void of_datum(const model& of, const condition& wanted, std::uint32_t handle,
              std::vector<moment>& found) {
  datum_walk walk(of, handle);
  bool before = false;
  std::uint32_t owner = none;
  std::int64_t last = never;
  for (const std::int64_t time : times_of_change(of, handle, wanted.in_flight)) {
    walk.advance(time);
    for (const datum_state& now : states_since(walk, last, wanted.in_flight)) {
      const bool moved = owner != none && now.owner != none && now.owner != owner;
      const bool holds = (!wanted.moves || moved) &&
                         std::all_of(wanted.tests.begin(), wanted.tests.end(),
                                     [&](const datum_test& test) { return test(now); });
      if (holds && !before) found.push_back({time, handle, say_state(of, handle, now)});
      before = holds && !wanted.moves;
      owner = now.owner;
    }
    last = time;
  }
}

/// What the copies on each of the ranks take, and when it passes the limit.
void of_memory(const model& of, const condition& wanted, std::vector<moment>& found) {
  struct step {
    std::int64_t time = 0;
    double bytes = 0;
  };
  std::vector<std::vector<step>> steps(static_cast<std::size_t>(of.ranks()));
  const std::vector<std::uint64_t> sizes = sizes_of_data(of);
  for (std::uint32_t h = 0; h < of.data().size(); ++h) {
    if (!of.data()[h].known) continue;
    const auto bytes = static_cast<double>(sizes[h]);
    std::vector<bool> here(steps.size());
    datum_walk walk(of, h);
    for (const std::int64_t time : times_of_change(of, h, false)) {
      walk.advance(time);
      const datum_state now = walk.state(false);
      for (std::size_t rank = 0; rank < steps.size(); ++rank) {
        const bool held = now.copies[rank].kind != copy_kind::absent;
        if (held != here[rank]) steps[rank].push_back({time, held ? bytes : -bytes});
        here[rank] = held;
      }
    }
  }
  for (std::size_t rank = 0; rank < steps.size(); ++rank) {
    if (!in_numbers(wanted.ranks, rank)) continue;
    std::stable_sort(steps[rank].begin(), steps[rank].end(),
                     [](const step& a, const step& b) { return a.time < b.time; });
    double sum = 0;
    for (const step& each : steps[rank]) {
      const bool below = sum <= *wanted.held;
      sum += each.bytes;
      if (below && sum > *wanted.held)
        found.push_back({each.time, none,
                         "rank " + std::to_string(rank) + " holds " +
                             say_bytes(static_cast<std::uint64_t>(sum))});
    }
  }
}

/// A datum that is not there never begins to be anything.
void refuse_unknown_data(const model& of, const condition& wanted, const std::string& text) {
  for (const std::string& pattern : wanted.handles) {
    bool any = pattern == "*";
    for (std::uint32_t h = 0; !any && h < of.data().size(); ++h)
      any = of.data()[h].known && names_datum(pattern, of.handle_name(h));
    if (!any)
      throw query_error("`" + pattern + "` is no datum of this run",
                        std::min(text.find(pattern), text.size()));
  }
}

}  // namespace

std::vector<moment> moments_when(const model& of, const std::string& text) {
  std::vector<moment> found;
  for (const condition& wanted : parse(text)) {
    refuse_unknown_data(of, wanted, text);
    if (wanted.held) {
      of_memory(of, wanted, found);
      continue;
    }
    for (std::uint32_t h = 0; h < of.data().size(); ++h) {
      const bool named =
          of.data()[h].known &&
          std::any_of(wanted.handles.begin(), wanted.handles.end(),
                      [&](const auto& p) { return names_datum(p, of.handle_name(h)); });
      if (named) of_datum(of, wanted, h, found);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const moment& a, const moment& b) { return a.time < b.time; });
  return found;
}

}  // namespace deed::viewer
