// SPDX-License-Identifier: MIT
// expect-error: deed[D902] what is loaded into a temporary is lost; load into a variable
#include <deed/data/datum.hpp>

#include <vector>

struct halves {
  std::vector<double> values;
  double first() const { return values.front(); }
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    ar & values;
#ifdef DEED_MISUSE
    ar& first();
#endif
  }
};

const auto& right = deed::data::operations_of<halves>();
