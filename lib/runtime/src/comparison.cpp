// SPDX-License-Identifier: MIT
#include "comparison.hpp"

#include <deed/base/error_code.hpp>
#include <deed/base/random.hpp>

#include "first_field.hpp"
#include "inquest.hpp"
#include "report.hpp"
#include "submission_log.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace deed::runtime {
namespace {

using std::string;

verdict made(error_code code, string happened, string help) {
  return {static_cast<std::uint16_t>(code), std::move(happened), {}, {}, std::move(help), false};
}

void add(verdict& to, string label, string text) {
  to.labels.push_back(std::move(label));
  to.texts.push_back(std::move(text));
}

bool of_one_round(const std::vector<digest>& all) {
  return all.front().round != submission_log::latest &&
         std::ranges::all_of(all,
                             [&](const digest& each) { return each.round == all.front().round; });
}

bool same_calls(const std::vector<digest>& all) {
  return std::ranges::all_of(all,
                             [&](const digest& each) { return each.kind == all.front().kind; });
}

std::uint64_t steps_of(const digest& one) { return one.first_step + one.steps.size(); }

std::optional<difference> steps_differ(const std::vector<digest>& all) {
  std::uint64_t first = 0, last = ~std::uint64_t{0};
  for (const digest& each : all) {
    first = std::max(first, each.first_step);
    last = std::min(last, steps_of(each));
  }
  const auto found = [&](std::uint64_t index, std::size_t other) {
    inquiry question;
    question.what = static_cast<std::uint8_t>(inquiry::about::step);
    question.index = index;
    return difference{question, 0, static_cast<int>(other)};
  };
  const auto hash = [&](std::size_t rank, std::uint64_t index) {
    return all[rank].steps[static_cast<std::size_t>(index - all[rank].first_step)];
  };
  // A prefix once different stays so: the first that differs is found by halving.
  for (std::size_t other = 1; other < all.size() && first < last; ++other) {
    if (hash(0, last - 1) == hash(other, last - 1)) continue;
    std::uint64_t low = first, high = last - 1;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      hash(0, middle) == hash(other, middle) ? low = middle + 1 : high = middle;
    }
    return found(low, other);
  }
  if (!of_one_round(all) || !same_calls(all)) return std::nullopt;
  for (std::size_t other = 1; other < all.size(); ++other) {
    if (steps_of(all[0]) != steps_of(all[other])) return found(last, other);
  }
  return std::nullopt;
}

std::optional<difference> dealings_differ(const std::vector<digest>& all) {
  const auto with = [&](const digest& one, std::size_t peer) {
    const auto at = std::ranges::find(one.dealings, peer, &dealings_told::peer);
    return at == one.dealings.end() ? dealings_told{} : *at;
  };
  for (std::size_t one = 0; one < all.size(); ++one) {
    for (std::size_t two = one + 1; two < all.size(); ++two) {
      const dealings_told here = with(all[one], two), there = with(all[two], one);
      if (here.count == there.count && here.sum == there.sum) continue;
      inquiry question;
      question.what = static_cast<std::uint8_t>(inquiry::about::dealings);
      question.round = all.front().round;
      return difference{question, static_cast<int>(one), static_cast<int>(two)};
    }
  }
  return std::nullopt;
}

/// Whoever knows most of a transfer that does not fit. Null: nobody knows of one.
const digest* who_received_badly(const std::vector<digest>& all) {
  const auto knows = [](const digest& each) {
    return each.broken.code == 0 ? 0 : each.broken.received ? 1000 : 1 + each.broken.facts.size();
  };
  const auto most = std::ranges::max_element(all, {}, knows);
  return most->broken.code == 0 ? nullptr : &*most;
}

bool of_messages(const misfit& broken) {
  const auto code = static_cast<error_code>(broken.code);
  return code == error_code::message_sizes_differ || code == error_code::message_types_differ;
}

/// "`wait()` at x.cpp:7", as far as it is known.
string place_of(const digest& one) {
  if (one.call.empty()) return "now";
  return one.call + (one.where.empty() ? "" : " at " + one.where);
}

