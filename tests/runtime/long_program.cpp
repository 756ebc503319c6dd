// SPDX-License-Identifier: MIT
// Rank 1 computes for long in one task, while the others wait.
#include <deed/deed.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace {

constexpr deed::codelet compute{"compute", [](double& x) {
                                  std::printf("rank 1 is process %d and computes\n", getpid());
                                  std::fflush(stdout);
                                  const auto end =
                                      std::chrono::steady_clock::now() + std::chrono::seconds(4);
                                  while (std::chrono::steady_clock::now() < end) x += 1;
                                }};

}  // namespace

int main(int argc, char** argv) {
  return deed::run(argc, argv, [](deed::session& session) {
    auto x = session.register_data(deed::owner{1 % session.size()}, 0.0);
    session.insert_task(compute, deed::read_write(x));
    session.wait();
  });
}
