// SPDX-License-Identifier: MIT
#include <deed/base/random.hpp>

#include "analysis/generate/simulation.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

// What can go wrong, and what does so after the factorisation: each fault on a tile of its own, one
// after the other.

namespace deed::viewer {

using namespace trace;

namespace {

constexpr std::uint64_t send_dir = 0, receive_dir = 1, wait_for_handle = 1, wait_for_all = 2;

}  // namespace

std::vector<fault_kind> fault_kinds() {
  return {
      {"dup_flush", "a version is sent again: a flush dropped its copy", "why-twice"},
      {"dup_capacity", "a version is sent again: its copy was evicted", "why-twice"},
      {"dup_race", "a version is asked for again before it is there", "why-twice"},
      {"ping_pong", "a datum migrates, and back without a write", "why-twice"},
      {"unused_prefetch", "a version is sent ahead of time, and no task uses it", "cache"},
      {"stale_read", "a task reads a version that is not the newest", "check"},
      {"pending_read", "a task reads a version that is still on its way", "check"},
      {"two_owners", "a rank gives away what another owns", "check"},
      {"unheld_send", "a rank sends a version that it does not hold", "check"},
      {"borrow_leak", "a borrow never ends", "check"},
      {"use_after_release", "a task uses what is unregistered", "check"},
      {"divergent_submit", "a rank submits a write that the others do not", "check"},
      {"late_task", "a task that is ready begins late on a worker that is free", "waits"},
      {"slow_link", "messages between two ranks take eight times as long", "matrix"},
      {"lost_recv", "a rank waits for a message that nobody sends", "waits"},
      {"deadlock", "two ranks wait for each other", "waits"},
      {"skew", "the clock of a rank is up to 5.5 ms ahead; by how much, skew:50us says",
       "info --full"},
      {"drift", "the clock of a rank gains 300 to 900 us in each second; or drift:20ppm",
       "info --full"},
      {"drop", "a stream loses events, and counts them; drop:1% of them", "info"},
      {"missing_rank", "the folder of a rank is lost", "info"},
      {"cut", "a file ends inside an event; cut:0.7 keeps so much of its events", "info, repair"},
      {"bitflip", "a bit flips in the number of an event", "info, repair"},
  };
}

std::optional<double> parse_amount(std::string_view fault, std::string_view text) {
  if (fault == "skew") {
    const std::optional<std::int64_t> time = parse_time(text);
    return time && *time > 0 ? std::optional<double>(*time) : std::nullopt;
  }
  double number = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc() || !(number > 0)) return {};
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (fault == "drift") {
    constexpr double most = 100'000, ppm = 1'000;  // A tenth of a second, and nanoseconds for one.
    return unit == "ppm" && number <= most ? std::optional(number * ppm) : std::nullopt;
  }
  if (fault != "drop" && fault != "cut") return {};
  if (unit == "%") number /= 100;
  return (unit.empty() || unit == "%") && number < 1 ? std::optional(number) : std::nullopt;
}

/// At most a third of the pairs: which messages are slow is told by the others.
void simulation::choose_slow_links() {
  const auto ranks = static_cast<std::uint64_t>(options_.ranks);
  const std::uint64_t most = std::min<std::uint64_t>(
      wants("slow_link") ? static_cast<std::uint64_t>(left_["slow_link"]) : 0,
      (links_ ? links_->size() : ranks * (ranks - 1) / 2) / 3);
  if (links_) {
    std::vector<std::pair<int, int>> left(links_->begin(), links_->end());
    while (slow_links_.size() < most) {
      const auto chosen = left.begin() + static_cast<std::ptrdiff_t>(draw_.below(left.size()));
      slow_links_.insert(*chosen);
      left.erase(chosen);
    }
    return;
  }
  while (slow_links_.size() < most) {
    const auto one = static_cast<int>(draw_.below(ranks)),
               other = static_cast<int>(draw_.below(ranks));
    if (one != other) slow_links_.insert(std::minmax(one, other));
  }
}

std::set<std::pair<int, int>> simulation::busy_links(const truth& of) {
  constexpr std::uint64_t enough = 4;
  std::set<std::pair<int, int>> found;
  for (const auto& [pair, sent] : of.comm_matrix) {
    const auto back = of.comm_matrix.find({pair.second, pair.first});
    if (pair.first < pair.second && back != of.comm_matrix.end() && sent.messages >= enough &&
        back->second.messages >= enough)
      found.insert(pair);
  }
  constexpr std::size_t fewest = 3;  // The others say which one is slow.
  if (found.size() < fewest) found.clear();
  return found;
}

