// SPDX-License-Identifier: MIT
// The shapes of bench/shapes.h as a flow graph of oneTBB, built and run once, on two threads. It
// finds no dependences itself: this program keeps the last writer and the readers of each datum.
#include "../shapes.h"
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <deque>
#include <vector>

namespace {

using message = tbb::flow::continue_msg;
using node = tbb::flow::continue_node<message>;

void pretend(const void* memory) { asm volatile("" ::"r"(memory) : "memory"); }

class job {
 public:
  job(shape shape, long tasks) : shape_(shape), tasks_(tasks), data_(data_of_shape(shape, tasks)) {}
  void run() {
    for (long i = 0; i < tasks_; ++i) insert(touched_by(shape_, i));
    for (node* const first : roots_) first->try_put({});
    graph_.wait_for_all();
  }

 private:
  struct datum {
    node* writer = nullptr;
    std::vector<node*> readers;
  };

  void insert(const touched& at) {
    node& fresh = nodes_.emplace_back(graph_, [](const message&) { pretend(nullptr); });
    bool waits = false;
    const auto follow = [&](node& before) {
      tbb::flow::make_edge(before, fresh);
      waits = true;
    };
    for (int i = 0; i < at.count; ++i) {
      datum& known = data_[static_cast<std::size_t>(at.data[i])];
      if (i > 0 || at.reads_only != 0) {
        if (known.writer != nullptr) follow(*known.writer);
        known.readers.push_back(&fresh);
        continue;
      }
      for (node* const each : known.readers) follow(*each);
      if (known.readers.empty() && known.writer != nullptr) follow(*known.writer);
      known = {&fresh, {}};
    }
    if (!waits) roots_.push_back(&fresh);
  }

  shape shape_;
  long tasks_;
  tbb::flow::graph graph_;
  std::deque<node> nodes_;
  std::vector<datum> data_;
  std::vector<node*> roots_;
};

}  // namespace

int main() {
  const tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
  tbb::task_arena arena(2);
  arena.execute([] {
    const long tasks = setting("TASKS", 100'000);
    for (int s = 0; s < shape_count; ++s) {
      for (long round = -1; round < setting("ROUNDS", 1); ++round) {
        job all(static_cast<shape>(s), tasks);
        const double begin = seconds_now();
        all.run();
        if (round < 0) continue;
        figure("local tasks", "oneTBB flow_graph", shape_names[s],
               1e9 * (seconds_now() - begin) / static_cast<double>(tasks));
      }
    }
  });
}
