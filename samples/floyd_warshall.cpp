// SPDX-License-Identifier: MIT
// The shortest ways between all towns of a map, by blocks (Floyd and Warshall): in each round one
// row and one column of blocks go to all ranks that need them, each once.
#include <deed/deed.hpp>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <vector>

namespace {

constexpr std::size_t width = 16, blocks = 8, towns = width * blocks;
constexpr int far = 1 << 28;  // No way is known yet.

using block = std::vector<int>;  // width x width.

void relax(block& ways, const block& left, const block& above) {
  for (std::size_t over = 0; over < width; ++over) {
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        int& way = ways[i * width + j];
        way = std::min(way, left[i * width + over] + above[over * width + j]);
      }
    }
  }
}

constexpr deed::codelet through_itself{
    "through_itself", [](block& ways) {
      for (std::size_t over = 0; over < width; ++over) {
        for (std::size_t i = 0; i < width; ++i) {
          for (std::size_t j = 0; j < width; ++j)
            ways[i * width + j] =
                std::min(ways[i * width + j], ways[i * width + over] + ways[over * width + j]);
        }
      }
    }};
// What is in the row or the column of the round is read while it is written: the blocks on the
// diagonal are final by then, so that the order inside does not matter.
constexpr deed::codelet along_row{"along_row", [](block& ways, const block& middle) {
                                    const block before = ways;
                                    relax(ways, middle, before);
                                  }};
constexpr deed::codelet along_column{"along_column", [](block& ways, const block& middle) {
                                       const block before = ways;
                                       relax(ways, before, middle);
                                     }};
constexpr deed::codelet through_both{
    "through_both",
    [](block& ways, const block& column, const block& row) { relax(ways, column, row); }};

int road(std::size_t from, std::size_t to) {
  if (from == to) return 0;
  const std::size_t chance = (from * 7919 + to * 104729 + from * to * 31) % 1000;
  return chance < 60 ? static_cast<int>(1 + chance % 17) : far;
}

std::vector<int> sequential() {
  std::vector<int> ways(towns * towns);
  for (std::size_t i = 0; i < towns; ++i) {
    for (std::size_t j = 0; j < towns; ++j) ways[i * towns + j] = road(i, j);
  }
  for (std::size_t over = 0; over < towns; ++over) {
    for (std::size_t i = 0; i < towns; ++i) {
      for (std::size_t j = 0; j < towns; ++j)
        ways[i * towns + j] =
            std::min(ways[i * towns + j], ways[i * towns + over] + ways[over * towns + j]);
    }
  }
  return ways;
}

void floyd_warshall(deed::session& session) {
  std::vector<std::vector<deed::handle<block>>> map(blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    for (std::size_t j = 0; j < blocks; ++j) {
      const auto roads = [i, j] {
        block all(width * width);
        for (std::size_t k = 0; k < all.size(); ++k)
          all[k] = road(i * width + k / width, j * width + k % width);
        return all;
      };
      const deed::owner whose{static_cast<int>(i + 3 * j) % session.size()};
      map[i].push_back(session.register_data(whose, roads, {.name = "map"}));
    }
  }
  for (std::size_t k = 0; k < blocks; ++k) {
    session.insert_task(through_itself, deed::read_write(map[k][k]));
    for (std::size_t i = 0; i < blocks; ++i) {
      if (i == k) continue;
      session.insert_task(along_row, deed::read_write(map[k][i]), deed::read(map[k][k]));
      session.insert_task(along_column, deed::read_write(map[i][k]), deed::read(map[k][k]));
    }
    for (std::size_t i = 0; i < blocks; ++i) {
      for (std::size_t j = 0; j < blocks; ++j) {
        if (i == k || j == k) continue;
        session.insert_task(through_both, deed::read_write(map[i][j]), deed::read(map[i][k]),
                            deed::read(map[k][j]));
      }
    }
  }
  session.wait();
  if (session.is_dry()) return;  // There is no result to check.

  const std::vector<int> expected = sequential();
  bool wrong = false;
  for (std::size_t i = 0; i < blocks; ++i) {
    for (std::size_t j = 0; j < blocks; ++j) {
      if (!session.owns(map[i][j])) continue;
      const auto ways = session.borrow(deed::read(map[i][j]));
      for (std::size_t k = 0; k < ways->size(); ++k) {
        const std::size_t from = i * width + k / width, to = j * width + k % width;
        wrong = wrong || (*ways)[k] != expected[from * towns + to];
      }
    }
  }
  if (session.any(wrong))
    throw deed::stop_run(deed::exit_code::codelet_threw, "a way differs from the sequential one");
  const auto reached = std::ranges::count_if(expected, [](int way) { return way < far; });
  if (session.rank() == 0)
    std::cout << towns << " towns, " << reached << " pairs of them joined by a way\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, floyd_warshall); }
