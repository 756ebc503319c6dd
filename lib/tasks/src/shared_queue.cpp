// SPDX-License-Identifier: MIT
#include <deed/tasks/ready_queue.hpp>

#include <concurrentqueue/concurrentqueue.h>

namespace deed::tasks {
namespace {

class shared_queue final : public ready_queue {
 public:
  std::unique_ptr<door> open() override { return std::make_unique<own_door>(queue_); }
  std::size_t size() const noexcept override { return queue_.size_approx(); }

 private:
  using queue = moodycamel::ConcurrentQueue<vertex*>;

  class own_door final : public door {
   public:
    explicit own_door(queue& shared) : queue_(shared), producer_(shared), consumer_(shared) {}
    void push(vertex& ready) override { queue_.enqueue(producer_, &ready); }
    vertex* pop() override {
      vertex* taken = nullptr;
      return queue_.try_dequeue(consumer_, taken) ? taken : nullptr;
    }

   private:
    queue& queue_;
    moodycamel::ProducerToken producer_;
    moodycamel::ConsumerToken consumer_;
  };

  queue queue_;
};

}  // namespace

std::unique_ptr<ready_queue> make_shared_queue() { return std::make_unique<shared_queue>(); }

}  // namespace deed::tasks
