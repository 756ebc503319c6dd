// SPDX-License-Identifier: MIT
// expect-error: deed[D901] this type cannot travel: no layout, not trivially copyable, no plain
// aggregate, no serialize(); add template <class A> void serialize(A& ar, unsigned) { ar & member_;
// }
#include <deed/data/datum.hpp>

#include <vector>

class mesh {
 public:
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    ar & x_;
  }

 private:
  std::vector<double> x_;
};

class silent_mesh {
 public:
  double first() const { return x_.front(); }

 private:
  std::vector<double> x_;
};

const auto& right = deed::data::operations_of<mesh>();
#ifdef DEED_MISUSE
const auto& wrong = deed::data::operations_of<silent_mesh>();  // here
#endif
