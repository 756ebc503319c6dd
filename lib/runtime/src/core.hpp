// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/clock.hpp>
#include <deed/base/random.hpp>
#include <deed/data/block_pool.hpp>
#include <deed/data/buffer_pool.hpp>
#include <deed/ownership/ledger.hpp>
#include <deed/runtime/balance.hpp>
#include <deed/runtime/environment.hpp>
#include <deed/runtime/migration.hpp>
#include <deed/runtime/observation.hpp>
#include <deed/runtime/options.hpp>
#include <deed/runtime/statistics.hpp>
#include <deed/runtime/tile_call.hpp>
#include <deed/runtime/tile_records.hpp>
#include <deed/tasks/graph.hpp>
#include <deed/trace/recorder.hpp>
#include <deed/transport/engine.hpp>

#include "bystanders.hpp"
#include "census.hpp"
#include "checkpoint_store.hpp"
#include "clock_answer.hpp"
#include "collective.hpp"
#include "comparison.hpp"
#include "devices.hpp"
#include "failures.hpp"
#include "gates.hpp"
#include "groups.hpp"
#include "heartbeat.hpp"
#include "idleness.hpp"
#include "inquest.hpp"
#include "kept_iteration.hpp"
#include "live.hpp"
#include "memory_in_use.hpp"
#include "message_lanes.hpp"
#include "node.hpp"
#include "recorded_packs.hpp"
#include "recorded_wait.hpp"
#include "recording.hpp"
#include "requests.hpp"
#include "submission_log.hpp"
#include "summary.hpp"
#include "tile_history.hpp"
#include "transfer_counts.hpp"
#include "undeferred.hpp"
#include "verification.hpp"
#include "way_choice.hpp"
#include "workers.hpp"
#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

/// @file
/// One rank's session without its types. The parts of its code lie in files of their own:
/// registration, insertion, transfers, execution, waiting.

namespace deed {
class owner_rule;
class partition_rule;
struct group_pair;
}  // namespace deed

namespace deed::runtime {

struct about_datum;
struct network_trial;

/// What few data have: those that are reduced to, and those whose tag another one had.
struct datum_extras {
  place last_contribution{};
  replica* partial = nullptr;  // What this rank contributes to an open reduction.
  std::shared_ptr<const contribution_rule> rule;
  tasks::chain contributed;  // Ends with what this rank gave to the reduction that closed last.
  tasks::chain before;       // Ends with the end of the datum that had its tag last.
};

/// What is known of a datum on every rank, whether it is touched here or not.
struct datum_info {
  const data::type_operations* type = nullptr;
  data::extents shape;
  std::string_view name;  // Kept in the pool of names.
  int i = -1, j = -1;     // Its place in a collection.
  place where;
  std::uint64_t tag = 0;
  std::uint32_t number = 0;  // Of the registration.
  bool tagged = false;       // By the user.
  bool in_place = false;     // Its first owner's storage is the program's memory.
  std::uint32_t home = 0;    // Its first owner.
  replica* here = nullptr;   // Null until this rank has to do with it.
  std::unique_ptr<datum_extras> seldom{};
  transfer_counts transfers{};  // Goes on from those of the datum that had its tag last.

  datum_extras& extras() {
    if (seldom == nullptr) seldom = std::make_unique<datum_extras>();
    return *seldom;
  }
  [[nodiscard]] tasks::chain before() const {
    return seldom == nullptr ? tasks::chain{} : seldom->before;
  }
  [[nodiscard]] replica* partial() const noexcept {
    return seldom == nullptr ? nullptr : seldom->partial;
  }
};

static_assert(sizeof(datum_info) <= 128);  // One for each datum of every rank.

/// Of a tag that a user chose: the end of the last datum here that had it, and its transfers.
struct tag_history {
  transfer_counts transfers;
  tasks::chain end;
};

/// Calls that all ranks make together.
using collective = trace::meeting_kind;
/// "wait()", "the end of the session".
[[nodiscard]] std::string_view call_name(collective call) noexcept;

using storage_visitor = std::function<void(void* const* storages)>;
/// Messages without order of one datum that are under way.
struct loose_use {
  int sends = 0, receives = 0;
  place last{};  // Of those, the last that started.
};

struct scattered_values;
struct planned_part;
enum class whole_form : std::uint8_t;

/// What a call does, so who may make it: tasks none; callbacks of the program may submit. Who
/// inserts tasks, or leaves them out, may do that in an iteration that is kept, and nothing else.
enum class call_kind : std::uint8_t { inserts, submits, leaves_out, steps, waits };

class core final : public ownership::registrar {
 public:
  core(const rank_environment& environment, const session_options& options);
  /// As `wait`, then ends the membership. @throws what `wait` throws.
  void close();
  /// The program failed and throws already: `close` will not wait for others, and throw nothing.
  void abandon() noexcept {
    broken_ = true;
    static_cast<void>(take_failure());
  }
  /// The session drops its core; handles that outlive it keep the rest alive.
  void leave() noexcept { drop(); }
  ~core() override;

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return ledger_.ranks(); }
  [[nodiscard]] const session_options& options() const noexcept { return options_; }
  [[nodiscard]] const rank_environment& environment() const noexcept { return environment_; }
  [[nodiscard]] std::chrono::nanoseconds elapsed() const {
    return environment_.time->now() - begin_;
  }

  // registration.cpp
  ownership::slot add_datum(const registration_description& wanted);
  [[nodiscard]] ownership::registration registration_of(ownership::slot datum) const noexcept;
  void end(ownership::slot datum, place where) override;
  void give_memory_back(ownership::slot datum, place ends) noexcept;
  [[nodiscard]] int owner_of(ownership::slot datum) const override;
  [[nodiscard]] std::uint64_t tag_of(ownership::slot datum) const override;
  [[nodiscard]] std::uint64_t bytes_of(ownership::slot datum) const override;
  void overwritten(ownership::slot datum) noexcept override;
  [[nodiscard]] std::string name_of(ownership::slot datum) const;
  [[nodiscard]] std::string known_as(ownership::slot datum) const;  // For reports.

  // failures.cpp
  /// "writes `a`, tag 0": what a task that runs here does with its data.
  [[nodiscard]] static std::vector<error::fact> uses_of(const task_node& task);

  // tile_records.cpp
  /// Registers all tiles of a matrix.
  void reserve(tile_records& family);
  [[nodiscard]] tile_records::record& meet(tile_records& family, std::size_t k, place where);
  void release(tile_records& family) noexcept;

  // tile_calls.cpp
  void insert_tiles(const tile_call& what);

  // insertion.cpp
  void insert(const task_description& task);
  [[nodiscard]] bool relevant(std::span<const access_description> accesses, const placement& asked);

