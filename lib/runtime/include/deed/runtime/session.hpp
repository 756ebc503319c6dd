// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/identity.hpp>
#include <deed/ownership/access.hpp>
#include <deed/ownership/codelet.hpp>
#include <deed/runtime/balance.hpp>
#include <deed/runtime/borrow.hpp>
#include <deed/runtime/call_options.hpp>
#include <deed/runtime/collective_call.hpp>
#include <deed/runtime/copies.hpp>
#include <deed/runtime/data_copy.hpp>
#include <deed/runtime/deadlock_error.hpp>
#include <deed/runtime/environment.hpp>
#include <deed/runtime/in_place.hpp>
#include <deed/runtime/insert.hpp>
#include <deed/runtime/migration.hpp>
#include <deed/runtime/observation.hpp>
#include <deed/runtime/options.hpp>
#include <deed/runtime/reduction.hpp>
#include <deed/runtime/statistics.hpp>
#include <deed/runtime/tag_range.hpp>
#include <deed/runtime/task_error.hpp>

#include <array>
#include <chrono>
#include <concepts>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// `deed::session`: one rank's membership of a run.

namespace boost::mpi {
class communicator;
}

namespace deed {

namespace runtime {

ownership::slot add_datum(core& home, const registration_description& wanted);
ownership::registration registration_of(core& home, ownership::slot datum) noexcept;
ownership::registrar& registrar_of(core& home) noexcept;
void insert(core& home, const task_description& task);
void repeat(core& home, std::uint64_t times, const std::function<void()>& body, place where);
bool relevant(core& home, std::span<const access_description> accesses,
              const placement& asked = {});
borrow_node& begin_borrow(core& home, const access_description& what);
void send(core& home, const access_description& what, int peer, std::uint64_t tag,
          message_options&& options);
void receive(core& home, const access_description& what, int peer, std::uint64_t tag,
             message_options&& options);
request isend(core& home, const access_description& what, int peer, std::uint64_t tag,
              message_options&& options);
request ireceive(core& home, const access_description& what, int peer, std::uint64_t tag,
                 message_options&& options);
group make_group(core& home, const std::vector<rank>& members, place where);
group make_group(core& home, const boost::mpi::communicator& members, place where);
void wait_for(core& home, ownership::slot datum, place where);
gate make_gate(core& home, std::string_view name, std::uint32_t openings, place where);
void use_policy(core& home, const selection_policy& policy, place where);
const selection_policy& policy_of(const core& home) noexcept;
void fetch(core& home, const access_description& what, std::optional<int> peer);
tag_range allocate_tags(core& home, std::uint64_t count, place where);
void prefer_source(core& home, ownership::slot datum, int rank, place where);
void expect_readers(core& home, ownership::slot datum, int ranks, place where);

}  // namespace runtime

template <class Codelet, class... Arguments>
class prepared_task;
class owner_rule;
class partition_rule;
template <class T>
class partitioned;

/// One rank's membership of a run: its data, its tasks, its workers, its door to the other ranks.
/// Every rank submits the same sequence of calls; those marked *step* must be made by every rank.
///
/// Keeps: every value, until its last task has run.
/// Threads: the one that made it, unless a call says otherwise.
class DEED_MODEL("type", "session") session {
 public:
  /// Joins the ranks of `communicator`, of which it uses a private duplicate. Where MPI was
  /// initialised for one thread, there are no workers: tasks run where the program waits. Over
  /// `options` hold the settings of rank 0's environment, but for those of a whole run.
  /// Collective: every rank of the communicator.
  /// Threads: workers call MPI. Beside them, another session or the program's own calls of MPI need
  ///   MPI_THREAD_MULTIPLE; where there are no workers, any level will do.
  /// @throws deed::error D803 if MPI is not initialised, or finalised already, or may not be called
  ///   here; D007 for a setting that does not exist; D910 if ranks run different programs; D802
  ///   from later calls if MPI is finalised before the session has ended.
  explicit session(const boost::mpi::communicator& communicator,
                   const session_options& options = {});
  /// For `deed::run` and tests: joins a world of virtual ranks.
  explicit session(const runtime::rank_environment& environment,
                   const session_options& options = {});
  session(const session&) = delete;
  /// As `close()`; reports what it cannot throw. Where an exception passes by, it waits for
  /// nothing: the exception is what ends the run.
  ~session();

  [[nodiscard]] DEED_MODEL("rank_source") DEED_MODEL("pure") int rank() const noexcept;
  [[nodiscard]] DEED_MODEL("uniform") DEED_MODEL("pure") int size() const noexcept;
  /// Whether no task will run and values are zeros (`deed::dry_run`, `DEED_DRY`): there is no
  /// result to check, and no loop may wait for one.
  [[nodiscard]] DEED_MODEL("uniform") DEED_MODEL("pure") bool is_dry() const noexcept;

  /// Since this rank joined, on the session's clock: where ranks are simulated (`--deed-ranks=N`)
  /// it is virtual, and only messages and `flops{n}` take time.
  [[nodiscard]] DEED_MODEL("rank_local") DEED_MODEL("pure") std::chrono::nanoseconds
      elapsed() const;

  /// Prints a line on standard error: `[deed 12:03:06 rank 2] text`. `DEED_LOG` says which levels,
  /// and whether infos and debug of other ranks than 0 are printed, too. Threads: any.
  DEED_MODEL("pure") void log(log_level level, std::string_view text) const;
  /// Whether such a line would be printed: for a text that costs something to make.
  [[nodiscard]] DEED_MODEL("pure") bool logs(log_level level) const noexcept;