bool simulation::tells_its_links() const {
  const auto told = std::ranges::count(truth_.faults, "slow_link", &injected_fault::kind);
  return static_cast<std::size_t>(told) == slow_links_.size();
}

/// A link is slow if enough messages say so, both ways.
void simulation::tell_slow_links() {
  const auto busy = busy_links(truth_);
  for (const auto& link : slow_links_)
    if (busy.contains(link)) struck("slow_link", nothing, 0, link.first, link.second, 0);
}

/// Of a run for which nobody said how long it is: it goes on until a slow link can be told.
bool simulation::needs_messages() {
  constexpr std::uint32_t most_epochs = 16;  // Of some programs, links never carry enough.
  if (options_.events != 0 || !wants("slow_link") || epoch_ >= most_epochs) return false;
  const auto ranks = static_cast<std::uint64_t>(options_.ranks);
  const std::uint64_t enough =
      std::min(3 * static_cast<std::uint64_t>(left_["slow_link"]), ranks * (ranks - 1) / 2);
  const auto busy = busy_links(truth_);
  // Those of the first run are chosen before anybody knows which links this program uses.
  return busy.size() < enough || (links_ && !std::ranges::includes(busy, slow_links_));
}

std::optional<std::uint32_t> simulation::unspoilt_tile() {
  for (int tries = 0; tries < 1'000; ++tries) {
    const auto h = static_cast<std::uint32_t>(draw_.below(tiles_.size()));
    if (!spoilt_.contains(h) && tiles_[h].version > 0) {
      spoilt_.insert(h);
      return h;
    }
  }
  return {};
}

/// `make` says whether the tile suits; after a thousand that did not, none does.
template <class Make>
void simulation::inject_each(const char* fault, Make&& make) {
  for (int misses = 0; wants(fault) && misses < 1'000;) {
    const auto h = unspoilt_tile();
    if (!h) return;
    fault_at_ += 1'000;
    if (make(*h)) continue;
    spoilt_.erase(*h);
    ++misses;
  }
}

void simulation::inject_at_end() {
  fault_at_ = submitted_;
  inject_each("two_owners", [&](auto h) { return two_owners(h); });
  inject_each("borrow_leak", [&](auto h) { return borrow_leak(h); });
  inject_each("unheld_send", [&](auto h) { return unheld_send(h); });
  inject_each("use_after_release", [&](auto h) { return use_after_release(h); });
  inject_each("pending_read", [&](auto h) { return pending_read(h); });
  inject_each("ping_pong", [&](auto h) { return ping_pong(h); });
  inject_each("unused_prefetch", [&](auto h) { return unused_prefetch(h); });
  divergent_submit();
  inject_each("lost_recv", [&](auto h) { return lost_receive(h); });
  submitted_ = std::max(submitted_, fault_at_) + 10'000;
  latest_ = std::max(latest_, submitted_);
  if (wants("deadlock") && options_.ranks >= 2) deadlock();
}

bool simulation::two_owners(std::uint32_t h) {
  if (options_.ranks < 2) return false;
  const auto ranks = static_cast<std::uint32_t>(options_.ranks);
  const auto owner = static_cast<std::uint32_t>(tiles_[h].owner);
  const std::uint32_t from = (owner + 1) % ranks, to = ranks > 2 ? (owner + 2) % ranks : from;
  log_.add(fault_at_, static_cast<int>(from), event_log::application, record::owner,
           {h, tiles_[h].version, from, to, 1, migrate_line_});
  struck("two_owners", h, tiles_[h].version, static_cast<int>(from), static_cast<int>(to),
         fault_at_);
  return true;
}

bool simulation::borrow_leak(std::uint32_t h) {
  log_.add(fault_at_, tiles_[h].owner, event_log::application, record::borrow,
           {h, 1, 0, borrow_line_});
  struck("borrow_leak", h, 0, -1, tiles_[h].owner, fault_at_);
  return true;
}

