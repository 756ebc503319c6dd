// SPDX-License-Identifier: MIT
#pragma once

#include <deed/transport/mpi.hpp>

#include "finalize_watch.hpp"
#include "mpi_gate.hpp"
#include "mpi_neighbours.hpp"
#include "waker.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// @file
/// The endpoint over MPI: posted slots for frames, exact receives for bulk; in a turn the oldest
/// slot is tested, and all else by one Testsome. Frames between ranks of one machine go past MPI,
/// through memory that they share, where there is room.

namespace deed::transport {

class mpi_world::door final : public endpoint {
 public:
  door(MPI_Comm user, std::unique_ptr<mpi_table> table, const mpi_options& options);
  ~door() override;

  [[nodiscard]] const endpoint_limits& limits() const noexcept override { return limits_; }
  void send_frame(rank peer, std::span<const std::byte> header,
                  const_memory_block payload) override;
  void receive_bulk(rank peer, std::uint32_t tag, memory_block room, std::uint64_t cookie) override;
  void send_bulk(rank peer, std::uint32_t tag, const_memory_block source,
                 std::uint64_t cookie) override;
  void cancel_bulk(std::uint64_t cookie) override;
  std::size_t poll(std::span<event> events) override;
  [[nodiscard]] std::size_t pending() const noexcept override { return sends_; }
  [[nodiscard]] std::uint64_t signals() const noexcept override;
  void rest(std::chrono::nanoseconds at_most, std::uint64_t seen) override;
  void wake() noexcept override;
  void close(bool orderly) noexcept override;

 private:
  using buffer = std::unique_ptr<std::byte[]>;
  enum class use : std::uint8_t { frame_send, bulk_send, bulk_receive };
  /// What a request behind the window is for.
  struct operation {
    use what;
    int peer;
    int tag;
    std::uint64_t cookie;
    long long bytes;
    buffer frame;
    bool cancelled = false;
  };
  struct slot {
    MPI_Request request = MPI_REQUEST_NULL;
    buffer bytes;
  };

  void open(MPI_Comm user, const mpi_options& options);
  void finalised_early() noexcept;
  void release(bool orderly) noexcept;
  void post_slots();
  void restart(int number);
  void refresh_window();
  void add(MPI_Request request, operation&& what);
  void remove(std::size_t index);
  bool cancel_receive(std::size_t index);
  [[nodiscard]] bool shares_sleep() const noexcept;
  [[nodiscard]] bool asks_mpi(std::size_t came) noexcept;
  void test();
  bool test_all_slots();
  void test_oldest_slots();
  void test_window();
  [[nodiscard]] bool has_left(MPI_Request& request, rank peer, long long bytes);
  void sort_out(std::size_t done, bool in_status);
  void slot_filled(int number, const MPI_Status& status, int result);
  void ended(operation& what, const MPI_Status& status, int result);
  void report(event_kind kind, int peer, std::uint64_t cookie, std::exception_ptr error);
  /// Bytes, or a strided type of which one is the block. @return the result of MPI.
  template <class Block, class Call>
  int with_type_of(const Block& block, Call call);

  std::unique_ptr<mpi_table> mpi_;
  endpoint_limits limits_;
  std::size_t window_;
  MPI_Comm frames_ = MPI_COMM_NULL, bulk_ = MPI_COMM_NULL;
  MPI_Errhandler world_handler_ = MPI_ERRHANDLER_NULL;  // To put back.

  std::unique_ptr<detail::neighbours> neighbours_;  // Null if there are none.
  bool mpi_is_busy_ = true;                         // The newest frame came by it.
  std::chrono::steady_clock::time_point asked_mpi_{};
  std::vector<slot> slots_;
  std::deque<int> posted_;  // Slots by age: MPI fills the oldest first.
  std::vector<int> shown_;  // Slots whose frames are out until the next poll.
  // The window's requests, then those of `operations_`; dense, for one Testsome.
  std::vector<MPI_Request> requests_;
  std::vector<operation> operations_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<std::pair<std::size_t, std::size_t>> leaving_;  // Operation, and its status.
  std::vector<std::pair<int, std::size_t>> filled_;           // Slot, and its status.
  std::vector<buffer> spare_;
  std::deque<event> ready_;
  std::size_t sends_ = 0;
  unsigned turns_ = 0;
  bool more_come_ = false;  // The last look found a frame.
  bool careful_ = false;    // MPI_Test failed: Testsome says of which request an error is.
  bool closed_ = false;
  bool told_ = false;  // That MPI was finalised.
  detail::mpi_gate gate_;
  std::optional<detail::finalize_watch> watch_;
  std::optional<detail::mpi_caller> caller_;
  detail::waker waker_;  // Where there are no neighbours.
};

}  // namespace deed::transport
