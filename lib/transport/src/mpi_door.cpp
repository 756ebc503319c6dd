// SPDX-License-Identifier: MIT
#include "mpi_door.hpp"

#include <deed/transport/mpi_facts.hpp>

#include "blocks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <utility>

namespace deed::transport {
namespace {

using passage = detail::mpi_gate::passage;

constexpr int frame_tag = 0;
constexpr unsigned turns_between_window_tests = 8;
constexpr unsigned turns_between_full_tests = 32;
constexpr std::chrono::microseconds without_mpi{1};  // While frames come from neighbours alone.

std::uint32_t bulk_tags(MPI_Comm comm) {
  void* most = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, MPI_TAG_UB, &most, &found);
  const int upper = found != 0 ? *static_cast<int*>(most) : 32767;  // What the standard promises.
  return static_cast<std::uint32_t>(std::min(1 << 16, upper / 2));
}

std::exception_ptr finalised() {
  return std::make_exception_ptr(
      error(error_code::mpi_finalised, "MPI is finalised before the session ends", {},
            "put the session in a block of its own, which ends before MPI_Finalize"));
}

}  // namespace

mpi_world::door::door(MPI_Comm user, std::unique_ptr<mpi_table> table, const mpi_options& options)
    : mpi_(std::move(table)), window_(static_cast<std::size_t>(options.window)) {
  try {
    open(user, options);
  } catch (...) {
    close(false);  // What was posted does not outlive its memory.
    throw;
  }
  watch_.emplace([this] { finalised_early(); });
  caller_.emplace();
}

void mpi_world::door::open(MPI_Comm user, const mpi_options& options) {
  check(mpi_->comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), {"MPI_Comm_set_errhandler"});
  check(mpi_->comm_get_errhandler(MPI_COMM_WORLD, &world_handler_), {"MPI_Comm_get_errhandler"});
  if (world_handler_ == MPI_ERRORS_ARE_FATAL) {
    mpi_->comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // MPICH asks this one alone.
  }
  for (MPI_Comm* made : {&frames_, &bulk_}) {
    check(mpi_->comm_dup(user, made), {"MPI_Comm_dup"});
    check(mpi_->comm_set_errhandler(*made, MPI_ERRORS_RETURN), {"MPI_Comm_set_errhandler"});
  }
  int ranks = 0, self = 0;
  MPI_Comm_size(frames_, &ranks);
  MPI_Comm_rank(frames_, &self);
  const mpi_facts says = ask_mpi();
  limits_ = {.ranks = ranks,
             .self = rank{self},
             .frame_bytes = options.frame_bytes,
             .bulk_tags = bulk_tags(bulk_),
             .reads_cuda = says.cuda == answer::yes,
             .reads_hip = says.hip == answer::yes};
  neighbours_ = detail::neighbours::meet(frames_, options.shares_memory);
  slots_.resize(static_cast<std::size_t>(options.slots));
  post_slots();
}

mpi_world::door::~door() {
  if (!closed_) close(false);
}

void mpi_world::door::post_slots() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slot& at = slots_[i];
    at.bytes = std::make_unique_for_overwrite<std::byte[]>(limits_.frame_bytes);
    check(mpi_->recv_init(at.bytes.get(), static_cast<int>(limits_.frame_bytes), MPI_BYTE,
                          MPI_ANY_SOURCE, frame_tag, frames_, &at.request),
          {"MPI_Recv_init"});
    restart(static_cast<int>(i));
  }
  window_ = std::min(window_, slots_.size());
  requests_.resize(window_, MPI_REQUEST_NULL);
}

void mpi_world::door::restart(int number) {
  const int result = mpi_->start(&slots_[static_cast<std::size_t>(number)].request);
  if (result == MPI_SUCCESS) return posted_.push_back(number);
  report(event_kind::frame_failed, limits_.self.value, 0,
         std::make_exception_ptr(mpi_error(result, {"MPI_Start"})));
}

void mpi_world::door::refresh_window() {
  for (std::size_t i = 0; i < window_; ++i) {
    requests_[i] = i < posted_.size() ? slots_[static_cast<std::size_t>(posted_[i])].request
                                      : MPI_REQUEST_NULL;
  }
}

