// SPDX-License-Identifier: MIT
// A handle of memory that ends with the function: Clang warns.
// only: Clang
// expect-warning: address of stack memory associated with local variable 'rows' returned
#include <deed/deed.hpp>

#ifdef DEED_MISUSE
auto load(deed::session& session) {
  std::vector<double> rows(100);
  return session.register_data(deed::owner{0}, deed::in_place(rows));  // here
}
#else
auto load(deed::session& session, std::vector<double>& rows) {
  return session.register_data(deed::owner{0}, deed::in_place(rows));
}
#endif
