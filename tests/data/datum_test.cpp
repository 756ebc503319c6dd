// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/data/datum.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <numeric>
#include <span>
#include <stdexcept>
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

/// Lengths change between sends, as in StarPU's example of an interface of one's own.
struct complex_numbers {
  std::vector<double> real, imaginary;
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    ar & real & imaginary;
  }
};

/// Columns of a matrix of someone else's, as LAPACK names them: first element, leading dimension.
struct columns {
  double* first = nullptr;
  std::size_t rows = 0, leading = 0;
};
/// A ring buffer of numbers: in one piece in memory, or not.
class ring {
 public:
  std::vector<int> slots = std::vector<int>(4);
  std::size_t start = 0;
  std::vector<int> content() const {
    std::vector<int> result;
    for (std::size_t i = 0; i < 4; ++i) result.push_back(slots[(start + i) % 4]);
    return result;
  }
};
class picture {
 public:
  std::vector<char> pixels;
};
class handle_of_os {  // Private parts that deed cannot see, and a mark that the bytes will do.
 public:
  handle_of_os() = default;
  explicit handle_of_os(int n) : number_(n) {}
  template <class Archive>
  void serialize(Archive&, unsigned) {}
  int number() const { return number_; }

 private:
  int number_ = 0;
};
struct checked_pair {  // Trivially copyable, but its author wants every value checked.
  int low = 0, high = 0;
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    ar & low & high;
    if (low > high) throw std::runtime_error("low is above high");
  }
};

}  // namespace

template <>
struct deed::layout<columns> {
  static memory_block memory(columns& c) {
    return {reinterpret_cast<std::byte*>(c.first), 2 * sizeof(double), c.rows,
            c.leading * sizeof(double)};
  }
};
template <>
struct deed::layout<ring> {
  static std::uint64_t bytes(const ring& r) { return r.slots.size() * sizeof(int); }
  static memory_block memory(ring& r) {
    if (r.start != 0) return {};
    return {reinterpret_cast<std::byte*>(r.slots.data()), bytes(r)};
  }
  static void pack(const ring& r, std::byte* to) { std::memcpy(to, r.content().data(), bytes(r)); }
  static void unpack(ring& r, const std::byte* from) {
    std::memcpy(r.slots.data(), from, bytes(r));
    r.start = 0;
  }
};
template <>
struct deed::layout<picture> {
  static memory_block memory(picture& p) {
    return {reinterpret_cast<std::byte*>(p.pixels.data()), p.pixels.size()};
  }
  static void resize(picture& p, std::uint64_t bytes) { p.pixels.resize(bytes); }
};
template <>
struct deed::layout<handle_of_os> : deed::layout_as_bytes {};
template <>
struct deed::layout<checked_pair> : deed::layout_packed {};

namespace {

static_assert(operations_of<columns>().form == wire_form::fixed, "though it holds a pointer");
static_assert(operations_of<ring>().form == wire_form::fixed);
static_assert(operations_of<picture>().form == wire_form::resizable);
static_assert(operations_of<handle_of_os>().form == wire_form::fixed);
static_assert(operations_of<checked_pair>().form == wire_form::packed);

// The same on g++ and Clang, so ranks of both builds understand each other.
static_assert(operations_of<long>().type_hash == operations_of<long long>().type_hash);
static_assert(operations_of<int>().type_hash == 0x5d66bafc1b8f360fu);
static_assert(operations_of<std::vector<std::string>>().type_hash == 0x299967b84789e32au);
static_assert(operations_of<std::array<float, 3>>().type_hash == 0x18406a60acc5c4b2u);

/// Storage as the runtime keeps it: raw bytes and the operations.
template <class T>
class datum {
 public:
  using traits = deed::data::datum_traits<T>;
  explicit datum(extents shape = {}) { operations.construct(memory_, shape, nullptr); }
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

TEST(datum, changes_its_length_between_sends) {
  datum<complex_numbers> from, to;
  for (const std::size_t length : {3u, 0u, 1000u, 1u}) {
    from.write().real.assign(length, 1.0);
    from.write().imaginary.assign(length, -1.0);
    transfer(from, to);
    EXPECT_EQ(to.read().real, from.read().real);
    EXPECT_EQ(to.read().imaginary.size(), length);
  }
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

TEST(layout, sends_rows_that_the_user_names_without_a_copy) {
  std::vector<double> matrix(12);
  std::iota(matrix.begin(), matrix.end(), 0.0);
  std::vector<double> other(6, -1);
  columns from{matrix.data() + 1, 3, 4}, to{other.data(), 3, 2};
  const auto& operations = operations_of<columns>();
  EXPECT_EQ(operations.source(&from).address, reinterpret_cast<std::byte*>(matrix.data() + 1));
  EXPECT_EQ(operations.source(&from).pitch, 4 * sizeof(double));
  EXPECT_EQ(operations.bytes(&from), 6 * sizeof(double));
  deed::data::packed_buffer wire;
  operations.pack(&from, wire);
  operations.unpack(&to, wire.bytes());
  EXPECT_EQ(other, (std::vector<double>{1, 2, 5, 6, 9, 10}));
  EXPECT_THROW(operations.prepare(&to, 8), deed::error);
}

TEST(layout, gives_equal_bytes_when_it_packs_at_run_time) {
  ring from, to;
  from.slots = {3, 4, 1, 2};
  from.start = 2;
  const auto& operations = operations_of<ring>();
  EXPECT_EQ(operations.source(&from).address, nullptr);
  EXPECT_EQ(operations.bytes(&from), 4 * sizeof(int));
  deed::data::packed_buffer packed, straight;
  operations.pack(&from, packed);
  operations.unpack(&to, packed.bytes());
  EXPECT_EQ(to.slots, (std::vector<int>{1, 2, 3, 4}));
  operations.pack(&to, straight);
  EXPECT_TRUE(std::ranges::equal(packed.bytes(), straight.bytes()));
}

TEST(layout, resizes_and_travels_inside_other_values) {
  datum<std::vector<picture>> from, to;
  from.write().resize(2);
  from.write()[1].pixels = {'a', 'b'};
  transfer(from, to);
  ASSERT_EQ(to.read().size(), 2u);
  EXPECT_EQ(to.read()[1].pixels, from.read()[1].pixels);
}

TEST(layout, packs_what_wants_to_be_checked) {
  datum<checked_pair> from, to;
  from.write() = {2, 1};
  EXPECT_THROW(transfer(from, to), std::exception);
  from.write() = {1, 2};
  transfer(from, to);
  EXPECT_EQ(to.read().high, 2);
}

TEST(type_name, is_what_a_user_writes) {
  EXPECT_EQ(deed::data::type_name<std::span<double>>, "std::span<double>");
  EXPECT_EQ(deed::data::type_name<int>, "int");
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