void mpi_world::door::report(event_kind kind, int peer, std::uint64_t cookie,
                             std::exception_ptr error) {
  ready_.push_back({kind, rank{peer}, {}, cookie, std::move(error)});
}

void mpi_world::door::add(MPI_Request request, operation&& what) {
  if (what.what != use::bulk_receive) ++sends_;
  requests_.push_back(request);
  operations_.push_back(std::move(what));
}

void mpi_world::door::remove(std::size_t index) {
  if (operations_[index].what != use::bulk_receive) --sends_;
  if (operations_[index].frame) spare_.push_back(std::move(operations_[index].frame));
  requests_[window_ + index] = requests_.back();
  requests_.pop_back();
  if (index + 1 != operations_.size()) operations_[index] = std::move(operations_.back());
  operations_.pop_back();
}

void mpi_world::door::send_frame(rank peer, std::span<const std::byte> header,
                                 const_memory_block payload) {
  const passage here(gate_);
  if (!here) return;  // `poll` says why.
  if (neighbours_ != nullptr && neighbours_->send(peer, header, payload)) return;
  buffer frame;
  if (spare_.empty()) {
    frame = std::make_unique_for_overwrite<std::byte[]>(limits_.frame_bytes);
  } else {
    frame = std::move(spare_.back());
    spare_.pop_back();
  }
  const std::size_t bytes = header.size() + payload.bytes();
  std::memcpy(frame.get(), header.data(), header.size());
  detail::copy(payload, {.address = frame.get() + header.size(), .row_bytes = payload.bytes()});
  MPI_Request request = MPI_REQUEST_NULL;
  const int result = mpi_->isend(frame.get(), static_cast<int>(bytes), MPI_BYTE, peer.value,
                                 frame_tag, frames_, &request);
  const auto size = static_cast<long long>(bytes);
  if (neighbours_ != nullptr) neighbours_->tell(peer);
  if (result == MPI_SUCCESS && !has_left(request, peer, size)) {
    return add(request, {use::frame_send, peer.value, frame_tag, 0, size, std::move(frame)});
  }
  spare_.push_back(std::move(frame));
  if (result == MPI_SUCCESS) return;
  report(event_kind::frame_failed, peer.value, 0,
         std::make_exception_ptr(mpi_error(result, {"MPI_Isend", peer.value, frame_tag, size})));
}

/// Most frames have left when the call is back: MPI copied them. They need not be looked at again.
bool mpi_world::door::has_left(MPI_Request& request, rank peer, long long bytes) {
  int left = 0;
  const int result = mpi_->test(&request, &left, MPI_STATUS_IGNORE);
  if (result != MPI_SUCCESS) {
    report(event_kind::frame_failed, peer.value, 0,
           std::make_exception_ptr(mpi_error(result, {"MPI_Test", peer.value, frame_tag, bytes})));
  }
  return request == MPI_REQUEST_NULL;
}

template <class Block, class Call>
int mpi_world::door::with_type_of(const Block& block, Call call) {
  if (block.contiguous()) return call(static_cast<int>(block.bytes()), MPI_BYTE);
  MPI_Datatype tile = MPI_DATATYPE_NULL;
  int result =
      mpi_->type_create_hvector(static_cast<int>(block.rows), static_cast<int>(block.row_bytes),
                                static_cast<MPI_Aint>(block.pitch), MPI_BYTE, &tile);
  if (result != MPI_SUCCESS) return result;
  result = mpi_->type_commit(&tile);
  if (result == MPI_SUCCESS) result = call(1, tile);
  mpi_->type_free(&tile);  // Once what is under way has ended. MPI 4.1, 5.1.9.
  return result;
}

void mpi_world::door::receive_bulk(rank peer, std::uint32_t tag, memory_block room,
                                   std::uint64_t cookie) {
  const passage here(gate_);
  if (!here) return report(event_kind::bulk_failed, peer.value, cookie, finalised());
  MPI_Request request = MPI_REQUEST_NULL;
  const int mpi_tag = static_cast<int>(tag);
  const int result = with_type_of(room, [&](int count, MPI_Datatype type) {
    return mpi_->irecv(room.address, count, type, peer.value, mpi_tag, bulk_, &request);
  });
  const auto bytes = static_cast<long long>(room.bytes());
  if (result == MPI_SUCCESS) {
    return add(request, {use::bulk_receive, peer.value, mpi_tag, cookie, bytes, nullptr});
  }
  report(event_kind::bulk_failed, peer.value, cookie,
         std::make_exception_ptr(mpi_error(result, {"MPI_Irecv", peer.value, mpi_tag, bytes})));
}

