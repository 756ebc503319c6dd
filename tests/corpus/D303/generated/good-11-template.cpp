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

template <class T>
void act(deed::session& session, deed::handle<T>& a) {
  const pointing from{nullptr};
  session.insert_task(bump, deed::read_write(a));
  std::cout << from.get();
}

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  act(session, a);
}
