// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet zero{"zero", [](double& x) { x = 0; }};

auto make(deed::session& session) {
  auto sum = session.register_data(deed::owner{0}, 0.0);
  auto part = session.register_data<double>(deed::owner{0}, deed::uninitialised);
  return std::tuple{std::move(sum), std::move(part)};
}

void program(deed::session& session) {
  auto [sum, part] = make(session);
  session.insert_task(zero, deed::write(part));
  session.insert_task(add, deed::read_write(sum), deed::read(part));
  auto more = make(session);
  session.insert_task(zero, deed::write(std::get<1>(more)));
  auto& [first, second] = more;
  session.insert_task(add, deed::read_write(first), deed::read(second));
}
