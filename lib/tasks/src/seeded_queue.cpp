// SPDX-License-Identifier: MIT
#include <deed/base/planted.hpp>
#include <deed/base/random.hpp>
#include <deed/tasks/ready_queue.hpp>

#include <utility>
#include <vector>

namespace deed::tasks {
namespace {

class seeded_queue final : public ready_queue {
 public:
  explicit seeded_queue(std::uint64_t seed) : random_(seed) {}

  std::unique_ptr<door> open() override { return std::make_unique<own_door>(*this); }
  std::size_t size() const noexcept override { return ready_.size(); }

 private:
  class own_door final : public door {
   public:
    explicit own_door(seeded_queue& shared) : queue_(shared) {}
    void push(vertex& ready) override {
      if (planted(planted_bug::ready_task_lost) && queue_.random_.one_in(500)) return;
      queue_.ready_.push_back(&ready);
    }
    void leave_at(std::size_t, vertex& ready, edge&) override { push(ready); }
    vertex* pop() override { return queue_.take(); }
    bool empty() const noexcept override { return queue_.size() == 0; }
    vertex* take_from_others() override { return nullptr; }  // All doors are one.

   private:
    seeded_queue& queue_;
  };

  vertex* take() {
    if (ready_.empty()) return nullptr;
    std::swap(ready_[random_.below(ready_.size())], ready_.back());
    vertex* const taken = ready_.back();
    ready_.pop_back();
    return taken;
  }

  std::vector<vertex*> ready_;
  random_source random_;
};

}  // namespace

std::unique_ptr<ready_queue> make_seeded_queue(std::uint64_t seed) {
  return std::make_unique<seeded_queue>(seed);
}

}  // namespace deed::tasks
