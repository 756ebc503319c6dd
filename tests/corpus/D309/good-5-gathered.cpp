// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<deed::handle<double>> each;
  for (int i = 0; i < session.size(); ++i) {
    each.push_back(session.register_data(deed::owner{i}, 1.0));
  }
  session.gather(deed::read(each), deed::to{0});
  session.wait();
  if (session.rank() != 0) return;
  for (auto& one : each) std::cout << *session.borrow(deed::read(one));
  std::cout << *session.borrow(deed::read(each[session.size() - 1]));
}