  /// Makes a datum that `target` owns, with a first value. Only the owner's value counts.
  ///
  /// `initial` is the value, or a function that makes it and runs on the owner alone, or memory of
  /// the program, `in_place(range)`. A step.
  /// Blocks: never, unless `initial` does.
  /// Cost: O(1) on ranks that do not own it, and no storage there.
  /// @throws deed::error D109 if the owner does not exist, D106 if the tag is in use; then nothing
  ///   was registered.
  template <class Initial>
  [[nodiscard]] DEED_MODEL("registers")
      DEED_MODEL("step",
                 "register") auto register_data(deed::owner target, Initial&& initial,
                                                const data_options& options = {},
                                                place where = place::current()) DEED_LIFETIMEBOUND {
    return register_value(target.value, std::forward<Initial>(initial), options, where);
  }
  /// Makes a datum that tasks contribute to with `reduce(h)`. A step.
  /// @throws as above.
  template <class T, class Operation, class Identity>
  [[nodiscard]] DEED_MODEL("registers")
      DEED_MODEL("step", "register") reducible<T, Operation> register_data(
          deed::owner target, T initial, reduction<Operation, Identity> how,
          const data_options& options = {}, place where = place::current()) DEED_LIFETIMEBOUND {
    runtime::registration_description wanted = describe<T>(
        target.value, {}, &initial,
        [](void* at, void* source) { ::new (at) T(std::move(*static_cast<T*>(source))); }, options,
        where);
    wanted.rule = std::make_shared<runtime::typed_rule<T, Operation>>(
        reduction<Operation, T>{how.operation, T(how.identity), how.reproducible});
    return reducible<T, Operation>(register_untyped<T>(wanted));
  }
  /// Makes one private datum on every rank. A step.
  template <class Initial>
  [[nodiscard]] DEED_MODEL("registers")
      DEED_MODEL("step",
                 "register") auto register_data(per_rank_t, Initial&& initial,
                                                const data_options& options = {},
                                                place where = place::current()) DEED_LIFETIMEBOUND {
    return register_value(std::nullopt, std::forward<Initial>(initial), options, where);
  }
  /// Makes a datum of memory of the program. Of its own, so that Clang sees what must live as long
  /// as the handle (D114). A step.
  template <class T>
  [[nodiscard]] DEED_MODEL("registers") DEED_MODEL("step", "register") handle<T> register_data(
      deed::owner target, in_place_argument<T> memory DEED_LIFETIMEBOUND,
      const data_options& options = {}, place where = place::current()) DEED_LIFETIMEBOUND {
    return register_value(target.value, std::move(memory), options, where);
  }
  template <class T>
  [[nodiscard]] DEED_MODEL("registers") DEED_MODEL("step", "register") handle<T> register_data(
      per_rank_t, in_place_argument<T> memory DEED_LIFETIMEBOUND, const data_options& options = {},
      place where = place::current()) DEED_LIFETIMEBOUND {
    return register_value(std::nullopt, std::move(memory), options, where);
  }
  /// Makes a datum without a value: the first task on it has to write it. A step.
  template <class T>
  [[nodiscard]] DEED_MODEL("registers", "uninitialised") DEED_MODEL("step", "register")
      handle<T> register_data(deed::owner target, uninitialised_t, const data_options& options = {},
                              place where = place::current()) DEED_LIFETIMEBOUND {
    return register_empty<T>(target.value, {}, options, where);
  }
  template <class T>
  [[nodiscard]] DEED_MODEL("registers", "uninitialised") DEED_MODEL("step", "register")
      handle<T> register_data(per_rank_t, uninitialised_t, const data_options& options = {},
                              place where = place::current()) DEED_LIFETIMEBOUND {
    return register_empty<T>(std::nullopt, {}, options, where);
  }

  /// Inserts a task: a codelet, an access token or a value for each of its parameters, in order,
  /// at most one placement, and, in any order, `behind(gate)`, `opens(gate)`, `when_done(f)`: these
  /// belong to the rank that runs it; `priority{n}`: of tasks that are ready the most urgent run
  /// first, and what it reads and writes back travels so. A step, for ranks that take part.
  /// A brief task may have run when it returns: see `session_options::defer`.
  ///
  /// A list of handles is one argument: `read(list)` for `std::span<const T* const>`, `write(list)`
  /// and `read_write(list)` for `std::span<T* const>`; of tiles, a span of tiles.
  ///
  /// Runs on the rank that `on` or `on_owner_of` names; else on the one owner of what it writes;
  /// else on the owner of most bytes to read. What it reads is brought there once per version; what
  /// it writes goes back to its owner.
  /// Blocks: while the window is full; runs other tasks meanwhile.
  /// Cost: no lock and no allocation here for six accesses or fewer.
  /// @throws deed::error D112 D208 D209 D410 D413 D801 D806 D812; then nothing was inserted.
  template <class... Bodies, class... Arguments>
  DEED_MODEL("submits")
  DEED_MODEL("owner_context") void insert_task(const codelet<Bodies...>& task,
                                               Arguments&&... arguments) {
    using known = runtime::known_arguments<std::remove_cvref_t<Arguments>...>;
    if constexpr (known::all) {
      using seen = runtime::seen_by_body<std::remove_cvref_t<Arguments>...>;
      if constexpr ((runtime::body_contract<typename ownership::as_body<Bodies>::type,
                                            seen>::holds &&
                     ...)) {
        insert_bodies<seen>(task, arguments...);
      }
    }
  }

  /// As `times` calls of `body`, each of which inserts the same tasks with the same data and
  /// values. All ranks call it alike. It runs the body two times or more; from there on, where an
  /// iteration consists of tasks alone and leaves copies where it found them, its graph is kept and
  /// runs again: nothing is inserted, checked or decided. Then it returns when all is complete on
  /// this rank. Where the graph cannot be kept, the body runs each time: if two iterations differ,
  /// do more than `insert_task` or have tasks with a gate, a callback or a reduction; while a
  /// borrow lives, copies have a budget or are not kept, or a run is recorded, checked or planned.
  /// Blocks: while the graph runs; runs tasks meanwhile.
  /// Cost: the ledger is copied once, 32 bytes per datum; then, per task and iteration, an atomic
  ///   subtraction for each task that waits for it.
  /// @throws what the body throws; what tasks and transfers of earlier iterations threw.
  template <std::invocable Body>
  DEED_MODEL("step", "repeat")
  void repeat(std::uint64_t times, Body&& body, place where = place::current()) {
    runtime::repeat(*core_, times, std::ref(body), where);
  }

