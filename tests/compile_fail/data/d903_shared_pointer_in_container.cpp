// SPDX-License-Identifier: MIT
// expect-error: deed[D903] a pointer would travel
#include <deed/data/datum.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

struct owned {
  std::map<std::string, std::vector<std::unique_ptr<double>>> parts;
};
struct shared {
  std::map<std::string, std::vector<std::shared_ptr<double>>> parts;
};

const auto& right = deed::data::operations_of<owned>();
#ifdef DEED_MISUSE
const auto& wrong = deed::data::operations_of<shared>();  // here
#endif
