// SPDX-License-Identifier: MIT
// large_message straight|packed: moves more than 2 GiB in one transfer from rank 0 to rank 1,
// straight from memory or through the archive. Status 77: there is not enough memory here.
#include <deed/deed.hpp>

#include "../support/available_memory.hpp"

#include <cstdint>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

namespace {

constexpr std::size_t count = (std::size_t{9} << 28) / sizeof(std::uint64_t);  // 2.25 GiB.
static_assert(count * sizeof(std::uint64_t) > std::numeric_limits<std::int32_t>::max());

struct packed {
  std::string name;
  std::vector<std::uint64_t> values;
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    ar & name & values;
  }
};

std::uint64_t value_at(std::size_t i) { return i * 0x9e3779b97f4a7c15u + (i >> 29); }

std::vector<std::uint64_t> make() {
  std::vector<std::uint64_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = value_at(i);
  return values;
}

void check(const std::vector<std::uint64_t>& values) {
  std::size_t wrong = values.size() == count ? 0 : 1;
  for (std::size_t i = 0; i < values.size(); ++i) wrong += values[i] != value_at(i) ? 1U : 0U;
  if (wrong == 0) return;
  throw deed::stop_run(deed::exit_code::codelet_threw, std::to_string(wrong) + " values are wrong");
}

template <class T, class Make, class Values>
void move_to_rank_1(deed::session& session, Make&& made, Values&& values_of) {
  auto large = session.register_data(deed::owner{0}, made, {.name = "large"});
  session.fetch(deed::read(large), deed::to{1});
  session.wait();
  if (session.rank() == 1) check(values_of(*session.borrow(deed::read(large))));
  if (session.rank() == 0) {
    std::cout << session.statistics().sent_to[1].payload_bytes << " bytes in "
              << session.statistics().sent_to[1].transfers << " transfer\n";
  }
}

void straight(deed::session& session) {
  using values = std::vector<std::uint64_t>;
  move_to_rank_1<values>(
      session, [] { return make(); }, [](const values& all) -> const values& { return all; });
}

void through_the_archive(deed::session& session) {
  move_to_rank_1<packed>(
      session, [] { return packed{"name", make()}; },
      [](const packed& all) -> const std::vector<std::uint64_t>& { return all.values; });
}

}  // namespace

int main(int argc, char** argv) {
  const bool pack = argc > 1 && argv[1] == std::string("packed");
  const std::size_t copies = pack ? 5 : 3;  // One to spare.
  if (available_memory() < copies * count * sizeof(std::uint64_t)) {
    std::cout << "skipped: not enough memory\n";
    return 77;
  }
  return deed::run(argc, argv, [pack](deed::session& session, deed::arguments) {
    pack ? through_the_archive(session) : straight(session);
  });
}
