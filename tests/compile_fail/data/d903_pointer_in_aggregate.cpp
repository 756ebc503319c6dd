// SPDX-License-Identifier: MIT
// expect-error: deed[D903] a pointer would travel: its address means nothing on another rank; send
// what it points to, or an index
#include <deed/data/datum.hpp>

#include <cstddef>

struct linked_by_index {
  double x;
  std::size_t next;
};
struct node {
  double x;
  node* next;
};

const auto& right = deed::data::operations_of<linked_by_index>();
#ifdef DEED_MISUSE
const auto& wrong = deed::data::operations_of<node>();  // here
#endif
