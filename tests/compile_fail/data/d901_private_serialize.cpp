// SPDX-License-Identifier: MIT
// expect-error: deed[D901] the serialize() of this type cannot be called; make it public, or
// befriend boost::serialization::access and include <boost/serialization/access.hpp>
#include <deed/data/datum.hpp>

#include <vector>

class mesh {
#ifndef DEED_MISUSE
 public:
#endif
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    ar & x_;
  }

 private:
  std::vector<double> x_;
};

const auto& mesh_operations = deed::data::operations_of<mesh>();  // here
