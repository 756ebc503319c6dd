// SPDX-License-Identifier: MIT
#include "heat.h"

#include <deed/deed.hpp>

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

/// Jacobi's iteration on 16 x 16 tiles of 64 x 64, block rows over the ranks, 100 iterations: by
/// deed, with each step inserted and with steps that repeat, with whole tiles as data and with
/// those rows of them as data of their own that another rank reads, and by hand over plain MPI with
/// a whole tile per message and with one row of halo per neighbour. And by deed with copies kept
/// and not, also on tiles dealt like the fields of a chessboard, of which each is read four times
/// by the other rank. All give the same values. Milliseconds, and megabytes that a rank sends.
/// Usage: mpirun -n 1 or 2 heat

namespace {

constexpr std::size_t tiles = plate_tiles, edge = tile_edge, iterations = plate_steps;
using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;

const auto fill = deed::codelet(
    "fill", [](tile t, std::size_t row, std::size_t col) { fill_tile(t.data(), row, col); });
const auto relax = deed::codelet("relax", [](tile next, const_tile here, const_tile above,
                                             const_tile below, const_tile left, const_tile right) {
  relax_tile(next.data(), here.data(), above.data(), below.data(), left.data(), right.data());
});

int owner_of_row(std::size_t i, int ranks) {
  return static_cast<int>(i * static_cast<std::size_t>(ranks) / tiles);
}
deed::owner_rule by_rows(int ranks) {
  return [ranks](std::size_t i, std::size_t) { return owner_of_row(i, ranks); };
}
deed::owner_rule as_chessboard(int ranks) {
  return [ranks](std::size_t i, std::size_t j) {
    return static_cast<int>((i + j) % static_cast<std::size_t>(ranks));
  };
}

enum class each_step { is_inserted, is_repeated };

using plate = deed::tiled_matrix<double>;

/// Tiles of `height` rows, as many as the plate has.
plate tiles_of(deed::session& session, std::ptrdiff_t height, const deed::owner_rule& owners,
               const char* name) {
  return {session,
          {.rows = static_cast<std::ptrdiff_t>(tiles) * height,
           .cols = tiles * edge,
           .tile_rows = height,
           .tile_cols = edge,
           .owners = owners,
           .name = name}};
}

std::size_t next_of(std::size_t i) { return (i + 1) % tiles; }
std::size_t before(std::size_t i) { return (i + tiles - 1) % tiles; }

/// Milliseconds of all steps; `there_and_back` inserts two.
double time_of_steps(deed::session& session, each_step way, const auto& there_and_back) {
  session.wait();
  session.barrier();
  const double begin = seconds_now();
  static_assert(iterations % 2 == 0);
  if (way == each_step::is_repeated)
    session.repeat(iterations / 2, there_and_back);
  else
    for (std::size_t i = 0; i < iterations; i += 2) there_and_back();
  session.wait();
  session.barrier();
  return 1e3 * (seconds_now() - begin);
}

double sum_of(deed::session& session, const plate& of) {
  double sum = 0;
  for (std::size_t i = 0; i < tiles; ++i) {
    for (std::size_t j = 0; j < tiles; ++j) {
      if (!session.owns(of(i, j))) continue;
      const auto part = session.borrow(deed::read(of(i, j)));
      for (std::size_t k = 0; k < edge; ++k)
        for (std::size_t l = 0; l < edge; ++l) sum += (*part)(k, l);
    }
  }
  return sum;
}

double by_deed(deed::session& session, const deed::owner_rule& owners, double& sum,
               each_step way = each_step::is_inserted) {
  plate one = tiles_of(session, edge, owners, "one"), two = tiles_of(session, edge, owners, "two");
  for (std::size_t i = 0; i < tiles; ++i)
    for (std::size_t j = 0; j < tiles; ++j)
      session.insert_task(fill, deed::write(one(i, j)), deed::value(i * edge),
                          deed::value(j * edge));
  const auto step = [&](plate& a, plate& to) {
    for (std::size_t i = 0; i < tiles; ++i)
      for (std::size_t j = 0; j < tiles; ++j)
        session.insert_task(relax, deed::write(to(i, j)), deed::read(a(i, j)),
                            deed::read(a(before(i), j)), deed::read(a(next_of(i), j)),
                            deed::read(a(i, before(j))), deed::read(a(i, next_of(j))));
  };
  const double time = time_of_steps(session, way, [&] {
    step(one, two);
    step(two, one);
  });
  sum = sum_of(session, one);
  return time;
}

const auto fill_edges = deed::codelet("fill edges", [](tile first, tile last, const_tile here) {
  std::memcpy(first.data(), here.data(), edge * sizeof(double));
  std::memcpy(last.data(), last_row(here.data()), edge * sizeof(double));
});
const auto relax_first =
    deed::codelet("relax first", [](tile next, tile first, const_tile here, const_tile row_above,
                                    const_tile below, const_tile left, const_tile right) {
      relax_between(next.data(), here.data(), row_above.data(), below.data(), left.data(),
                    right.data());
      std::memcpy(first.data(), next.data(), edge * sizeof(double));
    });
const auto relax_last =
    deed::codelet("relax last", [](tile next, tile last, const_tile here, const_tile above,
                                   const_tile row_below, const_tile left, const_tile right) {
      relax_between(next.data(), here.data(), last_row(above.data()), row_below.data(), left.data(),
                    right.data());
      std::memcpy(last.data(), last_row(next.data()), edge * sizeof(double));
    });

/// Tiles, and of each the rows that it shows to the tiles above and below.
struct plate_with_edges {
  plate all, first, last;
  plate_with_edges(deed::session& session, const deed::owner_rule& owners)
      : all(tiles_of(session, edge, owners, "plate")),
        first(tiles_of(session, 1, owners, "first rows")),
        last(tiles_of(session, 1, owners, "last rows")) {}
};

/// Block rows of tiles, of which a rank sends the outermost rows of values, not the tiles.
double by_deed_with_edges(deed::session& session, double& sum, each_step way) {
  const int ranks = session.size();
  const deed::owner_rule owners = by_rows(ranks);
  plate_with_edges one(session, owners), two(session, owners);
  for (std::size_t i = 0; i < tiles; ++i) {
    for (std::size_t j = 0; j < tiles; ++j) {
      session.insert_task(fill, deed::write(one.all(i, j)), deed::value(i * edge),
                          deed::value(j * edge));
      session.insert_task(fill_edges, deed::write(one.first(i, j)), deed::write(one.last(i, j)),
                          deed::read(one.all(i, j)));
    }
  }
  const auto step = [&](plate_with_edges& a, plate_with_edges& to) {
    for (std::size_t i = 0; i < tiles; ++i) {
      const int owner = owner_of_row(i, ranks);
      const bool is_first = owner_of_row(before(i), ranks) != owner;
      const bool is_last = owner_of_row(next_of(i), ranks) != owner;
      for (std::size_t j = 0; j < tiles; ++j) {
        const auto here = deed::read(a.all(i, j)), left = deed::read(a.all(i, before(j))),
                   right = deed::read(a.all(i, next_of(j)));
        const auto next = deed::write(to.all(i, j));
        if (is_first)
          session.insert_task(relax_first, next, deed::write(to.first(i, j)), here,
                              deed::read(a.last(before(i), j)), deed::read(a.all(next_of(i), j)),
                              left, right);
        else if (is_last)
          session.insert_task(relax_last, next, deed::write(to.last(i, j)), here,
                              deed::read(a.all(before(i), j)), deed::read(a.first(next_of(i), j)),
                              left, right);
        else
          session.insert_task(relax, next, here, deed::read(a.all(before(i), j)),
                              deed::read(a.all(next_of(i), j)), left, right);
      }
    }
  };
  const double time = time_of_steps(session, way, [&] {
    step(one, two);
    step(two, one);
  });
  sum = sum_of(session, one.all);
  return time;
}

/// The same by hand: this rank's rows of tiles, and room for a row of tiles above and below.
class plate_by_hand {
 public:
  plate_by_hand(int rank, int ranks)
      : rank_(rank), ranks_(ranks), rows_(tiles / static_cast<std::size_t>(ranks)) {
    for (auto& each : plate_) each.assign((rows_ + 2) * tiles * edge * edge, 0.0);
    const std::size_t first = rows_ * static_cast<std::size_t>(rank);
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < tiles; ++j)
        fill_tile(at(0, i + 1, j), (first + i) * edge, j * edge);
  }

