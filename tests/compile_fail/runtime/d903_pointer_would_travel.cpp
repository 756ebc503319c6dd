// SPDX-License-Identifier: MIT
// The address of a node means nothing on another rank.
// expect-error: deed[D903] a pointer would travel
#include <deed/deed.hpp>

struct node {
  double mass;
  node* next;
};

#ifdef DEED_MISUSE
void program(deed::session& session) {
  auto first = session.register_data(deed::owner{0}, node{});  // here
}
#else
void program(deed::session& session) {
  auto first = session.register_data(deed::owner{0}, node{}.mass);
}
#endif
