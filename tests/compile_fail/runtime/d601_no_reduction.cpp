// SPDX-License-Identifier: MIT
// Contributions to a datum that was registered without an operation.
// expect-error: deed[D601] this handle was registered without a reduction
#include <deed/deed.hpp>

constexpr deed::codelet add{"add", [](double& sum, const double& x) { sum += x; }};

#ifdef DEED_MISUSE
void program(deed::session& session, deed::handle<double>& a, deed::handle<double>& b) {
  session.insert_task(add, deed::reduce(a), deed::read(b));  // here
}
#else
void program(deed::session& session, deed::handle<double>& b) {
  auto total = session.register_data(deed::owner{0}, 0.0, deed::reduction{std::plus<>{}, 0.0});
  session.insert_task(add, deed::reduce(total), deed::read(b));
}
#endif
