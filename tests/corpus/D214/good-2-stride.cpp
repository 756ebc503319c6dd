// SPDX-License-Identifier: MIT
#include "common.hpp"

// What keeps an index inside need not stand in the condition of the loop.
constexpr deed::codelet speed{"speed", [](std::span<double> out, std::span<const double> points) {
                                for (std::size_t at = 0; at < points.size(); at += 3) {
                                  out[at] = points[at + 1] - points[at];
                                  out[at + 1] = points[at + 2] - points[at + 1];
                                }
                              }};
constexpr deed::codelet differences{"differences", [](std::span<double> v) {
                                      bool first = true;
                                      for (std::size_t i = 0; i < v.size(); ++i) {
                                        if (!first) v[i] -= v[i - 1];
                                        first = false;
                                      }
                                      std::size_t k = 0;
                                      while (k < v.size()) {
                                        ++k;
                                        v[k - 1] *= 2;
                                      }
                                    }};
constexpr deed::codelet pairs{"pairs", [](std::span<double> v, const double& marked) {
                                for (std::size_t i = 0; i < v.size(); ++i) {
                                  if (v[i] == marked) break;  // One of them is.
                                  v[i] = v[i + 1];
                                }
                                for (std::size_t i = 0; i < v.size(); ++i) {
                                  for (std::size_t j = i + 1; j < v.size(); ++j)
                                    v[i] += v[i + 1] * v[j];
                                }
                              }};

void program(deed::session& session) {
  auto points = session.register_data(deed::owner{0}, std::vector<double>(12, 1.0));
  auto out = session.register_data(deed::owner{0}, std::vector<double>(12));
  auto marked = session.register_data(deed::owner{0}, 1.0);
  session.insert_task(speed, deed::write(out), deed::read(points));
  session.insert_task(differences, deed::read_write(out));
  session.insert_task(pairs, deed::read_write(out), deed::read(marked));
  session.insert_task(show, deed::read(marked));
  session.insert_task(clear, deed::write(out));
}