  /// Whether this rank takes part in a task with these arguments: access tokens, and a placement if
  /// the task has one. Where it does not, what the task would do is recorded, so that leaving it
  /// out is safe.
  template <class... Arguments>
  [[nodiscard]] DEED_MODEL("guards", "participant") bool relevant(const Arguments&... arguments) {
    runtime::placement asked;
    place where;
    (runtime::call_arguments::note(asked, where, arguments), ...);
    return runtime::relevant(*core_, runtime::accesses_of(arguments...), asked);
  }
  /// As `insert_task`, in two steps: this one brings what the task reads to the rank that will run
  /// it, `submit` inserts it there. Both are steps. Arguments as of `insert_task`, without
  /// `on_each`.
  /// @throws as `insert_task`; then nothing has moved.
  template <class... Bodies, class... Arguments>
  [[nodiscard]] DEED_MODEL("step", "prepare_task")
      prepared_task<codelet<Bodies...>, std::remove_cvref_t<Arguments>...> prepare_task(
          const codelet<Bodies...>& task, Arguments&&... arguments);
  /// @throws deed::error D101 if it was submitted, D102 if one of its data has ended.
  template <class Codelet, class... Arguments>
  DEED_MODEL("step", "submit")
  void submit(prepared_task<Codelet, Arguments...>&& part, place where = place::current());

  /// Who runs tasks from now on that write data of several owners, or of none. A step.
  DEED_MODEL("step", "use_policy")
  void use_policy(const selection_policy& policy, place where = place::current()) {
    runtime::use_policy(*core_, policy, where);
  }
  [[nodiscard]] const selection_policy& policy() const noexcept {
    return runtime::policy_of(*core_);
  }
  /// Calls `look(task)` before each task that this rank inserts from now on, wherever it will run,
  /// once its arguments are checked and before it changes anything: what `look` throws comes out of
  /// `insert_task`, and nothing was inserted. Tasks that `relevant` leaves out are not inserted. An
  /// empty function ends it. Not a step: each rank looks or does not.
  /// Threads: where a callback inserts a task, on its thread; never two at a time.
  /// Cost: without an observer, one compare per task.
  /// @throws deed::error D806 from calls of the session in `look` that submit, D705 from waits.
  ///
  /// @code{.cpp}
  /// std::map<std::string, int, std::less<>> tasks_of;  // By name, of this rank.
  /// session.observe([&](const deed::observed_task& task) {
  ///   if (task.runs_on(deed::rank{session.rank()})) ++tasks_of[std::string(task.name())];
  /// });
  /// @endcode
  void observe(task_observer look, place where = place::current()) {
    runtime::observe(*core_, std::move(look), where);
  }
  /// Whether this rank owns the datum, or it is per rank.
  template <class T>
  [[nodiscard]] DEED_MODEL("guards", "owner")
      DEED_MODEL("pure") bool owns(const handle<T>& h, place where = place::current()) const {
    const int owner = runtime::registrar_of(*core_).owner_of(h.untyped().datum(where));
    return owner == rank() || owner < 0;
  }

  /// Gives the program access to a value, when the tasks that conflict have run. Writing an owned
  /// datum is a step: other ranks that read it later say so with `relevant`.
  /// Blocks: until then; runs tasks meanwhile.
  /// @throws deed::error D309 if the current version is not here, D307 if it is lent already.
  template <class T>
  [[nodiscard]] DEED_MODEL("lends") DEED_MODEL("waits", "datum")
      DEED_MODEL("blocks") deed::borrow<const T> borrow(const access<T, access_mode::read>& token)
          DEED_LIFETIMEBOUND {
    return {*core_, runtime::begin_borrow(*core_, runtime::call_arguments::describe(token))};
  }
  template <class T, access_mode Mode>
  [[nodiscard]] DEED_MODEL("lends") DEED_MODEL("waits", "datum")
      DEED_MODEL("blocks") deed::borrow<T> borrow(const access<T, Mode>& token) DEED_LIFETIMEBOUND {
    return {*core_, runtime::begin_borrow(*core_, runtime::call_arguments::describe(token))};
  }

  /// Ends a datum, and gives its last value to the owner; of per-rank data, every rank gets its
  /// own. A step.
  /// Blocks: the owner, until the tasks on it have run.
  /// @throws deed::error D208 if nothing wrote it, and as `unregister`; then it lives on.
  template <class T>
  [[nodiscard]] DEED_MODEL("step", "unregister")
      DEED_MODEL("blocks") std::optional<T> take(handle<T>&& h, place where = place::current());

  /// Sends the value to one rank, behind the tasks that write it; the session completes it.
  /// The other rank receives it with the same message tag; such messages arrive in order.
  /// Options, in any order: `synchronous`, `priority{n}`, `behind(gate)`, `opens(gate)`,
  /// `when_done(f)`.
  /// Blocks: never.
  /// @throws deed::error D309 if the value is not here, D514 if there is no such rank, D703.
  template <class T, class... Options>
  DEED_MODEL("posts", "send")
  void send(const access<T, access_mode::read>& token, to peer, message_tag tag,
            Options&&... options) {
    runtime::send(*core_, runtime::call_arguments::describe(token), peer.value, tag.value,
                  runtime::options_of<false>(std::forward<Options>(options)...));
  }
  template <class T, access_mode Mode, class... Options>
  void send(const access<T, Mode>&, to, message_tag, Options&&...) {
    static_assert(Mode == access_mode::read,
                  "deed[D202] a message sends what it reads; write `deed::read(h)`");
  }
  /// As `send`, with a handle on its completion. Complete when the datum may be changed again;
  /// `synchronous`: when its receive has begun.
  template <class T, class... Options>
  DEED_MODEL("posts", "send")
  [[nodiscard]] request isend(const access<T, access_mode::read>& token, to peer, message_tag tag,
                              Options&&... options) {
    return runtime::isend(*core_, runtime::call_arguments::describe(token), peer.value, tag.value,
                          runtime::options_of<false>(std::forward<Options>(options)...));
  }
  /// Receives a value from one rank, behind the tasks that use the old one. It may come before,
  /// and from a datum of another name. Options as of `send`, without `synchronous`.
  /// Blocks: never.
  template <class T, class... Options>
  DEED_MODEL("posts", "receive")
  void receive(const access<T, access_mode::write>& token, from peer, message_tag tag,
               Options&&... options) {
    runtime::receive(*core_, runtime::call_arguments::describe(token), peer.value, tag.value,
                     runtime::options_of<true>(std::forward<Options>(options)...));
  }
  template <class T, access_mode Mode, class... Options>
  void receive(const access<T, Mode>&, from, message_tag, Options&&...) {
    static_assert(Mode == access_mode::write,
                  "deed[D202] a message overwrites what it arrives in; write `deed::write(h)`");
  }
  /// As `receive`, with a handle on its completion: then the value is there.
  template <class T, class... Options>
  DEED_MODEL("posts", "receive")
  [[nodiscard]] request ireceive(const access<T, access_mode::write>& token, from peer,
                                 message_tag tag, Options&&... options) {
    return runtime::ireceive(*core_, runtime::call_arguments::describe(token), peer.value,
                             tag.value,
                             runtime::options_of<true>(std::forward<Options>(options)...));
  }