bool simulation::unheld_send(std::uint32_t h) {
  const made_tile& t = tiles_[h];
  int liar = -1;
  for (int rank = 0; rank < options_.ranks; ++rank)
    if (rank != t.owner && rank != t.writer_rank && copy_of(h, rank).available < 0) liar = rank;
  if (liar < 0) return false;
  const std::int64_t now = fault_at_;
  const auto to = static_cast<std::uint64_t>(t.owner);
  const std::uint64_t prefetch = 1;
  log_.add(now, liar, event_log::progress, record::xfer_post,
           {send_dir, h, t.version, to, 0, tile_bytes, h, prefetch, no_task});
  log_.add(now + 10, liar, event_log::progress, record::xfer_start,
           {h, t.version, to, 0, send_dir});
  log_.add(now + 20, liar, event_log::progress, record::xfer_done, {h, t.version, to, 0, send_dir});
  log_.add(now + 5'000, t.owner, event_log::progress, record::xfer_done,
           {h, t.version, static_cast<std::uint64_t>(liar), 0, receive_dir});
  count_message(liar, t.owner, false);
  struck("unheld_send", h, t.version, liar, t.owner, now + 10);
  return true;
}

/// A task of one tile that waits for nothing. Returns its end; it begins a microsecond after
/// `submitted`.
std::int64_t simulation::run_alone(std::uint32_t h, int rank, access_kind mode,
                                   std::int64_t submitted) {
  const auto last = static_cast<std::size_t>(program_.kernels.back());
  constexpr int app = event_log::application, worker = event_log::first_worker;
  const std::uint64_t task = next_task_++;
  const std::uint32_t seen = tiles_[h].version, left = seen + (mode == access_kind::read ? 0 : 1);
  const std::int64_t begin = submitted + 1'000, end = begin + 10'000;
  log_.add(submitted, rank, app, record::task_submit,
           {task, codelets_[last], static_cast<std::uint64_t>(rank), 0, lines_[last], 1});
  log_.add(submitted, rank, app, record::task_access,
           {task, 0, h, static_cast<std::uint64_t>(mode), seen, left});
  log_.add(submitted, rank, event_log::progress, record::task_ready, {task, 0, 0});
  log_.add(begin, rank, worker, record::task_begin, {task, codelets_[last]});
  log_.add(end, rank, worker, record::task_end, {task, 0});
  ran({.number = task, .rank = rank, .submitted = submitted, .begin = begin, .end = end}, 0, last);
  return end;
}

/// All ranks let go of a tile, and its owner submits one more task that reads it.
bool simulation::use_after_release(std::uint32_t h) {
  const int rank = tiles_[h].owner;
  for (int each = 0; each < options_.ranks; ++each)
    log_.add(fault_at_, each, event_log::application, record::handle_unregister,
             {h, log_.rank(each).location(lines_of_the_program().release)});
  struck("use_after_release", h, tiles_[h].version, -1, rank, fault_at_ + 500);
  fault_at_ = run_alone(h, rank, access_kind::read, fault_at_ + 500);
  return true;
}

/// A rank asks for a version and runs the reader at once, while the bytes are on their way.
bool simulation::pending_read(std::uint32_t h) {
  const made_tile& t = tiles_[h];
  int reader = -1;
  for (int rank = 0; rank < options_.ranks; ++rank) {
    bool had_it = rank == t.owner || rank == t.writer_rank;
    for (int from = 0; from < options_.ranks; ++from)
      had_it |= sequence_.contains({h, t.version, from, rank});
    if (!had_it) reader = rank;
  }
  if (reader < 0) return false;
  const std::int64_t arrived =
      send(h, t.owner, reader, next_task_, fault_at_, transfer_reason::task);
  run_alone(h, reader, access_kind::read, fault_at_);
  struck("pending_read", h, t.version, t.owner, reader, fault_at_);
  fault_at_ = arrived;
  return true;
}

