// SPDX-License-Identifier: MIT
// A reference into a borrow that ends with the statement: Clang warns.
// only: Clang
// expect-warning: temporary bound to local reference
#include <deed/deed.hpp>

#ifdef DEED_MISUSE
double first(deed::session& session, deed::handle<double>& mine) {
  const double& x = *session.borrow(deed::read(mine));  // here
  return x;
}
#else
double first(deed::session& session, deed::handle<double>& mine) {
  auto view = session.borrow(deed::read(mine));
  return *view;
}
#endif