  /// Makes a group of these ranks of the session, in this order. A step, also of other ranks.
  /// @throws deed::error D514 if one of them does not exist or stands twice.
  [[nodiscard]] DEED_MODEL("step", "group") deed::group
      group(const std::vector<deed::rank>& members, place where = place::current()) {
    return runtime::make_group(*core_, members, where);
  }
  /// The same of the ranks of a communicator within that of the session, in its order: the one that
  /// this rank is in, of which others need not know, or MPI_COMM_NULL. A step, also of others.
  /// Others do not know who is in it: members alone call what is `within` it, the root of what is
  /// `among` it is a member, and of an owned datum that it writes the others say `relevant`.
  /// @throws deed::error D514 if a member is no rank of the session, D803 on virtual ranks.
  [[nodiscard]] DEED_MODEL("step", "group") deed::group
      group(const boost::mpi::communicator& members, place where = place::current()) {
    return runtime::make_group(*core_, members, where);
  }
  /// The two groups of an intercommunicator: `local` has this rank. A collective with a root in one
  /// group and members in the other: `among` that one, on the ranks of both, which name the same
  /// root; those beside the root give and take nothing. A step, with MPI_COMM_NULL of others.
  /// @throws deed::error D514 if it has no remote group, and as `group`.
  [[nodiscard]] DEED_MODEL("step", "group") group_pair
      groups(const boost::mpi::communicator& between, place where = place::current());
  /// Makes a gate of this rank that opens after `openings` openings; 0: it is open at once.
  [[nodiscard]] gate make_gate(std::string_view name, std::uint32_t openings = 1,
                               place where = place::current()) {
    return runtime::make_gate(*core_, name, openings, where);
  }

  /// Collectives: a step each, completed by the session; with an `i` in front, by a request. They
  /// are made of messages, go on while tasks run, and wait for the tasks on their data.
  ///
  /// On per-rank data:
  /// - `gather(read(mine), write(all), to{r})`
  /// - `scatter(read(all), write(mine), from{r})`
  /// - `all_gather(read(mine), write(all))`
  /// - `all_to_all(read(mine), write(theirs))`
  /// - `broadcast(read_write(mine), from{r})`
  /// - `reduce(read(mine), write(sum), to{r}, operation)`
  /// - `all_reduce(read(mine), write(sum), operation)`
  ///
  /// On lists, by their owners (a broadcast of one datum is `fetch(read(h), everywhere)`):
  /// - `gather(read(blocks), to{r}[, values])`
  /// - `scatter(write(blocks), from{r}[, values])`
  ///
  /// With a root, `all` and `sum` belong to it. A whole is the parts in the order of ranks: a
  /// vector, span or tile of their elements, or a vector of them. At the root,
  /// `gather(keep_own_part, read_write(all), to{r})` leaves its own part where it is. `values`
  /// counts at the root alone. Options, last: `when_done(f)`, `behind(gate)`, `opens(gate)`.
  /// Blocks: never.
  /// @throws deed::error D514 if there is no such root, D309 if the whole belongs to another rank.
  ///   Parts that do not fit (D509, D510) end the run before a byte is stored.
  template <runtime::collective_data First, class... More>
  DEED_MODEL("step", "gather")
  void gather(First&& first, More&&... more) {
    begin_gather(runtime::detached{}, *core_, std::forward<First>(first),
                 std::forward<More>(more)...);
  }
  template <runtime::collective_data First, class... More>
  DEED_MODEL("step", "gather")
  [[nodiscard]] request igather(First&& first, More&&... more) {
    return begin_gather(runtime::requested{}, *core_, std::forward<First>(first),
                        std::forward<More>(more)...);
  }
  template <runtime::collective_data First, class... More>
  DEED_MODEL("step", "scatter")
  void scatter(First&& first, More&&... more) {
    begin_scatter(runtime::detached{}, *core_, std::forward<First>(first),
                  std::forward<More>(more)...);
  }
  template <runtime::collective_data First, class... More>
  DEED_MODEL("step", "scatter")
  [[nodiscard]] request iscatter(First&& first, More&&... more) {
    return begin_scatter(runtime::requested{}, *core_, std::forward<First>(first),
                         std::forward<More>(more)...);
  }
  template <runtime::collective_data First, class... More>
  DEED_MODEL("step", "all_gather")
  void all_gather(First&& first, More&&... more) {
    begin_all_gather(runtime::detached{}, *core_, std::forward<First>(first),
                     std::forward<More>(more)...);
  }
  template <runtime::collective_data First, class... More>
  DEED_MODEL("step", "all_gather")
  [[nodiscard]] request iall_gather(First&& first, More&&... more) {
    return begin_all_gather(runtime::requested{}, *core_, std::forward<First>(first),
                            std::forward<More>(more)...);
  }
  template <runtime::collective_data First, class... More>
  DEED_MODEL("step", "all_to_all")
  void all_to_all(First&& first, More&&... more) {
    begin_all_to_all(runtime::detached{}, *core_, std::forward<First>(first),
                     std::forward<More>(more)...);
  }
  template <runtime::collective_data First, class... More>
  DEED_MODEL("step", "all_to_all")
  [[nodiscard]] request iall_to_all(First&& first, More&&... more) {
    return begin_all_to_all(runtime::requested{}, *core_, std::forward<First>(first),
                            std::forward<More>(more)...);
  }
  template <runtime::collective_data First, class... More>
  DEED_MODEL("step", "broadcast")
  void broadcast(First&& first, More&&... more) {
    begin_broadcast(runtime::detached{}, *core_, std::forward<First>(first),
                    std::forward<More>(more)...);
  }
  template <runtime::collective_data First, class... More>
  DEED_MODEL("step", "broadcast")
  [[nodiscard]] request ibroadcast(First&& first, More&&... more) {
    return begin_broadcast(runtime::requested{}, *core_, std::forward<First>(first),
                           std::forward<More>(more)...);
  }
  template <runtime::collective_data First, class... More>
  DEED_MODEL("step", "reduce")
  void reduce(First&& first, More&&... more) {
    begin_reduce(runtime::detached{}, *core_, std::forward<First>(first),
                 std::forward<More>(more)...);
  }
  template <runtime::collective_data First, class... More>
  DEED_MODEL("step", "reduce")
  [[nodiscard]] request ireduce(First&& first, More&&... more) {
    return begin_reduce(runtime::requested{}, *core_, std::forward<First>(first),
                        std::forward<More>(more)...);
  }
  template <runtime::collective_data First, class... More>
  DEED_MODEL("step", "all_reduce")
  void all_reduce(First&& first, More&&... more) {
    begin_all_reduce(runtime::detached{}, *core_, std::forward<First>(first),
                     std::forward<More>(more)...);
  }
  template <runtime::collective_data First, class... More>
  DEED_MODEL("step", "all_reduce")
  [[nodiscard]] request iall_reduce(First&& first, More&&... more) {
    return begin_all_reduce(runtime::requested{}, *core_, std::forward<First>(first),
                            std::forward<More>(more)...);
  }

