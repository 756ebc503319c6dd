// SPDX-License-Identifier: MIT
// expect-error: deed[D901] this type cannot travel
#include <deed/data/datum.hpp>

#include <map>
#include <string>
#include <vector>

class silent {
 public:
  double first() const { return x_.front(); }

 private:
  std::vector<double> x_;
};

struct grid {
  std::string name;
  std::vector<double> values;
};
struct grid_of_silent {
  std::string name;
  std::map<int, silent> values;
};

const auto& right = deed::data::operations_of<grid>();
#ifdef DEED_MISUSE
const auto& wrong = deed::data::operations_of<grid_of_silent>();  // here
#endif
