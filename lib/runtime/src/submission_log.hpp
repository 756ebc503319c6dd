// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/place.hpp>
#include <deed/base/random.hpp>
#include <deed/data/type_operations.hpp>
#include <deed/transport/transfer.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

/// @file
/// What a rank keeps of its own submissions, so that ranks can compare what they submitted.
///
/// Ranks may leave out tasks that do not concern them, so there is no one sequence. Three are
/// compared: the *steps* that all ranks take (registrations, fetches, migrations, …); for each pair
/// of ranks the *dealings*, tasks and fetches in which one owns what the other uses; and the
/// *rounds*, the calls in which all ranks take part and at which the sums of the other two meet.

namespace deed::runtime {

struct known_codelet;
struct tile_rule;

/// A registration, or a call that changes who has which data.
struct common_step {
  enum class kind : std::uint8_t {
    registration,
    fetch,
    migration,
    flush,
    cache,
    wait,
    replication,
    preference,
    readers,     ///< How many are expected: `rank`.
    list,        ///< Of data that go to one rank or come from it; `tag` is their number.
    checkpoint,  ///< Of the epoch `tag`.
    resume
  };
  kind is = kind::registration;
  /// The owner, whom the value goes to or comes from; -1: every rank. Of `cache`: on or off; of
  /// `replication`: how many ranks run the task.
  int rank = 0;
  std::uint64_t tag = 0;
  std::uint64_t bytes = 0;  ///< 0: it has no fixed size, or may differ between ranks.
  const data::type_operations* type = nullptr;
  data::extents shape;
  std::string_view name;  ///< Of the datum or the codelet; lives as long as the session.
  int i = -1, j = -1;     ///< Place in a collection.
  place where;
  std::shared_ptr<const tile_rule> tiles{};  ///< Of a matrix; `tag` and `rank` are of the first.
  std::uint64_t hash = 0;                    ///< Of this step and all before it.
};

/// A task or a fetch, as the pair of ranks sees it that owns and uses the data.
struct dealing {
  const known_codelet* codelet = nullptr;  ///< Null: a fetch.
  place where;
  std::uint64_t number = 0;     ///< Of the insertion on this rank.
  std::uint64_t signature = 0;  ///< Of codelet, executor, data and modes.
  std::uint64_t transfers = 0;  ///< A hash of those it makes necessary between the two.
  std::uint64_t tag = 0;        ///< Of the first datum that the pair deals in, and its version.
  std::uint32_t version = 0;
  std::uint32_t executor = 0;
  int passes_on = -1;  ///< Who sends instead of the owner.
  std::uint32_t peer = 0;
  std::uint32_t index = 0;  ///< Among those with this peer.
  std::uint64_t round = 0;
  std::uint64_t sum = 0;  ///< Of all before it with this peer.

  [[nodiscard]] std::uint64_t own() const noexcept { return mix(signature, transfers); }
};

/// A message that was sent explicitly.
struct sent_message {
  std::uint32_t peer = 0;
  std::uint64_t tag = 0;
  const data::type_operations* type = nullptr;
  std::string_view name;
  place where, registered;
  std::uint64_t channel = 0;                  ///< Of a group; 0: the session.
  std::uint64_t bytes = transport::any_size;  ///< `transport::any_size`: not known ahead.
};

/// Collective calls with one group, so far.
struct calls_so_far {
  std::uint64_t count = 0;
  std::uint64_t hash = 0;  ///< Of all of them, in order.
};

struct collective_made {
  std::uint32_t group = 0;   ///< 0: all ranks.
  std::uint64_t is = 0;      ///< Which call: its kind and its root.
  std::uint64_t type = 0;    ///< A hash of what its parts consist of.
  std::string_view of;       ///< The type of a part.
  std::uint64_t before = 0;  ///< The hash of those before it.
  place where;
};

/// Those to a peer that a receiver cannot tell apart before they are there. Tags of two groups have
/// nothing to do with each other.
struct messages_alike {
  std::uint32_t peer = 0;
  std::uint64_t tag = 0, type_hash = 0;
  std::uint64_t channel = 0;  ///< Of a group; 0: the session.
};

/// How far a rank has come with one other.
struct dealings_so_far {
  std::uint32_t peer = 0;
  std::uint32_t count = 0;
  std::uint64_t sum = 0;
};

/// The same with each that it has dealt with: memory grows with these, not with the ranks.
/// Open addressing, half full at most.
class dealing_sums {
 public:
  /// Of a peer that is new all is 0; the caller counts it before the next call.
  [[nodiscard]] dealings_so_far& with(std::uint32_t peer) {
    if (2 * peers_ >= places_.size()) grow();
    dealings_so_far& found = place_of(peer);
    if (found.count == 0) ++peers_;
    found.peer = peer;
    return found;
  }
  template <class F>
  void for_each(F f) const {
    for (const dealings_so_far& each : places_) {
      if (each.count > 0) f(each);
    }
  }

