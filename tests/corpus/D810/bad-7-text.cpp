// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <string>

std::string report;

constexpr deed::codelet it{"it", [](double& x) {
                             x += 1;
                             report += "done\n";
                           }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::read_write(a));
}
