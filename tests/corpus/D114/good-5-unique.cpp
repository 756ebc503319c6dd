// SPDX-License-Identifier: MIT
#include "common.hpp"

struct buffers {
  std::vector<double> a = std::vector<double>(16, 1.0);
};

class pipeline {
 public:
  pipeline(deed::session& session, buffers& memory)
      : session_(session), a_(session.register_data(deed::owner{0}, deed::in_place(memory.a))) {}
  void run() {
    session_.insert_task(clear, deed::write(a_));
    session_.wait();
  }

 private:
  deed::session& session_;
  deed::handle<std::span<double>> a_;
};

void program(deed::session& session) {
  buffers memory;
  {
    const auto work = std::make_unique<pipeline>(session, memory);
    work->run();
  }
  auto work = std::make_unique<pipeline>(session, memory);
  work->run();
}
