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

void act(deed::session& session, deed::handle<double>& a) {
  const pointing from{nullptr};
  session.insert_task(bump, deed::read_write(a));
  std::cout << from.get();
}