  // repetition.cpp
  void repeat(std::uint64_t times, const std::function<void()>& body, place where);

  // observation.cpp
  void observe(task_observer&& look, place where);

  // replication.cpp
  [[nodiscard]] prepared_data prepare(std::span<const access_description> accesses,
                                      const placement& asked, place where);
  void check_prepared(std::span<const access_description> accesses, const prepared_data& known,
                      place where) const;

  // selection.cpp
  void use_policy(const selection_policy& policy, place where);
  [[nodiscard]] const selection_policy& policy() const noexcept { return policy_; }

  // balance.cpp
  [[nodiscard]] std::vector<int> balanced_owners(std::span<const ownership::slot> list,
                                                 const balance_policy& policy, place where);

  // messages.cpp
  void send(const access_description& what, int peer, std::uint64_t tag, message_options&& options,
            request_state* request = nullptr);
  void receive(const access_description& what, int peer, std::uint64_t tag,
               message_options&& options, request_state* request = nullptr);
  void fetch(const access_description& what, std::optional<int> peer);

  // collectives.cpp
  void collect(collective_description&& what, message_options&& options,
               request_state* request = nullptr);
  void gather_list(std::span<const access_description> blocks, int root, storage_visitor&& visit,
                   message_options&& options);
  void scatter_list(std::span<const access_description> blocks, int root, scattered_values&& values,
                    message_options&& options);
  /// All messages of its stage have moved. Threads: any.
  void goes_on(collective_node& waiting) noexcept;

  // requests.cpp
  /// Starts a call that completes a request. Where it throws, there is no request.
  template <class Start>
  [[nodiscard]] request with_request(place where, Start&& start) {
    auto made = std::make_unique<request_state>(*this, where);
    start(*made);
    registrar::keep();
    return request(*made.release());
  }
  void wait_for(request_state& what, place where);
  [[nodiscard]] bool test(request_state& what, place where);
  [[nodiscard]] bool cancel(request_state& what, place where);

  // groups.cpp
  [[nodiscard]] std::shared_ptr<group_state> make_group(std::vector<int> ranks, place where);
  [[nodiscard]] std::shared_ptr<group_state> make_group(const boost::mpi::communicator& members,
                                                        place where);
  [[nodiscard]] group_pair make_groups(const boost::mpi::communicator& between, place where);

  // gates.cpp
  // recorded.cpp
  [[nodiscard]] bool records() const noexcept { return recorder_ != nullptr; }
  /// Where the calling thread records, and the number of `name` there.
  [[nodiscard]] trace::stream& begin_phase(std::string_view name, place where,
                                           std::uint32_t& number);
  void end_phase(trace::stream& to, std::uint32_t name, std::int64_t index) noexcept;
  void record_value(std::string_view name, std::int64_t value, place where);
  [[nodiscard]] std::shared_ptr<gate_state> make_gate(std::string_view name, std::uint32_t openings,
                                                      place where);
  void open(gate_state& what, place where);
  void wait_for(gate_state& what, place where);

  // borrowing.cpp
  /// `by_program`: else by the library, which may look at a whole that is partitioned.
  borrow_node& begin_borrow(const access_description& what, bool by_program = true);
  void end_borrow(borrow_node& held) noexcept;
  [[nodiscard]] void* storage_of(borrow_node& held);
  void wait_for(ownership::slot datum, place where);

  // copies.cpp
  void keep_copies(bool on, place where);
  void flush(std::optional<ownership::slot> datum, place where);

  // reductions.cpp
  void reduce(ownership::slot datum, arity wanted, place where);

  // data_calls.cpp
  void check_same_extents(const access_description& from, const access_description& to) const;
  [[nodiscard]] std::uint64_t allocate_tags(std::uint64_t count, place where);
  void free_tags(std::uint64_t first, std::uint64_t count);
  [[nodiscard]] bool any_tag_in_use(std::uint64_t first, std::uint64_t count) const;
  void prefer_source(ownership::slot datum, int rank, place where);
  void expect_readers(ownership::slot datum, int ranks, place where);

  // pinned_buffer.cpp
  [[nodiscard]] bool pin(std::span<std::byte> memory);
  void unpin(const std::byte* address) noexcept;

  // partition.cpp
  [[nodiscard]] std::vector<planned_part> plan_parts(ownership::slot whole,
                                                     const partition_rule& rule,
                                                     const owner_rule* owners, whole_form form,
                                                     place where);
  void split(ownership::slot whole, std::vector<ownership::slot> parts, place where);
  [[nodiscard]] bool join(ownership::slot whole, std::span<const ownership::slot> parts,
                          place where);
  [[nodiscard]] const ownership::split* split_of(
      ownership::slot datum, const ownership::registration& known) const override;

  // migration.cpp
  void migrate(std::span<const move_to> moves, place where);

  // checkpoint.cpp
  /// Gives the bytes of each value that this rank owns to `sink`.
  [[nodiscard]] std::vector<saved_value> save_values(const value_sink& sink, place where);
  /// Replaces the values of all data. @throws deed::error D615, and nothing has changed.
  void load_values(std::string_view folder, const manifest& all, place where);
  // exchange.cpp
  /// Gives bytes to one rank while it takes what another gives; `nobody` is a rank that takes or
  /// gives nothing. In the order of these calls between two ranks. Blocks: until both are done.
  static constexpr int nobody = -1;
  [[nodiscard]] std::vector<std::byte> exchange(int to, std::span<const std::byte> given, int from);

  /// The checkpoints of this session in a folder.
  struct checkpoint_series {
    std::uint64_t last = 0;   ///< The newest, whole or not; 0: none yet.
    std::uint64_t first = 1;  ///< Those before it are of an earlier run, and stay.
    bool resumed = false;     ///< It goes on with what was there, which is its own then.
  };
  /// Of "run", "run/" and "./run" the same.
  [[nodiscard]] checkpoint_series& series_in(std::string_view folder);

  // waiting.cpp
  void wait(place where);
  /// Begins a call of all ranks that is known by its own name where they differ in it, such as a
  /// checkpoint of epoch `number`, and waits.
  void begin_common(collective call, std::uint64_t number, place where);
  void barrier(place where);
  [[nodiscard]] bool any(bool mine, place where);

  /// Why a node has no value of what it reads; null if it has.
  [[nodiscard]] shared_failure why_missing(const node& by, const replica& what) const;
  /// Where tiles and spans take their memory.
  [[nodiscard]] data::block_pool& blocks() noexcept { return blocks_; }
  /// What ended the program, before the session ends.
  void note_end(const std::exception_ptr& reason) noexcept;

  // verification.cpp
  void note_dropped(const request_state& what);
  void note_closed(const gate_state& what) noexcept;

