// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include <iostream>

constexpr deed::codelet add{"add", [](int& sum, const int& x) { sum += x; }};

void program(deed::session& session) {
  auto sum = session.register_data(deed::owner{0}, 0, {.name = "sum"});
  for (int r = 0; r < session.size(); ++r) {
    auto x = session.register_data(deed::owner{r}, [&] { return r + 1; }, {.name = "x"});
    session.insert_task(add, deed::read_write(sum), deed::read(x));
  }
  session.wait();
  if (session.rank() == 0) std::cout << "OK " << *session.borrow(deed::read(sum)) << '\n';
}

int main(int argc, char** argv) { return deed::run(argc, argv, program); }
