// SPDX-License-Identifier: MIT
#include <deed/base/undone.hpp>
#include <deed/runtime/observation.hpp>

#include "core.hpp"

#include <algorithm>

/// @file
/// Tasks are shown to the program before they change anything.

namespace deed {

access_mode observed_access::mode() const noexcept { return what_->mode; }
deed::tag observed_access::tag() const { return deed::tag{home_->tag_of(what_->datum)}; }
std::string observed_access::name() const { return home_->name_of(what_->datum); }
deed::rank observed_access::owner() const {
  const int owner = home_->owner_of(what_->datum);
  return deed::rank{owner < 0 ? home_->rank() : owner};
}
std::uint64_t observed_access::bytes() const { return home_->bytes_of(what_->datum); }

std::string_view observed_task::name() const noexcept { return what_->codelet.name; }
place observed_task::where() const noexcept { return what_->where; }
bool observed_task::runs_on(deed::rank who) const noexcept {
  return std::ranges::find(ranks_, who) != ranks_.end();
}
std::size_t observed_task::size() const noexcept { return what_->accesses.size(); }
observed_access observed_task::operator[](std::size_t i) const noexcept {
  return {*home_, what_->accesses[i]};
}
std::uint64_t observed_task::flops() const noexcept { return what_->flops; }

namespace runtime {

void observe(core& home, task_observer&& look, place where) {
  if (!undone("observe")) home.observe(std::move(look), where);
}

void core::observe(task_observer&& look, place where) {
  const turn held(*this, caller(call_kind::steps, where));
  observer_ = std::move(look);
}

void core::show(context& self, const task_description& task, std::span<const std::uint32_t> ranks) {
  std::vector<deed::rank> named;
  for (const std::uint32_t each : ranks) named.push_back(deed::rank{static_cast<int>(each)});
  struct looking {
    looking(context& thread, std::string_view task)
        : self(thread), before(std::exchange(thread.inside, running::observer)), what(thread.what) {
      self.what = task;
    }
    looking(const looking&) = delete;
    ~looking() {
      self.inside = before;
      self.what = what;
    }
    context& self;
    const running before;
    const std::string_view what;
  };
  const looking now(self, task.codelet.name);
  observer_(observed_task(*this, task, named));
}

}  // namespace runtime
}  // namespace deed
