// SPDX-License-Identifier: MIT
// expect-error: deed[D902] a constant is saved but cannot be loaded; make the member variable
#include <deed/data/datum.hpp>

#include <string>

struct named {
  std::string name;
};
struct constant {
  const std::string name;
};

const auto& right = deed::data::operations_of<named>();
#ifdef DEED_MISUSE
const auto& wrong = deed::data::operations_of<constant>();  // here
#endif
