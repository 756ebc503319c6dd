// SPDX-License-Identifier: MIT
#include "common.hpp"

struct refinement {
  deed::session* session = nullptr;
  std::vector<deed::handle<double>> cells;
};
refinement* mesh = nullptr;

void refine(std::size_t i) { mesh->session->insert_task(bump, deed::read_write(mesh->cells[i])); }
constexpr deed::codelet look{"look", [](double& x) {
                               x += 1;
                               if (x > 1) refine(0);
                             }};

void program(deed::session& session) {
  refinement own{&session, {}};
  mesh = &own;
  own.cells.push_back(session.register_data(deed::owner{0}, 2.0, {.name = "cell"}));
  session.insert_task(look, deed::read_write(own.cells[0]));
}
