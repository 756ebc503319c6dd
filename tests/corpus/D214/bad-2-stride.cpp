// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet speed{"speed", [](std::span<double> out, std::span<const double> points) {
                                for (std::size_t at = 0; at < points.size(); at += 3) {
                                  out[at] = points[at + 3] - points[at];
                                }
                              }};

void program(deed::session& session) {
  auto points = session.register_data(deed::owner{0}, std::vector<double>(12, 1.0));
  auto out = session.register_data(deed::owner{0}, std::vector<double>(12));
  session.insert_task(speed, deed::write(out), deed::read(points));
}