  // log.cpp
  [[nodiscard]] bool logs(log_level level) const noexcept;
  /// Threads: any.
  void log(log_level level, std::string_view text) const;

  [[nodiscard]] const ownership::ledger& books() const noexcept { return ledger_; }
  [[nodiscard]] deed::statistics counts() const;
  [[nodiscard]] const std::string& device_summary() const noexcept { return device_summary_; }
  [[nodiscard]] const std::string& way_to_network() const noexcept { return way_to_network_; }

 private:
  friend class worker_team;
  friend class devices;

  /// The right to submit, for as long as a call lasts. Once a callback of the program may call at
  /// the same time, there is a lock.
  class turn {
   public:
    turn(core& home, context& self) : home_(home), locks_(home.callbacks_) {
      if (locks_) home.turns_.lock();
      before_ = std::exchange(home.submitter_, &self);
    }
    turn(const turn&) = delete;
    ~turn() {
      home_.submitter_ = before_;
      if (locks_) home_.turns_.unlock();
    }

   private:
    core& home_;
    const bool locks_;
    context* before_ = nullptr;  // Read under the lock.
  };

  // checks.cpp: each throws, and nothing has changed.
  [[noreturn]] void refuse_use(place where) const;
  /// Next to all calls are of the program's own thread, outside of a task.
  [[nodiscard]] context& caller(call_kind what, place where, std::string_view call = "") {
    const bool open = life_ == life::open && keeps_ == nullptr;
    if (!open || std::this_thread::get_id() != thread_) return look_at_caller(what, where, call);
    context& program = team_->main();
    if (program.inside != running::program) return look_at_caller(what, where, call);
    last_call_ = where;
    return program;
  }
  [[nodiscard]] context& look_at_caller(call_kind what, place where, std::string_view call);
  void check_callback(const context& self, std::span<const access_description> accesses) const;
  void check_access(const access_description& asked) const;
  /// What a task names, without its types; whether that is per-rank data. `mixed`: data with owners
  /// may stand beside these.
  bool check_accesses(std::span<const access_description> accesses,
                      std::span<ownership::request> requests, bool mixed = false) const;
  void check_pair(const access_description& first, const access_description& second) const;
  void check_placement(const placement& asked, place where) const;
  static void check_count(const task_description& task);
  void check_peer(int peer, place where) const;
  /// The rank in the session of `peer`, which counts in the group. @throws deed::error D514
  [[nodiscard]] int rank_in(const group_state* group, int peer, place where) const;
  // groups.cpp
  [[nodiscard]] std::shared_ptr<group_state> add_group(std::vector<int>&& ranks, place where);
  [[nodiscard]] std::vector<int> ranks_of(const boost::mpi::communicator& members, bool remote,
                                          place where);
  void check_borrows(const access_description& what) const;
  void check_holds(const access_description& what, std::string_view verb) const;
  void check_wait(place where) const;
  [[noreturn]] void refuse_mixed(std::span<const access_description> accesses) const;

  [[nodiscard]] std::exception_ptr end_with_others() noexcept;
  void count_with_others();
  void close_engine();
  void drop_unfinished();
  /// No thread, no device and no peer works on memory of this rank any more, done or not; of MPI,
  /// which cannot take back what it has begun, see `engine::abandon`.
  /// Blocks: until what runs and what is being copied has ended.
  void let_go() noexcept;
  void stop(ownership::slot datum) noexcept;
  [[nodiscard]] bool passes_exception() const noexcept {
    return std::uncaught_exceptions() > exceptions_;
  }
  [[nodiscard]] error ended_early(std::string what, place where) const;
  void collect_summary();

  // borrowing.cpp
  [[nodiscard]] borrow_node& submit_borrow(const access_description& what, bool by_program);
  void check_wait_for(ownership::slot datum, place where) const;
  [[nodiscard]] borrow_node& submit_last(ownership::slot datum, place where);

  // registration.cpp
  ownership::slot add_record(const registration_description& wanted, std::uint64_t tag,
                             std::uint64_t number);
  void check_owner(int owner, std::string_view name, place where) const;
  void check_memory(replica& value, const registration_description& wanted) const;
  void remember_end(ownership::slot datum);

  // tile_records.cpp
  struct tile_of_tag {
    tile_records* family;
    std::size_t k;
    const tile_records::record* known;  // Null: there is none.
  };
  tile_records::record& enter(tile_records& family, std::size_t k);
  void meet_all_tiles();
  void meet_all_tiles_of(tile_records& family);
  [[nodiscard]] bool is_registered(ownership::slot datum, std::uint64_t number) const noexcept;
  [[nodiscard]] std::optional<tile_of_tag> tile_with(std::uint64_t tag) const;
  /// Nothing: no datum has this tag, or a tile that this rank has nothing to do with.
  [[nodiscard]] std::optional<ownership::slot> slot_with(std::uint64_t tag) const;
  [[nodiscard]] std::string user_of(std::uint64_t tag) const;
  void check_tag_free(std::uint64_t tag, std::string_view name, place where) const;
  void check_tags_free(std::uint64_t first, std::uint64_t count, std::string_view name,
                       place where) const;

  // tile_calls.cpp
  struct tiles_in_progress;
  static void check_tiles_exist(const tile_call& what);
  [[nodiscard]] bool goes_by_rule(const tile_call& what) const;
  [[nodiscard]] bool names_twice(const tile_call& what, const tile_use& written) const;
  void insert_by_rule(context& self, const tile_call& what);
  void log_call(tiles_in_progress& now);
  void mark_known(tiles_in_progress& now);
  static void mark(tiles_in_progress& now, const pair_box& pairs, bool all);
  void mark(tiles_in_progress& now, const tile_use& use, std::int64_t r, std::int64_t c,
            ownership::slot datum);
  void visit(tiles_in_progress& now, std::int64_t i, std::int64_t j);
  void take_part(tiles_in_progress& now, std::uint32_t executor,
                 std::span<const access_description> accesses);
  /// What calls did to a tile before it got its record.
  void catch_up(tile_records& family, std::size_t k, ownership::slot datum);
  void apply(const logged_call& call, std::uint64_t matrix, std::int64_t r, std::int64_t c,
             ownership::slot datum);
  void note_flush();

