// SPDX-License-Identifier: MIT
#include <deed/tasks/ready_queue.hpp>

#include "inbox.hpp"
#include "ring.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace deed::tasks {
namespace {

/// A ring per door, and an inbox. Who finds the own ones empty takes a share of another's, and puts
/// it into the own ring: the lines that two cores have to exchange are exchanged once for many
/// tasks.
class shared_queue final : public ready_queue {
 public:
  std::unique_ptr<door> open() override {
    sides_.push_back(std::make_unique<side>());
    return std::make_unique<own_door>(*this, sides_.size() - 1);
  }
  std::size_t size() const noexcept override {
    std::size_t sum = 0;
    for (const auto& each : sides_) sum += each->pushed.size() + (each->left.empty() ? 0 : 1);
    return sum;
  }

 private:
  using ring = detail::ring<vertex>;
  /// What lies behind a door.
  struct side {
    ring pushed;
    detail::inbox left;
  };

  class own_door final : public door {
   public:
    own_door(shared_queue& shared, std::size_t self)
        : queue_(shared), own_(*shared.sides_[self]), self_(self) {}

    void push(vertex& ready) override { own_.pushed.push(ready); }

    void leave_at(std::size_t which, vertex& ready, edge& room) override {
      queue_.sides_[which]->left.leave(ready, room);
    }

    vertex* pop() override {
      vertex* one = nullptr;
      const std::size_t count =
          own_.pushed.take(&one, own_end_, [](std::uint64_t) { return std::uint64_t{1}; });
      // Others may have been quicker than the look at it.
      return count == 0 ? take_left(own_) : one;
    }

    bool empty() const noexcept override { return own_.pushed.size() == 0 && own_.left.empty(); }

    vertex* take_from_others() override {
      if (ends_.size() < queue_.sides_.size()) ends_.resize(queue_.sides_.size());
      if (vertex *const first = first_of_others(
              [&](side& other, std::size_t i) { return take_share(other.pushed, ends_[i]); }))
        return first;
      return first_of_others([&](side& other, std::size_t) { return take_left(other); });
    }

   private:
    static constexpr std::uint64_t most = 16;

    /// The neighbour's first.
    template <class Take>
    vertex* first_of_others(Take&& take) {
      const std::size_t count = queue_.sides_.size();
      for (std::size_t i = 1; i < count; ++i) {
        const std::size_t other = self_ + i < count ? self_ + i : self_ + i - count;
        if (vertex* const first = take(*queue_.sides_[other], other)) return first;
      }
      return nullptr;
    }

    /// All of it: others find the rest in the own ring.
    vertex* take_left(side& from) {
      const edge* const first = from.left.take_all();
      if (first == nullptr) return nullptr;
      vertex* const oldest = first->to;  // Once others have the rest, they may use its memory.
      for (const edge* at = first->next; at != nullptr;) {
        const edge* const next = at->next;
        own_.pushed.push(*at->to);
        at = next;
      }
      return oldest;
    }

    vertex* take_share(ring& other, std::uint64_t& end_seen) {
      std::array<vertex*, most> taken;
      const std::uint64_t doors = queue_.sides_.size();
      const std::size_t count = other.take(taken.data(), end_seen, [&](std::uint64_t there) {
        return std::clamp<std::uint64_t>(there / doors, 1, most);
      });
      for (std::size_t i = 1; i < count; ++i) own_.pushed.push(*taken[i]);
      return count == 0 ? nullptr : taken[0];
    }

    shared_queue& queue_;
    side& own_;
    std::size_t self_;
    std::uint64_t own_end_ = 0;
    std::vector<std::uint64_t> ends_;  // Of the others' rings, as last seen.
  };

  std::vector<std::unique_ptr<side>> sides_;
};

}  // namespace

std::unique_ptr<ready_queue> make_shared_queue() { return std::make_unique<shared_queue>(); }

}  // namespace deed::tasks