bool registers(const told_step& step) {
  return step.there && step.is == static_cast<std::uint8_t>(common_step::kind::registration);
}

string described(const told_step& step, std::string_view call) {
  if (!step.there) return "takes no such step before " + string(call);
  const string to = step.rank < 0 ? "every rank" : rank_label(step.rank);
  const string at = ", at " + step.where;
  switch (static_cast<common_step::kind>(step.is)) {
    case common_step::kind::registration:
      return "registers " + quoted(step.name) + ", " +
             (step.rank < 0 ? string("per rank") : "owner " + std::to_string(step.rank)) +
             ", tag " + std::to_string(step.tag) + ", " + quoted(step.type) + step.shape + at;
    case common_step::kind::fetch:
      return "fetches " + quoted(step.name) + " to " + to + at;
    case common_step::kind::migration:
      return "migrates " + quoted(step.name) + " to " + to + at;
    case common_step::kind::flush:
      return (step.name.empty() ? string("flushes all data") : "flushes " + quoted(step.name)) + at;
    case common_step::kind::wait:
      return "waits" + at;
    case common_step::kind::cache:
      return string("turns the cache ") + (step.rank != 0 ? "on" : "off") + at;
    case common_step::kind::replication:
      return "inserts " + quoted(step.name) + " on each of " +
             counted(static_cast<std::uint64_t>(step.rank), "rank") + at;
    case common_step::kind::list:
      return "passes " + (step.tag == 1 ? "1 datum" : std::to_string(step.tag) + " data") +
             " to `" + step.name + "`, root rank " + std::to_string(step.rank) + at;
    case common_step::kind::checkpoint:
      return "writes a checkpoint of epoch " + std::to_string(step.tag) + at;
    case common_step::kind::resume:
      return "resumes" + at;
    case common_step::kind::preference:
      return "prefers " + to + " as the source of " + quoted(step.name) + at;
    case common_step::kind::readers:
      return "expects " + counted(static_cast<std::uint64_t>(step.rank), "reader") + " of " +
             quoted(step.name) + at;
  }
  return "";
}

/// The code of a step that one of two ranks does not take there, and what to call it.
std::pair<error_code, string> missing_step(const told_step& step) {
  switch (static_cast<common_step::kind>(step.is)) {
    case common_step::kind::migration:
      return {error_code::migration_differs, "migration of " + quoted(step.name)};
    case common_step::kind::flush:
      return {error_code::flush_differs, "flush"};
    case common_step::kind::cache:
      return {error_code::step_not_reached, "switch of the cache"};
    case common_step::kind::wait:
      return {error_code::step_not_reached, "`wait()`"};
    case common_step::kind::replication:
      return {error_code::step_not_reached, "task " + quoted(step.name) + " (`on_each`)"};
    case common_step::kind::list:
      return {error_code::step_not_reached, "`" + step.name + "`"};
    case common_step::kind::preference:
      return {error_code::step_not_reached, "preferred source of " + quoted(step.name)};
    case common_step::kind::readers:
      return {error_code::step_not_reached, "`expect_readers` of " + quoted(step.name)};
    case common_step::kind::checkpoint:
      return {error_code::step_not_reached, "`checkpoint()`"};
    case common_step::kind::resume:
      return {error_code::step_not_reached, "`resume()`"};
    default:
      return {error_code::step_not_reached, "fetch of " + quoted(step.name)};
  }
}

/// Of two steps of one kind with one name.
string what_differs(const told_step& step) {
  switch (static_cast<common_step::kind>(step.is)) {
    case common_step::kind::cache:
      return "whether copies are kept";
    case common_step::kind::replication:
      return "on the data of " + quoted(step.name) + ", or on who runs it";
    case common_step::kind::preference:
      return "on the source of " + quoted(step.name);
    case common_step::kind::readers:
      return "on how many read " + quoted(step.name);
    case common_step::kind::checkpoint:
      return "on the epoch of a checkpoint";
    default:
      return "to whom " + quoted(step.name) + " goes";
  }
}