  /// Collectives on values of the program, in the order of ranks. Steps.
  /// Blocks: until this rank's part is complete; everything else goes on meanwhile.
  /// @throws deed::error as above; deed::task_error D807, where a result is due, if the operation
  ///   threw: under `propagate` the session stays usable, and the next `wait()` throws it, too.
  /// @return what concerns the root is empty elsewhere.
  template <class T>
  [[nodiscard]] DEED_MODEL("step", "gather")
      DEED_MODEL("blocks") std::vector<T> gather(value_argument<T> mine, to root,
                                                 place where = place::current());
  template <class T>
  [[nodiscard]] DEED_MODEL("step", "all_gather") DEED_MODEL("uniform")
      DEED_MODEL("blocks") std::vector<T> all_gather(value_argument<T> mine,
                                                     place where = place::current());
  template <class T>
  [[nodiscard]] DEED_MODEL("step", "broadcast") DEED_MODEL("uniform") DEED_MODEL("blocks") T
      broadcast(value_argument<T> mine, from root, place where = place::current());
  /// One value per rank; `values` counts at the root alone.
  template <class T>
  [[nodiscard]] DEED_MODEL("step", "scatter") DEED_MODEL("blocks") T
      scatter(const std::vector<T>& values, from root, place where = place::current());
  template <class T>
  [[nodiscard]] DEED_MODEL("step", "all_to_all")
      DEED_MODEL("blocks") std::vector<T> all_to_all(value_argument<std::vector<T>> mine,
                                                     place where = place::current());
  template <class T, class Operation>
  [[nodiscard]] DEED_MODEL("step", "reduce")
      DEED_MODEL("blocks") std::optional<T> reduce(value_argument<T> mine, to root,
                                                   Operation operation,
                                                   place where = place::current());
  template <class T, class Operation>
  [[nodiscard]] DEED_MODEL("step", "all_reduce") DEED_MODEL("uniform") DEED_MODEL("blocks") T
      all_reduce(value_argument<T> mine, Operation operation, place where = place::current());

  /// Collectives in memory of the program. Steps.
  /// Keeps: the program keeps both, unchanged, until the request is complete.
  template <class E>
  DEED_MODEL("step", "gather")
  [[nodiscard]] request
      igather(std::span<const E> mine, std::span<E> all, to root, place where = place::current());
  template <class E>
  DEED_MODEL("step", "gather")
  [[nodiscard]] request
      igather(keep_own_part_t, std::span<E> all, to root, place where = place::current());
  template <class E>
  DEED_MODEL("step", "scatter")
  [[nodiscard]] request iscatter(std::span<const E> all, std::span<E> mine, from root,
                                 place where = place::current());
  template <class E>
  DEED_MODEL("step", "all_gather")
  [[nodiscard]] request
      iall_gather(std::span<const E> mine, std::span<E> all, place where = place::current());

  /// Brings the current version to one rank, or to all, unless it is there. A step.
  template <class T>
  DEED_MODEL("moves", "fetch")
  DEED_MODEL("step", "fetch") void fetch(const access<T, access_mode::read>& token, to target) {
    runtime::fetch(*core_, runtime::call_arguments::describe(token), target.value);
  }
  /// With `when_done(f)` or `opens(gate)`, which happens on every rank, also where nothing moves.
  template <class T, class Option, class... Options>
  DEED_MODEL("moves", "fetch")
  DEED_MODEL("step", "fetch") void fetch(const access<T, access_mode::read>& token, to target,
                                         Option&& option, Options&&... options) {
    begin_fetch(runtime::detached{}, *core_, token, target, std::forward<Option>(option),
                std::forward<Options>(options)...);
  }
  template <class T, class... Options>
  DEED_MODEL("moves", "fetch")
  DEED_MODEL("step", "fetch") [[nodiscard]] request
      ifetch(const access<T, access_mode::read>& token, to target, Options&&... options) {
    return begin_fetch(runtime::requested{}, *core_, token, target,
                       std::forward<Options>(options)...);
  }
  template <class T>
  DEED_MODEL("moves", "fetch")
  DEED_MODEL("step", "fetch") void fetch(const access<T, access_mode::read>& token, everywhere_t) {
    runtime::fetch(*core_, runtime::call_arguments::describe(token), std::nullopt);
  }

