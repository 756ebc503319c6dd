// SPDX-License-Identifier: MIT
#include "analysis/match/pair_moves.hpp"

#include <deed/base/random.hpp>
#include <deed/trace/events.hpp>

namespace deed::viewer {

move read_move(const run& of, const event& e, std::uint32_t index) {
  move m;
  m.time = e.time;
  m.event = index;
  m.what = e.what;
  m.handle = of.get32(e, field::handle);
  m.version = of.get32(e, field::version);
  m.peer = of.get32(e, field::peer);
  m.seq = static_cast<std::uint16_t>(of.get(e, field::seq));
  m.sends = of.get(e, field::dir) == 0;
  m.tag = of.get(e, field::tag);
  if (e.what == record::xfer_start) return m;
  m.bytes = of.get(e, field::bytes);
  if (e.what != record::xfer_post) return m;
  const std::uint64_t reason = of.get(e, field::reason);
  m.reason = static_cast<std::uint8_t>(reason);
  m.of_the_program = is_message(reason);
  const std::uint64_t named = of.get(e, field::for_task);
  m.for_task = m.of_the_program ? trace::no_task : named;
  if (m.of_the_program) m.group = trace::message_call::of(named).group;
  return m;
}

std::size_t pair_moves::transfer_key::hash() const noexcept {
  return mix(mix(std::uint64_t{handle} << 32 | version, std::uint64_t{src} << 32 | dst), seq);
}

std::size_t pair_moves::message_hash::operator()(const message_key& key) const noexcept {
  return mix(
      mix(key.tag + (std::uint64_t{key.group} << 48), std::uint64_t{key.src} << 32 | key.dst),
      mix(std::uint64_t{key.lap} << 32 | key.seq, std::uint64_t{key.handle} << 32 | key.version));
}

void pair_moves::read(const move& m, std::uint32_t rank) {
  transfer& x = transfers[place_of(m, rank)];
  if (m.what == record::xfer_post) {
    (m.sends ? x.post_send : x.post_receive) = m.time;
    x.bytes = m.bytes;
    x.reason = m.reason;
    // The task is the receiver's, but for a write-back, where it is the sender's.
    if (m.sends == x.is(trace::transfer_reason::write_back) || x.for_task == trace::no_task)
      x.for_task = m.for_task;
    if (x.post_event == none) x.post_event = m.event;
  } else if (m.what == record::xfer_start) {
    (m.sends ? x.start : x.start_receive) = m.time;
  } else {
    (m.sends ? x.done_send : x.done_receive) = m.time;
    if (m.bytes != 0) x.bytes = m.bytes;  // What a type packs is known by now, and not before.
  }
}

std::uint32_t pair_moves::place_of(const move& m, std::uint32_t rank) {
  if (m.of_the_program) return message_at(m, rank);
  if (!posted_.empty()) {
    const std::uint32_t posted = posted_.find(name_on(m, rank));
    if (posted != none) return posted;
  }
  return keyed({m.handle, m.version, m.sends ? rank : m.peer, m.sends ? m.peer : rank, m.seq},
               m.event);
}

bool pair_moves::has_key(std::uint32_t place, const transfer_key& key) const {
  const transfer& x = transfers[place];
  return key == transfer_key{x.handle, x.version, static_cast<std::uint32_t>(x.src),
                             static_cast<std::uint32_t>(x.dst), x.seq};
}

std::uint32_t pair_moves::keyed(const transfer_key& key, std::uint32_t event) {
  const std::size_t hash = key.hash();
  std::uint32_t& recent = recent_[(hash >> 32) % recent_.size()];
  if (recent != none && has_key(recent, key)) return recent;
  const auto [place, added] = by_key_.add(hash, static_cast<std::uint32_t>(transfers.size()),
                                          [&](std::uint32_t at) { return has_key(at, key); });
  if (added) make(key, event);
  return recent = place;
}

/// What one rank calls a transfer in its start and its end: these have a short tag.
pair_moves::message_key pair_moves::name_on(const move& m, std::uint32_t rank) {
  return {trace::short_tag(m.tag, m.group),
          m.sends ? rank : m.peer,
          m.sends ? m.peer : rank,
          m.seq,
          m.handle,
          2 * m.version + (m.sends ? 1 : 0)};
}

/// Both ends post the messages of a number in one order, as far as each recorded as many.
std::uint32_t pair_moves::lap_of(message_key key, bool sends) {
  const std::uint32_t first = by_message_.find(key);
  if (first == none) return 0;
  const transfer& x = transfers[first];
  if ((sends ? x.post_send : x.post_receive) == never) return 0;
  key.version = sends ? 1 : 2;
  const std::uint32_t before = laps_.find(key), lap = before == none ? 1 : before;
  laps_.put(key, lap + 1);
  return lap;
}

/// The transfer of an explicit message: the same for both ends, whatever they call the data. It has
/// the sender's name, whoever spoke first: which of two clocks is ahead differs from run to run.
std::uint32_t pair_moves::message_at(const move& m, std::uint32_t rank) {
  const message_key local = name_on(m, rank);
  message_key key{m.tag, local.src, local.dst, local.seq};
  key.group = m.group;
  key.lap = lap_of(key, m.sends);
  const auto [place, added] = by_message_.add(key, static_cast<std::uint32_t>(transfers.size()));
  if (added) {
    make({m.handle, m.version, local.src, local.dst, local.seq}, m.event);
  } else if (m.sends) {
    transfers[place].handle = m.handle;
    transfers[place].version = m.version;
  }
  posted_.put(local, place);
  return place;
}

void pair_moves::make(const transfer_key& key, std::uint32_t event) {
  transfer& made = transfers.add(event);
  made.handle = key.handle;
  made.version = key.version;
  made.src = static_cast<int>(key.src);
  made.dst = static_cast<int>(key.dst);
  made.seq = static_cast<std::uint16_t>(key.seq);
}

}  // namespace deed::viewer