/// Whether its tag is that of a datum.
bool of_a_datum(const told_step& step) {
  using enum common_step::kind;
  const auto is = static_cast<common_step::kind>(step.is);
  return is == registration || is == migration || is == fetch || is == preference ||
         is == readers || (is == flush && !step.name.empty());
}

string left_after(const digest& one) { return "has left the program, after " + one.last; }

verdict leaves_before(const string& call) {
  return made(error_code::rank_leaves_early, "some ranks leave before " + call,
              "agree first: `if (session.any(failed)) return;`");
}

bool waits(const told_step& step) {
  return step.there && step.is == static_cast<std::uint8_t>(common_step::kind::wait);
}

bool ends_where_the_other_waits(const std::vector<digest>& all, const difference& found,
                                const told_step& one, const told_step& two) {
  const auto ends = [&](const told_step& step, int rank) {
    return !step.there && all[static_cast<std::size_t>(rank)].call == leaving_call;
  };
  return (waits(one) && ends(two, found.two)) || (waits(two) && ends(one, found.one));
}

bool lists(const told_step& step) {
  return step.is == static_cast<std::uint8_t>(common_step::kind::list);
}

verdict lists_differ(const told_step& one, const told_step& two) {
  if (one.name != two.name) {
    return made(error_code::collectives_differ, "ranks call different collectives",
                "make the same call on every rank");
  }
  if (one.rank != two.rank) {
    return made(error_code::roots_differ, "ranks disagree on the root of `" + one.name + "`",
                "name one root on all ranks");
  }
  return made(error_code::list_lengths_differ,
              "ranks pass lists of different length to `" + one.name + "`",
              "pass the whole list on every rank");
}

/// Of two matrices that are alike but for their owners: the first tile that differs in it.
void narrow_to_a_tile(told_step& one, told_step& two) {
  if (!registers(one) || !registers(two) || one.tag != two.tag || one.type != two.type ||
      one.shape != two.shape || one.owners.size() != two.owners.size())
    return;
  const auto at = std::ranges::mismatch(one.owners, two.owners).in1;
  if (at == one.owners.end()) return;
  const auto k = static_cast<std::size_t>(at - one.owners.begin());
  for (told_step* const each : {&one, &two}) {
    each->name = label_of(each->name, static_cast<int>(k / each->tile_cols),
                          static_cast<int>(k % each->tile_cols));
    each->rank = each->owners[k];
    each->tag += k;
  }
}

