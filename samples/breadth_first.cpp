// SPDX-License-Identifier: MIT
// How many steps is each vertex of a random graph from the first one? Level by level: what a band
// of vertices finds goes to the bands it is in, and the search ends when a level finds nothing new.
#include <deed/deed.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iostream>
#include <ranges>
#include <span>
#include <vector>

namespace {

constexpr std::uint32_t bands = 8, width = 1000, vertices = bands * width, most_edges = 7;
constexpr std::uint64_t seed = 3;
constexpr std::int32_t unreached = -1;

using list = std::vector<std::uint32_t>;  // Vertices, counted within their band.

/// Where the edges of a vertex go: to none, or to a few anywhere.
list neighbours(std::uint32_t vertex) {
  const auto random = [&](std::uint32_t k) { return deed::mix(seed, vertex * 8 + k); };
  list to(random(7) % (most_edges + 1));
  for (std::uint32_t k = 0; k < to.size(); ++k)
    to[k] = static_cast<std::uint32_t>(random(k) % vertices);
  return to;
}

/// The edges from one band to one band: those of `v` are `to[begin[v]]` and the next.
struct block {
  list begin, to;
};
block make_block(std::uint32_t source, std::uint32_t target) {
  block made;
  for (std::uint32_t v = 0; v < width; ++v) {
    made.begin.push_back(static_cast<std::uint32_t>(made.to.size()));
    for (const std::uint32_t each : neighbours(source * width + v))
      if (each / width == target) made.to.push_back(each % width);
  }
  made.begin.push_back(static_cast<std::uint32_t>(made.to.size()));
  return made;
}

constexpr deed::codelet expand{"expand", [](list& found, const block& edges, const list& frontier) {
                                 found.clear();
                                 for (const std::uint32_t v : frontier)
                                   for (std::uint32_t k = edges.begin[v]; k < edges.begin[v + 1];
                                        ++k)
                                     found.push_back(edges.to[k]);
                               }};
constexpr deed::codelet settle{
    "settle", [](std::vector<std::int32_t>& distance, list& frontier, std::uint64_t& added,
                 std::span<const list* const> found, std::int32_t level) {
      frontier.clear();
      for (const list* const from_band : found) {
        for (const std::uint32_t v : *from_band) {
          if (distance[v] != unreached) continue;
          distance[v] = level;
          frontier.push_back(v);
        }
      }
      added += frontier.size();
    }};
constexpr deed::codelet clear{"clear", [](std::uint64_t& added) { added = 0; }};

std::vector<std::int32_t> sequential() {
  std::vector<std::int32_t> distance(vertices, unreached);
  list queue{0};
  distance[0] = 0;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    for (const std::uint32_t v : neighbours(queue[next])) {
      if (distance[v] != unreached) continue;
      distance[v] = distance[queue[next]] + 1;
      queue.push_back(v);
    }
  }
  return distance;
}

void breadth_first(deed::session& session) {
  const auto owner_of = [&](std::uint32_t band) {
    return deed::owner{band * static_cast<std::uint32_t>(session.size()) / bands};
  };
  std::vector<deed::handle<std::vector<std::int32_t>>> distance;
  std::vector<deed::handle<list>> frontier;
  std::vector<std::vector<deed::handle<block>>> edges(bands);  // Of band i, to band j.
  std::vector<std::vector<deed::handle<list>>> found(bands);   // The same.
  for (std::uint32_t i = 0; i < bands; ++i) {
    std::vector<std::int32_t> none(width, unreached);
    if (i == 0) none[0] = 0;
    distance.push_back(session.register_data(owner_of(i), none, {.name = "distance"}));
    frontier.push_back(
        session.register_data(owner_of(i), i == 0 ? list{0} : list{}, {.name = "frontier"}));
    for (std::uint32_t j = 0; j < bands; ++j) {
      edges[i].push_back(
          session.register_data(owner_of(i), [=] { return make_block(i, j); }, {.name = "edges"}));
      found[i].push_back(session.register_data(owner_of(i), list{}, {.name = "found"}));
    }
  }
  auto added =
      session.register_data(deed::owner{0}, std::uint64_t{0},
                            deed::reduction{std::plus<>{}, std::uint64_t{0}}, {.name = "added"});

  std::uint64_t reached = 1, now = 1;
  std::int32_t level = 0;
  for (; session.is_dry() ? level < 8 : now > 0; reached += now) {
    ++level;
    session.insert_task(clear, deed::write(added));
    for (std::uint32_t i = 0; i < bands; ++i)
      for (std::uint32_t j = 0; j < bands; ++j)
        session.insert_task(expand, deed::write(found[i][j]), deed::read(edges[i][j]),
                            deed::read(frontier[i]));
    for (std::uint32_t j = 0; j < bands; ++j) {
      const auto to_band = [j](const auto& row) -> const deed::handle<list>& { return row[j]; };
      session.insert_task(settle, deed::read_write(distance[j]), deed::write(frontier[j]),
                          deed::reduce(added), deed::read(found | std::views::transform(to_band)),
                          deed::value(level));
    }
    session.fetch(deed::read(added), deed::everywhere);  // All ranks go on, or none.
    now = *session.borrow(deed::read(added));
  }
  if (session.is_dry()) return;  // There is no result to check.

  std::vector<std::int32_t> expected;
  bool wrong = false;
  for (std::uint32_t i = 0; i < bands; ++i) {
    if (!session.owns(distance[i])) continue;
    if (expected.empty()) expected = sequential();
    const auto ours = session.borrow(deed::read(distance[i]));
    wrong = wrong || !std::ranges::equal(*ours, std::span(expected).subspan(i * width, width));
  }
  if (session.any(wrong))
    throw deed::stop_run(deed::exit_code::codelet_threw, "a distance is not the sequential one");
  if (session.rank() == 0)
    std::cout << reached << " of " << vertices << " vertices reached, in up to " << level - 1
              << " steps, as the sequential search does\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, breadth_first); }