void mpi_world::door::send_bulk(rank peer, std::uint32_t tag, const_memory_block source,
                                std::uint64_t cookie) {
  const passage here(gate_);
  if (!here) return report(event_kind::bulk_failed, peer.value, cookie, finalised());
  MPI_Request request = MPI_REQUEST_NULL;
  const int mpi_tag = static_cast<int>(tag);
  const int result = with_type_of(source, [&](int count, MPI_Datatype type) {
    return mpi_->isend(source.address, count, type, peer.value, mpi_tag, bulk_, &request);
  });
  if (neighbours_ != nullptr) neighbours_->tell(peer);
  const auto bytes = static_cast<long long>(source.bytes());
  if (result == MPI_SUCCESS) {
    return add(request, {use::bulk_send, peer.value, mpi_tag, cookie, bytes, nullptr});
  }
  report(event_kind::bulk_failed, peer.value, cookie,
         std::make_exception_ptr(mpi_error(result, {"MPI_Isend", peer.value, mpi_tag, bytes})));
}

void mpi_world::door::cancel_bulk(std::uint64_t cookie) {
  const passage here(gate_);
  if (!here) return;
  for (std::size_t i = operations_.size(); i-- > 0;) {
    operation& at = operations_[i];
    if (at.cookie != cookie || at.what == use::frame_send) continue;
    if (cancel_receive(i)) continue;
    MPI_Request& request = requests_[window_ + i];
    // Sends cannot be cancelled. Nobody will match this one: its tag is not used again.
    mpi_->request_free(&request);
    report(event_kind::bulk_failed, at.peer, cookie,
           std::make_exception_ptr(
               mpi_error(MPI_ERR_OTHER, {"MPI_Cancel", at.peer, at.tag, at.bytes})));
    remove(i);
  }
}

/// Once: Open MPI takes a receive off its list again at a second cancel, and crashes.
bool mpi_world::door::cancel_receive(std::size_t index) {
  operation& at = operations_[index];
  if (at.what != use::bulk_receive) return false;
  if (!at.cancelled) at.cancelled = mpi_->cancel(&requests_[window_ + index]) == MPI_SUCCESS;
  return at.cancelled;
}

std::size_t mpi_world::door::poll(std::span<event> events) {
  std::size_t count = 0;
  if (const passage here(gate_); here) {
    for (const int number : shown_) restart(number);
    shown_.clear();
    // A ring that neighbours keep full leaves room for what came by MPI.
    const bool also_mpi = !ready_.empty() && events.size() > 1;
    if (neighbours_ != nullptr)
      count = neighbours_->take(events.first(also_mpi ? events.size() / 2 : events.size()));
    if (ready_.empty() && asks_mpi(count)) test();
  } else if (!std::exchange(told_, true)) {
    report(event_kind::frame_failed, limits_.self.value, 0, finalised());
  }
  while (count < events.size() && !ready_.empty()) {
    event& next = events[count++] = std::move(ready_.front());
    ready_.pop_front();
    if (next.kind != event_kind::frame) continue;
    shown_.push_back(static_cast<int>(next.cookie));
    mpi_is_busy_ = true;
  }
  return count;
}

/// A look at MPI takes ten times as long as one at a ring, and a neighbour's frame waits for it. By
/// the clock, not every so many turns: a rank that sleeps takes one in 5 milliseconds.
bool mpi_world::door::asks_mpi(std::size_t came) noexcept {
  if (came > 0) mpi_is_busy_ = false;
  if (mpi_is_busy_ || !operations_.empty() || neighbours_ == nullptr) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now - asked_mpi_ < without_mpi) return false;
  asked_mpi_ = now;
  return true;
}