verdict explain_step(const std::vector<digest>& all, const difference& found,
                     const told_step& first, const told_step& second) {
  verdict result;
  // Who already waits lacks what the other does before that.
  told_step one = waits(first) && second.there && !waits(second) ? told_step{} : first;
  told_step two = waits(second) && first.there && !waits(first) ? told_step{} : second;
  narrow_to_a_tile(one, two);
  const string number = "#" + std::to_string(found.question.index);
  const string& name = one.there ? one.name : two.name;
  const bool both = one.there && two.there;
  const bool registrations = registers(one) && registers(two);
  if (registrations && one.tag == two.tag && one.rank == two.rank && one.type != two.type) {
    result = made(error_code::types_differ,
                  "element types differ for " + quoted(name) + ", tag " + std::to_string(one.tag),
                  "use one alias for both");
  } else if (registrations && one.tag == two.tag && one.rank == two.rank &&
             one.shape != two.shape) {
    result = made(error_code::sizes_differ, "ranks disagree on the size of " + quoted(name),
                  "compute extents from values that are equal on all ranks");
  } else if (registrations && one.tag == two.tag && one.type == two.type &&
             one.shape == two.shape) {
    result = made(error_code::owners_differ, "ranks disagree on the owner of " + quoted(name),
                  "compute the owner alike on all ranks; for one private copy on every rank, use "
                  "`deed::per_rank`");
  } else if (one.goes_on != two.goes_on) {
    const string& longer = one.goes_on.empty() ? two.goes_on : one.goes_on;
    result = made(error_code::sizes_differ, "ranks disagree on the size of " + quoted(longer),
                  "compute extents from values that are equal on all ranks");
  } else if (registers(one) || registers(two)) {
    result = made(error_code::registrations_differ, "ranks disagree on registration " + number,
                  "register on every rank, in the same order: only the owner builds the value");
  } else if (both && one.is == two.is && lists(one)) {
    result = lists_differ(one, two);
  } else if (both && one.is == two.is && one.values != two.values) {
    result =
        made(error_code::argument_differs, "a value of " + quoted(name) + " differs between ranks",
             "compute it in the codelet, or make it a datum");
    add(result, "differs", first_value(one, found.one, two, found.two));
  } else if (both && one.is == two.is && one.name == two.name) {
    result = made(error_code::step_not_reached, "ranks do not agree " + what_differs(one),
                  "compute it alike on all ranks");
  } else if (ends_where_the_other_waits(all, found, one, two)) {
    result = leaves_before("`wait()`");
  } else {
    const auto [code, what] = missing_step(one.there ? one : two);
    result =
        made(code, what + " on some ranks only",
             "make the same call on every rank: look for a condition that depends on the rank");
  }
  const told_step& blamed = one.there ? one : two;
  if (of_a_datum(blamed)) result.tag = blamed.tag;
  const auto says = [&](int rank, const told_step& step, const told_step& its_own) {
    const digest& from = all[static_cast<std::size_t>(rank)];
    const string until = waits(its_own) ? "`wait()` at " + its_own.where : place_of(from);
    const bool has_left = !its_own.there && from.call == leaving_call;
    add(result, rank_label(rank), has_left ? left_after(from) : described(step, until));
  };
  says(found.one, one, first);
  says(found.two, two, second);
  return result;
}

string described(const told_dealing& one) {
  string text = one.codelet.empty() ? string("fetches ") : quoted(one.codelet) + " on ";
  text += one.datum + " version " + std::to_string(one.version);
  if (!one.codelet.empty())
    text += ", run by rank " + std::to_string(one.executor) + ", insertion #" +
            std::to_string(one.number);
  return text + ", at " + one.where;
}

/// The first dealing of `here` that differs, and whether what the other has there comes later here.
struct comparison {
  const told_dealing* here = nullptr;
  const told_dealing* there = nullptr;
  bool here_comes_later_there = false, there_comes_later_here = false;
  bool known_there = false, known_here = false;  // The same submission, however often.
};

comparison compare(const std::vector<told_dealing>& here, const std::vector<told_dealing>& there) {
  comparison result;
  std::size_t i = 0, j = 0;
  if (!here.empty() && !there.empty()) {
    const std::uint32_t first = std::max(here.front().index, there.front().index);
    while (i < here.size() && here[i].index < first) ++i;
    while (j < there.size() && there[j].index < first) ++j;
  }
  while (i < here.size() && j < there.size() && here[i].signature == there[j].signature &&
         here[i].transfers == there[j].transfers) {
    ++i;
    ++j;
  }
  if (i < here.size()) result.here = &here[i];
  if (j < there.size()) result.there = &there[j];
  const auto among = [](const std::vector<told_dealing>& all, std::size_t from,
                        const told_dealing* wanted) {
    return wanted != nullptr &&
           std::any_of(
               all.begin() + static_cast<std::ptrdiff_t>(std::min(from, all.size())), all.end(),
               [&](const told_dealing& each) { return each.signature == wanted->signature; });
  };
  result.here_comes_later_there = among(there, j, result.here);
  result.there_comes_later_here = among(here, i, result.there);
  result.known_there = among(there, 0, result.here);
  result.known_here = among(here, 0, result.there);
  return result;
}

