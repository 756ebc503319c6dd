// SPDX-License-Identifier: MIT
#include "common.hpp"

struct refinement {
  deed::session* session = nullptr;
  std::vector<deed::handle<double>> cells;
};

void refine(const refinement& mesh) { mesh.session->log(deed::log_level::info, "refines"); }
constexpr deed::codelet look{"look", [](double& x, int& wants) {
                               x += 1;
                               if (x > 1) wants = 1;
                             }};

void program(deed::session& session) {
  refinement own{&session, {}};
  own.cells.push_back(session.register_data(deed::owner{0}, 2.0, {.name = "cell"}));
  auto wants = session.register_data(deed::owner{0}, 0, {.name = "wants"});
  session.insert_task(look, deed::read_write(own.cells[0]), deed::read_write(wants));
  session.fetch(deed::read(wants), deed::everywhere);
  if (*session.borrow(deed::read(wants)) != 0) refine(own);
  session.insert_task(bump, deed::read_write(own.cells[0]));
}
