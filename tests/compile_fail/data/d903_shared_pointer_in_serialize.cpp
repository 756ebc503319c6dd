// SPDX-License-Identifier: MIT
// expect-error: deed[D903] a pointer would travel
#include <deed/data/datum.hpp>

#include <memory>
#include <vector>

template <class Pointer>
class holder {
 public:
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    ar & parts_;
  }

 private:
  std::vector<Pointer> parts_;
};

const auto& right = deed::data::operations_of<holder<std::unique_ptr<double>>>();
#ifdef DEED_MISUSE
const auto& wrong = deed::data::operations_of<holder<std::shared_ptr<double>>>();
#endif
