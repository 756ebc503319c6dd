// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/base/random.hpp>
#include <deed/data/datum.hpp>

#include "boost_types.hpp"
#include <boost/mpi/collectives.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/serialization/unordered_set.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// Each kind of type that programs for Boost.MPI send: rank 0 sends it once with Boost.MPI and once
/// packed by deed; rank 1 must get the same value both ways.

namespace {

using namespace boost_types;

template <class T>
void expect_same_both_ways(const T& value) {
  SCOPED_TRACE(deed::data::type_name<T>);
  const auto& operations = deed::data::operations_of<T>();
  const boost::mpi::communicator world;
  if (world.rank() == 0) {
    world.send(1, 0, value);
    deed::data::packed_buffer wire;
    operations.pack(&value, wire);
    world.send(1, 1, wire.size());
    world.send(1, 2, reinterpret_cast<const char*>(wire.data()), static_cast<int>(wire.size()));
    return;
  }
  T by_boost{}, by_deed{};
  world.recv(0, 0, by_boost);
  std::size_t bytes = 0;
  world.recv(0, 1, bytes);
  std::vector<char> wire(bytes);
  world.recv(0, 2, wire.data(), static_cast<int>(bytes));
  operations.unpack(&by_deed, std::as_bytes(std::span(wire)));
  EXPECT_EQ(by_boost, value);
  EXPECT_EQ(by_deed, value);

  const std::span cut = std::as_bytes(std::span(wire)).first(bytes - 1);
  EXPECT_THROW(operations.unpack(&by_deed, cut), deed::error);
}

bus_route a_route() {
  bus_route route;
  route.stops = {{52, 31, 12.5f}, {13, 24, 0.5f}};
  route.times = {{"morning", {700, 720}}, {"evening", {}}};
  route.drivers = {"Ada", "Grace"};
  route.fares = {{1, {"short", 2.5}}, {2, {"long", 4.0}}};
  route.queue = {"first", "second"};
  return route;
}

TEST(boost_mpi_types, classes_with_private_serialize_arrive) {
  expect_same_both_ways(gps_position(52, 31, 12.5f));
  expect_same_both_ways(std::vector<gps_position>(5, gps_position(1, 2, 3)));
}

TEST(boost_mpi_types, named_members_and_containers_arrive) { expect_same_both_ways(a_route()); }

TEST(boost_mpi_types, base_classes_and_versions_arrive) {
  terminus last;
  last.name = "Harbour";
  last.platforms = 4;
  expect_same_both_ways(last);
  deed::data::packed_buffer wire;
  deed::data::pack(last, wire);
  terminus copy;
  deed::data::unpack(copy, wire.bytes());
  EXPECT_EQ(copy.version_seen, 3u);
}

TEST(boost_mpi_types, members_that_save_and_load_apart_arrive) {
  expect_same_both_ways(heap_array({1, 2, 3}));
}

TEST(boost_mpi_types, free_functions_arrive) {
  expect_same_both_ways(colour("red"));
  interval<double> range;
  range.low = -1;
  range.high = 1;
  expect_same_both_ways(range);
  expect_same_both_ways(std::map<std::string, std::vector<colour>>{{"warm", {colour("red")}}});
}

TEST(boost_mpi_types, bytes_that_are_the_value_arrive) {
  static_assert(deed::data::operations_of<cell>().form == deed::data::wire_form::fixed);
  static_assert(deed::data::operations_of<std::vector<cell>>().form ==
                deed::data::wire_form::resizable);
  expect_same_both_ways(cell{1.5, 3});
  expect_same_both_ways(std::vector<cell>(100, cell{1.5, 3}));
}

/// Boost marks a pair whose parts are marked, but not one with a constant part, as maps have them.
TEST(boost_mpi_types, pairs_of_marked_types_travel_part_by_part) {
  struct by_first {
    bool operator()(const cell& a, const cell& b) const { return a.pressure < b.pressure; }
  };
  static_assert(deed::data::operations_of<std::vector<std::pair<cell, double>>>().form ==
                deed::data::wire_form::packed);
  const std::map<cell, double, by_first> sent{{cell{1.5, 3}, 0.5}, {cell{2.5, 4}, 0.25}};
  deed::data::packed_buffer wire;
  deed::data::pack(sent, wire);
  std::map<cell, double, by_first> came;
  deed::data::unpack(came, wire.bytes());
  EXPECT_EQ(came, sent);
}

TEST(boost_mpi_types, classes_of_boost_and_binary_objects_arrive) {
  measured m;
  m.value = 1.5;
  m.label = std::string("flux");
  m.amplitude = {1, 2};
  m.samples = {1, 2, 3};
  m.raw[0] = 'x';
  expect_same_both_ways(m);
  expect_same_both_ways(measured{});
}

TEST(boost_mpi_types, overloads_for_the_archives_of_boost_mpi_are_called) {
  expect_same_both_ways(only_for_mpi({1, 2, 3}));
  expect_same_both_ways(std::vector<only_for_mpi>(3, only_for_mpi({1, 2})));
}

TEST(boost_mpi_types, damaged_archives_of_boost_mpi_are_refused_before_boost_reads_them) {
  deed::data::packed_buffer wire;
  deed::data::pack(only_for_mpi({1, 2, 3}), wire);
  only_for_mpi copy;
  for (std::size_t i = 0; i < wire.size(); ++i) {
    wire.data()[i] ^= std::byte{0x40};
    EXPECT_THROW(deed::data::unpack(copy, wire.bytes()), deed::error) << i;
    wire.data()[i] ^= std::byte{0x40};
  }
}

/// Boost's own functions for types read what may be damaged, too.
template <class T>
void expect_survives_mutants(const T& value, std::uint64_t seed) {
  deed::data::packed_buffer wire;
  deed::data::pack(value, wire);
  const std::vector<std::byte> valid(wire.data(), wire.data() + wire.size());
  deed::random_source random(seed);
  std::uint64_t refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::byte> bytes = valid;
    for (std::uint64_t n = 1 + random.below(3); n-- > 0;) {
      bytes[random.below(bytes.size())] = static_cast<std::byte>(random.below(256));
    }
    if (random.one_in(4)) bytes.resize(random.below(bytes.size()));
    T copy{};
    try {
      deed::data::unpack(copy, bytes);
    } catch (const deed::error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000u);
}

TEST(boost_mpi_types, mutants_are_refused_or_are_values) {
  expect_survives_mutants(a_route(), 1);
  measured m;
  m.value = 1.5;
  m.label = std::string("flux");
  m.samples = {1, 2, 3};
  expect_survives_mutants(m, 2);
  expect_survives_mutants(std::vector<only_for_mpi>(3, only_for_mpi({1, 2})), 3);
}

}  // namespace
