// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/base/undone.hpp>
#include <deed/runtime/collectives.hpp>

#include "about_datum.hpp"
#include "collective.hpp"
#include "core.hpp"
#include "report.hpp"

#include <algorithm>
#include <new>

/// @file
/// From a collective call to nodes of the graph.

namespace deed::runtime {

std::vector<part_place> places_of(const placed& where, std::size_t element_bytes, place called) {
  if (where.counts.size() != where.displacements.size()) {
    throw error(error_code::parts_overlap,
                "the places of a whole are " + counted(where.counts.size(), "count") + " and " +
                    counted(where.displacements.size(), "displacement"),
                {{"called", to_string(called)}}, "give one of each per rank");
  }
  std::vector<part_place> all;
  for (std::size_t i = 0; i < where.counts.size(); ++i)
    all.push_back({where.displacements[i] * element_bytes, where.counts[i] * element_bytes});
  return all;
}

namespace {

/// Of the root of a gather: each byte of the whole is written once at most.
void check_places(const collective_description& what, std::size_t ranks, std::size_t element) {
  if (what.places.empty()) return;
  if (what.places.size() != ranks) {
    throw error(error_code::parts_overlap,
                "there are places for " + counted(what.places.size(), "part") + " of " +
                    counted(ranks, "rank"),
                {{"called", to_string(what.where)}}, "give one count and displacement per rank");
  }
  if (what.kind != collective_kind::gather) return;
  std::vector<std::pair<part_place, std::size_t>> sorted;
  for (std::size_t i = 0; i < ranks; ++i) sorted.emplace_back(what.places[i], i);
  std::ranges::sort(sorted, {}, [](const auto& each) { return each.first.first; });
  for (std::size_t i = 1; i < ranks; ++i) {
    const auto& [before, first] = sorted[i - 1];
    const auto& [next, second] = sorted[i];
    if (before.first + before.length <= next.first || next.length == 0) continue;
    const auto described = [&](const part_place& at) {
      return "elements " + std::to_string(at.first / element) + " to " +
             std::to_string((at.first + at.length) / element);
    };
    throw error(error_code::parts_overlap, "parts overlap in the whole",
                {{"called", to_string(what.where)},
                 {"rank " + std::to_string(first), described(before)},
                 {"rank " + std::to_string(second), described(next)}},
                "let each place begin where the one before ends, or behind it");
  }
}

}  // namespace

bool is_rank(const core& home, int rank) noexcept { return home.rank() == rank; }
request start_collective(core& home, collective_description&& what, message_options&& options) {
  const place where = what.where;
  return home.with_request(where, [&](request_state& made) {
    if (!undone("collective")) home.collect(std::move(what), std::move(options), &made);
  });
}
void detach_collective(core& home, collective_description&& what, message_options&& options) {
  if (undone("collective")) return;
  home.collect(std::move(what), std::move(options));
}
void start_list(detached, core& home, std::span<const access_description> blocks, int root,
                storage_visitor&& visit, message_options&& options) {
  home.gather_list(blocks, root, std::move(visit), std::move(options));
}
request start_list(requested, core& home, std::span<const access_description> blocks, int root,
                   storage_visitor&& visit, message_options&& options) {
  return home.with_request(blocks.empty() ? place{} : blocks.front().where,
                           [&](request_state& made) {
                             options.request = &made;
                             home.gather_list(blocks, root, std::move(visit), std::move(options));
                           });
}
void start_list(detached, core& home, std::span<const access_description> blocks, int root,
                scattered_values&& values, message_options&& options) {
  home.scatter_list(blocks, root, std::move(values), std::move(options));
}
request start_list(requested, core& home, std::span<const access_description> blocks, int root,
                   scattered_values&& values, message_options&& options) {
  return home.with_request(blocks.empty() ? place{} : blocks.front().where,
                           [&](request_state& made) {
                             options.request = &made;
                             home.scatter_list(blocks, root, std::move(values), std::move(options));
                           });
}

namespace {

bool ends_at_root(collective_kind kind) {
  return kind == collective_kind::gather || kind == collective_kind::reduce;
}

}  // namespace

void core::check_sides(const collective_description& what, const group_state* group) const {
  // Who is no member of a communicator does not know who is.
  const int root = group != nullptr && group->self < 0 && !group->known_to
                       ? group->ranks[static_cast<std::size_t>(what.root)]
                       : rank_in(group, what.root, what.where);
  for (const collective_side* side : {&what.give, &what.take}) {
    if (!side->datum) continue;
    check_access(*side->datum);
    if (ledger_.is_open(side->datum->datum)) refuse_open(*side->datum, "used");
    const ownership::slot datum = side->datum->datum;
    if (ledger_.is_per_rank(datum)) continue;
    const bool at_root =
        side == &what.take ? ends_at_root(what.kind) : what.kind == collective_kind::scatter;
    if (at_root && owner_of(datum) == root) continue;
    throw error_about(
        about(datum),
        error(error_code::not_on_this_rank,
              quoted(name_of(datum)) +
                  (at_root ? " does not belong to the root" : " is no per-rank datum"),
              {{"called",
                collective_channel{what.kind, what.root}.text() + " at " + to_string(what.where)},
               {"owner", "rank " + std::to_string(owner_of(datum))},
               {"registered", to_string(data_[datum].where)}},
              at_root ? "let the root be its owner: `h.owner()`"
                      : "register it with `deed::per_rank`: every rank gives or takes its own"));
  }
}

/// The members and the root, which is another number for each root; and `what` as they see it.
std::shared_ptr<group_state> core::rooted(const group_state& members,
                                          collective_description& what) {
  check_peer(what.root, what.where);
  const bool can = what.kind == collective_kind::gather || what.kind == collective_kind::scatter ||
                   what.kind == collective_kind::broadcast;
  if (!can) {
    throw error(error_code::collectives_differ,
                collective_channel{what.kind, what.root}.text() + " has no root outside its ranks",
                {{"called", to_string(what.where)}},
                "use `deed::within(group)`; `among` is for gather, scatter and broadcast");
  }
  const auto& known_to = members.known_to;
  const bool bystander = known_to && known_to->empty() && what.root != rank_;
  if (known_to && !bystander && std::ranges::find(*known_to, what.root) == known_to->end()) {
    throw error(
        error_code::no_such_peer,
        "the root, rank " + std::to_string(what.root) + ", is no member of the communicator",
        {{"called", to_string(what.where)}, {"rank", std::to_string(rank_)}},
        "make the group of ranks, which the root knows, too: `session.group({…})`");
  }
  auto& known = rooted_groups_[{members.number, what.root}];
  if (known == nullptr) {
    group_state made{this, static_cast<std::uint32_t>(groups_.size() + 1), members.ranks};
    if (std::ranges::find(made.ranks, what.root) == made.ranks.end())
      made.ranks.push_back(what.root);
    const auto self = std::ranges::find(made.ranks, rank_);
    if (self != made.ranks.end()) made.self = static_cast<int>(self - made.ranks.begin());
    known = groups_.emplace_back(std::make_shared<group_state>(std::move(made)));
    record_group(*known, what.where);
  }
  what.root = static_cast<int>(std::ranges::find(known->ranks, what.root) - known->ranks.begin());
  what.root_apart = known->ranks.size() > members.ranks.size();
  return known;
}

void core::collect(collective_description&& what, message_options&& options,
                   request_state* request) {
  context& self = caller(call_kind::steps, what.where);
  hold_back(self);
  if (options.done) expect_callback();
  const turn held(*this, self);
  const std::shared_ptr<group_state> group =
      options.among != nullptr ? rooted(*options.among, what) : options.group;
  check_sides(what, group.get());
  const int member = group == nullptr ? rank_ : group->self;
  const bool root = member == what.root, has_part = member >= 0 && !(root && what.root_apart);
  if (root) {
    const std::size_t all =
        group == nullptr ? static_cast<std::size_t>(size()) : group->ranks.size();
    check_places(what, all - (what.root_apart ? 1 : 0), what.parts->element_bytes);
  }
  check_extras(options, what.where);
  const place where = what.where;
  const bool gives =
      what.kind == collective_kind::scatter || what.kind == collective_kind::broadcast
          ? root
          : !what.keeps_own && has_part;
  const bool takes = ends_at_root(what.kind) ? root : has_part;

  collective_node& fresh = collectives_.take();
  fresh.kind = node_kind::collective;
  fresh.access_count = 0;
  fresh.where = where;
  fresh.request = request;
  if (request != nullptr)
    request->collective =
        collective_channel{what.kind, what.root, group == nullptr ? 0 : group->number}.recorded();
  std::uint32_t edges = 0;
  fresh.after = follow(fresh, std::move(options), collective_channel{what.kind, what.root}.name(),
                       where, edges);
  const bool same =
      what.give.datum && what.take.datum && what.give.datum->datum == what.take.datum->datum;
  // Every rank knows of the write to a datum with an owner, also where it only gives.
  if (what.take.datum && (takes || !ledger_.is_per_rank(what.take.datum->datum))) {
    const bool had_copy = recorder_ != nullptr && has_copy(what.take.datum->datum);
    ended_copies_.clear();
    ledger_.write(what.take.datum->datum, &ended_copies_);
    record_change(trace::ledger_change::write, what.take.datum->datum, trace::nothing, where);
    if (had_copy) record_stale(what.take.datum->datum, trace::no_task);
    end_copies(ended_copies_.after);
    last_writes_[what.take.datum->datum] = where;
  }
  const auto join = [&](const collective_side& side, bool takes_part, access_mode mode) {
    if (!side.datum || !takes_part) return static_cast<replica*>(nullptr);
    node_access& use = fresh.uses[fresh.access_count++];
    use.at = {};
    link(fresh, use, side.datum->datum, mode, edges);
    return &use.datum();
  };
  // What it gives it must have here, also where it is overwritten: it may lie on a device.
  const access_mode taking = same && gives ? access_mode::read_write : access_mode::write;
  replica* taken = join(what.take, takes, taking);
  replica* given = same && taken != nullptr ? taken : join(what.give, gives, access_mode::read);
  const std::uint64_t number = log_.add({.group = group == nullptr ? 0 : group->number,
                                         .is = collective_channel{what.kind, what.root}.word(),
                                         .type = what.parts->element_hash,
                                         .of = what.parts->part->type_name,
                                         .where = where},
                                        group == nullptr ? collectives_begun_ : group->collectives);
  fresh.run = member < 0
                  ? nullptr  // A bystander: complete at once.
                  : std::make_unique<collective_run>(*this, fresh, *engine_, number,
                                                     std::move(what), given, taken, group.get());
  if (fresh.run != nullptr) {
    record_call(*fresh.run, where);
    if (request != nullptr) request->number = fresh.run->recorded_number();
  }
  commit(fresh, edges);
}

void core::goes_on(collective_node& waiting) noexcept {
  note_work();
  finished_.push(waiting);
}

void core::run_collective(context& self, collective_node& ready) {
  message_status status{deed::rank{rank_}, message_tag{0}, 0};
  // Values of data are not there in a dry run; what collectives move of the program's own is real.
  if (ready.run != nullptr && (environment_.dry == nullptr || ready.access_count == 0)) {
    if (!ready.run->has_begun())
      self.events->collective_begin(ready.run->recorded(), ready.run->recorded_number());
    if (!ready.run->go_on()) return;  // Another thread may have it by now.
    if (const auto& failure = ready.run->failure();
        failure != nullptr && !misfits(rank_, failure, nullptr)) {
      fail(failure);
    }
    status = ready.run->status();
    if (const shared_failure& why = ready.run->why_missing(); why != nullptr) {
      note(self, *why, trace::nothing);
      if (ready.request != nullptr && ready.run->takes()) ready.request->why = why;
    }
    if (replica* const taken = ready.run->taken(); taken != nullptr && ready.run->takes())
      taken->poison = ready.run->why_missing();
  }
  if (ready.after != nullptr) ready.after->status = status;
  request_state* const request = std::exchange(ready.request, nullptr);
  ready.run.reset();
  complete(self, ready, ready.accesses());
  collectives_.give_back(ready);
  if (request != nullptr && request->complete(status)) team_->wake_everybody();
}

namespace {

/// The body of a node that a list makes on one rank, beside the sequence.
struct local_body {
  storage_visitor visit;
  static void run(const task_frame& frame) {
    const local_body& self = *static_cast<local_body*>(frame.closure);
    if (self.visit) self.visit(frame.storages);
  }
  static void move(void* to, void* from) {
    ::new (to) local_body(std::move(*static_cast<local_body*>(from)));
  }
  static void destroy(void* closure) noexcept { static_cast<local_body*>(closure)->~local_body(); }
};
constexpr body_operations local_operations{&local_body::run,
                                           sizeof(local_body),
                                           alignof(local_body),
                                           &local_body::move,
                                           &local_body::destroy,
                                           nullptr,
                                           nullptr,
                                           true};

/// Fills one block from the values of the root.
struct fill_body {
  std::function<void(std::size_t, void*)> fill;
  std::size_t first = 0;
  static void run(const task_frame& frame) {
    const fill_body& self = *static_cast<fill_body*>(frame.closure);
    self.fill(self.first, frame.storages[0]);
  }
  static void move(void* to, void* from) {
    ::new (to) fill_body(std::move(*static_cast<fill_body*>(from)));
  }
  static void destroy(void* closure) noexcept { static_cast<fill_body*>(closure)->~fill_body(); }
};
constexpr body_operations fill_operations{&fill_body::run,
                                          sizeof(fill_body),
                                          alignof(fill_body),
                                          &fill_body::move,
                                          &fill_body::destroy,
                                          nullptr,
                                          nullptr,
                                          true};

/// Where the codelets of collectives are: the calls of a program are many.
constexpr place library = place::current();

/// A task that writes names each datum once, also where a list has it twice.
void name_once(std::vector<access_description>& uses, const access_description& wanted) {
  const bool named = std::ranges::any_of(
      uses, [&](const access_description& each) { return each.datum == wanted.datum; });
  if (!named) uses.push_back(wanted);
}

}  // namespace

/// A node on this rank's copies, as a task, that the other ranks hear nothing of.
void core::run_local(std::string_view name, std::span<const access_description> uses,
                     storage_visitor&& visit, message_options&& options, place where) {
  local_body body{std::move(visit)};
  count(inserted_, std::uint64_t{1});
  run_here({.codelet = {name, library},
            .accesses = uses,
            .body = &local_operations,
            .closure = &body,
            .where_to_run = {},
            .priority = 0,
            .where = where,
            .extras = &options},
           std::vector<ownership::effect>(uses.size(),
                                          {ownership::ledger::everywhere, 0, false, false, 0}));
}

void core::gather_list(std::span<const access_description> blocks, int root,
                       storage_visitor&& visit, message_options&& options) {
  const place where = blocks.empty() ? place{} : blocks.front().where;
  context& self = caller(call_kind::steps, where);
  check_peer(root, where);
  std::vector<ownership::request> all;  // At the root at the same time.
  for (const access_description& each : blocks) {
    check_access(each);
    all.push_back({each.datum, each.mode});
  }
  check_extras(options, where);
  check_room(static_cast<std::uint32_t>(root), all, where);
  if (undone("gather")) return;
  log_list("gather", blocks.size(), root, where);
  for (const access_description& each : blocks) fetch(each, root);
  if (options.done) expect_callback();
  const turn held(*this, self);
  // The root reads all; elsewhere what was sent is complete when it could be written again.
  std::vector<access_description> uses;
  for (access_description each : blocks) {
    if (rank_ == root) {
      uses.push_back(each);
    } else if (ledger_.owner(each.datum) == static_cast<std::uint32_t>(rank_)) {
      each.mode = access_mode::write;
      name_once(uses, each);
    }
  }
  if (rank_ != root) visit = nullptr;
  if (visit || options.any_after())
    run_local("gather", uses, std::move(visit), std::move(options), where);
}

void core::scatter_list(std::span<const access_description> blocks, int root,
                        scattered_values&& values, message_options&& options) {
  const place where = blocks.empty() ? place{} : blocks.front().where;
  context& self = caller(call_kind::steps, where);
  check_peer(root, where);
  std::size_t wanted = 0;
  const auto length = [&](const access_description& block) {
    const datum_info& info = data_[block.datum];
    return values.elements ? info.shape.rows * info.shape.cols : std::size_t{1};
  };
  for (const access_description& each : blocks) {
    check_access(each);
    wanted += length(each);
  }
  check_extras(options, where);
  if (values.fill && rank_ == root && values.count != wanted) {
    throw error(error_code::message_sizes_differ,
                "the root scatters " + counted(values.count, "value") + " over blocks for " +
                    std::to_string(wanted),
                {{"called", to_string(where)}, {"blocks", std::to_string(blocks.size())}},
                "give one value per block, or as many elements as all blocks have");
  }
  if (undone("scatter")) return;
  log_list("scatter", blocks.size(), root, where);
  std::size_t first = 0;
  for (const access_description& each : blocks) {
    if (!values.fill) break;  // Every block keeps what it has.
    fill_body body{values.fill, first};
    first += length(each);
    insert({.codelet = {"scatter", library},
            .accesses = {&each, 1},
            .body = &fill_operations,
            .closure = &body,
            .where_to_run = {placement::kind::on_rank, root, 0},
            .priority = 0,
            .where = where});
  }
  if (!options.any_after()) return;
  if (options.done) expect_callback();
  const turn held(*this, self);
  std::vector<access_description> uses;
  for (const access_description& each : blocks) {
    const bool mine = ledger_.owner(each.datum) == static_cast<std::uint32_t>(rank_);
    if (rank_ == root || mine) name_once(uses, each);  // To write: behind what was sent, or came.
  }
  run_local("scatter", uses, nullptr, std::move(options), where);
}

}  // namespace deed::runtime
