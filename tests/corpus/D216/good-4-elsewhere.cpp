// SPDX-License-Identifier: MIT
// What is done to the elements elsewhere may write them.
#include "common.hpp"

void set(double& x) { x = 2; }

constexpr deed::codelet each_set{"each_set", [](double& sum, std::span<double> room) {
                                   for (double& each : room) set(each);
                                   sum = 0;
                                   for (double each : room) sum += each;
                                 }};
constexpr deed::codelet read_in{"read_in", [](double& sum, std::span<double> room) {
                                  for (double& each : room) {
                                    double* const at = &each;
                                    *at = 1;
                                  }
                                  sum = room[0];
                                }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(each_set, deed::write(a), deed::scratch<double>(8));
  session.insert_task(read_in, deed::write(a), deed::scratch<double>(8));
}