verdict explain_dealings(const std::vector<digest>& all, const difference& found,
                         const reply& told_by_one, const reply& told_by_two) {
  const std::vector<told_dealing>&one = told_by_one.dealings, &two = told_by_two.dealings;
  const comparison differ = compare(one, two);
  const told_dealing* const here = differ.here;
  const told_dealing* const there = differ.there;
  const auto until = [&](int rank) {
    return "submits nothing more that concerns both before " +
           place_of(all[static_cast<std::size_t>(rank)]);
  };
  const auto both = [&](verdict result) {
    if (const told_dealing* const blamed = here != nullptr ? here : there) result.tag = blamed->tag;
    add(result, rank_label(found.one), here != nullptr ? described(*here) : until(found.one));
    add(result, rank_label(found.two), there != nullptr ? described(*there) : until(found.two));
    if (found.two < found.one) {  // Whoever found it out, a report reads alike.
      std::swap(result.labels[0], result.labels[1]);
      std::swap(result.texts[0], result.texts[1]);
    }
    if (here != nullptr && there != nullptr) {
      const string field = first_field(*here, found.one, *there, found.two);
      if (!field.empty()) add(result, "differs", field);
    }
    return result;
  };
  if (here == nullptr && there == nullptr) {
    return both(made(error_code::order_differs,
                     "ranks " + std::to_string(found.one) + " and " + std::to_string(found.two) +
                         " submit different programs, from before what they still know",
                     "call `barrier()` more often while you look for the place"));
  }
  if (here != nullptr && there != nullptr && here->signature == there->signature) {
    // Who does not know the version has other holders in mind, and takes one of them for the
    // sender.
    if (here->passes_on != there->passes_on && here->version == there->version) {
      const int forgotten = std::max(here->passes_on, there->passes_on);
      return both(
          made(error_code::guard_forgets,
               "a guard forgets " + rank_label(forgotten) + ", which passes " + here->datum + " on",
               string(ask_the_ledger)));
    }
    const bool first_is_behind = here->version < there->version;
    const int behind = first_is_behind ? found.one : found.two;
    const told_dealing& knows = first_is_behind ? *there : *here;
    verdict result =
        both(made(error_code::guard_forgets, "a guard forgets " + knows.datum,
                  "let " + rank_label(behind) +
                      " know of the write: insert it there, too, or ask `session.relevant(…)`"));
    add(result, "last write",
        "known to " + rank_label(first_is_behind ? found.two : found.one) + ": " +
            knows.last_write);
    return result;
  }
  if (here != nullptr && there != nullptr && here->codelet == there->codelet &&
      here->tag == there->tag && here->executor != there->executor) {
    return both(made(error_code::placement_differs,
                     "placement of " + quoted(here->codelet) + " differs between ranks",
                     "compute it from values that are equal on all ranks"));
  }
  const bool swapped = differ.here_comes_later_there && differ.there_comes_later_here;
  if (swapped && here->codelet == there->codelet && here->where == there->where) {
    return both(made(error_code::iteration_order_differs,
                     "a loop goes through its data in another order on each rank",
                     "keep them in a `std::vector`, or in a `std::map` keyed by name"));
  }
  if (swapped) {
    return both(made(error_code::order_differs, "ranks submit in different order",
                     "submit in the same order on every rank"));
  }
  const bool elsewhere = differ.here_comes_later_there || differ.there_comes_later_here;
  if (here != nullptr && there != nullptr && !elsewhere && here->codelet == there->codelet &&
      !first_field(*here, found.one, *there, found.two).empty()) {
    return both(made(error_code::order_differs,
                     "ranks submit task " + quoted(here->codelet) + " differently",
                     "write the call once, for all ranks"));
  }
  // One of the two has something that the other lacks.
  const bool first_has_more = here != nullptr && !differ.here_comes_later_there;
  const told_dealing& more = first_has_more ? *here : *there;
  const int lacks = first_has_more ? found.two : found.one;
  if (first_has_more ? differ.known_there : differ.known_here) {
    return both(made(error_code::task_counts_differ, "ranks submit different numbers of tasks",
                     "let every rank go round the loop equally often: decide by a value that all "
                     "ranks see"));
  }
  const auto& alone = first_has_more ? told_by_two.alone : told_by_one.alone;
  if (const told_dealing* const twin = placed_elsewhere(more, alone)) {
    verdict result = made(error_code::placement_differs,
                          "placement of " + quoted(more.codelet) + " differs between ranks",
                          "compute it from values that are equal on all ranks");
    add(result, rank_label(first_has_more ? found.one : found.two), described(more));
    add(result, rank_label(lacks), described(*twin));
    return result;
  }
  const string what = more.codelet.empty() ? string("a fetch") : "task " + quoted(more.codelet);
  return both(made(error_code::rank_must_take_part,
                   rank_label(lacks) + " must take part in " + what,
                   "submit it on " + rank_label(lacks) +
                       ", too, placed alike: every rank that takes part in a task inserts it"));
}

