// SPDX-License-Identifier: MIT
// Written through what its functions give.
#include "common.hpp"

constexpr deed::codelet rows{"rows", [](double& x, tile room) {
                               for (auto row : room) std::ranges::fill(row, 1.0);
                               x = room(0, 0);
                             }};
constexpr deed::codelet elements{"elements", [](double& x, tile room) {
                                   for (auto row : room)
                                     for (double& each : row) each = 1;
                                   x = room(0, 0);
                                 }};
constexpr deed::codelet one_row{"one_row", [](double& x, tile room) {
                                  room.row(0)[0] = 1;
                                  x = room(0, 0);
                                }};
constexpr deed::codelet a_part{"a_part", [](double& x, tile room) {
                                 tile corner = room.part(0, 0, 2, 2);
                                 corner(0, 0) = 1;
                                 x = room(0, 0);
                               }};
constexpr deed::codelet memory{"memory", [](double& x, tile room) {
                                 double* first = room.data();
                                 first[0] = 1;
                                 x = room(0, 0);
                               }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(rows, deed::write(a), deed::scratch<double>({8, 8}));
  session.insert_task(elements, deed::write(a), deed::scratch<double>({8, 8}));
  session.insert_task(one_row, deed::write(a), deed::scratch<double>({8, 8}));
  session.insert_task(a_part, deed::write(a), deed::scratch<double>({8, 8}));
  session.insert_task(memory, deed::write(a), deed::scratch<double>({8, 8}));
}
