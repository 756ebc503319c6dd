// SPDX-License-Identifier: MIT
#include "flow/walks.hpp"

#include <algorithm>

namespace deed::check {
namespace {

/// Whether a path is an iterator's element: `cell`, `entry.second`, the name for a part of a pair.
bool is_element(const path& p) {
  const auto& parts = p.parts;
  if (parts.empty() || parts[0].what != part::kind::element || parts[0].name != "*") return false;
  return parts.size() == 1 ||
         (parts.size() == 2 && (parts[1].what == part::kind::element || parts[1].name == "second"));
}

/// The container that `cells[0]` is an element of; empty of what is none.
std::string container_of(const path& element) {
  if (element.parts.empty() || element.parts.back().what != part::kind::index) return {};
  path container = element;
  container.parts.pop_back();
  return key(container);
}

bool asks_for(const value_ref& v, const std::string& variable) {
  return v && (key(v->where) == variable || std::ranges::any_of(v->arguments, [&](const auto& one) {
                 return asks_for(one, variable);
               }));
}

}  // namespace

void begin_walk(const event& e, state& now) {
  const value* const from = e.result_value.get();
  if (!from || !asks_for_length(*from) || !from->text.ends_with("begin")) return;
  fact f;
  f.what = about::walks;
  f.subject = key(e.object);
  f.subject_path = e.object;
  f.other = key(from->arguments[0]->where);
  f.other_path = from->arguments[0]->where;
  f.because = &e;
  now.remove(about::walks, f.subject);
  if (!f.subject.empty() && !f.other.empty()) now.add(std::move(f));
}

void visit(const event& e, const operand& token, state& now) {
  const path iterator{token.where.root, {}};
  if (!is_element(token.where) || !now.find(about::walks, key(iterator))) return;
  fact f;
  f.what = about::visited;
  f.subject = key(iterator);
  f.subject_path = iterator;
  f.other_path = token.where;
  f.because = &e;
  f.access = token.access;
  now.add(std::move(f));
}

void end_walk(const value_ref& condition, state& now) {
  std::vector<fact> all;
  for (const fact* visited : now.all(about::visited)) {
    if (visited->certain && asks_for(condition, visited->subject)) all.push_back(*visited);
  }
  for (const fact& visited : all) {
    const fact* const walks = now.find(about::walks, visited.subject);
    std::vector<fact> lent;
    for (const fact* b : now.all(about::borrowed)) {
      const bool conflict = writes(b->access) || writes(visited.access);
      if (walks && conflict && container_of(b->other_path) == walks->other) lent.push_back(*b);
    }
    for (const fact& b : lent) wait_for_end(b, visited.other_path, *visited.because, now);
    now.remove(about::visited, visited.subject);
  }
}

void wait_for_end(const fact& borrow, const path& datum, const event& task, state& now) {
  constexpr std::size_t most = 4;
  if (now.all(about::blocked, borrow.subject).size() >= most) return;
  fact waits;
  waits.what = about::blocked;
  waits.subject = borrow.subject;
  waits.subject_path = borrow.subject_path;
  waits.other = borrow.other;
  waits.other_path = datum;
  waits.because = &task;
  now.add(std::move(waits));
}

}  // namespace deed::check
