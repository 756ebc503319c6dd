// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

class chain {
 public:
  chain() = default;
  explicit chain(double x) : x_(x) {}
  double& value() { return x_; }

 private:
  double x_ = 0;
  chain* next_ = nullptr;  // D903
};
constexpr deed::codelet walk{"walk", [](chain& c) { c.value() += 1; }};

void act(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, chain{1.0});
  session.insert_task(walk, deed::read_write(c));
}

void program(deed::session& session) {
  act(session);
}
