// SPDX-License-Identifier: MIT
// Wrong on purpose: the README shows what deed says of it, lines of this file included.
#include <deed/deed.hpp>
constexpr deed::codelet add{"add", [](double& sum, const double& x) { sum += x; }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.tag = deed::tag{0}, .name = "a"});
  auto b = session.register_data(deed::owner{2}, 2.0, {.tag = deed::tag{1}, .name = "b"});
  if (session.rank() != 2)  // The mistake.
    session.insert_task(add, deed::read_write(a), deed::read(b));
}

int main(int argc, char** argv) { return deed::run(argc, argv, program); }
