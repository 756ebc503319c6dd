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

bool give_start(deed::session& session, deed::handle<double>& start) {
  bool failed = false;
  if (session.rank() == 0) {
    const auto given = last_number("there-is-no-such-file");
    failed = !given;
    if (given) *session.borrow(deed::write(start)) = *given;
  }
  session.broadcast(deed::read_write(start), deed::from{0});
  return !session.any(failed);
}

void program(deed::session& session) {
  auto start = session.register_data(deed::per_rank, 0.0, {.name = "start"});
  const bool given = give_start(session, start);
  session.barrier();
  if (session.rank() == 0 && !given) std::cout << "from 0\n";
  session.barrier();
}
