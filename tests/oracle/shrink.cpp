// SPDX-License-Identifier: MIT
#include "shrink.hpp"

#include "model.hpp"
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <set>

namespace oracle {
namespace {

/// Data that nothing uses are left out, and the others numbered anew.
plan without_unused(const plan& program) {
  std::set<int> used;
  for (const step& s : program.steps) {
    for (const use& u : s.uses) used.insert(u.datum);
    if (is_task(s)) {
      if (s.where == placed::with_owner) used.insert(s.target);
    } else if (s.what != verb::add && s.what != verb::end && names_datum(s)) {
      used.insert(s.datum);
      if (names_target(s)) used.insert(s.target);
    }
  }
  std::vector<int> added(program.data.size(), -1);
  plan result{program.how, {}, {}};
  for (step s : program.steps) {
    if (s.what == verb::add) {
      if (!used.contains(s.datum)) continue;
      added[static_cast<std::size_t>(s.datum)] = static_cast<int>(result.data.size());
      result.data.push_back(program.data[static_cast<std::size_t>(s.datum)]);
    } else if (s.what == verb::partition) {
      for (const use& part : s.uses) {
        added[static_cast<std::size_t>(part.datum)] = static_cast<int>(result.data.size());
        result.data.push_back(program.data[static_cast<std::size_t>(part.datum)]);
      }
    }
    const auto renamed = [&](int& d) { d = added[static_cast<std::size_t>(d)]; };
    if (s.what == verb::end && added[static_cast<std::size_t>(s.datum)] < 0) continue;
    if (names_datum(s)) renamed(s.datum);
    if (names_target(s)) renamed(s.target);
    for (use& u : s.uses) renamed(u.datum);
    result.steps.push_back(std::move(s));
  }
  return result;
}

class shrinker {
 public:
  shrinker(plan start, const still_fails& fails) : best_(std::move(start)), fails_(fails) {}

  plan shrink() {
    for (bool smaller = true; smaller && tries_ < most_tries;) {
      smaller = fewer_steps();
      smaller |= fewer_iterations();
      smaller |= fewer_ranks();
      smaller |= fewer_uses();
      smaller |= fewer_data();
      smaller |= gentler();
    }
    return best_;
  }

 private:
  static constexpr int most_tries = 3000;

  bool accept(plan candidate) {
    if (++tries_ > most_tries) return false;
    candidate = without_unused(candidate);
    if (!predict(candidate).refused.empty() || !fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  /// Takes out a range of steps; what then hangs in the air is taken out, too.
  static plan without(const plan& program, std::size_t first, std::size_t last) {
    plan result{program.how, program.data, {}};
    // A datum of which the registration goes takes its uses along.
    std::set<int> gone, groups, ahead;
    std::set<std::size_t> repetitions;  // One end of them goes, so the other goes along.
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
      if (program.steps[i].what != verb::repeat) continue;
      const std::size_t end = end_of_repetition(program, i);
      const auto stays = [&](std::size_t at) { return at < first || at >= last; };
      if (!stays(i) || !stays(end)) repetitions.insert({i, end});
    }
    const auto goes = [&](const step& s) {
      if (s.what == verb::add) gone.insert(s.datum);
      if (s.what != verb::partition) return;
      for (const use& part : s.uses) gone.insert(part.datum);
    };
    for (std::size_t i = first; i < last; ++i) goes(program.steps[i]);
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
      if ((i >= first && i < last) || repetitions.contains(i)) continue;
      step s = program.steps[i];
      if (s.group >= 0 && !groups.contains(s.group)) s.group = -1;
      if (s.what == verb::group) groups.insert(s.datum);
      if (s.what == verb::submit && !ahead.contains(s.task)) continue;
      const bool had = !s.uses.empty();
      std::erase_if(s.uses, [&](const use& u) { return gone.contains(u.datum); });
      if (had && s.uses.empty()) continue;
      if (s.what == verb::prepare) ahead.insert(s.task);
      if (is_task(s)) {
        if (s.where == placed::with_owner && gone.contains(s.target)) continue;
      } else if (names_datum(s)) {
        if (gone.contains(s.datum) || (names_target(s) && gone.contains(s.target))) {
          goes(s);
          continue;
        }
      }
      result.steps.push_back(std::move(s));
    }
    return result;
  }

  bool fewer_steps() {
    bool any = false;
    for (std::size_t chunk = std::max<std::size_t>(1, best_.steps.size() / 2); chunk > 0;
         chunk /= 2) {
      for (std::size_t at = 0; at < best_.steps.size();) {
        if (accept(without(best_, at, std::min(at + chunk, best_.steps.size()))))
          any = true;
        else
          at += chunk;
      }
    }
    return any;
  }

  bool fewer_iterations() {
    bool any = false;
    for (std::size_t i = 0; i < best_.steps.size(); ++i) {
      while (best_.steps[i].what == verb::repeat && best_.steps[i].rank > 1) {
        plan candidate = best_;
        --candidate.steps[i].rank;
        const std::size_t before = best_.steps.size();
        if (!accept(std::move(candidate))) break;
        any = true;
        if (best_.steps.size() != before) return true;
      }
    }
    return any;
  }

