// SPDX-License-Identifier: MIT
#include "common.hpp"

class point {
 public:
  template <class A>
  void save(A& ar, unsigned) const {
    ar << x_;
    ar << y_;
  }
  template <class A>
  void load(A& ar, unsigned) {
    ar >> x_;
    ar >> y_;
  }

 private:
  double x_ = 0, y_ = 0;
};
