// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet take{"take", [](double& sum, const double& x) { sum -= x; }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto total = session.register_data(deed::owner{0}, 0.0, deed::reduction{std::plus<>{}, 0.0});
  session.insert_task(take, deed::reduce(total), deed::read(a));
  session.insert_task(show, deed::read(total));
}