  /// Copies a value to another datum, of any owners: a task on the rank that owns `to`, with the
  /// options of a task. A step.
  /// Blocks: never, but as `insert_task`. Cost: no message between data of one rank.
  /// @throws as `insert_task`; D906 if tiles or spans differ in extents.
  template <class T, class... Options>
  DEED_MODEL("submits")
  void copy(const access<T, access_mode::read>& from, const access<T, access_mode::write>& to,
            Options&&... options) {
    runtime::check_same_extents(*core_, runtime::call_arguments::describe(from),
                                runtime::call_arguments::describe(to));
    insert_task(runtime::data_copy<T>::body, to, from, std::forward<Options>(options)...);
  }
  /// This version of a datum is sent by `source` to those that ask for it from now on, if it has
  /// it by then. A hint, until the next version: a wrong one costs time only. A step.
  /// @throws deed::error D410 if there is no such rank.
  template <class T>
  DEED_MODEL("step", "prefer_source")
  void prefer_source(const handle<T>& h, deed::rank source, place where = place::current()) {
    runtime::prefer_source(*core_, h.untyped().datum(where), source.value, where);
  }
  /// So many ranks will read each version of the datum from now on; 0: nobody knows. Of four or
  /// more, the first pass it on from the third reader on, not from the fourth: three cost the owner
  /// two sends. A hint: a wrong one costs time only. A step.
  template <class T>
  DEED_MODEL("step", "expect_readers")
  void expect_readers(const handle<T>& h, int ranks, place where = place::current()) {
    runtime::expect_readers(*core_, h.untyped().datum(where), ranks, where);
  }
  /// Tags for data and messages that nobody else in the session uses. A step, and so is its end.
  [[nodiscard]] DEED_MODEL("step", "allocate_tags") tag_range
      allocate_tags(std::uint64_t count, place where = place::current()) {
    return runtime::allocate_tags(*core_, count, where);
  }

  /// Adds what tasks contributed to the value. Reads, `fetch`, `migrate` and `wait` do it by
  /// themselves; a write has to come after it. Contributions come to the owner along a tree in
  /// which each rank listens to `wanted` others; left out, that follows from size and number. A
  /// step, for the owner, those that contributed and those that use the value later. Blocks: never.
  template <class T, class Operation>
  DEED_MODEL("closes")
  DEED_MODEL("step", "reduce") void reduce(reducible<T, Operation>& h, arity wanted = {0},
                                           place where = place::current()) {
    runtime::close_reduction(*core_, h.untyped().datum(where), wanted, where);
  }

  /// The datum belongs to another rank from now on: the value goes there unless it is there, the
  /// old owner keeps a copy, and later writers run there. A step.
  /// Blocks: never. Cost: one transfer at most.
  /// @throws deed::error D109 if there is no such rank, or the datum is on every rank; then nothing
  ///   has changed.
  template <class T>
  DEED_MODEL("moves", "migrate")
  DEED_MODEL("closes") DEED_MODEL("step", "migrate") void migrate(handle<T>& h, deed::owner target,
                                                                  place where = place::current()) {
    const runtime::move_to moves[] = {{h.untyped().datum(where), target.value}};
    runtime::migrate(*core_, moves, where);
  }
  /// As above, all of a list: the one at index `i` to rank `owners(i)`, equal on all ranks. A step.
  template <class List, class Owners>
    requires std::is_invocable_r_v<int, const Owners&, std::size_t> &&
             requires(List& all) { std::begin(all)->untyped(); }
  DEED_MODEL("moves", "migrate")
  DEED_MODEL("step", "migrate") void migrate(List&& all, const Owners& owners,
                                             place where = place::current()) {
    std::vector<runtime::move_to> moves;
    for (auto& h : all) moves.push_back({h.untyped().datum(where), owners(moves.size())});
    runtime::migrate(*core_, moves, where);
  }
  /// As above, all tiles of a `tiled_matrix`, to the owners of another rule. A step.
  template <class Matrix, class Rule>
    requires requires(Matrix& all, const Rule& owners, place where) { all.migrate(owners, where); }
  DEED_MODEL("moves", "migrate")
  DEED_MODEL("step", "migrate") void migrate(Matrix& all, const Rule& owners,
                                             place where = place::current()) {
    all.migrate(owners, where);
  }

  /// Cuts a vector, span or tile into parts, each a datum of its own and of the same type, that may
  /// belong to different ranks: part `(i, j)` to rank `owners(i, j)`, or to the owner of the whole.
  /// The parts have the value from now on, and it waits in them for `unite`. A step.
  ///
  /// Blocks: never, but as `insert_task`. Cost: a task on the owner of the whole and one transfer
  ///   at most per part.
  /// @throws deed::error D101 D102 D116 of the handle, D109 if an owner does not exist, D117 if
  ///   ranges overlap or leave a gap, D413 if per-rank data are given owners, D906 if there are
  ///   fewer rows than parts; then nothing has changed. How long a vector is, its value says:
  ///   ranges that do not fit it are D117 in the task that cuts.
  ///
  /// @code{.cpp}
  /// const deed::block owners{session.size()};
  /// auto rows = session.partition(std::move(all), deed::row_blocks{4}, owners);
  /// for (auto& part : rows) session.insert_task(smooth, deed::read_write(part));
  /// all = session.unite(std::move(rows));
  /// @endcode
  template <class T>
  DEED_MODEL("splits")
  DEED_MODEL("step", "partition")
      [[nodiscard]] partitioned<T> partition(handle<T>&& h, const partition_rule& rule,
                                             place where = place::current()) {
    return cut(std::move(h), rule, nullptr, where);
  }
  template <class T>
  DEED_MODEL("splits")
  DEED_MODEL("step", "partition")
      [[nodiscard]] partitioned<T> partition(handle<T>&& h, const partition_rule& rule,
                                             const owner_rule& owners,
                                             place where = place::current()) {
    return cut(std::move(h), rule, &owners, where);
  }
  /// Puts a whole together again, with its owner as it was, behind the tasks that write its parts;
  /// the parts end. A vector becomes as long as they are together. A step.
  /// Blocks: never, but as `insert_task`. Cost: as `partition`.
  /// @throws deed::error D101 D102 if a part was moved away or has ended, D208 if nothing wrote one
  ///   and others have values; then nothing has changed.
  template <class T>
  DEED_MODEL("joins")
  DEED_MODEL("step", "unite")
      [[nodiscard]] handle<T> unite(partitioned<T>&& all, place where = place::current());