/// One stalled peer may hold the oldest slots; a look at all of them finds the rest.
bool mpi_world::door::test_all_slots() {
  if (posted_.size() <= window_) return false;
  const std::size_t count = posted_.size() - window_;
  std::vector<MPI_Request> rest(count);
  for (std::size_t i = 0; i < count; ++i) {
    rest[i] = slots_[static_cast<std::size_t>(posted_[window_ + i])].request;
  }
  indices_.resize(count);
  statuses_.resize(count);
  int done = 0;
  const int result = mpi_->testsome(static_cast<int>(count), rest.data(), &done, indices_.data(),
                                    statuses_.data());
  if (result != MPI_SUCCESS && result != MPI_ERR_IN_STATUS) return false;
  std::vector<int> filled;
  for (int i = 0; i < done; ++i) {
    filled.push_back(
        posted_[window_ + static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)])]);
  }
  for (int i = 0; i < done; ++i) {
    const auto at = static_cast<std::size_t>(i);
    slot_filled(filled[at], statuses_[at],
                result == MPI_ERR_IN_STATUS ? statuses_[at].MPI_ERROR : MPI_SUCCESS);
  }
  return done > 0;
}

/// A message waits for as long as a look takes that finds nothing. MPI fills the oldest slot first,
/// and to test one request takes a fraction of what a row of them takes.
void mpi_world::door::test() {
  ++turns_;
  if (turns_ % turns_between_full_tests == 0 && test_all_slots()) return;
  if (!careful_) test_oldest_slots();
  const bool now = careful_ || turns_ % turns_between_window_tests == 0;
  if (now || !operations_.empty()) test_window();
}

/// One alone, as a look that finds no other lets MPI poll, which takes time; more where more come.
void mpi_world::door::test_oldest_slots() {
  while (!posted_.empty() && ready_.size() < window_) {
    const int number = posted_.front();
    int filled = 0;
    MPI_Status status;
    const int result =
        mpi_->test(&slots_[static_cast<std::size_t>(number)].request, &filled, &status);
    if (result != MPI_SUCCESS) {
      careful_ = true;
      return report(event_kind::frame_failed, limits_.self.value, 0,
                    std::make_exception_ptr(mpi_error(result, {"MPI_Test"})));
    }
    if (filled == 0) break;
    slot_filled(number, status, MPI_SUCCESS);
    if (!std::exchange(more_come_, true)) return;
  }
  more_come_ = !ready_.empty();
}

void mpi_world::door::test_window() {
  refresh_window();
  if (indices_.size() < requests_.size()) {
    indices_.resize(requests_.size());
    statuses_.resize(requests_.size());
  }
  int done = 0;
  const int result = mpi_->testsome(static_cast<int>(requests_.size()), requests_.data(), &done,
                                    indices_.data(), statuses_.data());
  if (result != MPI_SUCCESS && result != MPI_ERR_IN_STATUS) {
    return report(event_kind::frame_failed, limits_.self.value, 0,
                  std::make_exception_ptr(mpi_error(result, {"MPI_Testsome"})));
  }
  if (done == MPI_UNDEFINED || done == 0) return;
  sort_out(static_cast<std::size_t>(done), result == MPI_ERR_IN_STATUS);
}

/// Numbers first: the window moves and requests change places while their operations leave.
void mpi_world::door::sort_out(std::size_t done, bool in_status) {
  leaving_.clear();
  filled_.clear();
  for (std::size_t i = 0; i < done; ++i) {
    const auto index = static_cast<std::size_t>(indices_[i]);
    if (index < window_) {
      filled_.push_back({posted_[index], i});
    } else {
      leaving_.push_back({index - window_, i});
    }
  }
  const auto result_of = [&](std::size_t i) {
    return in_status ? statuses_[i].MPI_ERROR : MPI_SUCCESS;
  };
  for (const auto& [number, i] : filled_) slot_filled(number, statuses_[i], result_of(i));
  for (const auto& [index, i] : leaving_) ended(operations_[index], statuses_[i], result_of(i));
  if (leaving_.size() > 1) std::ranges::sort(leaving_, std::greater{});
  for (const auto& [index, i] : leaving_) remove(index);
}

