// SPDX-License-Identifier: MIT
// What deed_check(wrong) has to find.
#include <deed/deed.hpp>

constexpr deed::codelet show{"show", [](const double& x) { static_cast<void>(x); }};

void wrong(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0);
  auto c = std::move(a);
  session.insert_task(show, deed::read(a));
}