  /// Waits, and gives the data of a list to the owners that `policy` wants, judged by what tasks
  /// that wrote them took since the last call. The first call starts to measure and moves nothing;
  /// measuring costs two looks at the clock per task. A step.
  /// Blocks: until all ranks have called it. @throws as `wait`.
  template <class List>
    requires requires(List& all) { std::begin(all)->untyped(); }
  DEED_MODEL("moves", "migrate")
  DEED_MODEL("step", "rebalance")
      DEED_MODEL("blocks") void rebalance(List&& all, const balance_policy& policy = fewest_moves,
                                          place where = place::current()) {
    std::vector<ownership::slot> data;
    for (auto& h : all) data.push_back(h.untyped().datum(where));
    const std::vector<int> owners = runtime::balanced_owners(*core_, data, policy, where);
    migrate(all, [&](std::size_t i) { return owners[i]; }, where);
  }
  /// As above, the tiles of a `tiled_matrix`, row by row. A step.
  template <class Matrix>
    requires requires(Matrix& all, const balance_policy& p, place at) { all.rebalance(p, at); }
  DEED_MODEL("moves", "migrate")
  DEED_MODEL("step", "rebalance")
      DEED_MODEL("blocks") void rebalance(Matrix& all, const balance_policy& policy = fewest_moves,
                                          place where = place::current()) {
    all.rebalance(policy, where);
  }

  /// Whether copies of other ranks' data are kept until they are out of date.
  [[nodiscard]] bool cache_enabled() const noexcept { return runtime::keeps_copies(*core_); }
  /// Keeps copies from now on, or lets all go and keeps none: then every task brings what it reads.
  /// Values are the same either way. A step.
  DEED_MODEL("step", "set_cache")
  void set_cache(bool on, place where = place::current()) {
    runtime::keep_copies(*core_, on, where);
  }
  /// The copies of a datum away from its owner end behind their last reader, and their memory is
  /// free. Never needed for right values. A step.
  template <class T>
  DEED_MODEL("step", "flush")
  void flush(const handle<T>& h, place where = place::current()) {
    runtime::flush(*core_, h.untyped().datum(where), where);
  }
  /// As above, of all data.
  DEED_MODEL("step", "flush") void flush(place where = place::current()) {
    runtime::flush(*core_, std::nullopt, where);
  }
  /// Whether this rank, or another, has the current version once all that was submitted is done.
  template <class T>
  [[nodiscard]] DEED_MODEL("pure") bool holds(const handle<T>& h,
                                              place where = place::current()) const {
    return runtime::holds(*core_, h.untyped().datum(where), std::nullopt);
  }
  template <class T>
  [[nodiscard]] DEED_MODEL("pure") bool holds(const handle<T>& h, deed::rank who,
                                              place where = place::current()) const {
    return runtime::holds(*core_, h.untyped().datum(where), who.value);
  }

  /// Returns when all tasks and messages of this rank are complete. Not a barrier. A step.
  /// @throws what a task threw; deed::error D306 if a live borrow holds up a task.
  DEED_MODEL("waits", "all")
  DEED_MODEL("step", "wait")
  DEED_MODEL("blocks") DEED_MODEL("owner_context") void wait(place where = place::current());
  /// Returns when all tasks and messages on `h` that this rank has to do with are complete: those
  /// that run here, those that bring or send the value, what is contributed here. All others go on,
  /// and so does the epoch. On the owner the value is current then. Not a step: each rank waits or
  /// does not.
  /// @throws what a task threw that `h` lacks its value for; deed::error D306 if `h` is lent.
  template <class T>
  DEED_MODEL("waits", "datum")
  DEED_MODEL("blocks") void wait(const handle<T>& h, place where = place::current()) {
    runtime::wait_for(*core_, h.untyped().datum(where), where);
  }
  /// Returns when every rank has called it; says nothing of data. A step.
  DEED_MODEL("step", "barrier")
  DEED_MODEL("blocks") DEED_MODEL("owner_context") void barrier(place where = place::current());
  /// Writes the values of all data to the folder, each by its owner, once all tasks and messages
  /// are complete. Two checkpoints are kept; a run that ends at any moment leaves the last whole
  /// one. The folder is one that all ranks see, or a local one per rank (then only as many ranks as
  /// wrote it can resume). With `checkpoint_options::partner` another rank keeps a copy of what a
  /// rank writes. What an earlier run left there stays, unless the session resumed from it. A step;
  /// data that end are not in it. Blocks: for tasks and for the disk.
  /// Cost: one pass over the values, one collective; with copies, the same once more.
  /// @return false if it cannot be written, which is said once; the one before is as it was.
  /// @throws deed::error D006 if `folder` is empty or a file, or another run writes to it, too;
  ///   D307 if a value is lent to the program for writing.
  DEED_MODEL("step", "checkpoint")
  DEED_MODEL("blocks")
  bool checkpoint(std::string_view folder, std::uint64_t epoch, place where = place::current());
  /// The same into the folder of `DEED_CHECKPOINT`, if there is one and `epoch` is a multiple of
  /// its `every`; else nothing. Where a signal asked the run to stop, it ends here, with exit
  /// code 75.
  /// @return false if it should be written and cannot be.
  DEED_MODEL("step", "checkpoint")
  DEED_MODEL("blocks") bool checkpoint(std::uint64_t epoch, place where = place::current());
  /// Gives all data the values of the newest checkpoint that is whole, on any number of ranks. Data
  /// are told by their tags; call it when the same are registered as were then. A file that is lost
  /// or damaged is written anew from its copy, if one was kept. A step.
  /// @return the epoch; nothing if there is no checkpoint.
  /// @throws deed::error D005 if there are some and none is whole, or the folder cannot be looked
  ///   into; D307 if a value is lent; D615 if type, size or name of a datum differ from what was
  ///   written. Then nothing has changed.
  [[nodiscard]] DEED_MODEL("step", "resume") DEED_MODEL("uniform")
      DEED_MODEL("blocks") std::optional<std::uint64_t> resume(std::string_view folder,
                                                               place where = place::current());
  /// The same from the folder of `DEED_RESUME`; without one nothing is found.
  [[nodiscard]] DEED_MODEL("step", "resume") DEED_MODEL("uniform")
      DEED_MODEL("blocks") std::optional<std::uint64_t> resume(place where = place::current());