void mpi_world::door::slot_filled(int number, const MPI_Status& status, int result) {
  posted_.erase(std::ranges::find(posted_, number));
  slot& at = slots_[static_cast<std::size_t>(number)];
  int bytes = 0;
  if (result == MPI_SUCCESS) result = mpi_->get_count(&status, MPI_BYTE, &bytes);
  if (result != MPI_SUCCESS) {
    report(event_kind::frame_failed, limits_.self.value, 0,
           std::make_exception_ptr(mpi_error(result, {"MPI_Testsome"})));
    return restart(number);
  }
  event frame{
      event_kind::frame, rank{status.MPI_SOURCE}, {}, static_cast<std::uint64_t>(number), nullptr};
  frame.frame = {at.bytes.get(), static_cast<std::size_t>(bytes)};
  ready_.push_back(std::move(frame));
}

void mpi_world::door::ended(operation& what, const MPI_Status& status, int result) {
  std::exception_ptr error;
  if (result == MPI_SUCCESS && what.what == use::bulk_receive) {
    int cancelled = 0, bytes = 0;
    mpi_->test_cancelled(&status, &cancelled);
    mpi_->get_count(&status, MPI_BYTE, &bytes);
    if (cancelled != 0 || bytes != what.bytes) result = MPI_ERR_OTHER;
  }
  if (result != MPI_SUCCESS) {
    error = std::make_exception_ptr(
        mpi_error(result, {"MPI_Testsome", what.peer, what.tag, what.bytes}));
  }
  switch (what.what) {
    case use::frame_send:
      if (error) report(event_kind::frame_failed, what.peer, 0, std::move(error));
      break;
    case use::bulk_send:
      report(error ? event_kind::bulk_failed : event_kind::bulk_sent, what.peer, what.cookie,
             error);
      break;
    case use::bulk_receive:
      report(error ? event_kind::bulk_failed : event_kind::bulk_received, what.peer, what.cookie,
             error);
      break;
  }
}

/// Not when MPI was finalised too early: nobody takes what lies in the ring then.
bool mpi_world::door::shares_sleep() const noexcept {
  return neighbours_ != nullptr && !gate_.is_shut();
}

std::uint64_t mpi_world::door::signals() const noexcept {
  return shares_sleep() ? neighbours_->signals() : waker_.signals();
}

void mpi_world::door::rest(std::chrono::nanoseconds at_most, std::uint64_t seen) {
  shares_sleep() ? neighbours_->rest(at_most, seen) : waker_.rest(at_most, seen);
}

void mpi_world::door::wake() noexcept {
  if (neighbours_ != nullptr) neighbours_->wake();
  waker_.wake();
}

void mpi_world::door::close(bool orderly) noexcept {
  closed_ = true;
  if (gate_.is_shut()) return;  // Released by then.
  watch_.reset();
  gate_.shut();
  release(orderly);
  caller_.reset();
}

/// Inside MPI_Finalize. From here on nothing calls MPI, and all that waits is told so.
void mpi_world::door::finalised_early() noexcept {
  gate_.shut();
  release(false);
  sends_ = 0;
  for (const operation& at : operations_) {
    if (at.what == use::frame_send) continue;
    report(event_kind::bulk_failed, at.peer, at.cookie, finalised());
  }
  wake();
}

void mpi_world::door::release(bool orderly) noexcept {
  for (const int number : posted_) {
    slot& at = slots_[static_cast<std::size_t>(number)];
    MPI_Status status;
    if (mpi_->cancel(&at.request) == MPI_SUCCESS) mpi_->wait(&at.request, &status);
  }
  for (slot& at : slots_) {
    if (at.request != MPI_REQUEST_NULL) mpi_->request_free(&at.request);
  }
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    MPI_Request& request = requests_[window_ + i];
    cancel_receive(i);
    mpi_->request_free(&request);
    // MPI may still read it, and nobody hears when it has: it stays until the process ends.
    static_cast<void>(operations_[i].frame.release());
  }
  if (world_handler_ == MPI_ERRORS_ARE_FATAL) {
    mpi_->comm_set_errhandler(MPI_COMM_WORLD, world_handler_);
  }
  if (!orderly) return;  // Freeing is collective, and not all ranks are here.
  mpi_->comm_free(&frames_);
  mpi_->comm_free(&bulk_);
}

}  // namespace deed::transport
