// SPDX-License-Identifier: MIT
// Explicit messages, whose two ends have names of their own for what they bring.
#include <deed/trace/events.hpp>

#include "analysis/model.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace deed::viewer {

std::uint64_t model::tag_of(const transfer& x) const {
  return x.post_event == none ? 0 : run_->get(run_->events()[x.post_event], field::tag);
}

std::uint32_t model::short_tag_of(const transfer& x) const {
  return x.post_event == none ? 0 : viewer::short_tag_of(*run_, run_->events()[x.post_event]);
}

bool posts_message(const run& of, const event& e) {
  return e.what == record::xfer_post && is_message(of.get(e, field::reason));
}

std::uint32_t short_tag_of(const run& of, const event& e) {
  const std::uint64_t tag = of.get(e, field::tag);
  if (!posts_message(of, e)) return trace::short_tag(tag);
  return trace::short_tag(tag, trace::message_call::of(of.get(e, field::for_task)).group);
}

namespace {

template <class Entry>
void sort_by_key(std::vector<Entry>& entries) {
  std::ranges::stable_sort(entries, {}, &Entry::key);
}

}  // namespace

/// Their two ends have names of their own for the datum and its version.
void model::find_messages() {
  const auto count = std::ranges::count_if(transfers_, &transfer::is_message);
  if (count == 0) return;
  messages_.reserve(static_cast<std::size_t>(count));
  posts_.reserve(static_cast<std::size_t>(count));
  for (std::uint32_t i = 0; i < transfers_.size(); ++i)
    if (const transfer& x = transfers_[i]; x.is_message()) {
      messages_.push_back({short_tag_of(x), x.src, x.dst, x.seq, i});
      posts_.push_back({i});
    }
  sort_by_key(messages_);
  brought_.reserve(messages_.size());
  const event_list& events = run_->events();
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events.what(i) != record::xfer_post) continue;
    const event e = events[i];
    if (!posts_message(*run_, e)) continue;
    const std::uint32_t x = message_of(e);
    if (x == none) continue;
    const bool sends = run_->get(e, field::dir) == 0;
    message_posts& both = *std::ranges::lower_bound(posts_, x, {}, &message_posts::transfer);
    std::uint32_t& mine = sends ? both.send : both.receive;
    if (mine == none) mine = static_cast<std::uint32_t>(i);
    if (!sends)
      brought_.push_back(
          {run_->rank_of(e), run_->get32(e, field::handle), run_->get32(e, field::version), x});
  }
  sort_by_key(brought_);
}

model::message_posts model::posts_of(std::uint32_t transfer) const {
  const auto found = std::ranges::lower_bound(posts_, transfer, {}, &message_posts::transfer);
  return found == posts_.end() || found->transfer != transfer ? message_posts{} : *found;
}

std::optional<model::datum_version> model::received_as(std::uint32_t transfer) const {
  const std::uint32_t post = posts_of(transfer).receive;
  if (post == none) return std::nullopt;
  const event e = run_->events()[post];
  return datum_version{run_->get32(e, field::handle), run_->get32(e, field::version)};
}

std::string model::sent_at(std::uint32_t transfer) const {
  const std::uint32_t post = posts_of(transfer).send;
  return post == none ? std::string{} : called_at(run_->events()[post]);
}

std::string model::received_at(std::uint32_t transfer) const {
  const std::uint32_t post = posts_of(transfer).receive;
  return post == none ? std::string{} : called_at(run_->events()[post]);
}

std::string model::called_at(const event& post) const {
  const int rank = run_->rank_of(post);
  const std::uint32_t loc = trace::message_call::of(run_->get(post, field::for_task)).loc;
  return is_place(rank, loc) ? place(rank, loc) : std::string{};
}

std::uint32_t model::message_of(const event& e) const {
  const int me = run_->rank_of(e), peer = static_cast<int>(run_->get32(e, field::peer));
  const bool sends = run_->get(e, field::dir) == 0;
  if (!sends && e.what != record::xfer_post)
    if (const std::uint32_t brought =
            message_that_brought(run_->get32(e, field::handle), run_->get32(e, field::version), me);
        brought != none)
      return brought;
  const std::tuple key(viewer::short_tag_of(*run_, e), sends ? me : peer, sends ? peer : me,
                       static_cast<std::uint16_t>(run_->get(e, field::seq)));
  const auto all = std::ranges::equal_range(messages_, key, {}, &known_message::key);
  if (all.empty()) return none;
  const auto behind = std::ranges::partition_point(all, [&](const known_message& each) {
    const transfer& x = transfers_[each.transfer];
    const std::int64_t post = sends ? x.post_send : x.post_receive;
    return post != never && post <= e.time;
  });
  return (behind == all.begin() ? behind : std::prev(behind))->transfer;
}

std::uint32_t model::message_that_brought(std::uint32_t handle, std::uint32_t version,
                                          int rank) const {
  const std::tuple key(rank, handle, version);
  const auto behind = std::ranges::upper_bound(brought_, key, {}, &brought_version::key);
  if (behind == brought_.begin() || std::prev(behind)->key() != key) return none;
  return std::prev(behind)->transfer;
}

}  // namespace deed::viewer
