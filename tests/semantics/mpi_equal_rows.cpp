// SPDX-License-Identifier: MIT
// What MPI's own collectives give, and groups of its communicators, on the same ranks: rows R45,
// R90, R101.
#include "../support/repeated_memory.hpp"
#include "worlds.hpp"
#include <boost/mpi/communicator.hpp>
#include <gmock/gmock.h>
#include <mpi.h>

#include <numeric>
#include <vector>

namespace {

using numbers = std::vector<int>;

numbers counted(int count, int first) {
  numbers all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), first);
  return all;
}

/// Before the session: MPI is initialised for one thread at a time, and a session has more.
struct plain_mpi {
  plain_mpi() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
  int rank = 0, size = 0;
};

TEST(semantics_R90, a_gather_gives_what_MPI_Gather_gives) {
  const plain_mpi world;
  const numbers given = counted(5, 100 * world.rank);
  std::vector<numbers> wanted;
  for (int root = 0; root < world.size; ++root) {
    wanted.emplace_back(world.rank == root ? 5 * static_cast<std::size_t>(world.size) : 0);
    MPI_Gather(given.data(), 5, MPI_INT, wanted.back().data(), 5, MPI_INT, root, MPI_COMM_WORLD);
  }
  semantics::run([&](deed::session& session) {
    for (int root = 0; root < session.size(); ++root) {
      auto mine = session.register_data(deed::per_rank, given);
      auto all = session.register_data<numbers>(deed::owner{root}, deed::uninitialised);
      session.igather(deed::read(mine), deed::write(all), deed::to{root}).wait();
      if (session.rank() == root) {
        EXPECT_EQ(*session.borrow(deed::read(all)), wanted[static_cast<std::size_t>(root)]);
      }
    }
  });
}

TEST(semantics_R101, uneven_parts_give_what_MPI_Gatherv_gives) {
  const plain_mpi world;
  const int rank = world.rank, size = world.size;
  const numbers given = counted(rank, 10 * rank);  // Rank 0 gives nothing.
  numbers counts(static_cast<std::size_t>(size)), places(counts.size());
  std::iota(counts.begin(), counts.end(), 0);
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  numbers wanted(rank == 0 ? static_cast<std::size_t>(size * (size - 1) / 2) : 0);
  MPI_Gatherv(given.data(), rank, MPI_INT, wanted.data(), counts.data(), places.data(), MPI_INT, 0,
              MPI_COMM_WORLD);
  semantics::run([&](deed::session& session) {
    auto mine = session.register_data(deed::per_rank, given);
    auto all = session.register_data<numbers>(deed::owner{0}, deed::uninitialised);
    session.gather(deed::read(mine), deed::write(all), deed::to{0});
    if (session.rank() == 0) {
      EXPECT_EQ(*session.borrow(deed::read(all)), wanted);
    }
  });
}

/// Those ranks that `colour` says, in an order of their own.
boost::mpi::communicator split(int colour, int key) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, colour, key, &made);
  return {made, boost::mpi::comm_take_ownership};
}

TEST(semantics_R45, a_communicator_gives_its_ranks_in_its_order) {
  const plain_mpi world;
  const auto reversed = split(0, -world.rank), by_parity = split(world.rank % 2, world.rank);
  semantics::run([&](deed::session& session) {
    const int rank = session.rank(), size = session.size();
    auto mine = session.register_data(deed::per_rank, rank, {.name = "mine"});
    auto all = session.register_data(deed::per_rank, numbers(), {.name = "all"});
    const auto backwards = session.group(reversed);
    EXPECT_EQ(backwards.rank(), size - 1 - rank);
    EXPECT_EQ(backwards.in_session(0).value, size - 1);
    // Two groups in one call, the even ranks and the odd ones; one tag in all of them.
    const auto half = session.group(by_parity);
    EXPECT_EQ(half.size(), (size + 1 - rank % 2) / 2);
    const int next = (half.rank() + 1) % half.size();
    const int before = (half.rank() + half.size() - 1) % half.size();
    auto in = session.register_data(deed::per_rank, -1, {.name = "in"});
    session.send(deed::read(mine), deed::to{next}, deed::message_tag{1}, deed::within(half));
    session.receive(deed::write(in), deed::from{before}, deed::message_tag{1}, deed::within(half));
    EXPECT_EQ(*session.borrow(deed::read(in)), half.in_session(before).value);
    session.all_gather(deed::read(mine), deed::write(all), deed::within(half));
    EXPECT_EQ(session.borrow(deed::read(all))->front(), rank % 2);
    session.all_gather(deed::read(mine), deed::write(all), deed::within(backwards));
    EXPECT_EQ(session.borrow(deed::read(all))->front(), size - 1);
  });
}

