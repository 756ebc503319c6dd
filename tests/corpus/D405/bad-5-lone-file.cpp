// SPDX-License-Identifier: MIT
#include "common.hpp"

std::optional<double> last_number(const char* name) {
  std::ifstream file(name);
  double x = 0;
  bool any = false;
  while (file >> x) any = true;
  if (!any) return std::nullopt;
  return x;
}

void program(deed::session& session) {
  auto start = session.register_data(deed::per_rank, 0.0, {.name = "start"});
  if (session.rank() == 0) {
    const auto given = last_number("there-is-no-such-file");
    if (!given) return;
    *session.borrow(deed::write(start)) = *given;
  }
  session.insert_task(bump, deed::read_write(start));
  session.wait();
}
