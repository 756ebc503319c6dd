// SPDX-License-Identifier: MIT
#include "groups.hpp"

#include <deed/base/error.hpp>
#include <deed/runtime/collectives.hpp>
#include <deed/runtime/group.hpp>

#include "core.hpp"
#include "report.hpp"

#include <algorithm>
#include <functional>

namespace deed {

int group::rank() const noexcept { return state_->self; }
int group::size() const noexcept { return static_cast<int>(state_->ranks.size()); }
deed::rank group::in_session(int member) const {
  return deed::rank{state_->ranks.at(static_cast<std::size_t>(member))};
}

void group::barrier(place where) {
  auto nothing = std::make_shared<int>(0);
  runtime::message_options options;
  options.group = state_;
  runtime::start_collective(
      *state_->home,
      runtime::reduction_of<int>(runtime::collective_kind::all_reduce, 0, runtime::side_of(nothing),
                                 runtime::side_of(nothing), std::plus<>{}, where),
      std::move(options))
      .wait(where);
}

namespace runtime {

std::shared_ptr<group_state> core::make_group(std::vector<int> ranks, place where) {
  const turn held(*this, caller(call_kind::steps, where));
  for (const int each : ranks) check_peer(each, where);
  std::vector<int> sorted = ranks;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    throw error(error_code::no_such_peer,
                "rank " + std::to_string(*twice) + " stands twice in a group",
                {{"made", to_string(where)}}, "name each rank once");
  }
  const auto number = static_cast<std::uint32_t>(groups_.size() + 1);
  auto made = std::make_shared<group_state>(group_state{this, number, std::move(ranks)});
  const auto self = std::ranges::find(made->ranks, rank_);
  if (self != made->ranks.end()) made->self = static_cast<int>(self - made->ranks.begin());
  groups_.push_back(made);
  return made;
}

int core::rank_in(const group_state* group, int peer, place where) const {
  if (group == nullptr) {
    check_peer(peer, where);
    return peer;
  }
  if (group->home != this) {
    throw error(error_code::foreign_session, "a group belongs to another session",
                {{"used", to_string(where)}}, "make the group with this session");
  }
  if (group->self < 0) {
    throw error(
        error_code::no_such_peer, "rank " + std::to_string(rank_) + " is no member of the group",
        {{"called", to_string(where)}}, "call it on the members alone: `group.rank() >= 0`");
  }
  const int size = static_cast<int>(group->ranks.size());
  if (peer >= 0 && peer < size) return group->ranks[static_cast<std::size_t>(peer)];
  throw error(error_code::no_such_peer,
              "there is no rank " + std::to_string(peer) + " in the group",
              {{"called", to_string(where)}, {"members", std::to_string(size)}},
              "use a rank in [0, " + std::to_string(size) + "): `group.size()`");
}

}  // namespace runtime
}  // namespace deed
