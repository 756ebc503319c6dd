// SPDX-License-Identifier: MIT
#include "sharing.h"

#include <deed/deed.hpp>

#include <functional>
#include <span>
#include <vector>

/// Data that several ranks share, for comparison with StarPU-MPI: one version read by all ranks, a
/// sum over all, messages of many sizes, and a ring of blocks with copies kept and not.
/// Usage: mpirun -n RANKS sharing

namespace {

using block = std::vector<double>;

constexpr deed::codelet change{"change", [](block& x) { x[0] += 1; }};
constexpr deed::codelet look{"look", [](const block& x) { static_cast<void>(x[0]); }};
constexpr deed::codelet contribute{"contribute", [](double& sum) { sum += 1; }};
constexpr deed::codelet blend{
    "blend", [](block& next, const block& left, const block& here, const block& right) {
      for (std::size_t i = 0; i < next.size(); ++i) next[i] = (left[i] + here[i] + right[i]) / 3;
    }};

class sharing {
 public:
  explicit sharing(deed::session& session) : session_(session), ranks_(session.size()) {}

  /// Rank 0 writes a version that all ranks read. Microseconds.
  double broadcast(long bytes) {
    const long turns = turns_of(bytes) / ranks_ + 1;
    auto shared = session_.register_data(deed::owner{0}, of(bytes), {.name = "shared"});
    return timed(turns, [&] {
      session_.insert_task(change, deed::read_write(shared));
      for (int r = 0; r < ranks_; ++r)
        session_.insert_task(look, deed::read(shared), deed::on(deed::rank{r}));
    });
  }
  /// Every rank contributes to a sum that rank 0 reads. Microseconds.
  double reduction() {
    auto sum = session_.register_data(deed::owner{0}, 0.0, deed::reduction{std::plus<>{}, 0.0},
                                      {.name = "sum"});
    return timed(500, [&] {
      for (int r = 0; r < ranks_; ++r)
        session_.insert_task(contribute, deed::reduce(sum), deed::on(deed::rank{r}));
      session_.reduce(sum);
    });
  }
  /// One way between ranks 0 and 1. Microseconds.
  double message(long bytes) {
    const int me = session_.rank();
    auto mine = session_.register_data(deed::per_rank, of(bytes), {.name = "mine"});
    long turn = 0;
    return timed(turns_of(bytes),
                 [&] {
                   const deed::message_tag there{turn}, back{turn + 1};
                   turn += 2;
                   if (me == 0) {
                     session_.send(deed::read(mine), deed::to{1}, there);
                     session_.receive(deed::write(mine), deed::from{1}, back);
                   } else if (me == 1) {
                     session_.receive(deed::write(mine), deed::from{0}, there);
                     session_.send(deed::read(mine), deed::to{0}, back);
                   }
                 }) /
           2;
  }
  /// A step of all blocks, each read by its two neighbours. Microseconds.
  double ring(bool keeps_copies) {
    session_.set_cache(keeps_copies);
    std::vector<deed::handle<block>> now, next;
    for (int i = 0; i < ring_blocks; ++i) {
      now.push_back(session_.register_data(deed::owner{i % ranks_}, block(block_doubles, i)));
      next.push_back(session_.register_data(deed::owner{i % ranks_}, block(block_doubles)));
    }
    const double taken = timed(ring_steps, [&] {
      for (std::size_t i = 0; i < ring_blocks; ++i) {
        session_.insert_task(blend, deed::write(next[i]),
                             deed::read(now[(i + ring_blocks - 1) % ring_blocks]),
                             deed::read(now[i]), deed::read(now[(i + 1) % ring_blocks]));
      }
      std::swap(now, next);
    });
    session_.set_cache(true);
    return taken;
  }

  void tell(const char* benchmark, const char* shape, double value) const {
    if (session_.rank() == 0) figure(benchmark, "deed", shape, value);
  }
  [[nodiscard]] int ranks() const { return ranks_; }

 private:
  static block of(long bytes) { return block(static_cast<std::size_t>(bytes) / sizeof(double), 1); }
  template <class Turn>
  double timed(long turns, Turn&& turn) {
    turn();
    session_.wait();
    session_.barrier();
    const double begin = seconds_now();
    for (long i = 0; i < turns; ++i) turn();
    session_.wait();
    session_.barrier();
    return 1e6 * (seconds_now() - begin) / static_cast<double>(turns);
  }

  deed::session& session_;
  int ranks_;
};

void share(deed::session& session) {
  if (session.size() < 2) throw deed::stop_run(deed::exit_code::bad_option, "needs 2 ranks");
  sharing all(session);
  char text[64];
  for (long round = 0; round < setting("ROUNDS", 1); ++round) {
    for (int i = 0; i < size_count; ++i) {
      all.tell("broadcast", with_ranks(text, sharing_size_names[i], all.ranks()),
               all.broadcast(sharing_sizes[i]));
    }
    all.tell("sum over ranks", with_ranks(text, "1 double", all.ranks()), all.reduction());
    for (const bool keeps : {true, false}) {
      all.tell("ring of blocks", with_ranks(text, keeps ? "cache on" : "cache off", all.ranks()),
               all.ring(keeps));
    }
    if (all.ranks() > 2) continue;
    for (int i = 0; i < size_count; ++i)
      all.tell("messages", sharing_size_names[i], all.message(sharing_sizes[i]));
  }
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, share); }
