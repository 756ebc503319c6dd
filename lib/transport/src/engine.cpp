// SPDX-License-Identifier: MIT
#include "core.hpp"

#include <utility>

namespace deed::transport {

engine::engine(endpoint& door, const engine_options& options, const clock& time)
    : core_(std::make_unique<core>(door, options, time)) {}

engine::~engine() { core_->abandon(); }

void engine::send(send_operation& operation) {
  core_->check_peer(operation.peer);
  operation.state = {};
  operation.state.sending = &operation;
  core_->submit(operation.state);
}

void engine::receive(receive_operation& operation) {
  core_->check_peer(operation.peer);
  operation.state = {};
  operation.state.receiving = &operation;
  core_->submit(operation.state);
}

bool engine::cancel(receive_operation& operation) { return core_->cancel(operation); }
bool engine::progress() { return core_->progress(); }
bool engine::flush() { return core_->flush(); }

void engine::rest(std::chrono::nanoseconds at_most) {
  // What was signalled since the newest rest ended, its caller may not have looked at.
  rest(at_most, core_->last_seen.load(std::memory_order_acquire));
  core_->last_seen.store(core_->door.signals(), std::memory_order_release);
}

bool engine::looks_again() { return core_->looks_again(); }

void engine::rest(std::chrono::nanoseconds at_most, std::uint64_t seen) {
  core_->rest(at_most, seen);
}

std::uint64_t engine::signals() const noexcept { return core_->door.signals(); }
void engine::wake() noexcept { core_->door.wake(); }
bool engine::quiet() const noexcept { return core_->quiet(); }

void engine::hold_door(const std::function<void()>& use) { core_->hold_door(use); }

void engine::send_control(rank peer, std::uint16_t what, std::span<const std::byte> bytes) {
  core_->send_control(peer, what, bytes);
}

void engine::on_control(
    std::function<void(rank, std::uint16_t, std::span<const std::byte>)> handler) {
  core_->control_handler = std::move(handler);
}

void engine::on_packed(std::function<void(rank, std::uint32_t, std::size_t)> handler) {
  core_->on_packed(std::move(handler));
}

void engine::on_fault(std::function<void(rank, std::exception_ptr)> handler) {
  core_->fault_handler = std::move(handler);
}

void engine::all_reduce(std::span<const std::uint64_t> words, reduce_with with,
                        std::function<void(std::span<const std::uint64_t>)> done) {
  core_->all_reduce(words, with, std::move(done));
}

std::size_t engine::max_words() const noexcept {
  return (core_->limits.frame_bytes - detail::header_bytes) / sizeof(std::uint64_t);
}

void engine::set_idle(bool idle) { core_->set_idle(idle); }

void engine::on_quiescence(std::function<void()> proved) {
  core_->quiescence_handler = std::move(proved);
}

std::vector<unmatched> engine::left_over() const { return core_->left_over(); }
statistics engine::counts() const { return core_->counts(); }
void engine::close() { core_->close(); }
void engine::abandon() noexcept { core_->abandon(); }

}  // namespace deed::transport
