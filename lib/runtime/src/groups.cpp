// SPDX-License-Identifier: MIT
#include "groups.hpp"

#include <deed/base/error.hpp>
#include <deed/runtime/collectives.hpp>
#include <deed/runtime/group.hpp>

#include "core.hpp"
#include "report.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

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
      runtime::reduction_of<int>(runtime::collective_kind::barrier, 0, runtime::side_of(nothing),
                                 runtime::side_of(nothing), std::plus<>{}, where),
      std::move(options))
      .wait(where);
}

namespace runtime {

std::shared_ptr<group_state> core::add_group(std::vector<int>&& ranks, place where) {
  const auto number = static_cast<std::uint32_t>(groups_.size() + 1);
  auto made = std::make_shared<group_state>(group_state{this, number, std::move(ranks)});
  const auto self = std::ranges::find(made->ranks, rank_);
  if (self != made->ranks.end()) made->self = static_cast<int>(self - made->ranks.begin());
  groups_.push_back(made);
  record_group(*made, where);
  return made;
}

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
  return add_group(std::move(ranks), where);
}

std::vector<int> core::ranks_of(const boost::mpi::communicator& members, bool remote, place where) {
  if (!environment_.ranks_of) {
    throw error(error_code::mpi_not_ready, "the ranks of this session are not ranks of MPI",
                {{"called", to_string(where)}},
                "name the ranks: `session.group({deed::rank{0}, deed::rank{1}})`");
  }
  std::vector<int> ranks;
  engine_->hold_door([&] { ranks = environment_.ranks_of(members, remote); });
  const auto outside = std::ranges::find(ranks, -1);
  if (outside == ranks.end()) return ranks;
  throw error(error_code::no_such_peer,
              "rank " + std::to_string(outside - ranks.begin()) + " of the " +
                  (remote ? "remote group" : "communicator") + " is no rank of the session",
              {{"called", to_string(where)}}, "use a communicator within that of the session");
}

std::shared_ptr<group_state> core::make_group(const boost::mpi::communicator& members,
                                              place where) {
  const turn held(*this, caller(call_kind::steps, where));
  const std::shared_ptr<group_state> made = add_group(ranks_of(members, false, where), where);
  made->known_to = made->ranks;
  return made;
}

group_pair core::make_groups(const boost::mpi::communicator& between, place where) {
  const turn held(*this, caller(call_kind::steps, where));
  std::array sides{ranks_of(between, false, where), ranks_of(between, true, where)};
  if (sides[1].empty() && !sides[0].empty()) {
    throw error(error_code::no_such_peer, "the communicator has no remote group",
                {{"called", to_string(where)}}, "pass an intercommunicator, or use `group`");
  }
  std::vector<int> both = sides[0];
  both.insert(both.end(), sides[1].begin(), sides[1].end());
  // Both sides number them alike.
  const bool swaps = !both.empty() && std::ranges::min(sides[1]) < std::ranges::min(sides[0]);
  if (swaps) std::swap(sides[0], sides[1]);
  std::array made{add_group(std::move(sides[0]), where), add_group(std::move(sides[1]), where)};
  for (const auto& each : made) each->known_to = both;
  if (swaps) std::swap(made[0], made[1]);
  return {group(made[0]), group(made[1])};
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