verdict explain_misfit(const digest& from, int rank, const reply* sender) {
  const misfit& broken = from.broken;
  verdict result = made(static_cast<error_code>(broken.code), broken.happened, broken.help);
  result.tag = broken.datum_tag;
  if (!broken.received) {
    for (const auto& [label, text] : broken.facts) add(result, label, text);
    return result;
  }
  const auto code = static_cast<error_code>(broken.code);
  const bool types = code == error_code::types_differ || code == error_code::message_types_differ;
  string sent = types ? "sends" : "sends " + broken.sent + ",";
  if (sender != nullptr && sender->message.there) {
    const told_message& told = sender->message;
    sent += " " + quoted(told.type) + ", " + told.datum + ", at " + told.where;
    if (types) {
      result.happened = "message types differ: " + quoted(told.type) + " sent, " +
                        quoted(broken.type) + " awaited";
    }
  } else {
    sent += " it";
  }
  if (code == error_code::message_sizes_differ) {
    result.happened =
        "message sizes differ: " + broken.sent + " sent, " + broken.wanted + " awaited";
  }
  add(result, rank_label(broken.peer), std::move(sent));
  add(result, rank_label(rank),
      (types ? string("receives ") : "receives " + broken.wanted + ", ") + quoted(broken.type) +
          ", " + broken.datum + ", at " + broken.where);
  add(result, broken.message ? "message tag" : "tag", std::to_string(broken.tag));
  return result;
}

verdict explain_insertions(const std::vector<digest>& all, const difference& found,
                           const reply& runner, const reply& other) {
  std::vector<rank_insertions> known(all.size());
  for (std::size_t rank = 0; rank < known.size(); ++rank) known[rank].rank = static_cast<int>(rank);
  known[static_cast<std::size_t>(found.one)].uses = runner.insertions;
  known[static_cast<std::size_t>(found.two)].uses = other.insertions;
  if (auto exact = task_that_nobody_runs(known)) return *exact;
  const misfit& broken = all[static_cast<std::size_t>(found.one)].broken;
  verdict result = made(static_cast<error_code>(broken.code), broken.happened, broken.help);
  const auto newest = [](const reply& of) {
    return of.newest.empty() ? "" : ", the newest at " + of.newest;
  };
  add(result, broken.facts.at(0).label, broken.facts.at(0).text + newest(other));
  add(result, broken.facts.at(1).label, broken.facts.at(1).text + newest(runner));
  return result;
}

}  // namespace

misfit inserted_in_vain(int by, std::uint64_t count, int runner, std::uint64_t count_there) {
  misfit result;
  result.code = static_cast<std::uint16_t>(error_code::rank_must_take_part);
  result.peer = by;
  const string there = rank_label(runner);
  result.happened = there + " must take part in a task that it has to run";
  result.facts = {{rank_label(by), "inserted " + counted(count, "task") + " for " + there},
                  {there, "inserted " + std::to_string(count_there) + " of them"}};
  result.help = "insert it on " + there +
                ", too: no `if (rank == …)` around it, but `session.relevant(…)`; "
                "`--deed-checks=global` names the line";
  return result;
}

void alarm::ring(misfit what) {
  keep(std::move(what));
  rung_.store(true, std::memory_order_release);
}

void alarm::keep(misfit what) {
  const std::lock_guard lock(mutex_);
  if (what.code != 0 && (broken_.code == 0 || (what.received && !broken_.received)))
    broken_ = std::move(what);
}

