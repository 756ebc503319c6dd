// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "shapes.h"
#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

/// Two ranks by deed and by plain MPI, turn by turn in one process, so that the load of the machine
/// meets both alike: a ring of four bytes through a task per hop, vectors to and fro, and values
/// that their type packs itself.
/// Usage: mpirun -n 2 exchange

namespace {

/// A value that is no plain bytes for deed: its type packs it.
struct packed_field {
  std::vector<double> values;
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive & values;
  }
};

const auto increment = deed::codelet("increment", [](int& token) { ++token; });

const auto follow =
    deed::codelet("follow", [](const int& before, int& token) { token = before + 1; });

class pair_of_ranks {
 public:
  explicit pair_of_ranks(deed::session& session)
      : session_(session), me_(session.rank()), other_(1 - session.rank()) {}

  /// Microseconds per hop.
  double ring_by_deed(long loops) {
    auto token = session_.register_data(deed::per_rank, 0, {.name = "token"});
    session_.barrier();
    const double begin = seconds_now();
    for (long i = 0; i < loops; ++i) {
      if (i > 0 || me_ == 1) receive(token, i);
      session_.insert_task(increment, deed::read_write(token));
      if (i + 1 < loops || me_ == 0) send(token, me_ == 0 ? i : i + 1);
    }
    session_.wait();
    session_.barrier();
    return 1e6 * (seconds_now() - begin) / static_cast<double>(2 * loops);
  }
  /// The same of tasks alone: each reads what the one before it wrote, on the other rank.
  double ring_of_tasks(long loops, bool repeats) {
    auto here = session_.register_data(deed::owner{0}, 0),
         there = session_.register_data(deed::owner{1}, 0);
    const auto loop = [&] {
      session_.insert_task(follow, deed::read(here), deed::write(there));
      session_.insert_task(follow, deed::read(there), deed::write(here));
    };
    session_.barrier();
    const double begin = seconds_now();
    if (repeats)
      session_.repeat(static_cast<std::uint64_t>(loops), loop);
    else
      for (long i = 0; i < loops; ++i) loop();
    session_.wait();
    session_.barrier();
    return 1e6 * (seconds_now() - begin) / static_cast<double>(2 * loops);
  }
  double ring_by_mpi(long loops) {
    int token = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = seconds_now();
    for (long i = 0; i < loops; ++i) {
      if (i > 0 || me_ == 1) receive_plain(&token, sizeof token);
      ++token;
      if (i + 1 < loops || me_ == 0) send_plain(&token, sizeof token);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return 1e6 * (seconds_now() - begin) / static_cast<double>(2 * loops);
  }

  /// Gigabytes per second, one way, to and fro.
  template <class Value>
  double deed_bandwidth(Value first, std::size_t bytes, long turns) {
    auto value = session_.register_data(deed::per_rank, std::move(first), {.name = "field"});
    session_.barrier();
    const double begin = seconds_now();
    for (long i = 0; i < turns; ++i) {
      if (me_ == 0) {
        send(value, i);
        receive(value, i);
      } else {
        receive(value, i);
        send(value, i);
      }
    }
    session_.wait();
    session_.barrier();
    return 2e-9 * static_cast<double>(bytes) * static_cast<double>(turns) / (seconds_now() - begin);
  }
  /// With `packs`, each message is copied out of the field and into it, as a program would pack.
  double mpi_bandwidth(std::vector<double>& field, long turns, bool packs) {
    const std::size_t bytes = field.size() * sizeof(double);
    std::vector<std::byte> buffer(packs ? bytes : 0);
    void* const wire = packs ? static_cast<void*>(buffer.data()) : field.data();
    const auto out = [&] {
      if (packs) std::memcpy(wire, field.data(), bytes);
      send_plain(wire, bytes);
    };
    const auto in = [&] {
      receive_plain(wire, bytes);
      if (packs) std::memcpy(field.data(), wire, bytes);
    };
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = seconds_now();
    for (long i = 0; i < turns; ++i) {
      if (me_ == 0) {
        out();
        in();
      } else {
        in();
        out();
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return 2e-9 * static_cast<double>(bytes) * static_cast<double>(turns) / (seconds_now() - begin);
  }

  void tell(const char* benchmark, const char* system, const std::string& shape, double value) {
    if (me_ == 0) figure(benchmark, system, shape.c_str(), value);
  }

 private:
  template <class T>
  void send(const deed::handle<T>& what, long tag) {
    session_.send(deed::read(what), deed::to{other_}, deed::message_tag{tag});
  }
  template <class T>
  void receive(deed::handle<T>& what, long tag) {
    session_.receive(deed::write(what), deed::from{other_}, deed::message_tag{tag});
  }
  void send_plain(const void* from, std::size_t bytes) {
    MPI_Send(from, static_cast<int>(bytes), MPI_BYTE, other_, 7, MPI_COMM_WORLD);
  }
  void receive_plain(void* into, std::size_t bytes) {
    MPI_Recv(into, static_cast<int>(bytes), MPI_BYTE, other_, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  deed::session& session_;
  int me_, other_;
};

std::string size_name(std::size_t bytes) {
  return bytes >= 1u << 20 ? std::to_string(bytes >> 20) + " MiB"
                           : std::to_string(bytes >> 10) + " KiB";
}

void exchange(deed::session& session) {
  if (session.size() != 2) throw deed::stop_run(deed::exit_code::bad_option, "needs 2 ranks");
  pair_of_ranks pair(session);
  const long loops = setting("LOOPS", 20'000);
  for (long round = -1; round < setting("ROUNDS", 1); ++round) {
    const double plain = pair.ring_by_mpi(loops), deed = pair.ring_by_deed(loops);
    const double tasks = pair.ring_of_tasks(loops, false), again = pair.ring_of_tasks(loops, true);
    if (round < 0) continue;
    pair.tell("ring", "MPI", "4 bytes", plain);
    pair.tell("ring", "deed", "4 bytes", deed);
    pair.tell("ring", "deed, by data", "4 bytes", tasks);
    pair.tell("ring", "deed, by data, repeated", "4 bytes", again);
    if (setting("RING_ONLY", 0) != 0) continue;
    for (const std::size_t bytes : {std::size_t{4} << 10, std::size_t{64} << 10,
                                    std::size_t{1} << 20, std::size_t{64} << 20}) {
      const long turns = std::clamp<long>(static_cast<long>((1ul << 28) / bytes), 4, 4000);
      std::vector<double> field(bytes / sizeof(double), 1.0);
      pair.tell("vectors", "MPI", size_name(bytes), pair.mpi_bandwidth(field, turns, false));
      pair.tell("vectors", "deed", size_name(bytes), pair.deed_bandwidth(field, bytes, turns));
      pair.tell("packed", "MPI", size_name(bytes), pair.mpi_bandwidth(field, turns, true));
      pair.tell("packed", "deed", size_name(bytes),
                pair.deed_bandwidth(packed_field{field}, bytes, turns));
    }
  }
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, exchange); }