  bool fewer_ranks() {
    bool any = false;
    while (best_.how.ranks > 1) {
      const int most = best_.how.ranks - 1;
      plan candidate = best_;
      candidate.how.ranks = most;
      const auto fold = [most](int& r) { r = r >= most ? r % most : r; };
      for (datum& d : candidate.data) fold(d.owner);
      for (step& s : candidate.steps) {
        if (s.what != verb::cache && s.what != verb::expect && s.what != verb::repeat) fold(s.rank);
        fold(s.receiver);
        if (is_task(s) && s.where == placed::on_rank) fold(s.target);
        if (s.what == verb::partition)
          std::ranges::for_each(s.ranks, fold);
        else
          std::erase_if(s.ranks, [most](int r) { return r >= most; });
      }
      if (!accept(std::move(candidate))) break;
      any = true;
    }
    return any;
  }

  bool fewer_uses() {
    bool any = false;
    for (std::size_t i = 0; i < best_.steps.size(); ++i) {
      for (std::size_t u = 0; u < best_.steps[i].uses.size();) {
        plan candidate = best_;
        auto& uses = candidate.steps[i].uses;
        uses.erase(uses.begin() + static_cast<std::ptrdiff_t>(u));
        const std::size_t before = best_.steps.size();
        if (accept(std::move(candidate))) {
          any = true;
          if (best_.steps.size() != before) return true;
        } else {
          ++u;
        }
      }
      plan plain = best_;
      step& s = plain.steps[i];
      if (s.pruned || s.typed || s.listed || s.held > 0 || s.group >= 0) {
        s.pruned = s.typed = s.listed = s.among = false;
        s.held = 0;
        s.group = -1;
        any |= accept(std::move(plain));
      }
      if (i >= best_.steps.size() || best_.steps[i].what != verb::prepare) continue;
      plan at_once = best_;  // As one task, where it was submitted.
      const auto later = std::ranges::find_if(at_once.steps, [&](const step& other) {
        return other.what == verb::submit && other.task == best_.steps[i].task;
      });
      if (later == at_once.steps.end()) continue;
      *later = best_.steps[i];
      later->what = verb::task;
      at_once.steps.erase(at_once.steps.begin() + static_cast<std::ptrdiff_t>(i));
      if (accept(std::move(at_once))) return true;
    }
    return any;
  }

  bool fewer_data() {
    bool any = false;
    for (std::size_t d = 0; d < best_.data.size(); ++d) {
      plan candidate = best_;
      datum& it = candidate.data[d];
      if (it.large || it.tag || !it.given || it.is != form::number) {
        it = {.owner = it.owner};
        any |= accept(std::move(candidate));
      }
      for (std::size_t into = 0; into < d && d < best_.data.size(); ++into) {
        plan merged = best_;
        for (step& s : merged.steps) {
          const auto rename = [&](int& x) {
            x = x == static_cast<int>(d) ? static_cast<int>(into) : x;
          };
          if (s.what != verb::add && s.what != verb::end && names_datum(s)) rename(s.datum);
          if (names_target(s)) rename(s.target);
          for (use& u : s.uses) rename(u.datum);
        }
        if (accept(std::move(merged))) any = true;
      }
    }
    return any;
  }

  bool gentler() {
    bool any = false;
    const settings plain;
    const auto change = [&](auto settings::* member) {
      if (best_.how.*member == plain.*member) return;
      plan candidate = best_;
      candidate.how.*member = plain.*member;
      any |= accept(std::move(candidate));
    };
    change(&settings::window);
    change(&settings::frame);
    change(&settings::bulk);
    change(&settings::delay_one_in);
    change(&settings::workers);
    change(&settings::by_time);
    change(&settings::cache);
    change(&settings::budget);
    change(&settings::devices);
    change(&settings::seed);
    return any;
  }

  plan best_;
  const still_fails& fails_;
  int tries_ = 0;
};

}  // namespace

bool fails_apart(world where, const plan& program, std::chrono::seconds patience) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    // The last output is of no interest: the plan is printed.
    [[maybe_unused]] const std::FILE* const quiet = std::freopen("/dev/null", "w", stderr);
    alarm(static_cast<unsigned>(patience.count()));
    std::_Exit(run(where, program).wrong.empty() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status != 0;
}

plan shrink(plan program, const still_fails& fails) {
  return shrinker(std::move(program), fails).shrink();
}

void report_shrunk(world where, const plan& program, std::chrono::seconds patience) {
  const still_fails fails = [&](const plan& candidate) {
    return fails_apart(where, candidate, patience);
  };
  if (!fails(program)) {
    std::cout << "it does not fail a second time\n" << std::flush;
    return;
  }
  const plan small = shrink(program, fails);
  std::cout << "shrunk to\n"
            << to_string(small) << "as a program\n"
            << reproducer(small) << std::flush;
}

}  // namespace oracle
