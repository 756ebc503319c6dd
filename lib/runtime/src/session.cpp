// SPDX-License-Identifier: MIT
#include <deed/base/undone.hpp>
#include <deed/runtime/session.hpp>

#include "core.hpp"
#include "mpi_start.hpp"
#include "of_all_ranks.hpp"
#include "settings.hpp"
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <iostream>

namespace deed {

namespace runtime {

ownership::slot add_datum(core& home, const registration_description& wanted) {
  return home.add_datum(wanted);
}
ownership::registration registration_of(core& home, ownership::slot datum) noexcept {
  return home.registration_of(datum);
}
ownership::registrar& registrar_of(core& home) noexcept { return home; }
void insert(core& home, const task_description& task) { home.insert(task); }
bool relevant(core& home, std::span<const access_description> accesses, const placement& asked) {
  return undone("relevant") || home.relevant(accesses, asked);
}
borrow_node& begin_borrow(core& home, const access_description& what) {
  return home.begin_borrow(what);
}
void send(core& home, const access_description& what, int peer, std::uint64_t tag,
          message_options&& options) {
  home.send(what, peer, tag, std::move(options));
}
void receive(core& home, const access_description& what, int peer, std::uint64_t tag,
             message_options&& options) {
  home.receive(what, peer, tag, std::move(options));
}
request isend(core& home, const access_description& what, int peer, std::uint64_t tag,
              message_options&& options) {
  return home.with_request(what.where, [&](request_state& made) {
    home.send(what, peer, tag, std::move(options), &made);
  });
}
request ireceive(core& home, const access_description& what, int peer, std::uint64_t tag,
                 message_options&& options) {
  return home.with_request(what.where, [&](request_state& made) {
    home.receive(what, peer, tag, std::move(options), &made);
  });
}
group make_group(core& home, const std::vector<rank>& members, place where) {
  std::vector<int> ranks;
  for (const rank each : members) ranks.push_back(each.value);
  if (undone("group")) std::ranges::reverse(ranks);
  return group(home.make_group(std::move(ranks), where));
}
group make_group(core& home, const boost::mpi::communicator& members, place where) {
  return group(home.make_group(members, where));
}
void wait_for(core& home, ownership::slot datum, place where) { home.wait_for(datum, where); }
gate make_gate(core& home, std::string_view name, std::uint32_t openings, place where) {
  return gate(home.make_gate(name, openings, where));
}
void fetch(core& home, const access_description& what, std::optional<int> peer) {
  home.fetch(what, peer);
}

untyped_borrow::untyped_borrow(core& home, borrow_node& held)
    : home_(&home), held_(&held), storage_(home.storage_of(held)), begun_(held.where) {}

void untyped_borrow::release() noexcept {
  if (held_ != nullptr) home_->end_borrow(*std::exchange(held_, nullptr));
}

void untyped_borrow::refuse_use() const {
  throw error(error_code::view_outlives_borrow, "view used after its borrow ended",
              {{"borrowed", to_string(begun_)}},
              "use it before `release()`, or by the name that it was moved to");
}

}  // namespace runtime

struct session::world {
  world(const boost::mpi::communicator& communicator, const session_options& options)
      : code(options),
        mine(runtime::read_session_settings(environ, code)),
        ranks(communicator, mine.session.shares_memory) {}
  /// The environment's settings over those of the code.
  [[nodiscard]] session_options options() const {
    say_aside();
    return runtime::adopt_settings(mine, ranks.settings_of_first(runtime::text_of(mine)), code)
        .session;
  }
  /// A dry run that runs is worth a word.
  void say_aside() const {
    if (ranks.environment().rank != 0 || mine.session.log.level < log_level::warning) return;
    for (const std::string& each : mine.aside) {
      std::cerr << "deed: " + each +
                       " has no effect: it is a setting of `deed::run`, and this program makes its "
                       "sessions itself\n";
    }
  }

  session_options code;
  runtime::settings mine;
  runtime::mpi_ranks ranks;
};

session::session(const boost::mpi::communicator& communicator, const session_options& options)
    : world_(std::make_unique<world>(communicator, options)),
      core_(new runtime::core(world_->ranks.environment(), world_->options())) {}

session::session(const runtime::rank_environment& environment, const session_options& options)
    : core_(new runtime::core(environment, options)) {}

session::~session() {
  try {
    if (std::uncaught_exceptions() > exceptions_) core_->abandon();
    core_->close();
  } catch (const runtime::told_before&) {
    // The program has caught it where it was thrown first.
  } catch (const std::exception& lost) {
    const auto* const common = dynamic_cast<const runtime::of_all_ranks*>(&lost);
    if (common == nullptr || common->printed_here())
      std::cerr << "deed: rank " << rank() << ": " << lost.what() << '\n';
  } catch (...) {
    std::cerr << "deed: rank " << rank() << ": the session ended with an unknown exception\n";
  }
  core_->leave();
}

group_pair session::groups(const boost::mpi::communicator& between, place where) {
  return core_->make_groups(between, where);
}
int session::rank() const noexcept { return core_->rank(); }
int session::size() const noexcept { return core_->size(); }
void session::log(log_level level, std::string_view text) const { core_->log(level, text); }
bool session::logs(log_level level) const noexcept { return core_->logs(level); }
bool session::is_dry() const noexcept { return core_->environment().dry != nullptr; }
std::chrono::nanoseconds session::elapsed() const { return core_->elapsed(); }
void session::wait(place where) {
  if (!undone("wait")) core_->wait(where);
}
void session::barrier(place where) {
  if (!undone("barrier")) core_->barrier(where);
}
bool session::any(bool mine, place where) { return core_->any(mine, where); }
void session::close() { core_->close(); }
deed::statistics session::statistics() const {
  return undone("statistics") ? deed::statistics{} : core_->counts();
}

std::string session::device_summary() const { return core_->device_summary(); }
std::string session::way_to_network() const {
  return undone("way_to_network") ? std::string() : core_->way_to_network();
}

}  // namespace deed
