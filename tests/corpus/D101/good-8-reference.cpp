// SPDX-License-Identifier: MIT
#include "common.hpp"

class stage {
 public:
  stage(deed::session& session, deed::handle<double>& counter)
      : session_(session), counter_(counter) {}
  void act() { session_.insert_task(bump, deed::read_write(counter_)); }

 private:
  deed::session& session_;
  deed::handle<double>& counter_;
};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  stage one{session, a};
  one.act();
  auto kept = std::move(a);
}
