// SPDX-License-Identifier: MIT
// The best local alignment of two texts (Smith and Waterman, 1981), as a wavefront: each block of
// the table needs the edges of its neighbours to the north, west and north-west. Nothing says which
// blocks may run at the same time but what they read and write.
#include <deed/deed.hpp>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

namespace {

/// What a block leaves to those after it: its last row, its last column, and the best score of all
/// up to here.
struct edges {
  std::vector<int> south, east;
  int best = 0;
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    ar & south & east & best;
  }
};

constexpr std::size_t blocks = 10, width = 40;    // Letters of each text per block.
constexpr int equal = 2, unequal = -1, gap = -1;  // What a pair of letters scores, and one without.

std::string text(unsigned seed) {
  std::string all;
  for (std::size_t i = 0; i < blocks * width; ++i) {
    seed = seed * 1664525 + 1013904223;
    all += static_cast<char>('a' + (seed >> 24) % 5);
  }
  return all;
}
std::string block_of(const std::string& all, std::size_t number) {
  return all.substr(number * width, width);
}

/// One block of the table; neighbours without letters lie outside of it.
void fill(edges& out, const edges& north, const edges& west, const edges& corner,
          const std::string& down, const std::string& across) {
  std::vector<int> row(across.size() + 1, 0), next(across.size() + 1, 0);
  row[0] = corner.south.empty() ? 0 : corner.south.back();
  for (std::size_t j = 0; j < north.south.size(); ++j) row[j + 1] = north.south[j];
  out.east.clear();
  out.best = std::max({north.best, west.best, corner.best});
  for (std::size_t i = 0; i < down.size(); ++i) {
    next[0] = west.east.empty() ? 0 : west.east[i];
    for (std::size_t j = 0; j < across.size(); ++j) {
      const int paired = row[j] + (down[i] == across[j] ? equal : unequal);
      next[j + 1] = std::max({0, paired, row[j + 1] + gap, next[j] + gap});
      out.best = std::max(out.best, next[j + 1]);
    }
    out.east.push_back(next.back());
    std::swap(row, next);
  }
  out.south.assign(row.begin() + 1, row.end());
}
constexpr deed::codelet fill_block{
    "fill_block", [](edges& out, const edges& north, const edges& west, const edges& corner,
                     const std::string& down,
                     const std::string& across) { fill(out, north, west, corner, down, across); }};

int sequential(const std::string& down, const std::string& across) {
  edges all;
  fill(all, {}, {}, {}, down, across);
  return all.best;
}

void wavefront(deed::session& session) {
  const std::string down = text(1), across = text(2);
  // Around the table lies a row and a column of empty blocks.
  std::vector<std::vector<deed::handle<edges>>> table(blocks + 1);
  for (std::size_t i = 0; i <= blocks; ++i) {
    for (std::size_t j = 0; j <= blocks; ++j) {
      const deed::owner target{static_cast<int>(i + j) % session.size()};
      table[i].push_back(session.register_data(target, edges{}, {.name = "edges"}));
    }
  }
  for (std::size_t i = 1; i <= blocks; ++i) {
    for (std::size_t j = 1; j <= blocks; ++j)
      session.insert_task(fill_block, deed::write(table[i][j]), deed::read(table[i - 1][j]),
                          deed::read(table[i][j - 1]), deed::read(table[i - 1][j - 1]),
                          deed::value(block_of(down, i - 1)), deed::value(block_of(across, j - 1)));
  }
  session.wait();
  if (session.is_dry()) return;  // There is no result to check.

  const auto& last = table[blocks][blocks];
  if (!session.owns(last)) return;
  const int found = session.borrow(deed::read(last))->best;
  if (found != sequential(down, across))
    throw deed::stop_run(deed::exit_code::codelet_threw,
                         "the result differs from the sequential one");
  std::cout << "the best local alignment of two texts of " << down.size() << " letters scores "
            << found << '\n';
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, wavefront); }
