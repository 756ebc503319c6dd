// SPDX-License-Identifier: MIT
#include <deed/base/clock.hpp>
#include <deed/transport/engine.hpp>
#include <deed/transport/mpi.hpp>

#include <boost/mpi/communicator.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

/// Half round trips between two ranks by plain MPI and by deed's engine, on the same memory, turn
/// by turn, so that the load of the machine meets both alike. Prints a table: minimum and ratio.
/// Usage: mpirun -n 2 bench_transport

namespace {

using namespace deed;
using namespace deed::transport;

struct memory {
  explicit memory(std::size_t bytes) : out(bytes, std::byte{1}), in(bytes) {}
  std::vector<std::byte> out, in;
};

/// One half round trip in microseconds, by whatever `swap` does.
template <class Swap>
double half_round_trip(int turns, Swap swap) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < turns; ++i) swap();
  const std::chrono::duration<double, std::micro> all = std::chrono::steady_clock::now() - begin;
  return all.count() / turns / 2;
}

/// Ping-pong with MPI_Send and MPI_Recv.
void swap_plainly(int self, memory& m) {
  const int bytes = static_cast<int>(m.out.size());
  if (self == 0) {
    MPI_Send(m.out.data(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(m.in.data(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(m.in.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(m.out.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
}

/// The same through the engine.
class player {
 public:
  player(engine& wire, int self, memory& m, std::uint64_t tag)
      : wire_(wire), self_(self), memory_(m), tag_(tag) {}

  void swap() {
    if (self_ == 0) send();
    expect();
    while (!received_) wire_.progress();
    if (self_ == 1) send();
    while (!sent_) wire_.progress();
  }

 private:
  [[nodiscard]] transport::transfer what(int origin) const {
    return {.origin = static_cast<std::uint32_t>(origin), .tag = tag_, .bytes = memory_.out.size()};
  }
  void expect() {
    received_ = false;
    receive_.what = what(1 - self_);
    receive_.peer = rank{1 - self_};
    receive_.context = this;
    receive_.destination = [](receive_operation& at, std::uint64_t bytes) {
      return memory_block{.address = static_cast<player*>(at.context)->memory_.in.data(),
                          .row_bytes = bytes};
    };
    receive_.completed = [](receive_operation& at, const outcome&) noexcept {
      static_cast<player*>(at.context)->received_ = true;
    };
    wire_.receive(receive_);
  }
  void send() {
    sent_ = false;
    send_.what = what(self_);
    send_.peer = rank{1 - self_};
    send_.source = {memory_.out.data(), memory_.out.size()};
    send_.context = this;
    send_.completed = [](send_operation& at, const outcome&) noexcept {
      static_cast<player*>(at.context)->sent_ = true;
    };
    wire_.send(send_);
  }

  engine& wire_;
  int self_;
  memory& memory_;
  std::uint64_t tag_;
  send_operation send_;
  receive_operation receive_;
  bool received_ = false, sent_ = true;
};

void compare(engine& wire, int self, std::size_t bytes) {
  memory m(bytes);
  player through(wire, self, m, bytes);
  // Short rounds, many of them: some fall between two turns of whatever else the machine does.
  const int turns = std::max(2, static_cast<int>(std::min<std::size_t>(200, (1u << 20) / bytes)));
  const int rounds = bytes > 1u << 18 ? 20 : 300;
  double plain = 1e9, ours = 1e9;
  for (int round = 0; round < rounds; ++round) {
    plain = std::min(plain, half_round_trip(turns, [&] { swap_plainly(self, m); }));
    ours = std::min(ours, half_round_trip(turns, [&] { through.swap(); }));
  }
  if (self == 0) {
    std::printf("%10zu B   plain %9.3f us   deed %9.3f us   ratio %.2f\n", bytes, plain, ours,
                ours / plain);
  }
}

/// One message while many other receives wait.
void compare_with_waiting(engine& wire, int self) {
  std::vector<receive_operation> waiting(10'000);
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    waiting[i].what = {.origin = static_cast<std::uint32_t>(1 - self), .tag = 1'000'000 + i};
    waiting[i].peer = rank{1 - self};
    wire.receive(waiting[i]);
  }
  if (self == 0) std::printf("with 10,000 receives waiting:\n");
  compare(wire, self, 8);
  for (receive_operation& at : waiting) wire.cancel(at);
}

/// Windows of small messages from rank 0 to rank 1, each answered by one: by plain MPI, by the
/// engine one after the other, and handed over together.
class window {
 public:
  static constexpr int messages = 64;
  static constexpr std::size_t bytes = 64;

  window(engine& wire, int self) : wire_(wire), self_(self), memory_(messages * bytes) {}

  void plainly() {
    std::array<MPI_Request, messages> all;
    for (int i = 0; i < messages; ++i) {
      std::byte* const at = memory_.data() + static_cast<std::size_t>(i) * bytes;
      MPI_Request& request = all[static_cast<std::size_t>(i)];
      self_ == 0 ? MPI_Isend(at, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request)
                 : MPI_Irecv(at, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
    }
    MPI_Waitall(messages, all.data(), MPI_STATUSES_IGNORE);
    int word = 0;
    self_ == 0 ? MPI_Recv(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
               : MPI_Send(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
  void by_deed(bool together) {
    done_ = 0;
    expected_ = messages + 1;
    if (self_ == 0) receive(messages, 1);
    for (int i = 0; i < messages; ++i) self_ == 0 ? send(i, 0, together) : receive(i, 0);
    if (self_ == 1) {
      while (done_ < messages) wire_.progress();
      send(messages, 1, false);
    }
    while (done_ < expected_) wire_.progress();
  }

 private:
  template <class Operation>
  void fill(Operation& at, int from, std::uint64_t tag) {
    at.what = {.kind = transfer_kind::message,
               .origin = static_cast<std::uint32_t>(from),
               .tag = 9'000'000 + tag,
               .bytes = bytes};
    at.peer = rank{1 - self_};
    at.context = this;
    at.completed = [](Operation& of, const outcome&) noexcept {
      ++static_cast<window*>(of.context)->done_;
    };
  }
  void send(int i, std::uint64_t tag, bool more) {
    send_operation& at = sends_[static_cast<std::size_t>(i)] = {};
    fill(at, self_, tag);
    at.source = {memory_.data() + static_cast<std::size_t>(i % messages) * bytes, bytes};
    at.more = more;
    wire_.send(at);
  }
  void receive(int i, std::uint64_t tag) {
    receive_operation& at = receives_[static_cast<std::size_t>(i)] = {};
    fill(at, 1 - self_, tag);
    at.destination = [](receive_operation& of, std::uint64_t size) {
      auto& own = *static_cast<window*>(of.context);
      const auto number = static_cast<std::size_t>(&of - own.receives_.data()) % messages;
      return memory_block{.address = own.memory_.data() + number * bytes, .row_bytes = size};
    };
    wire_.receive(at);
  }

  engine& wire_;
  int self_;
  std::vector<std::byte> memory_;
  std::array<send_operation, messages + 1> sends_;
  std::array<receive_operation, messages + 1> receives_;
  int done_ = 0, expected_ = 0;
};

void compare_rates(engine& wire, int self) {
  window of(wire, self);
  constexpr int rounds = 300, turns = 20;
  std::array<double, 3> best{1e9, 1e9, 1e9};
  const auto take = [&](double& least, auto turn) {
    least = std::min(least, 2 * half_round_trip(turns, turn) / window::messages);
  };
  for (int round = 0; round < rounds; ++round) {
    take(best[0], [&] { of.plainly(); });
    take(best[1], [&] { of.by_deed(false); });
    take(best[2], [&] { of.by_deed(true); });
  }
  if (self != 0) return;
  std::printf("%d messages of %zu B, us each: plain %.3f, deed one by one %.3f, together %.3f\n",
              window::messages, window::bytes, best[0], best[1], best[2]);
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0, ranks = 0, self = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  if (ranks == 2) {
    mpi_world world{boost::mpi::communicator{}};
    const real_clock time;
    engine wire(world.self(), {}, time);
    for (const std::size_t bytes :
         {8u, 64u, 1024u, 4096u, 8000u, 65536u, 1u << 20, 1u << 24, 1u << 26}) {
      compare(wire, self, bytes);
    }
    compare_with_waiting(wire, self);
    compare_rates(wire, self);
    wire.close();
  } else if (self == 0) {
    std::printf("wants 2 ranks\n");
  }
  MPI_Finalize();
  return 0;
}