/// A tile moves to the next rank and, without a write, back.
bool simulation::ping_pong(std::uint32_t h) {
  const made_tile& t = tiles_[h];
  const int home = t.owner, to = (home + 1) % options_.ranks;
  if (to == home || sequence_.contains({h, t.version, home, to})) return false;
  struck("ping_pong", h, t.version, home, to, fault_at_);
  const std::int64_t there = migrate(h, to, fault_at_);
  log_.add(there, home, event_log::progress, record::cache_drop,
           {h, t.version, static_cast<std::uint64_t>(to),
            static_cast<std::uint64_t>(drop_cause::migrate), migrate_line_});
  copy_of(h, home) = {};
  fault_at_ = migrate(h, home, there + 1'000) + 1'000;
  truth_.comm_matrix[{to, home}].redundant += tile_bytes;  // It is sent once, and in vain.
  return true;
}

/// A rank gets a version that none of its tasks has asked for, or will.
bool simulation::unused_prefetch(std::uint32_t h) {
  const made_tile& t = tiles_[h];
  const int to = (t.owner + 1) % options_.ranks;
  if (to == t.owner || to == t.writer_rank || sequence_.contains({h, t.version, t.owner, to}))
    return false;
  struck("unused_prefetch", h, t.version, t.owner, to, fault_at_);
  const std::int64_t there = send(h, t.owner, to, no_task, fault_at_, transfer_reason::prefetch);
  log_.add(there + 1, to, event_log::progress, record::cache_insert,
           {h, t.version, static_cast<std::uint64_t>(t.owner)});
  copy_of(h, to) = {there, 0, t.version, fault_at_};
  fault_at_ = there + 1'000;
  return true;
}

/// Some ranks submit a write that the others do not know of; at the next wait their ledgers differ
/// from that of rank 0.
void simulation::divergent_submit() {
  std::map<int, std::uint32_t> astray;  // Rank -> the tile that it wrote.
  const std::uint64_t digest = ledger_digest();
  inject_each("divergent_submit", [&](std::uint32_t h) {
    const int rank = tiles_[h].owner;
    if (rank == 0 || !astray.try_emplace(rank, h).second) return false;
    struck("divergent_submit", h, tiles_[h].version + 1, -1, rank, fault_at_);
    fault_at_ = run_alone(h, rank, access_kind::read_write, fault_at_);
    return true;
  });
  if (astray.empty()) return;
  for (int rank = 0; rank < options_.ranks; ++rank) {
    const auto other = astray.find(rank);
    const std::uint64_t common =
        other == astray.end() ? digest : mix(digest, std::uint64_t{other->second} + 1);
    log_.add(fault_at_ + 1'000, rank, event_log::application, record::wait_begin,
             {wait_for_all, epoch_, wait_line_});
    log_.add(fault_at_ + 2'000, rank, event_log::application, record::wait_end,
             {wait_for_all, epoch_});
    log_.add(fault_at_ + 2'000 + rank, rank, event_log::application, record::ledger_digest,
             {epoch_, mix(common, static_cast<std::uint64_t>(rank)), common});
  }
  ++epoch_;
  fault_at_ += 3'000;
}

/// A rank waits for a message that nobody sends. It comes from a lower rank: no circle arises.
bool simulation::lost_receive(std::uint32_t h) {
  if (options_.ranks < 2) return false;
  const auto ranks = static_cast<std::uint64_t>(options_.ranks);
  const std::uint64_t to = 1 + draw_.below(ranks - 1), from = draw_.below(to);
  const std::uint64_t user = 4, tag = 2'000 + h;
  const std::uint32_t version = tiles_[h].version + 1;
  const auto here = static_cast<int>(to);
  log_.add(fault_at_, here, event_log::progress, record::xfer_post,
           {receive_dir, h, version, from, 0, tile_bytes, tag, user, no_task});
  log_.add(fault_at_ + 200, here, event_log::application, record::wait_begin,
           {wait_for_handle, h, wait_line_});
  struck("lost_recv", h, version, static_cast<int>(from), here, fault_at_);
  return true;
}

/// Two ranks receive from each other before they send: nobody ever sends.
void simulation::deadlock() {
  const auto a = static_cast<int>(draw_.below(static_cast<std::uint64_t>(options_.ranks)));
  const int b = (a + 1) % options_.ranks;
  const std::int64_t now = submitted_;
  const std::uint64_t user = 4;
  for (const auto& [me, other] : {std::pair{a, b}, std::pair{b, a}}) {
    std::uint32_t handle = 0;
    while (tiles_[handle].owner != me && handle + 1 < tiles_.size()) ++handle;
    const auto peer = static_cast<std::uint64_t>(other);
    log_.add(now, me, event_log::progress, record::xfer_post,
             {receive_dir, handle, tiles_[handle].version + 1, peer, 0, tile_bytes, 1000 + peer,
              user, no_task});
    log_.add(now + 200, me, event_log::application, record::wait_begin,
             {wait_for_handle, handle, wait_line_});
    const std::uint32_t words = log_.rank(me).text("a circle of waits");
    log_.add(now + 900'000, me, event_log::application, record::error,
             {511, handle, tiles_[handle].version, no_task, tiles_[handle].version + 1,
              tiles_[handle].version, nothing, words});
  }
  struck("deadlock", ~std::uint32_t{0}, 0, a, b, now);
}

}  // namespace deed::viewer