  // insertion.cpp
  static constexpr std::size_t few_data = 12;  // As most tasks have.
  void insert_any(context& self, const task_description& task);
  [[nodiscard]] bool nobody_looks() const;
  [[nodiscard]] bool is_plain(const task_description& task) const;
  [[nodiscard]] std::span<const ownership::request> asked_by(
      std::span<const access_description> accesses,
      std::array<ownership::request, few_data>& room) const;
  [[nodiscard]] std::uint32_t run_elsewhere(std::span<const access_description> accesses,
                                            const placement& asked);
  [[nodiscard]] bool passes_by(const task_description& task);
  [[nodiscard]] bool stays_here(context& self, const task_description& task);
  [[nodiscard]] task_node& furnished(const task_description& task, const known_codelet& codelet);
  [[nodiscard]] std::uint32_t named_by(const placement& asked) const;
  [[nodiscard]] std::uint32_t choose(const placement& asked,
                                     std::span<const ownership::request> requests,
                                     place where) const;
  [[nodiscard]] std::uint32_t choose_by(const selection_policy& policy,
                                        std::span<const ownership::request> requests,
                                        place where) const;  // selection.cpp
  void bring(std::uint32_t executor, std::span<const access_description> accesses,
             std::span<const ownership::effect> effects, int priority = 0);
  void note_writes(std::span<const access_description> accesses);
  void run_here(const task_description& task, std::span<const ownership::effect> effects);
  /// The program waits for its workers where as many nodes wait as it may submit ahead.
  void hold_back(context& self) {
    // Looking at the workers' counters costs their cache lines: once per window is enough.
    const std::uint64_t made = submitted_.load(std::memory_order_relaxed);
    if (made - completed_seen_ >= window_ && made >= gives_way_until_) [[unlikely]]
      wait_for_window(self, made);
  }
  void wait_for_window(context& self, std::uint64_t made);
  void wait_until_few_wait(context& self, std::uint64_t made, std::uint64_t few);
  [[nodiscard]] const known_codelet& keep(const ownership::codelet_info& codelet);
  [[nodiscard]] const known_codelet& meet(const ownership::codelet_info& codelet);
  void link(node& fresh, node_access& access, ownership::slot datum, access_mode mode,
            std::uint32_t& edges);
  void link_to(replica& copy, node& fresh, node_access& access, access_mode mode,
               std::uint32_t& edges);
  void link_loose(node& fresh, node_access& access, ownership::slot datum);
  void put_in_order(node& fresh, node_access& access, std::uint32_t& edges);
  void commit(node& fresh, std::uint32_t edges);
  void release(node& ready);
  [[nodiscard]] bool starts_at_once(const node& ready) const noexcept;

  // undeferred.cpp
  /// The program has waited, and may find that nothing does any more.
  void see_completed() noexcept {
    if (undeferred_.on()) completed_seen_ = team_->completed();
  }
  [[nodiscard]] bool nothing_waits() noexcept;
  void run_at_once(context& self, const task_description& task, const known_codelet& codelet);
  [[nodiscard]] bool begin_plainly(context& self, const known_codelet& codelet);
  void run_plainly(context& self, const body_operations& body, void* const* storages, void* closure,
                   bool& begun);
  void end_plainly(context& self);
  [[nodiscard]] bool may_run_in_order(const kept_iteration& kept) const;
  std::uint64_t run_in_order(const kept_iteration& kept, std::uint64_t times);
  void run_again(context& self, task_node& task, bool timed);
  [[nodiscard]] task_node& stand_in(const task_description& task, const known_codelet& codelet);
  void put_back(task_node& task) noexcept;
  void run_with_care(context& self, const task_description& task, const known_codelet& codelet);
  void note_thrown(context& self, const task_description& task, const known_codelet& codelet,
                   bool begun);
  void begin_undeferred(context& self, std::uint64_t made);

  // repetition.cpp
  [[nodiscard]] bool can_keep() const noexcept;
  [[nodiscard]] bool can_keep(const task_description& task) const noexcept;
  void note_call(const task_description& task);
  void note_call(std::span<const access_description> accesses, const placement& asked);
  [[nodiscard]] std::unique_ptr<kept_iteration> keep_iteration(const std::function<void()>& body);
  void stop_keeping();
  void submit(const kept_iteration& kept);
  void replay(kept_iteration& kept, std::uint64_t times, place where);
  void start(tasks::recurrent_graph& graph, const kept_iteration& kept, std::uint64_t times);
  void end_replay();
  void run_the_quicker_way(tasks::recurrent_graph& graph, const kept_iteration& kept,
                           std::uint64_t times);
  void number_transfers(kept_iteration& kept);
  void count_replayed(const kept_iteration& kept, std::uint64_t times);
  void take_apart(const kept_iteration& kept, std::uint64_t times);
  void come_round(task_node& task) noexcept;
  static void come_round(transfer_node& transfer) noexcept;

  // observation.cpp
  /// Shows the program a task that is checked and has changed nothing yet. @throws what it throws.
  void show(context& self, const task_description& task, std::span<const std::uint32_t> ranks);

  // replication.cpp
  [[nodiscard]] std::vector<std::uint32_t> ranks_of(const placement& each, place where) const;
  [[nodiscard]] const access_description* written_elsewhere(
      std::span<const access_description> accesses, std::span<const std::uint32_t> ranks) const;
  [[nodiscard]] bool relevant_on_each(std::span<const access_description> accesses,
                                      const placement& asked, place where);
  [[nodiscard]] std::vector<std::uint32_t> check_each(const task_description& task) const;
  void insert_on_each(context& self, const task_description& task);
  [[nodiscard]] std::vector<ownership::effect> bring_ahead(
      std::uint32_t executor, std::span<const access_description> accesses, int priority = 0);
  void note_written(std::span<const std::uint32_t> ranks,
                    std::span<const access_description> accesses, ownership::ended_copies& ended);

  // gates.cpp
  void check_extras(const call_extras& extras, place where) const;
  void check_promise(const gate_state& what, std::uint32_t more, place where) const;
  void note_elsewhere(const task_description& task, std::uint32_t executor) const;
  // collectives.cpp
  void check_sides(const collective_description& what, const group_state* group) const;
  [[nodiscard]] std::shared_ptr<group_state> rooted(const group_state& members,
                                                    collective_description& what);
  void run_collective(context& self, collective_node& ready);
  void run_local(std::string_view name, std::span<const access_description> uses,
                 storage_visitor&& visit, message_options&& options, place where);

  // checkpoint.cpp
  [[nodiscard]] std::vector<ownership::slot> data_by_tag() const;
  void save_value(borrow_node& lent, const value_sink& sink, saved_value& value);
  void note_values(place where);
  void check_fit(ownership::slot datum, const saved_value& saved, std::uint32_t ranks) const;
  void check_all_saved(const std::vector<bool>& saved) const;
  void load_value(ownership::slot datum, std::span<const std::byte> bytes, place where);

