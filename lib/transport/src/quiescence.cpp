// SPDX-License-Identifier: MIT
#include "quiescence.hpp"

#include <deed/base/planted.hpp>

namespace deed::transport::detail {

bool quiescence::turn(bool idle, std::chrono::nanoseconds now) {
  if (!idle || !armed_) {
    next_look_.reset();
    if (!idle) before_.reset();
    return false;
  }
  if (!probed_ && root()) start_when_due(now);
  // A rank that is alone has all answers at once: nothing would call it for the second wave.
  while (probed_ && missing_ == 0) {
    if (answer(now)) return true;
  }
  return false;
}

void quiescence::start_when_due(std::chrono::nanoseconds now) {
  const bool at_once = planted(planted_bug::quiescence_at_first_sight);
  if (!next_look_) next_look_ = at_once ? now : now + idle_before_;
  if (now < *next_look_) return;
  next_look_.reset();
  begin(wave_ + 1);
}

void quiescence::begin(std::uint64_t wave) {
  wave_ = wave;
  probed_ = true;
  missing_ = place_.number_of_children;
  sums_ = {};
  to_children(probe);
}

bool quiescence::answer(std::chrono::nanoseconds now) {
  probed_ = false;
  sums_.sent += peers_.counted_sent;
  sums_.received += peers_.counted_received;
  if (!root()) {
    emit(reply, place_.parent, sums_);
    return false;
  }
  const bool proved = (before_ == sums_ && sums_.sent == sums_.received) ||
                      planted(planted_bug::quiescence_at_first_sight);
  const bool first = !before_;
  before_ = sums_;
  if (proved) {
    prove();
    return true;
  }
  next_look_ = first ? now : now + idle_before_;  // The second wave follows the first at once.
  start_when_due(now);
  return false;
}

void quiescence::prove() {
  armed_ = false;
  before_.reset();
  next_look_.reset();
  to_children(proof);
}

bool quiescence::arrived(const header& frame) {
  switch (frame.members) {
    case probe:
      begin(frame.tag);
      return false;
    case reply:
      if (frame.tag != wave_) return false;
      --missing_;
      sums_.sent += frame.version;
      sums_.received += frame.type_hash;
      return false;
    case proof:
      prove();
      return true;
    default:
      return false;
  }
}

void quiescence::to_children(std::uint16_t what) {
  for (int i = 0; i < place_.number_of_children; ++i) {
    emit(what, place_.children[static_cast<std::size_t>(i)], {});
  }
}

void quiescence::emit(std::uint16_t what, int to, counts sums) {
  header h;
  h.kind = static_cast<std::uint8_t>(frame_kind::quiesce);
  h.members = what;
  h.tag = wave_;
  h.version = sums.sent;
  h.type_hash = sums.received;
  peers_.emit(peers_.at(to), h);
}

}  // namespace deed::transport::detail
