// SPDX-License-Identifier: MIT
#include <deed/data/archive.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/mpi/packed_iarchive.hpp>
#include <boost/mpi/packed_oarchive.hpp>
#include <boost/serialization/is_bitwise_serializable.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// Packing and unpacking by deed's archive and by Boost.MPI's, on the same values, turn by turn, so
/// that the load of the machine meets both alike. Prints a table: minimum time and ratio.

namespace {

struct plain {
  int id;
  float x, y, z;
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    ar & id & x & y & z;
  }
};
struct marked : plain {};
struct particles {
  std::vector<double> x, y, z;
  std::map<int, std::string> species;
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    ar & x & y & z & species;
  }
};

double seconds_of(auto&& work, int times) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) work();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / times;
}

/// Keeps the compiler from leaving out what made `data`.
void used(const void* data) { asm volatile("" : : "r"(data) : "memory"); }

template <class T>
void compare(const char* what, const T& value, int times) {
  const boost::mpi::communicator world;
  deed::data::packed_buffer ours;
  const auto pack_ours = [&] {
    ours.clear();
    deed::data::pack(value, ours);
    used(ours.data());
  };
  const auto pack_boost = [&] {
    boost::mpi::packed_oarchive archive(world);
    archive << value;
    used(archive.address());
  };
  T copy{};
  const auto unpack_ours = [&] {
    deed::data::unpack(copy, ours.bytes());
    used(&copy);
  };
  boost::mpi::packed_oarchive packed(world);
  packed << value;
  boost::mpi::packed_iarchive::buffer_type bytes(packed.size());
  std::copy_n(static_cast<const char*>(packed.address()), packed.size(), bytes.begin());
  const auto unpack_boost = [&] {
    boost::mpi::packed_iarchive archive(world, bytes);
    archive >> copy;
    used(&copy);
  };
  pack_ours();

  double best[4] = {1, 1, 1, 1};
  for (int turn = 0; turn < 25; ++turn) {
    best[0] = std::min(best[0], seconds_of(pack_boost, times));
    best[1] = std::min(best[1], seconds_of(pack_ours, times));
    best[2] = std::min(best[2], seconds_of(unpack_boost, times));
    best[3] = std::min(best[3], seconds_of(unpack_ours, times));
  }
  std::printf("%-28s %11.1f %11.1f %8.1fx %11.1f %11.1f %8.1fx\n", what, best[0] * 1e9,
              best[1] * 1e9, best[0] / best[1], best[2] * 1e9, best[3] * 1e9, best[2] / best[3]);
}

}  // namespace

BOOST_IS_BITWISE_SERIALIZABLE(marked)

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  std::puts(
      "nanoseconds                   pack Boost        deed    ratio unpack Boost        deed"
      "    ratio");
  compare("int", 42, 20000);
  compare("std::string(16)", std::string(16, 'a'), 20000);
  compare("vector<double>(128)", std::vector<double>(128, 1.5), 5000);
  compare("vector<double>(131072)", std::vector<double>(131072, 1.5), 20);
  compare("vector<bitwise>(1000)", std::vector<marked>(1000), 500);
  compare("vector<plain>(1000)", std::vector<plain>(1000), 200);
  std::map<int, std::string> names;
  for (int i = 0; i < 1000; ++i) names.emplace(i, "species " + std::to_string(i));
  compare("map<int, string>(1000)", names, 50);
  const std::vector<double> x(1000, 0.5);
  compare("particles(1000)", particles{x, x, x, {{1, "electron"}, {2, "proton"}}}, 500);
}
