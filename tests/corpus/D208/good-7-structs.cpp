// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet set{"set", [](double& x) { x = 1; }};
struct cell {
  deed::handle<double> now, next;
};
// Lists of objects with handles that are filled: each by a function, by a loop, by number, by the
// other member, or before they are put there.
void fill(deed::session& session, cell& c) { session.insert_task(set, deed::write(c.now)); }
void fill_all(deed::session& session, std::vector<cell>& cells) {
  for (auto& c : cells) session.insert_task(set, deed::write(c.now));
}
void look(deed::session& session, std::vector<cell>& cells) {
  for (auto& c : cells) session.insert_task(show, deed::read(c.now));
}
std::vector<cell> make(deed::session& session) {
  std::vector<cell> cells;
  for (int i = 0; i < 4; ++i)
    cells.push_back({session.register_data<double>(deed::owner{0}, deed::uninitialised),
                     session.register_data<double>(deed::owner{0}, deed::uninitialised)});
  return cells;
}
constexpr deed::codelet follow{"follow", [](double& next, const double& now) { next = now + 1; }};
void program(deed::session& session) {
  auto a = make(session), b = make(session), c = make(session), d = make(session),
       e = make(session);
  for (auto& one : a) fill(session, one);
  look(session, a);
  fill_all(session, b);
  look(session, b);
  for (std::size_t i = 0; i < c.size(); ++i) session.insert_task(set, deed::write(c[i].now));
  look(session, c);
  for (auto& one : d) session.insert_task(set, deed::write(one.next));
  for (auto& one : d) session.insert_task(follow, deed::write(one.now), deed::read(one.next));
  look(session, d);
  for (auto& one : e) session.insert_task(set, deed::write(one.next));
  for (auto& one : e) std::swap(one.now, one.next);
  look(session, e);
  std::vector<cell> f;
  for (int i = 0; i < 4; ++i) {
    cell one{session.register_data<double>(deed::owner{0}, deed::uninitialised),
             session.register_data(deed::owner{0}, 1.0)};
    session.insert_task(set, deed::write(one.now));
    f.push_back(std::move(one));
  }
  look(session, f);
  std::vector<cell> g;
  for (int i = 0; i < 4; ++i) {
    g.push_back({session.register_data<double>(deed::owner{0}, deed::uninitialised),
                 session.register_data(deed::owner{0}, 1.0)});
  }
  for (auto& one : g) session.insert_task(show, deed::read(one.next));
  session.wait();
}
