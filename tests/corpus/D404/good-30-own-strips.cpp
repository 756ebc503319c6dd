// SPDX-License-Identifier: MIT
#include "common.hpp"

struct lattice {
  explicit lattice(deed::session& session);
  std::vector<deed::handle<double>> strips;
  deed::handle<double> own, total;
};

lattice::lattice(deed::session& session)
    : own(session.register_data(deed::per_rank, 0.0, {.name = "own"})),
      total(session.register_data(deed::per_rank, 0.0, {.name = "total"})) {
  for (int i = 0; i < 7; ++i)
    strips.push_back(session.register_data(deed::owner{i % session.size()}, 1.0));
}

void update(deed::session& session, lattice& l) {
  for (auto& strip : l.strips) session.insert_task(bump, deed::read_write(strip));
}

// Each rank counts its own strips, which are then added up.
double magnetisation(deed::session& session, lattice& l) {
  for (auto& strip : l.strips) {
    if (session.owns(strip)) session.insert_task(bump, deed::read_write(l.own));
  }
  session.all_reduce(deed::read(l.own), deed::write(l.total), std::plus<>{});
  return *session.borrow(deed::read(l.total));
}

void program(deed::session& session) {
  lattice spins(session);
  for (int sweep = 0; sweep < 20; ++sweep) {
    update(session, spins);
    session.barrier();
    if (magnetisation(session, spins) > 20) break;
  }
  session.wait();
}