TEST(semantics_R45, who_is_in_no_communicator_is_no_member) {
  const plain_mpi world;
  const auto two = split(world.rank < 2 ? 0 : MPI_UNDEFINED, world.rank);
  semantics::run(
      [&](deed::session& session) {
        const int rank = session.rank();
        const auto first = session.group(two);
        EXPECT_EQ(first.rank(), rank < 2 ? rank : -1);
        auto mine = session.register_data(deed::per_rank, rank, {.name = "mine"});
        auto all = session.register_data<numbers>(deed::owner{1}, deed::uninitialised);
        session.gather(deed::read(mine), deed::write(all), deed::to{1}, deed::among(first));
        if (session.owns(all)) {
          EXPECT_EQ(*session.borrow(deed::read(all)), (numbers{0, 1}));
        }
        auto parts = session.register_data(deed::per_rank, numbers());
        if (rank >= 2) {
          EXPECT_THROW(
              session.all_gather(deed::read(mine), deed::write(parts), deed::within(first)),
              deed::error);
        }
        if (session.size() < 3) return;
        auto outside = session.register_data<numbers>(deed::owner{2}, deed::uninitialised);
        if (rank <= 2) {
          EXPECT_THROW(session.gather(deed::read(mine), deed::write(outside), deed::to{2},
                                      deed::among(first)),
                       deed::error);
        }
      },
      2);
}

TEST(semantics_R45, a_communicator_is_for_ranks_of_mpi_and_lies_within_the_session) {
  EXPECT_THAT(semantics::reports_of([](deed::session& session) {
                static_cast<void>(session.group(boost::mpi::communicator()));
              }),
              testing::HasSubstr("deed[D803] the ranks of this session are not ranks of MPI"));
  const boost::mpi::communicator world;
  if (world.size() < 2) return;
  const auto half = split(world.rank() % 2, world.rank());
  deed::session joined(half);
  EXPECT_THROW(static_cast<void>(joined.group(world)), deed::error);
  joined.close();
}

/// Between the lower half of the ranks and the upper one.
boost::mpi::communicator between_halves(const plain_mpi& world) {
  const int half = world.size / 2;
  const bool upper = world.rank >= half;
  const boost::mpi::communicator local = split(upper ? 1 : 0, world.rank);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, upper ? 0 : half, 7, &made);
  return {made, boost::mpi::comm_take_ownership};
}

/// What a rank gives to the members of an intercommunicator's other group, and gets from them.
struct exchange {
  exchange(const plain_mpi& world, int root)
      : beside_root((root >= world.size / 2) == (world.rank >= world.size / 2)),
        is_root(root == world.rank),
        others(members(world, root)),
        given(counted(3, 100 * world.rank)),
        spread(counted(3 * others, root)),
        sent(counted(4, world.rank)) {}
  /// Of the group that `root` is not in.
  static int members(const plain_mpi& world, int root) {
    const int half = world.size / 2;
    return root >= half ? half : world.size - half;
  }
  /// What MPI calls the root here: its rank in the other group, itself, or nobody.
  static int name_of(const plain_mpi& world, int root) {
    const int half = world.size / 2;
    if ((root >= half) != (world.rank >= half)) return root >= half ? root - half : root;
    return root == world.rank ? MPI_ROOT : MPI_PROC_NULL;
  }
  void by_mpi(const plain_mpi& world, int root, MPI_Comm between) {
    const int named = name_of(world, root);
    gathered.resize(is_root ? spread.size() : 0);
    MPI_Gather(given.data(), 3, MPI_INT, gathered.data(), 3, MPI_INT, named, between);
    MPI_Scatter(spread.data(), 3, MPI_INT, part.data(), 3, MPI_INT, named, between);
    MPI_Bcast(sent.data(), 4, MPI_INT, named, between);
  }

  bool beside_root, is_root;
  int others;
  numbers given, spread, sent, gathered, part = numbers(3, -1);
};

