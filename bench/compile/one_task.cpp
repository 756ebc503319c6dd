// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

constexpr deed::codelet increment{"increment", [](int& x) { ++x; }};

int main(int argc, char** argv) {
  return deed::run(argc, argv, [](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, 0);
    session.insert_task(increment, deed::read_write(x));
  });
}
