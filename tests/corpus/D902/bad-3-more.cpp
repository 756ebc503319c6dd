// SPDX-License-Identifier: MIT
#include "common.hpp"

struct curve {
  template <class A>
  void save(A& ar, unsigned) const {
    ar << name << points;
  }
  template <class A>
  void load(A& ar, unsigned) {
    ar >> name >> points >> closed;
  }
  std::string name;
  std::vector<double> points;
  bool closed = false;
};