 private:
  [[nodiscard]] dealings_so_far& place_of(std::uint32_t peer) noexcept {
    const std::size_t mask = places_.size() - 1;
    std::size_t at = (peer * std::size_t{0x9e3779b97f4a7c15} >> 32) & mask;
    while (places_[at].count != 0 && places_[at].peer != peer) at = (at + 1) & mask;
    return places_[at];
  }
  void grow();

  std::vector<dealings_so_far> places_;  // A power of two; free ones have no count.
  std::size_t peers_ = 0;
};

/// Threads: the submitter; others while it waits for them.
/// Cost: a dealing is three multiplications and a store, without allocation once 4,096 are kept;
///   352 KiB per rank then. A step is 32 bytes, and 80 more if it is unlike the one before it.
class submission_log {
 public:
  static constexpr std::uint64_t latest = ~std::uint64_t{0};  ///< As a round: all until now.
  static constexpr std::size_t kept = 4096;

  /// `keeps_all`: of dealings; else the newest `kept`.
  explicit submission_log(int rank, bool keeps_all = false)
      : rank_(static_cast<std::uint32_t>(rank)), room_(keeps_all ? ~std::size_t{0} : kept) {}

  void add(const common_step& step);
  /// `follow`: so many more are known to come, which may take its place.
  void add(std::uint32_t peer, const dealing& one, std::uint64_t follow = 0);
  void add(const sent_message& one);
  /// Sets what is `before` it. @return its number among those with its group.
  std::uint64_t add(collective_made one, calls_so_far& of_group);
  struct call {
    std::uint64_t kind = 0;
    place where;
  };
  /// @return the number of the round that begins.
  std::uint64_t begin_round(const call& what);
  [[nodiscard]] std::uint64_t rounds() const noexcept { return round_; }

  [[nodiscard]] std::uint64_t steps_hash() const noexcept { return steps_hash_; }
  /// Of all ranks together it is 0, if each pair had the same dealings in the same order.
  [[nodiscard]] std::uint64_t dealings_sum() const noexcept { return dealings_sum_; }

  /// The call of a round. Null: it is too long ago, or was not begun.
  [[nodiscard]] const call* call_of(std::uint64_t round) const noexcept;
  /// The first step that is kept, and those before `round`.
  [[nodiscard]] std::uint64_t first_step() const noexcept { return forgotten_steps_; }
  [[nodiscard]] std::uint64_t steps_before(std::uint64_t round) const noexcept;
  [[nodiscard]] std::optional<common_step> step(std::uint64_t index) const noexcept;
  [[nodiscard]] std::vector<dealings_so_far> dealings_before(std::uint64_t round) const;
  /// Those that are kept, in order.
  [[nodiscard]] std::vector<dealing> dealings_with(std::uint32_t peer, std::uint64_t round) const;
  /// Those that are kept, in order, calls of all groups.
  [[nodiscard]] const std::deque<collective_made>& collectives() const noexcept {
    return collectives_;
  }
  /// The newest of those that may have had so many bytes. Null: none is kept.
  [[nodiscard]] const sent_message* newest_of_size(const messages_alike& those,
                                                   std::uint64_t bytes) const noexcept;
  /// The one after which `newer` of those were sent.
  [[nodiscard]] const sent_message* newest_but(const messages_alike& those,
                                               std::uint64_t newer) const noexcept;

 private:
  /// What steps on one line mostly have in common: a million registrations are told apart by tag,
  /// owner and place.
  struct run_of_steps {
    common_step alike;
    std::uint64_t round = 0;  // The next one.
    std::uint64_t first = 0;  // Index of its first step.
  };
  struct one_step {
    std::uint64_t tag, hash;
    int rank, i, j;
  };
  /// The newest that `is`.
  template <class Is>
  [[nodiscard]] const sent_message* newest(const messages_alike& those, Is is) const noexcept;
  [[nodiscard]] bool continues(const common_step& step) const noexcept;
  std::uint32_t rank_;
  std::size_t room_;  // Of the ring.
  std::uint64_t round_ = 0;
  std::deque<call> calls_;  // The newest.
  std::deque<run_of_steps> runs_;
  std::deque<one_step> steps_;
  std::uint64_t forgotten_steps_ = 0;
  std::uint64_t steps_hash_ = 0;
  std::vector<dealing> ring_;
  std::uint64_t dealings_ = 0;
  std::uint64_t dealings_sum_ = 0;
  dealing_sums with_;
  std::deque<collective_made> collectives_;  // The newest.
  std::vector<sent_message> messages_;
  std::uint64_t message_count_ = 0;
};

}  // namespace deed::runtime
