// SPDX-License-Identifier: MIT
#include "common.hpp"

struct particles {
  std::vector<double> x, times;
  void inject(double at) { x.push_back(at); }
  void note(double time) { times.push_back(time); }
};

void program(deed::session& session) {
  particles all{std::vector<double>(8), {}};
  all.inject(1);
  auto x = session.register_data(deed::owner{0}, deed::in_place(all.x));
  all.note(1);
  session.insert_task(clear, deed::write(x));
  session.wait();
}
