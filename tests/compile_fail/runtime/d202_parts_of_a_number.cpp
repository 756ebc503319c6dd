// SPDX-License-Identifier: MIT
// A value without elements has no parts.
// expect-error: deed[D202] only a vector, a span and a tile can be cut into parts
#include <deed/deed.hpp>

#include <vector>

#ifdef DEED_MISUSE
void program(deed::session& session, deed::handle<double>& a) {
  auto parts = session.partition(std::move(a), deed::row_blocks{2});  // here
}
#else
void program(deed::session& session, deed::handle<std::vector<double>>& a) {
  auto parts = session.partition(std::move(a), deed::row_blocks{2});
}
#endif
