// SPDX-License-Identifier: MIT
// What of TaskTorrent's interface a program needs that does not run: for tests of deed-check's
// overlay.
#pragma once

#include <memory>

namespace ttor {

int comms_world_rank();
int comms_world_size();

template <class... A>
class ActiveMsg {
 public:
  void send(int rank, A... arguments);
};

class Communicator {
 public:
  virtual ~Communicator();
  int comm_rank();
  template <class F>
  ActiveMsg<int>* make_active_msg(F) {
    return nullptr;
  }
};

std::unique_ptr<Communicator> make_communicator_world(int verbosity = 0);

class Threadpool_shared {
 public:
  void join();
};

class Threadpool_dist : public Threadpool_shared {
 public:
  Threadpool_dist(int threads, Communicator* communicator, int verbosity = 0);
  void join();
};
typedef Threadpool_dist Threadpool;

}  // namespace ttor
