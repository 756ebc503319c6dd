// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/data/datum.hpp>

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace {

using deed::data::extents;
using deed::data::operations_of;
using deed::data::wire_form;

struct sample {
  double position[3];
  bool inside;
};
struct labelled {
  std::string label;
  std::vector<double> values;
  bool operator==(const labelled&) const = default;
};

static_assert(operations_of<double>().form == wire_form::fixed);
static_assert(operations_of<sample>().form == wire_form::fixed);
static_assert(operations_of<std::array<double, 3>>().form == wire_form::fixed);
static_assert(operations_of<deed::tile<double>>().form == wire_form::fixed);
static_assert(operations_of<std::span<float>>().form == wire_form::fixed);
static_assert(operations_of<std::vector<sample>>().form == wire_form::resizable);
static_assert(operations_of<std::string>().form == wire_form::resizable);
static_assert(operations_of<std::vector<bool>>().form == wire_form::packed);
static_assert(operations_of<std::vector<std::string>>().form == wire_form::packed);
static_assert(operations_of<std::map<int, double>>().form == wire_form::packed);
static_assert(operations_of<labelled>().form == wire_form::packed);
static_assert(operations_of<int>().type_hash != operations_of<float>().type_hash);
static_assert(operations_of<std::vector<int>>().type_hash !=
              operations_of<std::vector<float>>().type_hash);

/// Storage as the runtime keeps it: raw bytes and the operations.
template <class T>
class datum {
 public:
  using traits = deed::data::datum_traits<T>;
  explicit datum(extents shape = {}) { operations.construct(memory_, shape); }
  ~datum() { operations.destroy(memory_); }
  datum(const datum&) = delete;
  auto& storage() { return *reinterpret_cast<typename traits::storage*>(memory_); }
  decltype(auto) read() { return traits::read_view(storage()); }
  decltype(auto) write() { return traits::write_view(storage()); }
  void* at() { return memory_; }
  const deed::data::type_operations& operations = operations_of<T>();

 private:
  alignas(typename traits::storage) std::byte memory_[sizeof(typename traits::storage)];
};

/// As a transfer does it: straight between final buffers, or through the archive.
template <class T>
void transfer(datum<T>& from, datum<T>& to) {
  const auto& operations = operations_of<T>();
  deed::data::packed_buffer wire;
  operations.pack(from.at(), wire);
  if (operations.form == wire_form::packed) return operations.unpack(to.at(), wire.bytes());
  EXPECT_EQ(wire.size(), operations.bytes(from.at()));
  const deed::memory_block room = operations.prepare(to.at(), wire.size());
  EXPECT_EQ(room.bytes(), wire.size());
  operations.unpack(to.at(), wire.bytes());
}

TEST(datum, crosses_as_bytes_when_trivially_copyable) {
  datum<sample> from, to;
  from.write() = {{1, 2, 3}, true};
  transfer(from, to);
  EXPECT_EQ(to.read().position[2], 3);
  EXPECT_TRUE(to.read().inside);
  EXPECT_THROW(to.operations.prepare(to.at(), 5), deed::error);
}

TEST(datum, takes_the_size_of_a_vector_that_arrives) {
  datum<std::vector<double>> from, to;
  from.write() = {1, 2, 3};
  to.write() = {9, 9, 9, 9};
  transfer(from, to);
  EXPECT_EQ(to.read(), (std::vector<double>{1, 2, 3}));
  from.write().clear();
  transfer(from, to);
  EXPECT_TRUE(to.read().empty());
  EXPECT_THROW(to.operations.prepare(to.at(), 5), deed::error);
}

TEST(datum, crosses_packed_when_it_has_members_that_own) {
  datum<labelled> from, to;
  from.write() = {"energy", {1, 2}};
  transfer(from, to);
  EXPECT_EQ(to.read(), from.read());
}

TEST(datum, takes_no_memory_for_a_tile_before_it_is_touched) {
  datum<deed::tile<double>> one({4, 3});
  EXPECT_FALSE(one.storage().has_memory());
  EXPECT_EQ(one.operations.source(one.at()).address, nullptr);
  EXPECT_EQ(one.operations.bytes(one.at()), 4u * 3u * sizeof(double));
  one.write()(3, 2) = 7;
  EXPECT_EQ(one.read()(3, 2), 7);
  EXPECT_EQ(one.read()(0, 0), 0);
}

TEST(datum, sends_the_rows_of_a_strided_tile_and_nothing_between_them) {
  std::vector<double> matrix(6 * 10);
  std::iota(matrix.begin(), matrix.end(), 0.0);
  using traits = deed::data::datum_traits<deed::tile<double>>;
  traits::storage wrapped(deed::tile<double>(matrix.data() + 12, 3, 4, 10));
  const auto& operations = operations_of<deed::tile<double>>();
  const auto source = operations.source(&wrapped);
  EXPECT_EQ(source.pitch, 10 * sizeof(double));
  EXPECT_EQ(source.rows, 3u);
  EXPECT_FALSE(source.contiguous());

  deed::data::packed_buffer wire;
  operations.pack(&wrapped, wire);
  datum<deed::tile<double>> to({3, 4});
  operations.unpack(to.at(), wire.bytes());
  EXPECT_EQ(to.read()(0, 0), 12);
  EXPECT_EQ(to.read()(2, 3), 35);
  EXPECT_TRUE(to.read().contiguous());

  to.write()(1, 1) = -1;
  wire.clear();
  operations.pack(to.at(), wire);
  operations.unpack(&wrapped, wire.bytes());
  EXPECT_EQ(matrix[23], -1);
  EXPECT_EQ(matrix[26], 26) << "written between the rows";
}

TEST(datum, wraps_a_span_of_the_user_and_owns_elsewhere) {
  std::vector<float> mine{1, 2, 3};
  using traits = deed::data::datum_traits<std::span<float>>;
  traits::storage wrapped{std::span(mine)};
  deed::data::packed_buffer wire;
  operations_of<std::span<float>>().pack(&wrapped, wire);
  datum<std::span<float>> to({1, 3});
  to.operations.unpack(to.at(), wire.bytes());
  EXPECT_EQ(to.read()[1], 2);
  to.write()[1] = 5;
  EXPECT_EQ(mine[1], 2);
}

}  // namespace