  // gates.cpp
  after_node* follow(node& fresh, call_extras&& extras, std::string_view what, place where,
                     std::uint32_t& edges);
  void run_after(context& self, after_node& after);
  [[nodiscard]] std::exception_ptr describe_callback(const after_node& after,
                                                     const std::exception_ptr& thrown) const;
  void open_once(context& self, gate_state& what, trace::gate_cause cause,
                 std::uint64_t by) noexcept;
  void check_gates(place where);
  void name_gates(std::vector<missing>& waits);
  [[nodiscard]] replica& here(ownership::slot datum) {
    replica* const known = data_[datum].here;
    return known != nullptr ? *known : make_here(datum);
  }
  [[nodiscard]] replica& make_here(ownership::slot datum);

  // copies.cpp
  void check_room(std::uint32_t executor, std::span<const ownership::request> requests,
                  place where) const;
  void end_copies(std::span<const ownership::copy> ended);
  void submit_care(node_kind kind, ownership::slot datum);
  void leaves_room(small_node& last, std::uint32_t& edges);
  void wants_room(small_node& first, std::uint32_t& edges);
  void claim_copies(std::span<const ownership::request> requests,
                    std::span<const ownership::effect> effects);
  void take_care(const node& ready, replica& copy);
  void count_hit(ownership::slot datum, std::uint32_t owner);
  [[nodiscard]] static std::uint64_t bytes_on_the_wire(const replica& copy);

  // reductions.cpp
  [[noreturn]] void refuse_open(const access_description& asked, std::string_view used) const;
  [[nodiscard]] replica& partial_of(ownership::slot datum);
  [[nodiscard]] std::unique_ptr<replica> beside(ownership::slot datum) const;
  void link_contribution(node& fresh, node_access& access, ownership::slot datum,
                         std::uint32_t& edges);
  void close_reductions(std::span<const access_description> accesses);
  void close_all_reductions(place where);
  void close_reduction(ownership::slot datum, std::size_t wanted, place where);
  void submit_combine(replica& into, replica* from);
  tasks::chain submit_end(replica& last_used);
  void combine(context& self, borrow_node& sum);

  // partition.cpp
  void check_cut(ownership::slot whole, const partition_rule& rule, whole_form form,
                 const data::extents& shape, place where) const;
  void check_part_owner(ownership::slot whole, const planned_part& part, bool chosen,
                        place where) const;

  // migration.cpp
  void check_migration(const move_to& wanted, place where) const;
  void change_owner(ownership::slot datum, std::uint32_t owner, place where);
  void bring_home(ownership::slot datum, place where);

  // transfers.cpp
  void send_version(ownership::slot datum, std::uint32_t version, std::uint32_t origin,
                    std::uint32_t peer, place where, trace::transfer_reason reason,
                    replica* with = nullptr, bool synchronous = false, int priority = 0);
  void receive_version(ownership::slot datum, std::uint32_t version, std::uint32_t origin,
                       std::uint32_t peer, place where, trace::transfer_reason reason,
                       replica* with = nullptr);
  /// `version`: as this rank counts. `with`: another replica than that of the datum.
  void submit_send(ownership::slot datum, std::uint32_t version, const transport::transfer& what,
                   std::uint32_t peer, place where, trace::transfer_reason reason,
                   message_options* options = nullptr, request_state* request = nullptr,
                   replica* with = nullptr);
  void submit_receive(ownership::slot datum, std::uint32_t version, const transport::transfer& what,
                      std::uint32_t peer, place where, trace::transfer_reason reason,
                      message_options* options = nullptr, request_state* request = nullptr,
                      replica* with = nullptr);
  void furnish(transfer_node& fresh, place where, message_options* options, request_state* request,
               std::uint32_t& edges);
  [[nodiscard]] request_state* release(transfer_node& done) noexcept;
  [[nodiscard]] message_status status_of(const transfer_node& done) const noexcept;
  void begin(context& self, transfer_node& ready) noexcept;
  void check_loose(transfer_node& starts);
  void end_loose(const transfer_node& done);
  void start(context& self, transfer_node& transfer) noexcept;
  void post(context& self, transfer_node& transfer);
  void post_send(context& self, transfer_node& transfer);
  void post_receive(transfer_node& transfer);
  [[nodiscard]] const_memory_block source_of(transfer_node& transfer);
  static std::uint64_t arrived_of(transport::send_operation& operation,
                                  std::exception_ptr& lost) noexcept;
  [[nodiscard]] static bool lost_with_device(const transfer_node& transfer) noexcept;
  static void sent(transport::send_operation& operation, const transport::outcome& result) noexcept;
  static void received(transport::receive_operation& operation,
                       const transport::outcome& result) noexcept;
  static memory_block make_room(transport::receive_operation& operation, std::uint64_t bytes);
  void finished(transfer_node& transfer) noexcept;

  // execution.cpp
  /// Virtual ranks in an order that a seed chooses: as unkind as what is promised allows.
  [[nodiscard]] bool tries_orders() const noexcept {
    return environment_.simulated && environment_.shuffled;
  }
  [[nodiscard]] tasks::vertex* take(context& self);
  bool step(context& self);
  bool listen(context& self);
  void look_around(context& self);
  void run_next(context& self);
  void stop_running(context& self) noexcept;
  void count_busy(context& self) noexcept;
  bool drain_finished(context& self);
  void note_arrival(context& self, const transfer_node& received);
  void execute(context& self, node& ready);
  void execute_other(context& self, node& ready);  // No task.
  void run_task(context& self, task_node& task);
  void perform(context& self, task_node& task);
  void note_thrown(context& self, task_node& task, bool begun);
  [[nodiscard]] bool times_each_task() const noexcept;
  [[nodiscard]] std::chrono::nanoseconds time_of_begin(const context& self) const noexcept;
  void note_time(context& self, task_node& task, std::chrono::nanoseconds begin, written_by last);
  void run_body(context& self, task_node& task, void* const* storages, bool& begun);
  void run_body(task_node& task, const task_frame& frame, bool& begun);

  // dry_run.cpp
  void pretend(context& self, task_node& task);
  static void pretend_to_combine(borrow_node& sum);
  void note_memory();

  void complete(context& self, node& done, std::span<node_access> accesses);
  /// What one completion made ready.
  struct released {
    bool on_the_door = false;
    node* transfers = nullptr;  // The newest first.
  };
  /// For whoever is free; the thread of that seat first.
  void enqueue(context& self, node& ready, std::uint16_t seat);
  void record_ready(context& self, std::uint64_t task, const node* by, std::uint64_t gate = 0);
  void hand_over(context& self, tasks::vertex& ready, const node* by, released& now,
                 std::uint64_t gate = 0);
  void hand_out(context& self, released& now);
  void spend_time_of(context& self, std::uint64_t task);
  /// What the task said that it computes; 0 if nothing, and from now on.
  [[nodiscard]] std::uint64_t take_flops(std::uint64_t task);
  /// For the graph, `done` is past; it may still run where that keeps the order.
  void hand_on(context& self, node& done, std::span<node_access> accesses);
  /// The task is over, and its memory is used again.
  void dismiss(context& self, task_node& task);
  void unpack(context& self, transfer_node& transfer);
  /// `again`: in the next iteration of a graph that repeats, too.
  void retire(context& self, task_node& task, bool again = false);

