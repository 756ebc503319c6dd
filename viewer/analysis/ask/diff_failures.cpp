// SPDX-License-Identifier: MIT
#include "analysis/ask/diff_failures.hpp"

#include "analysis/ask/describe.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace deed::viewer {
namespace {

constexpr std::uint8_t threw = 1;

/// "gemm#5 on rank 1, which writes A[3,2] v4".
std::string say_task(const model& of, std::uint32_t index) {
  const std::string written = written_by(of, of.tasks()[index]);
  return of.task_on_rank(index) + (written.empty() ? "" : ", which writes " + written);
}

std::string say_why(const model& of, const failure& each) {
  return each.event == none ? "its body threw" : say_event(of, of.events().events()[each.event]);
}

/// What is the same of it in another run: neither its time nor the numbers in its text.
using sort_of_failure = std::tuple<record, std::uint64_t, int, std::string>;

sort_of_failure sort_of(const model& of, const failure& each) {
  const std::string task =
      each.task == none ? std::string{} : written_by(of, of.tasks()[each.task]);
  if (each.event == none) return {record::task_end, threw, of.tasks()[each.task].rank, task};
  const run& r = of.events();
  const event e = r.events()[each.event];
  return {e.what, r.get(e, e.what == record::error ? field::code : field::signo), r.rank_of(e),
          task};
}

std::vector<sort_of_failure> sorts_of(const model& of, const failures& failed) {
  std::vector<sort_of_failure> found;
  for (const failure& each : failed.all()) found.push_back(sort_of(of, each));
  std::ranges::sort(found);
  return found;
}

/// Those that failed first.
template <class Is>
std::vector<std::uint32_t> tasks_that(const model& of, const failures& failed, Is is) {
  std::vector<std::uint32_t> tasks;
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i)
    if (is(i)) tasks.push_back(i);
  std::ranges::sort(tasks, {}, [&](std::uint32_t i) {
    const task& t = of.tasks()[i];
    return std::tuple<bool, std::uint64_t, int>(failed.in_task(i) == nullptr, t.number, t.rank);
  });
  return tasks;
}

}  // namespace

failures::failures(const model& of, const run_part& part) {
  for (const std::uint32_t index : of.failures())
    if (const event e = of.events().events()[index]; part.has(of, e))
      add({index, task_that_failed(of, e)});
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i)
    if (of.tasks()[i].status == threw && part.has_task(of, i) && in_task(i) == nullptr)
      add({none, i});
}

void failures::add(failure each) {
  of_tasks_.try_emplace(each.task, all_.size());
  all_.push_back(each);
}

const failure* failures::in_task(std::uint32_t task) const {
  const auto at = of_tasks_.find(task);
  return at == of_tasks_.end() ? nullptr : &all_[at->second];
}

std::uint32_t failures::first_thrown(const model& of) const {
  const event_list& events = of.events().events();
  std::uint32_t found = none;
  std::int64_t time = std::numeric_limits<std::int64_t>::max();
  for (const failure& each : all_) {
    const std::int64_t when =
        each.event == none ? of.tasks()[each.task].end : events.time(each.event);
    if (when >= time) continue;
    found = each.event == none ? each.task : none;
    time = when;
  }
  return found;
}

std::string say_failed(const char* which, const model& of, const failures& failed, bool with_time) {
  if (failed.all().empty()) return {};
  const failure& first = failed.all().front();
  std::string text = "the " + std::string(which) + " run failed";
  if (with_time)
    text += " at " + say_time(first.event == none ? of.tasks()[first.task].end
                                                  : of.events().events()[first.event].time);
  if (first.task != none) text += ", in " + say_task(of, first.task);
  text += ": " + say_why(of, first);
  if (failed.all().size() > 1)
    text += "; and " + say_some(failed.all().size() - 1, "failure") + " more";
  return text;
}

bool failed_alike(const model& a, const failures& of_a, const model& b, const failures& of_b) {
  return sorts_of(a, of_a) == sorts_of(b, of_b);
}

std::string how_it_ended(const model& of, std::uint32_t task, const failures& failed) {
  if (const failure* const mine = failed.in_task(task)) return say_why(of, *mine);
  const auto& t = of.tasks()[task];
  if (t.status != 0) return t.status == threw ? "its body threw" : "cancelled";
  return t.end != never ? "ended" : t.begin != never ? "not ended" : "not begun";
}

std::vector<std::uint32_t> only_in_a(const model& a, const same_tasks& same,
                                     const failures& failed) {
  return tasks_that(a, failed,
                    [&](std::uint32_t i) { return same.has_a(i) && same.in_b(i) == none; });
}

std::vector<std::uint32_t> only_in_b(const model& b, const same_tasks& same,
                                     const failures& failed) {
  return tasks_that(b, failed,
                    [&](std::uint32_t i) { return same.has_b(i) && same.in_a(i) == none; });
}

std::string say_alone(const char* which, const model& of, const std::vector<std::uint32_t>& tasks) {
  if (tasks.empty()) return {};
  return "in the " + std::string(which) + " run only: " + say_task(of, tasks.front()) +
         (tasks.size() == 1 ? "" : ", and " + say_some(tasks.size() - 1, "task") + " more");
}

void add_alone(table& into, const char* which, const model& of,
               const std::vector<std::uint32_t>& tasks, const failures& failed) {
  constexpr std::size_t most = 100;
  for (std::size_t n = 0; n < std::min(most, tasks.size()); ++n) {
    const task& t = of.tasks()[tasks[n]];
    into.rows.push_back({which, of.task_label(tasks[n]), std::to_string(t.rank), written_by(of, t),
                         how_it_ended(of, tasks[n], failed)});
  }
  if (tasks.size() > most)
    into.rows.push_back(
        {which, "and " + say_some(tasks.size() - most, "task") + " more", "", "", ""});
}

}  // namespace deed::viewer
