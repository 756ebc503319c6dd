// SPDX-License-Identifier: MIT
#include "common.hpp"

[[noreturn]] inline void refuse(double x) { throw std::domain_error{std::to_string(x)}; }

inline void refuse_twice(double x) {
  try {
    refuse(x);
  } catch (const std::domain_error&) {
  }
}

constexpr deed::codelet it{"it", [](double& x) {
                             try {
                               refuse(x);
                             } catch (const std::domain_error&) {
                               x = 0;
                             }
                           }};
constexpr deed::codelet deeper{"deeper", [](double& x) {
                                 refuse_twice(x);
                                 x = 0;
                               }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::read_write(a));
  session.insert_task(deeper, deed::read_write(a));
}
