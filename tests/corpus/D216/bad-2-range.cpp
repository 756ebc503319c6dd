// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet total{"total", [](double& sum, std::span<double> room) {
                                sum = 0;
                                for (const double& each : room) sum += each;
                              }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(total, deed::write(a), deed::scratch<double>(8));
}
