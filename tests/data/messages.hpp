// SPDX-License-Identifier: MIT
#pragma once

#include <deed/data/archive.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <valarray>
#include <variant>
#include <vector>

/// @file
/// Twelve kinds of messages, valid ones and what reads them: for mutants and for the fuzzer.

namespace messages {

struct particles {
  std::vector<double> x, y, z;
  std::map<int, std::string> species;
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    ar & x & y & z & species;
  }
  bool operator==(const particles&) const = default;
};

struct plain {
  std::string name;
  std::vector<std::vector<int>> rows;
  double origin[3] = {};
  bool periodic = false;
  std::optional<std::string> note;
  bool operator==(const plain&) const = default;
};

struct tree {
  int value = 0;
  std::vector<tree> children;
  bool operator==(const tree&) const = default;
};

struct chain {
  int value = 0;
  std::unique_ptr<chain> next;
};

/// Encodes to nothing, so that only the filling bounds how many there are.
struct nothing {
  std::unique_ptr<int> cache;
  template <class Archive>
  void serialize(Archive&, unsigned) {}
};

/// Large in memory, small on the wire.
struct wide {
  std::optional<double> values[64];
};

struct flagged {
  bool yes = false;
  double weight = 0;
};

using kinds = std::tuple<
    std::tuple<int, double, std::string>, std::vector<double>, std::vector<std::string>, particles,
    plain, tree, chain,
    std::variant<int, std::string, std::vector<std::variant<double, std::string>>>,
    std::unordered_map<std::string, std::vector<int>>,
    std::list<std::pair<std::set<std::uint16_t>, std::deque<bool>>>,
    std::pair<std::vector<nothing>, std::vector<flagged>>,
    std::tuple<std::vector<wide>, std::valarray<double>, std::multimap<std::string, wide>>>;
inline constexpr std::size_t kind_count = std::tuple_size_v<kinds>;
static_assert(kind_count == 12);

template <class T>
void read_and_use(std::span<const std::byte> bytes) {
  T value{};
  deed::data::unpack(value, bytes);
  deed::data::packed_buffer again;  // What was accepted is a value: it can be written.
  deed::data::pack(value, again);
}

/// Reads `bytes` as a message of the kind. @throws deed::error if it is none.
inline void read(std::size_t kind, std::span<const std::byte> bytes) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (void)((kind == I && (read_and_use<std::tuple_element_t<I, kinds>>(bytes), true)) || ...);
  }(std::make_index_sequence<kind_count>{});
}

/// A valid message of each kind.
inline std::vector<deed::data::packed_buffer> valid_messages() {
  tree root{1, {{2, {}}, {3, {{4, {}}, {5, {}}}}}};
  chain links;
  links.next = std::make_unique<chain>();
  links.next->next = std::make_unique<chain>();
  std::vector<nothing> nothings(20);
  std::vector<wide> wides(2);
  wides[1].values[5] = 1.5;
  std::multimap<std::string, wide> named;
  named.emplace("w", wide{});

  std::vector<deed::data::packed_buffer> all(kind_count);
  std::size_t next = 0;
  const auto add = [&](const auto& value) { deed::data::pack(value, all[next++]); };
  add(std::tuple<int, double, std::string>{1, 2.0, "three"});
  add(std::vector<double>{1, 2, 3, 4, 5});
  add(std::vector<std::string>{"alpha", "", "gamma delta"});
  add(particles{{1, 2}, {3, 4}, {5, 6}, {{1, "electron"}, {2, "proton"}}});
  add(plain{"grid", {{1, 2}, {}, {3}}, {0, 1, 2}, true, "note"});
  add(root);
  add(links);
  add(std::tuple_element_t<7, kinds>{
      std::vector<std::variant<double, std::string>>{1.0, std::string("x")}});
  add(std::tuple_element_t<8, kinds>{{"key", {1, 2, 3}}, {"other", {}}});
  add(std::tuple_element_t<9, kinds>{{{1, 2, 3}, {true, false}}, {{}, {}}});
  add(std::pair(std::move(nothings), std::vector<flagged>{{true, 1}, {false, 2}}));
  add(std::tuple_element_t<11, kinds>{std::move(wides), {1, 2, 3}, std::move(named)});
  return all;
}

}  // namespace messages