  // locality.cpp
  [[nodiscard]] bool is_large(const replica& one) const noexcept;
  [[nodiscard]] std::uint16_t seat_for(const context& self, const node& ready) const noexcept;
  [[nodiscard]] written_by last_writer(const context& self,
                                       std::span<const node_access> accesses) const noexcept;
  void note_writer(const context& self, std::span<const node_access> accesses) const noexcept;

  // claims.cpp
  [[nodiscard]] bool may_claim(const context& self) const noexcept;
  void arrive(context& self, tasks::vertex& next, const node* by, released& now,
              std::uint64_t gate = 0);
  void await_claimed(context& self);

  // failures.cpp
  /// `begun`: its body threw it, not what goes before.
  [[nodiscard]] shared_failure failure_of(task_node& task, const std::exception_ptr& thrown,
                                          bool begun) const;
  [[nodiscard]] shared_failure failure_of(const transfer_node& transfer,
                                          const std::exception_ptr& thrown) const;
  void note(context& self, const failure& why, std::uint32_t datum) noexcept;
  /// Whether the task lacks what it reads; then it is over, and what it writes is missing, too.
  [[nodiscard]] bool cancelled(context& self, task_node& task);
  /// The task will not run, for this reason; what it writes is missing, too.
  void cancel(context& self, task_node& task, const shared_failure& why);
  /// There is no memory for it to begin on a device.
  void give_up_before(context& self, task_node& task, const std::exception_ptr& thrown,
                      std::string_view device);
  static void spoil(std::span<node_access> accesses, const shared_failure& why) noexcept;
  static void heal(std::span<node_access> accesses) noexcept {
    for (node_access& each : accesses) {
      if (each.writes() && each.datum().poison != nullptr) each.datum().poison = nullptr;
    }
  }
  void settle(collective kind, place where);
  void hear_account(std::span<const std::byte> bytes);

  // device_start.cpp
  void start_devices();
  void start_network();
  [[nodiscard]] bool try_network(int values);
  void bring_home_from_devices();
  void end_devices();
  [[nodiscard]] device_kinds::kind agree_on_kind(bool here);
  /// @throws deed::error D812 if no worker of the executor has a body of the task.
  void check_workers(const task_description& task, std::uint32_t executor);

  // idleness.cpp
  void note_work() { idleness_.note_work(); }
  void refuse_left_over();
  void start_listening();
  void hear(int from, std::uint16_t what, std::span<const std::byte> bytes);
  void ask_for_testimony();
  void announce_verdict();
  /// What this rank knows of a message that it has sent.
  [[nodiscard]] told_message sent_by_me(const stray_key& which);
  /// Of the message that came first of those that nobody received, while its sender still answers.
  void ask_who_sent_what_is_left();
  [[nodiscard]] testimony testify(std::uint64_t tag) const;
  [[nodiscard]] std::vector<due_transfer> due_transfers(std::uint64_t tag);
  [[nodiscard]] answer answer_to(const question& asked);
  [[nodiscard]] group_name group_called(const transport::transfer& what) const;
  [[nodiscard]] std::string call_of(const transport::transfer& what) const;
  [[nodiscard]] std::string place_of_call(const transport::transfer& what);
  [[nodiscard]] stray stray_of(const transport::unmatched& left, bool describe);
  [[nodiscard]] error never_received(const transport::unmatched& left,
                                     const told_message* told) const;
  [[nodiscard]] std::vector<calls_made> calls_by_group() const;
  [[nodiscard]] statement state();
  [[noreturn]] void explain_deadlock();

  /// From now on turns are locked. The first callback is always asked for by the program's thread;
  /// those that callbacks ask for change nothing, while it may be looking.
  void expect_callback() noexcept {
    if (!callbacks_) callbacks_ = true;
  }

  // warnings.cpp
  void warn(const error& about) const;
  void warn_of_workers() const;
  void warn_of_home(ownership::slot datum, place ends) const;
  void warn_of_name(const ownership::codelet_info& codelet) const;

  // verification.cpp
  void note_submission(const task_description& task, std::uint32_t executor,
                       std::span<const ownership::effect> effects);
  void note_message(const access_description& what, int peer, std::uint64_t channel,
                    std::uint64_t tag, bool sends);
  void note_end_of(ownership::slot datum);
  void note_left();
  void warn_of_owners(const task_description& task, std::span<const ownership::effect> effects);
  void tell_submissions(reply& told) const;
  /// What all ranks of a session look at before it ends.
  struct last_checks {
    bool global = false, messages = false, leaks = false;
  };
  void verify_end(last_checks all);
  void hear_messages(std::span<const std::byte> bytes);
  void hear_leaks(std::span<const std::byte> bytes);
  void hear_insertions(std::span<const std::byte> bytes);

  // divergence.cpp
  /// "`a`", also when the datum has ended.
  [[nodiscard]] std::string name_of_tag(std::uint64_t tag) const;
  void log_registration(ownership::slot datum);
  void log_registration(const tile_records& family);
  void log_step(common_step::kind is, std::optional<ownership::slot> datum, int rank, place where);
  void log_replication(const task_description& task, std::size_t ranks);
  void log_list(std::string_view call, std::size_t data, int root, place where);
  void log_use(const access_description& what, std::uint32_t target,
               std::optional<std::uint32_t> source);
  void log_insertion(const task_description& task, std::uint32_t executor,
                     std::span<const ownership::effect> effects);
  /// A call that all ranks make. `done` gets the sum of their words, on any thread; where they
  /// differ in anything, the alarm rings instead. Blocks: never.
  void begin_round(collective kind, std::uint64_t word, place where,
                   std::function<void(std::uint64_t)> done);
  /// Whether no rank inserted tasks that their runner did not; else the alarm rings. `done` is
  /// called if none did, on any thread. Blocks: never.
  void begin_census(std::function<void()> done);
  /// Whether `reason` is that both ends of a transfer differ; then the alarm rings on all ranks.
  bool misfits(int peer, const std::exception_ptr& reason, const transfer_node* received);
  bool misfits(const transfer_node& failed);
  [[nodiscard]] digest digest_before(std::uint64_t round) const;
  [[nodiscard]] reply answer_to(const inquiry& question) const;
  void compare_digests();
  void hear_reply(const reply& told);
  void announce(const verdict& result);
  void leave_hang_report(const verdict& result, std::vector<error::fact>& facts);
  [[noreturn]] void explain_difference();
  [[noreturn]] void throw_verdict();
  [[noreturn]] void throw_without_verdict();