  double run(bool whole_tiles) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = seconds_now();
    for (std::size_t step = 0; step < iterations; ++step) {
      whole_tiles ? exchange_tiles() : exchange_rows();
      for (std::size_t i = 1; i <= rows_; ++i)
        for (std::size_t j = 0; j < tiles; ++j)
          relax_tile(at(1, i, j), at(0, i, j), at(0, i - 1, j), at(0, i + 1, j),
                     at(0, i, (j + tiles - 1) % tiles), at(0, i, (j + 1) % tiles));
      std::swap(plate_[0], plate_[1]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return 1e3 * (seconds_now() - begin);
  }
  double sum() {
    double all = 0;
    for (std::size_t i = 1; i <= rows_; ++i)
      for (std::size_t j = 0; j < tiles; ++j)
        for (std::size_t k = 0; k < tile_size; ++k) all += at(0, i, j)[k];
    return all;
  }

 private:
  double* at(std::size_t which, std::size_t i, std::size_t j) {
    return plate_[which].data() + (i * tiles + j) * tile_size;
  }
  [[nodiscard]] int above() const { return (rank_ + ranks_ - 1) % ranks_; }
  [[nodiscard]] int below() const { return (rank_ + 1) % ranks_; }

  void exchange_tiles() {
    std::vector<MPI_Request> all;
    const auto receive = [&](double* into, int from, int tag) {
      MPI_Irecv(into, tile_size, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, &all.emplace_back());
    };
    const auto send = [&](const double* from, int to, int tag) {
      MPI_Isend(from, tile_size, MPI_DOUBLE, to, tag, MPI_COMM_WORLD, &all.emplace_back());
    };
    for (std::size_t j = 0; j < tiles; ++j) {
      const int tag = static_cast<int>(2 * j);
      receive(at(0, 0, j), above(), tag);
      receive(at(0, rows_ + 1, j), below(), tag + 1);
      send(at(0, rows_, j), below(), tag);
      send(at(0, 1, j), above(), tag + 1);
    }
    MPI_Waitall(static_cast<int>(all.size()), all.data(), MPI_STATUSES_IGNORE);
  }
  void exchange_rows() {
    std::vector<double> last(tiles * edge), first(tiles * edge), over(tiles * edge),
        under(tiles * edge);
    for (std::size_t j = 0; j < tiles; ++j) {
      std::memcpy(&last[j * edge], at(0, rows_, j) + (edge - 1) * edge, edge * sizeof(double));
      std::memcpy(&first[j * edge], at(0, 1, j), edge * sizeof(double));
    }
    const int count = tiles * edge;
    MPI_Sendrecv(last.data(), count, MPI_DOUBLE, below(), 0, over.data(), count, MPI_DOUBLE,
                 above(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(first.data(), count, MPI_DOUBLE, above(), 1, under.data(), count, MPI_DOUBLE,
                 below(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (std::size_t j = 0; j < tiles; ++j) {
      std::memcpy(at(0, 0, j) + (edge - 1) * edge, &over[j * edge], edge * sizeof(double));
      std::memcpy(at(0, rows_ + 1, j), &under[j * edge], edge * sizeof(double));
    }
  }

  int rank_, ranks_;
  std::size_t rows_;
  std::vector<double> plate_[2];
};

double megabytes_sent(const deed::session& session) {
  double bytes = 0;
  for (const auto& [peer, sent] : session.statistics().sent_to)
    bytes += static_cast<double>(sent.payload_bytes);
  return bytes / 1e6;
}

/// With copies kept and not, in turn. @return whether the values are `wanted` each time.
bool with_and_without_copies(deed::session& session, const char* dealt,
                             const deed::owner_rule& owners, double wanted, bool tells) {
  bool right = true;
  for (const bool keep : {true, false}) {
    session.set_cache(keep);
    const double sent = megabytes_sent(session);
    double sum = 0;
    const double time = by_deed(session, owners, sum);
    const char* const system = keep ? "deed, cache on" : "deed, cache off";
    const double all = session.all_reduce(deed::value(sum), std::plus<>{});
    right = right && std::abs(all - wanted) <= 1e-9 * wanted;  // Added in another order.
    if (!tells) continue;
    const std::string shape = std::to_string(session.size()) + " ranks, " + dealt;
    figure("heat and the cache", system, shape.c_str(), time);
    figure("heat and the cache, sent", system, shape.c_str(), megabytes_sent(session) - sent);
  }
  session.set_cache(true);
  return right;
}

void compare(deed::session& session) {
  const std::string shape = std::to_string(session.size()) + " ranks";
  const bool tells = session.rank() == 0;
  for (long round = -1; round < setting("ROUNDS", 1); ++round) {
    double sum = 0, repeated_sum = 0, edges_sum = 0, repeated_edges_sum = 0;
    const deed::owner_rule owners = by_rows(session.size());
    const double deed = by_deed(session, owners, sum);
    const double repeated = by_deed(session, owners, repeated_sum, each_step::is_repeated);
    const double edges = by_deed_with_edges(session, edges_sum, each_step::is_inserted);
    const double repeated_edges =
        by_deed_with_edges(session, repeated_edges_sum, each_step::is_repeated);
    plate_by_hand whole(session.rank(), session.size()), rows(session.rank(), session.size());
    const double tiles_by_hand = whole.run(true), rows_by_hand = rows.run(false);
    const bool wrong = whole.sum() != sum || rows.sum() != sum || repeated_sum != sum ||
                       edges_sum != sum || repeated_edges_sum != sum;
    if (session.any(wrong))
      throw deed::stop_run(deed::exit_code::codelet_threw, "the versions do not agree");
    const double all = session.all_reduce(deed::value(sum), std::plus<>{});
    const bool told = tells && round >= 0;
    if (session.size() > 1 &&
        !(with_and_without_copies(session, "by rows", by_rows(session.size()), all, told) &&
          with_and_without_copies(session, "chessboard", as_chessboard(session.size()), all, told)))
      throw deed::stop_run(deed::exit_code::codelet_threw, "the cache changes values");
    if (!told) continue;
    figure("heat", "deed", shape.c_str(), deed);
    figure("heat", "deed, repeated", shape.c_str(), repeated);
    figure("heat", "MPI, whole tiles", shape.c_str(), tiles_by_hand);
    figure("heat by edges", "deed", shape.c_str(), edges);
    figure("heat by edges", "deed, repeated", shape.c_str(), repeated_edges);
    figure("heat by edges", "MPI, one halo", shape.c_str(), rows_by_hand);
    if (session.size() > 1) continue;
    const char* const alone = "1 rank, 2 workers";
    figure("heat without messages", "deed", alone, deed);
    figure("heat without messages", "deed, repeated", alone, repeated);
    figure("heat without messages", "serial loop", alone, std::min(tiles_by_hand, rows_by_hand));
  }
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, compare); }