  /// Whether any rank said yes. A step.
  [[nodiscard]] DEED_MODEL("step", "any") DEED_MODEL("uniform")
      DEED_MODEL("blocks") bool any(bool mine, place where = place::current());
  /// Waits, and ends the membership. A step.
  /// @throws as `wait`.
  DEED_MODEL("consumes", "this") DEED_MODEL("step", "close") DEED_MODEL("blocks") void close();

  [[nodiscard]] deed::statistics statistics() const;
  /// The devices of this rank in one line, or why it has none.
  [[nodiscard]] std::string device_summary() const;
  /// How values leave the memory of devices for other ranks: "directly, …", or "through host
  /// memory: " and why. The same on every rank.
  [[nodiscard]] std::string way_to_network() const;

  /// For the library's other headers.
  [[nodiscard]] runtime::core& untyped() noexcept { return *core_; }
  template <class T>
  [[nodiscard]] handle<T> register_untyped(const runtime::registration_description& wanted) {
    const ownership::slot datum = runtime::add_datum(*core_, wanted);
    return handle<T>(runtime::registrar_of(*core_), datum, runtime::registration_of(*core_, datum));
  }

 private:
  struct world;

  template <class seen, class Codelet, class... Arguments>
  void insert_bodies(const Codelet& task, Arguments&... arguments) {
    auto functions = runtime::functions_of(task.bodies());
    using closure = typename runtime::closure_for<decltype(functions), seen>::type;
    using runner = runtime::body_runner<closure, typename Codelet::body_list, seen>;
    closure carried{std::move(functions), std::tuple_cat(value_of(arguments)...)};
    const auto accesses = runtime::accesses_of(arguments...);
    runtime::task_description described{.codelet = task.info(),
                                        .accesses = accesses,
                                        .body = &runner::operations,
                                        .closure = &carried,
                                        .where_to_run = {},
                                        .priority = runtime::priority_of(arguments...),
                                        .where = {},
                                        .flops = runtime::flops_of(arguments...)};
    (runtime::call_arguments::note(described.where_to_run, described.where, arguments), ...);
    if constexpr ((runtime::is_extra<std::remove_const_t<Arguments>> || ...)) {
      runtime::call_extras extras;
      (note_extra(extras, arguments), ...);
      described.extras = &extras;
      return runtime::insert(*core_, described);
    }
    runtime::insert(*core_, described);
  }
  template <class T>
  static std::tuple<T> value_of(value_argument<T>& argument) {
    return std::tuple<T>(std::move(argument.content));
  }
  template <class T, access_mode Mode>
  static std::tuple<runtime::list_length> value_of(access_list<T, Mode>& list) {
    return {{list.data.size()}};
  }
  template <class View>
  static std::tuple<runtime::scratch_shape<View>> value_of(scratch_argument<View>& asked) {
    return {asked.shape};
  }
  template <class Other>
  static std::tuple<> value_of(const Other&) {
    return {};
  }
  template <class Argument>
  static void note_extra(runtime::call_extras& extras, Argument& argument) {
    if constexpr (runtime::is_extra<std::remove_const_t<Argument>>) extras.note(argument);
  }
  template <class T>
  partitioned<T> cut(handle<T>&& h, const partition_rule& rule, const owner_rule* owners,
                     place where);

  template <class Initial>
  auto register_value(std::optional<int> owner, Initial&& initial, const data_options& options,
                      place where) {
    using given = std::remove_cvref_t<Initial>;
    if constexpr (std::is_function_v<given>) {
      return register_value(owner, &initial, options, where);
    } else if constexpr (runtime::is_in_place<given>::value) {
      using T = typename given::value_type;
      using storage = typename data::datum_traits<T>::storage;
      runtime::registration_description wanted = describe<T>(
          owner, initial.shape(), &initial,
          [](void* at, void* source) { ::new (at) storage(static_cast<given*>(source)->view); },
          options, where);
      wanted.in_place = true;
      return register_untyped<T>(wanted);
    } else if constexpr (std::invocable<given&>) {
      using T = std::remove_cvref_t<std::invoke_result_t<given&>>;
      return register_untyped<T>(describe<T>(
          owner, {}, &initial,
          [](void* at, void* source) { ::new (at) T((*static_cast<given*>(source))()); }, options,
          where));
    } else {
      using T = given;
      T kept(std::forward<Initial>(initial));
      return register_untyped<T>(describe<T>(
          owner, {}, &kept,
          [](void* at, void* source) { ::new (at) T(std::move(*static_cast<T*>(source))); },
          options, where));
    }
  }
  template <class T>
  handle<T> register_empty(std::optional<int> owner, data::extents shape,
                           const data_options& options, place where) {
    return register_untyped<T>(describe<T>(owner, shape, nullptr, nullptr, options, where));
  }
  template <class T>
  static auto describe(std::optional<int> owner, data::extents shape, const void* source,
                       void (*make)(void*, void*), const data_options& options, place where) {
    return runtime::registration_description{.owner = owner,
                                             .type = &data::operations_of<T>(),
                                             .shape = shape,
                                             .source = const_cast<void*>(source),
                                             .make = make,
                                             .tag = options.tag,
                                             .name = options.name,
                                             .where = where};
  }

  std::unique_ptr<world> world_;  // Of a session that made its own.
  runtime::core* core_;
  int exceptions_ = std::uncaught_exceptions();  // When it was made.
};

template <class T>
std::optional<T> session::take(handle<T>&& h, place where) {
  static_assert(std::is_same_v<typename data::datum_traits<T>::storage, T>,
                "deed[D308] a view lives no longer than its datum; take a std::vector, or borrow");
  std::optional<T> value;
  if (relevant(read_write(h, where)) && owns(h, where)) {
    const deed::borrow<T> last = borrow(read_write(h, where));
    value.emplace(std::move(*last));
  }
  std::move(h).unregister(where);
  return value;
}

}  // namespace deed