  // recording.cpp
  void start_recording();
  [[nodiscard]] bool claim(const std::string& path);
  void stop_recording() noexcept;
  [[nodiscard]] trace::stream& app() noexcept { return *team_->main().events; }
  [[nodiscard]] trace::stream& submitter() noexcept { return *submitter_->events; }
  void record_registration(ownership::slot datum);
  [[nodiscard]] std::uint64_t held_bytes(ownership::slot datum) const;
  void record_end(std::uint32_t number, ownership::slot datum, place where);
  void record_migration(ownership::slot datum, std::uint32_t from, place where);
  /// Before and after the ledger decides on a task.
  void record_copies(std::span<const ownership::request> requests, std::uint64_t& held) const;
  void record_insertion(const task_description& task, std::uint32_t executor, bool per_rank,
                        std::span<const ownership::effect> effects);
  void record_placement(const task_description& task, std::uint32_t executor, bool per_rank);
  [[nodiscard]] trace::lookup_result why_missed(ownership::slot datum, std::uint32_t version);
  void record_misses(const task_description& task, std::span<const ownership::effect> effects);
  [[nodiscard]] bool has_copy(ownership::slot datum) const;
  void record_stale(ownership::slot datum, std::uint64_t task);
  void record_drops(std::span<const ownership::request> requests, std::uint64_t held,
                    std::uint64_t task);
  /// After each change of the ledger that is not by a task. Call it wherever the ledger changes.
  void record_change(trace::ledger_change what, ownership::slot datum, std::uint32_t rank,
                     place where);
  /// The same for what concerns all data.
  void record_change_of_all(trace::ledger_change what, place where);
  void record_ended(std::span<const ownership::copy> ended, trace::drop_cause cause, place where);
  void record_step();
  void record_snapshot();
  void record_digest();
  void record_transfer(transfer_node& fresh, ownership::slot datum, const transport::transfer& what,
                       std::uint32_t peer, trace::direction way, trace::transfer_reason reason,
                       place where);
  void record_start(context& self, transfer_node& transfer);
  void record_done(context& self, const transfer_node& transfer);
  [[nodiscard]] recorded_wait record_wait(trace::wait_kind what, std::uint64_t id, place where);
  [[nodiscard]] recorded_wait record_wait(const request_state& what, place where);
  void record_group(const group_state& made, place where);
  void record_call(const collective_run& made, place where);
  void record_borrow(const borrow_node& asked, bool waits);
  void record_return(const borrow_node& held) noexcept;
  void record_activity(context& self, thread_activity what);
  void record_rest(context& self);
  /// What a recording says of an error that is about it.
  [[nodiscard]] about_datum about(ownership::slot datum) const;
  [[nodiscard]] about_datum about_tag(std::uint64_t tag) const;
  void record_failure(context& self, const std::exception_ptr& reason, std::uint32_t handle,
                      std::uint64_t task, const call_stack& made);

  // clocks.cpp
  void measure_clocks(int rounds, std::chrono::nanoseconds patience);
  void measure_clocks_again();
  void measure_clocks_with_all(collective when);
  void answer_clock(int from, clock_reading asked);
  void hear_clock(clock_reading told);

  void add_over_ranks(std::span<std::uint64_t> words, place where);  // balance.cpp

  // waiting.cpp
  /// `for_all_nodes`: what is waited for comes with the last node here; all else says so itself.
  template <class Done>
  void help_until(Done&& done, bool for_all_nodes = false);
  /// A thread without work: as `worker_team::rest`, but one of them looks after the devices.
  template <class Done>
  void sleep(context& self, Done&& done, std::chrono::nanoseconds at_most);
  [[nodiscard]] bool all_done() const noexcept;
  [[nodiscard]] bool at_rest() const noexcept { return all_done() && engine_->quiet(); }
  /// What all ranks' words are together. All ranks call it.
  [[nodiscard]] std::vector<std::uint64_t> reduce(std::vector<std::uint64_t> words,
                                                  transport::reduce_with how);
  void wait_in(collective call, place where);
  void wait_for_all(collective kind, place where);
  /// Waits for what comes only when other ranks do, but not for long.
  template <class Done>
  void linger(Done&& done, std::chrono::nanoseconds patience);
  /// The sum of the words of all ranks, when they all have come to this call.
  /// The session itself does so nowhere in the program.
  std::uint64_t agree(collective kind, std::uint64_t word, place where = {});
  [[nodiscard]] std::exception_ptr reason_of_failure() const;
  void fail(std::exception_ptr reason) noexcept;
  std::exception_ptr take_failure();
  void rethrow_failure();
  void waits_in(std::string what);
  [[nodiscard]] glance look(bool whole) const;

  // silence.cpp
  void start_heartbeat();
  [[nodiscard]] std::string doing() const;

  // log.cpp
  void log_task(task_node& task) const;
  void log_transfer(transfer_node& transfer) const;

  void report_silence(int rank, bool silent, const std::string& did, const std::string& heard_at);

  const session_options options_;
  const int rank_;
  const std::thread::id thread_ = std::this_thread::get_id();
  const rank_environment environment_;
  ownership::ledger ledger_;
  data::block_pool blocks_;  // Of tiles and spans, which end before it.
  std::vector<datum_info> data_;
  // By datum, known here; the registration at first. Beside the data: of a task of others nothing
  // else is noted, and eight lie in a cache line.
  std::vector<place> last_writes_;
  boost::unordered_flat_map<std::uint64_t, ownership::slot> slot_of_tag_;  // But for tiles.
  std::map<std::uint64_t, tile_records*> families_;  // Of tiles, by the first of their tags.
  struct ended_family {
    std::uint64_t first, count;
    std::string registered;
  };
  std::deque<ended_family> ended_families_;
  tiles_in_progress* tiles_now_ = nullptr;  // Of the call of `for_each_tile` that goes by rule.
  std::vector<std::uint64_t> tile_marks_;   // Kept for their memory.
  std::map<std::uint64_t, std::uint64_t> free_tags_;  // Of ranges that ended: first and count.
  std::uint64_t next_tag_ = std::uint64_t{1} << 62;   // Of ranges.
  std::unordered_map<std::uint64_t, tag_history> tags_used_;
  std::unordered_set<std::string> names_;
  struct cut_whole {
    ownership::split known;
    std::vector<ownership::slot> parts;
  };
  std::unordered_map<ownership::slot, cut_whole> splits_;  // Data that are partitioned.
  memory_in_use memory_;                                   // Of data in place.
  std::uint64_t registrations_ = 0;
  std::deque<testimony> ended_;  // The data that ended last, for reports.
  std::deque<known_codelet> codelets_;
  std::array<const known_codelet*, 256> met_{};  // By where their names lie.
  submission_log log_;
  census census_;
  std::map<std::string, checkpoint_series> series_;  // By whole path.
  mutable place last_call_;                          // Of the program.
  alarm alarm_;                                      // Ranks submitted different programs.
  std::unique_ptr<verification> verify_;             // Null: not in verify mode.

