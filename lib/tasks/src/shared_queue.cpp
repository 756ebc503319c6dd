// SPDX-License-Identifier: MIT
#include <deed/tasks/ready_queue.hpp>

#include "ring.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace deed::tasks {
namespace {

/// A ring per door. Who finds the own one empty takes a share of another's, and puts it there: the
/// lines that two cores have to exchange are exchanged once for many tasks.
class shared_queue final : public ready_queue {
 public:
  std::unique_ptr<door> open() override {
    rings_.push_back(std::make_unique<ring>());
    return std::make_unique<own_door>(*this, rings_.size() - 1);
  }
  std::size_t size() const noexcept override {
    std::size_t sum = 0;
    for (const auto& each : rings_) sum += each->size();
    return sum;
  }

 private:
  using ring = detail::ring<vertex>;

  class own_door final : public door {
   public:
    own_door(shared_queue& shared, std::size_t self)
        : queue_(shared), own_(*shared.rings_[self]), self_(self) {}

    void push(vertex& ready) override { own_.push(ready); }

    vertex* pop() override {
      vertex* one = nullptr;
      const std::size_t count =
          own_.take(&one, own_end_, [](std::uint64_t) { return std::uint64_t{1}; });
      return count == 0 ? nullptr : one;  // Others may have been quicker than the look at it.
    }

    bool empty() const noexcept override { return own_.size() == 0; }

    vertex* take_from_others() override {
      if (ends_.size() < queue_.rings_.size()) ends_.resize(queue_.rings_.size());
      const std::size_t count = queue_.rings_.size();
      for (std::size_t i = 1; i < count; ++i) {
        const std::size_t other = self_ + i < count ? self_ + i : self_ + i - count;
        if (vertex* const first = take_share(*queue_.rings_[other], ends_[other])) return first;
      }
      return nullptr;
    }

   private:
    static constexpr std::uint64_t most = 16;

    vertex* take_share(ring& other, std::uint64_t& end_seen) {
      std::array<vertex*, most> taken;
      const std::uint64_t doors = queue_.rings_.size();
      const std::size_t count = other.take(taken.data(), end_seen, [&](std::uint64_t there) {
        return std::clamp<std::uint64_t>(there / doors, 1, most);
      });
      for (std::size_t i = 1; i < count; ++i) own_.push(*taken[i]);
      return count == 0 ? nullptr : taken[0];
    }

    shared_queue& queue_;
    ring& own_;
    std::size_t self_;
    std::uint64_t own_end_ = 0;
    std::vector<std::uint64_t> ends_;  // Of the others' rings, as last seen.
  };

  std::vector<std::unique_ptr<ring>> rings_;
};

}  // namespace

std::unique_ptr<ready_queue> make_shared_queue() { return std::make_unique<shared_queue>(); }

}  // namespace deed::tasks
