// SPDX-License-Identifier: MIT
// A handle of a session that ends with the function: Clang warns.
// only: Clang
// expect-warning: address of stack memory associated with local variable 'inner' returned
#include <deed/deed.hpp>

#ifdef DEED_MISUSE
deed::handle<double> make(const boost::mpi::communicator& world) {
  deed::session inner{world};
  return inner.register_data(deed::owner{0}, 1.0);  // here
}
#else
deed::handle<double> make(deed::session& session) {
  return session.register_data(deed::owner{0}, 1.0);
}
#endif
