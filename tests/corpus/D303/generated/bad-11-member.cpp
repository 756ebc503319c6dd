// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

class pointing {
 public:
  explicit pointing(const double* p) : p_(p) {}
  const double* get() const { return p_; }

 private:
  const double* p_;
};
constexpr deed::codelet load{"load", [](double& x, pointing from) { x = *from.get(); }};

struct stage {
  deed::session& session;
  deed::handle<double> a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});

  void act() {
    const pointing from{nullptr};
    session.insert_task(load, deed::write(a), deed::value(from));  // D303
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
