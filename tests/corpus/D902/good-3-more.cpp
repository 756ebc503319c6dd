// SPDX-License-Identifier: MIT
#include "common.hpp"

struct curve {
  template <class A>
  void serialize(A& ar, unsigned) {
    ar & name & points & closed;
  }
  std::string name;
  std::vector<double> points;
  bool closed = false;
};