  tasks::graph graph_;
  node_pool<task_node> tasks_;
  node_pool<transfer_node> transfers_;
  node_pool<borrow_node> borrows_;
  node_pool<after_node> afters_;
  node_pool<collective_node> collectives_;
  calls_so_far collectives_begun_;  // Of all ranks; groups count their own.
  std::vector<std::shared_ptr<group_state>> groups_;
  std::map<std::pair<std::uint32_t, int>, std::shared_ptr<group_state>> rooted_groups_;
  std::unique_ptr<network_trial> trial_;  // The engine may use it until its end.
  struct two_messages;
  std::shared_ptr<two_messages> exchanged_;  // As `trial_`.
  std::unique_ptr<transport::engine> engine_;
  data::buffer_pool packed_buffers_;
  message_lanes messages_;    // Not started yet.
  push_list<node> finished_;  // Transfers whose operation is done, not yet completed.
  recorded_packs packs_;

  std::uint64_t epoch_ = 0;                  // Calls of wait.
  std::atomic<std::uint64_t> inserted_{0};   // Calls of insert_task; written by the submitter.
  std::atomic<std::uint64_t> submitted_{0};  // Nodes made here; written by the submitter.
  std::uint64_t completed_seen_ = 0;         // At the submitter's last look; at least so many are.
  std::uint64_t gives_way_until_ = 0;        // So many may be submitted, window or not.
  way_choice in_window_, in_wait_;           // Whether the program's thread runs tasks there.
  way_choice in_repeat_;                     // Whether tasks run there in order.
  undeferred undeferred_;                    // Tasks that run in `insert_task`.
  task_at_once runs_at_once_;                // Of them, the one that runs.
  std::vector<borrow_node*> lent_;           // Borrows that live.
  std::atomic<std::uint64_t> lent_count_{0};
  std::map<int, cache_use> uses_of_copies_;                      // By owner, without the bytes.
  std::atomic<std::uint64_t> copies_hit_{0}, copies_missed_{0};  // All owners.
  std::unique_ptr<kept_iteration> keeps_;  // While the body of `repeat` inserts.
  // Of the newest repetition: where that failed, workers may still complete its tasks.
  std::unique_ptr<tasks::recurrent_graph> replays_;
  std::uint64_t inserted_each_time_ = 0;  // Tasks, by an iteration that runs again.
  ownership::ended_copies ended_copies_;  // By the decision at hand; kept for its memory.
  tasks::chain room_;                     // Copies that went.
  copy_meter copies_here_;
  selection_policy policy_ = most_bytes_read;
  bool default_policy_ = true;                              // It is that.
  std::unordered_map<const replica*, loose_use> loose_;     // Simulated: of data that have some.
  task_observer observer_;                                  // Empty: nobody looks.
  std::unordered_map<std::uint64_t, std::uint64_t> flops_;  // Simulated: of tasks that wait.
  std::atomic<bool> measures_{false};                       // What tasks take, by datum.
  std::size_t window_;

  mutable std::mutex failure_mutex_;
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
  failure_log failures_;  // Under `propagate`.
  settlement settlement_;

  std::mutex verify_mutex_;  // Of what rank 0 hears at the end.
  std::vector<rank_messages> messages_told_;
  std::vector<rank_leaks> leaks_told_;
  std::vector<rank_insertions> insertions_told_;

  idleness idleness_{[this](bool idle) { engine_->set_idle(idle); }};
  std::atomic<bool> quiescent_{false};  // It was proved that all ranks are idle.
  // What the program's thread waits in, for reports.
  std::string waiting_at_ = "the start of the session";
  std::atomic<bool> waits_now_{false};  // And it does so at this moment.
  bool in_round_ = false;               // For all ranks to come to the last call of theirs.
  mutable std::mutex waiting_mutex_;    // Of the two.
  inquest inquest_;

  context* submitter_ = nullptr;  // Who submits: the program's, or that of a callback.
  bool callbacks_ = false;        // There was one: turns are locked.
  std::mutex turns_;
  std::atomic<int> callbacks_due_{0};
  std::mutex gates_mutex_;
  std::vector<std::shared_ptr<gate_state>> closed_gates_;  // That something waits behind.
  std::atomic<std::uint64_t> gates_made_{0};
  std::unique_ptr<devices> devices_;  // Null: this rank has none.
  std::string device_summary_ = "gpu: no devices (a dry run uses none)";
  std::string way_to_network_ = "through host memory";
  device_kinds kinds_;
  bool told_of_devices_ = false;

  std::unique_ptr<trace::recorder> recorder_;  // Null: nothing is recorded.
  transfer_numbers numbers_;                   // Used while recording.
  struct dropped_copy {
    std::uint32_t version;
    trace::drop_cause cause;
  };
  std::unordered_map<std::uint32_t, dropped_copy> dropped_;  // The same; by registration.
  std::optional<place> uncached_at_;                         // The last `set_cache`.
  clock_answer clock_;                                       // The same.
  std::atomic<bool> failure_recorded_{false};
  std::uint64_t steps_ = 0;          // Changes of the ledger that all ranks make in one order.
  std::uint64_t next_snapshot_ = 0;  // Not before this many insertions.
  std::atomic<std::int64_t> receiving_{0};  // Receives that were started and are not done.
  std::unique_ptr<worker_team> team_;
  deed::statistics last_counts_;
  const std::chrono::nanoseconds begin_;            // Of the session, on its clock.
  summary summary_;                                 // On rank 0, if it is wanted.
  std::string hang_report_ = options_.hang_report;  // The file; empty: none is wanted.
  enum class life : std::uint8_t { open, stopped, closed };
  life life_ = life::open;
  std::string stopped_by_;                             // What it worked on when it had to stop.
  bool stopped_alone_ = false;                         // Nothing had failed before.
  const int exceptions_ = std::uncaught_exceptions();  // When the session was made.
  bool broken_ = false;  // Something was thrown that leaves tasks or messages behind.
  std::unique_ptr<heartbeat> heartbeat_;  // Null: nobody is asked.
};

}  // namespace deed::runtime