TEST(semantics_R99, an_intercommunicator_gives_what_MPI_gives) {
  const plain_mpi world;
  if (world.size < 2) return;
  const auto between = between_halves(world);
  std::vector<exchange> wanted;
  for (int root = 0; root < world.size; ++root)
    wanted.emplace_back(world, root).by_mpi(world, root, between);
  semantics::run([&](deed::session& session) {
    const deed::group_pair sides = session.groups(between);
    EXPECT_GE(sides.local.rank(), 0);
    EXPECT_EQ(sides.remote.rank(), -1);
    EXPECT_EQ(sides.local.size() + sides.remote.size(), session.size());
    for (int root = 0; root < session.size(); ++root) {
      const exchange& here = wanted[static_cast<std::size_t>(root)];
      const auto members = deed::among(here.beside_root ? sides.remote : sides.local);
      const deed::owner owner{root};
      auto mine = session.register_data(deed::per_rank, here.given);
      auto all = session.register_data<numbers>(owner, deed::uninitialised);
      auto whole = session.register_data(owner, here.spread);
      auto own = session.register_data(deed::per_rank, numbers(3, -1));
      auto value = session.register_data(deed::per_rank, counted(4, world.rank));
      session.gather(deed::read(mine), deed::write(all), deed::to{root}, members);
      session.scatter(deed::read(whole), deed::write(own), deed::from{root}, members);
      session.broadcast(deed::read_write(value), deed::from{root}, members);
      if (here.is_root) {
        EXPECT_EQ(*session.borrow(deed::read(all)), here.gathered);
      }
      EXPECT_EQ(*session.borrow(deed::read(own)), here.part);
      EXPECT_EQ(*session.borrow(deed::read(value)), here.sent);
    }
    EXPECT_THROW(static_cast<void>(session.groups(boost::mpi::communicator())), deed::error);
  });
}

TEST(semantics_R99, parts_of_different_lengths_and_bystanders_of_an_intercommunicator) {
  const plain_mpi world;
  const int last = world.size - 1;  // In neither group.
  const bool member = world.rank < last;
  const auto both = split(member ? 0 : MPI_UNDEFINED, world.rank);
  boost::mpi::communicator between(MPI_COMM_NULL, boost::mpi::comm_attach);
  if (member && last >= 2) {
    MPI_Comm half = MPI_COMM_NULL, made = MPI_COMM_NULL;
    MPI_Comm_split(both, world.rank == 0 ? 0 : 1, world.rank, &half);
    MPI_Intercomm_create(half, 0, both, world.rank == 0 ? 1 : 0, 7, &made);
    MPI_Comm_free(&half);
    between = {made, boost::mpi::comm_take_ownership};
  }
  semantics::run(
      [&](deed::session& session) {
        const int rank = session.rank();
        const deed::group_pair sides = session.groups(between);
        const deed::group& members = rank == 0 ? sides.remote : sides.local;
        auto mine = session.register_data(deed::per_rank, counted(rank, 10 * rank));
        auto all = session.register_data<numbers>(deed::owner{0}, deed::uninitialised);
        session.gather(deed::read(mine), deed::write(all), deed::to{0}, deed::among(members));
        numbers wanted;
        for (int r = 1; r < last; ++r) {
          const numbers part = counted(r, 10 * r);
          wanted.insert(wanted.end(), part.begin(), part.end());
        }
        if (rank == 0) {
          EXPECT_EQ(*session.borrow(deed::read(all)), wanted);
        }
      },
      3);
}

TEST(semantics_R92, more_elements_than_an_int_counts) {
  semantics::run(
      [](deed::session& session) {
        if (session.size() != 2) return;  // Once is enough: it takes seconds.
        constexpr std::size_t many = (std::size_t{1} << 31) + 12'345;
        const test::repeated_memory memory(many);
        if (session.rank() == 0) memory.fill();
        const auto bytes = memory.elements();
        auto mine = session.register_data(deed::per_rank, deed::in_place(bytes));
        EXPECT_EQ(mine.bytes(), many);
        if (session.rank() == 0)
          session.send(deed::read(mine), deed::to{1}, deed::message_tag{1});
        else
          session.receive(deed::write(mine), deed::from{0}, deed::message_tag{1});
        session.wait();
        EXPECT_TRUE(memory.is_filled());
      },
      2);
}

}  // namespace
