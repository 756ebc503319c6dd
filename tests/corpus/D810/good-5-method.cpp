// SPDX-License-Identifier: MIT
#include "common.hpp"

class counters {
 public:
  void hit() {
    const std::lock_guard lock(guard_);
    ++hits_;
  }

 private:
  std::mutex guard_;
  int hits_ = 0;
};
counters seen;

struct range {
  double least = 0;
  void take(double x) { least = x; }
};

constexpr deed::codelet it{"it", [](double& x) {
                             range own;
                             own.take(x);
                             x += own.least;
                             seen.hit();
                           }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::read_write(a));
}
