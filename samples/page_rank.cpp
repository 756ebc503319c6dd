// SPDX-License-Identifier: MIT
// How often somebody who follows links at random is on each page: a sparse matrix in bands of rows
// times a vector, again and again. A band reads the parts of the vector that its links need.
#include <deed/deed.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <ranges>
#include <set>
#include <span>
#include <vector>

namespace {

constexpr std::size_t bands = 12, width = 50, pages = bands * width;
constexpr int rounds = 30;
constexpr double stays = 0.85;

/// The pages that link to a page: near ones, and one that all like.
std::vector<std::size_t> links_to(std::size_t page) {
  std::vector<std::size_t> from;
  const std::size_t count = page % 97 == 0 ? 40 : 3;
  for (std::size_t k = 1; k <= count; ++k)
    from.push_back((page + k * k * 7) % (pages / 2) + page / 2);
  return from;
}
std::vector<double> links_out() {
  std::vector<double> count(pages, 0.0);
  for (std::size_t page = 0; page < pages; ++page)
    for (const std::size_t from : links_to(page)) count[from] += 1;
  return count;
}

using part = std::vector<double>;

/// The rows of one band, as three lists; columns are counted within the parts that it reads.
struct band {
  std::vector<std::uint32_t> begin, source;
  std::vector<double> weight;
};
std::vector<std::size_t> parts_of(std::size_t number) {  // Equal on all ranks.
  std::set<std::size_t> needed;
  for (std::size_t row = 0; row < width; ++row)
    for (const std::size_t from : links_to(number * width + row)) needed.insert(from / width);
  return {needed.begin(), needed.end()};
}
band make_band(std::size_t number, const std::vector<std::size_t>& needed) {
  const std::vector<double> out = links_out();
  band rows;
  for (std::size_t row = 0; row < width; ++row) {
    rows.begin.push_back(static_cast<std::uint32_t>(rows.source.size()));
    for (const std::size_t from : links_to(number * width + row)) {
      const auto which = std::lower_bound(needed.begin(), needed.end(), from / width);
      rows.source.push_back(static_cast<std::uint32_t>(
          static_cast<std::size_t>(which - needed.begin()) * width + from % width));
      rows.weight.push_back(1 / out[from]);
    }
  }
  rows.begin.push_back(static_cast<std::uint32_t>(rows.source.size()));
  return rows;
}

constexpr deed::codelet follow{
    "follow", [](part& next, const band& rows, std::span<const part* const> now) {
      for (std::size_t row = 0; row < width; ++row) {
        double sum = 0;
        for (std::uint32_t k = rows.begin[row]; k < rows.begin[row + 1]; ++k)
          sum += rows.weight[k] * (*now[rows.source[k] / width])[rows.source[k] % width];
        next[row] = (1 - stays) / pages + stays * sum;
      }
    }};

part sequential() {
  const std::vector<double> out = links_out();
  part now(pages, 1.0 / pages), next(pages);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t page = 0; page < pages; ++page) {
      double sum = 0;
      for (const std::size_t from : links_to(page)) sum += 1 / out[from] * now[from];
      next[page] = (1 - stays) / pages + stays * sum;
    }
    std::swap(now, next);
  }
  return now;
}

void page_rank(deed::session& session) {
  std::vector<deed::handle<band>> matrix;
  std::vector<deed::handle<part>> now, next;
  std::vector<std::vector<std::size_t>> needed;
  for (std::size_t i = 0; i < bands; ++i) {
    const deed::owner whose{i * static_cast<std::size_t>(session.size()) / bands};
    needed.push_back(parts_of(i));
    matrix.push_back(session.register_data(whose, [i, &needed] { return make_band(i, needed[i]); },
                                           {.name = "matrix"}));
    now.push_back(session.register_data(whose, part(width, 1.0 / pages), {.name = "now"}));
    next.push_back(session.register_data(whose, part(width), {.name = "next"}));
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < bands; ++i) {
      const auto number = [&](std::size_t each) -> const deed::handle<part>& { return now[each]; };
      session.insert_task(follow, deed::write(next[i]), deed::read(matrix[i]),
                          deed::read(needed[i] | std::views::transform(number)));
    }
    std::swap(now, next);
  }
  session.wait();
  if (session.is_dry()) return;  // There is no result to check.

  const part expected = sequential();
  bool wrong = false;
  for (std::size_t i = 0; i < bands; ++i) {
    if (!session.owns(now[i])) continue;
    const auto ours = session.borrow(deed::read(now[i]));
    wrong = wrong || !std::equal(ours->begin(), ours->end(),
                                 expected.begin() + static_cast<std::ptrdiff_t>(i * width));
  }
  if (session.any(wrong))
    throw deed::stop_run(deed::exit_code::codelet_threw, "a page's rank is not the sequential one");
  if (session.rank() == 0)
    std::cout << pages << " pages, " << rounds
              << " rounds, equal, bit for bit, to the sequential ones\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, page_rank); }
