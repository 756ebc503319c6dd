// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <string>

const std::string unit = "m";

constexpr deed::codelet it{"it", [](double& x) {
                             std::string report = unit;
                             report += "done\n";
                             x += static_cast<double>(report.size());
                           }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::read_write(a));
}
