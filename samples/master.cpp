// SPDX-License-Identifier: MIT
// A master that redistributes: rank 0 has all pieces at first, knows what each will cost, deals
// them out so that all ranks have as much to do, and gets them back. Tasks are in flight meanwhile.
#include <deed/deed.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <vector>

namespace {

struct piece {
  std::uint64_t first = 0, last = 0;  // An interval: [first, last).
  std::vector<std::uint64_t> primes;
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    ar & first & last & primes;
  }
};

void find_primes(piece& p) {
  for (std::uint64_t n = std::max<std::uint64_t>(2, p.first); n < p.last; ++n) {
    bool prime = true;
    for (std::uint64_t d = 2; prime && d * d <= n; ++d) prime = n % d != 0;
    if (prime) p.primes.push_back(n);
  }
}
constexpr deed::codelet find{"find", [](piece& p) { find_primes(p); }};
constexpr deed::codelet grow{"grow", [](piece& p, std::uint64_t by) { p.last += by; }};

constexpr std::size_t count = 24;
constexpr std::uint64_t length = 200, more = 40;

piece make_piece(std::size_t i) { return {1000 * i * i, 1000 * i * i + length, {}}; }

/// Which rank gets which piece: the dearest first, each to the rank that has least to do.
std::vector<int> dealt_out(const std::vector<std::uint64_t>& cost, int ranks) {
  std::vector<std::size_t> order(cost.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return cost[i]; });
  std::vector<std::uint64_t> load(static_cast<std::size_t>(ranks), 0);
  std::vector<int> owners(cost.size());
  for (const std::size_t i : order) {
    const auto least = std::ranges::min_element(load);
    *least += cost[i];
    owners[i] = static_cast<int>(least - load.begin());
  }
  return owners;
}

void master(deed::session& session) {
  std::vector<deed::handle<piece>> pieces;
  for (std::size_t i = 0; i < count; ++i)
    pieces.push_back(
        session.register_data(deed::owner{0}, [i] { return make_piece(i); }, {.name = "piece"}));
  for (auto& each : pieces) session.insert_task(grow, deed::read_write(each), deed::value(more));

  // The master alone knows the costs; what it decides, all have to know.
  std::vector<std::uint64_t> cost;
  for (std::size_t i = 0; session.rank() == 0 && i < count; ++i) cost.push_back(1 + 10 * i);
  const std::vector<int> owners = session.broadcast(
      deed::value(session.rank() == 0 ? dealt_out(cost, session.size()) : std::vector<int>{}),
      deed::from{0});
  session.migrate(pieces, [&](std::size_t i) { return owners[i]; });
  for (auto& each : pieces) session.insert_task(find, deed::read_write(each));
  session.migrate(pieces, [](std::size_t) { return 0; });
  session.wait();
  if (session.is_dry()) return;  // There is no result to check.
  if (session.rank() != 0) return;

  std::size_t primes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    piece alone = make_piece(i);
    alone.last += more;
    find_primes(alone);
    const auto found = session.borrow(deed::read(pieces[i]));
    if (found->primes != alone.primes)
      throw deed::stop_run(deed::exit_code::codelet_threw,
                           "the result differs from the sequential one");
    primes += alone.primes.size();
  }
  std::cout << primes << " primes, as the sequential loop finds them\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, master); }