std::optional<verdict> calls_differ(const std::vector<digest>& all) {
  if (!of_one_round(all) || same_calls(all)) return std::nullopt;
  // The call that fewest ranks make is told from the others, and one that ends the session first.
  const auto other =
      std::ranges::find_if(all, [&](const digest& each) { return each.kind != all.front().kind; });
  const digest& here = all.front();
  const bool ends = here.call == leaving_call || other->call == leaving_call;
  const string call = here.call == leaving_call ? other->call : here.call;
  verdict result =
      ends
          ? leaves_before(call)
          : made(error_code::step_not_reached, "not every rank reaches " + call,
                 "make the same call on every rank: look for a condition that depends on the rank");
  constexpr std::size_t shown = 8;
  for (std::size_t rank = 0; rank < all.size() && result.labels.size() < shown; ++rank) {
    const digest& at = all[rank];
    const bool first_of_its_kind = std::ranges::none_of(
        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(rank),
        [&](const digest& before) { return before.kind == at.kind && before.where == at.where; });
    if (!first_of_its_kind) continue;
    const auto alike = std::ranges::count_if(
        all, [&](const digest& each) { return each.kind == at.kind && each.where == at.where; });
    string text = at.call == leaving_call ? left_after(at) : "stands in " + place_of(at);
    if (alike > 1)
      text += (alike == 2 ? ", as does " : ", as do ") +
              counted(static_cast<std::uint64_t>(alike - 1), "other");
    add(result, rank_label(static_cast<int>(rank)), std::move(text));
  }
  return result;
}

std::optional<difference> first_difference(const std::vector<digest>& all) {
  if (auto found = steps_differ(all)) return found;
  if (of_one_round(all)) return same_calls(all) ? dealings_differ(all) : std::nullopt;
  const digest* const who = who_received_badly(all);
  if (who == nullptr) return std::nullopt;
  // Of a collective: no one line sent it.
  if (!who->broken.received && of_messages(who->broken)) return std::nullopt;
  inquiry question;
  if (static_cast<error_code>(who->broken.code) == error_code::rank_must_take_part) {
    question.what = static_cast<std::uint8_t>(inquiry::about::insertions);
    question.index = static_cast<std::uint64_t>(who - all.data());
    return difference{question, static_cast<int>(who - all.data()), who->broken.peer};
  }
  question.what = static_cast<std::uint8_t>(who->broken.message ? inquiry::about::message
                                                                : inquiry::about::dealings);
  question.round = submission_log::latest;
  question.tag = who->broken.tag;
  question.channel = who->broken.channel;
  question.type_hash = who->broken.type_hash;
  question.bytes = who->broken.bytes;
  return difference{question, static_cast<int>(who - all.data()), who->broken.peer};
}

verdict explain(const std::vector<digest>& all, const difference& found, const reply& one,
                const reply& two) {
  switch (static_cast<inquiry::about>(found.question.what)) {
    case inquiry::about::step:
      return explain_step(all, found, one.step, two.step);
    case inquiry::about::dealings: {
      const digest& who = all[static_cast<std::size_t>(found.one)];
      const comparison differ = compare(one.dealings, two.dealings);
      // Where no round bounds them, one may just not have come so far yet.
      const bool known = differ.here != nullptr && differ.there != nullptr;
      if (who.broken.code != 0 && !known) return explain_misfit(who, found.one, nullptr);
      return explain_dealings(all, found, one, two);
    }
    case inquiry::about::insertions:
      return explain_insertions(all, found, one, two);
    case inquiry::about::message:
      return explain_misfit(all[static_cast<std::size_t>(found.one)], found.one, &two);
  }
  return unexplained(all);
}

verdict unexplained(const std::vector<digest>& all) {
  if (const digest* const who = who_received_badly(all))
    return explain_misfit(*who, static_cast<int>(who - all.data()), nullptr);
  verdict result = made(error_code::order_differs, "ranks submit different programs",
                        "call `barrier()` more often while you look for the place");
  for (std::size_t rank = 0; rank < all.size() && rank < 8; ++rank)
    add(result, rank_label(static_cast<int>(rank)), "last " + all[rank].last);
  return result;
}

}  // namespace deed::runtime
