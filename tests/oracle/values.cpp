// SPDX-License-Identifier: MIT
#include "values.hpp"

#include <bit>

namespace oracle {
namespace {

using deed::mix;

struct hasher {
  std::uint64_t operator()(const number* x) const { return mix(*x); }
  std::uint64_t operator()(const list* x) const {
    std::uint64_t hash = x->size();
    for (const std::uint64_t each : *x) hash = mix(hash, each);
    return hash;
  }
  std::uint64_t operator()(const record* x) const {
    std::uint64_t hash = mix((*this)(&x->first), (*this)(&x->rest));
    for (const char c : x->text) hash = mix(hash, static_cast<unsigned char>(c));
    return hash;
  }
  std::uint64_t operator()(const tile& x) const {
    std::uint64_t hash = mix(x.rows(), x.cols());
    for (const auto row : x) {
      for (const double each : row) hash = mix(hash, std::bit_cast<std::uint64_t>(each));
    }
    return hash;
  }
};

struct assigner {
  std::uint64_t seed;
  bool large;

  void operator()(number* x) const { *x = seed; }
  void operator()(list* x) const {
    x->resize(large ? 900 + seed % 300 : seed % 9);
    std::uint64_t next = seed;
    for (std::uint64_t& each : *x) each = next = next * 6364136223846793005u + 1442695040888963407u;
  }
  void operator()(record* x) const {
    x->first = seed;
    (*this)(&x->rest);
    x->text = std::to_string(seed % 100000);
  }
  void operator()(const tile& x) const {
    std::uint64_t next = seed;
    for (const auto row : x) {
      for (double& each : row) {
        next = next * 6364136223846793005u + 1442695040888963407u;
        each = static_cast<double>(next >> 24);  // Whole, and small enough that sums are exact.
      }
    }
  }
};

struct adder {
  std::uint64_t seed;

  void operator()(number* x) const { *x += seed; }
  void operator()(list* x) const {
    for (std::uint64_t& each : *x) each += seed;
  }
  void operator()(record* x) const {
    x->first += seed;
    (*this)(&x->rest);
  }
  void operator()(const tile& x) const {
    for (const auto row : x) {
      for (double& each : row) each += static_cast<double>(seed >> 24);
    }
  }
};

}  // namespace

std::uint64_t hash_of(const seen& value) { return std::visit(hasher{}, value); }
void assign(const seen& value, std::uint64_t seed, bool large) {
  std::visit(assigner{seed, large}, value);
}
void add(const seen& value, std::uint64_t seed) { std::visit(adder{seed}, value); }

datum part_of(const datum& whole, std::size_t i, std::size_t count, int owner) {
  datum part{.is = whole.is, .owner = owner, .given = false, .large = whole.large};
  if (whole.is == form::tile) {
    const std::size_t all = extents_of(whole).rows;
    part.rows = static_cast<int>((i + 1) * all / count - i * all / count);
  }
  return part;
}

held_value::held_value(const datum& d) {
  switch (d.is) {
    case form::number:
      is_ = number{};
      break;
    case form::list:
      is_ = list{};
      break;
    case form::record:
      is_ = record{};
      break;
    case form::tile: {
      const auto shape = extents_of(d);
      is_ = block{shape, std::vector<double>(shape.rows * shape.cols)};
      break;
    }
  }
}

seen held_value::view() {
  switch (is_.index()) {
    case 0:
      return &std::get<0>(is_);
    case 1:
      return &std::get<1>(is_);
    case 2:
      return &std::get<2>(is_);
    default:
      break;
  }
  block& b = std::get<3>(is_);
  return tile(b.elements.data(), b.shape.rows, b.shape.cols);
}

void held_value::cut_from(held_value& whole, std::size_t i, std::size_t count) {
  const auto rows_of = [&](std::size_t all) {
    return std::pair{i * all / count, (i + 1) * all / count};
  };
  if (auto* const all = std::get_if<list>(&whole.is_)) {
    const auto [first, last] = rows_of(all->size());
    is_ = list(all->data() + first, all->data() + last);
    return;
  }
  const auto& [shape, elements] = std::get<3>(whole.is_);
  const auto [first, last] = rows_of(shape.rows);
  is_ = held_value::block{
      {last - first, shape.cols},
      {elements.data() + first * shape.cols, elements.data() + last * shape.cols}};
}

void held_value::unite(std::span<held_value* const> parts) {
  if (auto* const all = std::get_if<list>(&is_)) {
    all->clear();
    for (const held_value* part : parts)
      all->insert(all->end(), std::get<list>(part->is_).begin(), std::get<list>(part->is_).end());
    return;
  }
  std::vector<double>& all = std::get<3>(is_).elements;
  all.clear();
  for (const held_value* part : parts) {
    const std::vector<double>& rows = std::get<3>(part->is_).elements;
    all.insert(all.end(), rows.begin(), rows.end());
  }
}

std::uint64_t held_value::wire_bytes() const {
  switch (is_.index()) {
    case 0:
      return sizeof(number);
    case 1:
      return std::get<1>(is_).size() * sizeof(std::uint64_t);
    case 2: {
      deed::data::packed_buffer packed;
      deed::data::operations_of<record>().pack(&std::get<2>(is_), packed);
      return packed.size();
    }
    default:
      return std::get<3>(is_).elements.size() * sizeof(double);
  }
}

std::uint64_t kernel(int task, std::span<const operand> operands) {
  std::uint64_t hash = mix(3, static_cast<std::uint64_t>(task));
  for (const operand& each : operands) {
    if (each.mode == access_mode::read || each.mode == access_mode::read_write) {
      hash = mix(hash, hash_of(each.value));
    }
  }
  std::uint64_t at = 0;
  for (const operand& each : operands) {
    const std::uint64_t seed = mix(hash, ++at);
    if (each.mode == access_mode::commute || each.mode == access_mode::reduce)
      add(each.value, seed);
    else if (deed::writes(each.mode))
      assign(each.value, seed, each.large);
  }
  return hash;
}

}  // namespace oracle
