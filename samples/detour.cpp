// SPDX-License-Identifier: MIT
// A right result by a wrong way. Every rank owns some columns of numbers, and each step smooths all
// of them; but the tasks are sent to rank 0, so that each column travels there and back in every
// step, and the other ranks wait. docs/viewer.md finds this with a recording. `--straight` is the
// program as it should be: without `on`, a task runs where its data are.
#include <deed/deed.hpp>

#include <cmath>
#include <iostream>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr int steps = 12, columns_per_rank = 2, length = 4'000;

constexpr auto smooth_column = [](std::vector<double>& column) {
  double before = column.front();
  for (std::size_t i = 1; i + 1 < column.size(); ++i)
    before = std::exchange(column[i], std::sqrt((before + column[i] + column[i + 1]) / 3));
};
constexpr deed::codelet smooth{"smooth",
                               [](std::vector<double>& column) { smooth_column(column); }};
constexpr deed::codelet add_up{"add_up", [](double& sum, const std::vector<double>& column) {
                                 for (const double each : column) sum += each;
                               }};

std::vector<double> column_of(int number) {
  std::vector<double> values(length);
  for (int i = 0; i < length; ++i)
    values[static_cast<std::size_t>(i)] = 1.0 + (number * 31 + i * 7) % 100;
  return values;
}

double sequential_sum(int columns) {
  double sum = 0;
  for (int c = 0; c < columns; ++c) {
    std::vector<double> column = column_of(c);
    for (int step = 0; step < steps; ++step) smooth_column(column);
    for (const double each : column) sum += each;
  }
  return sum;
}

void program(deed::session& session, deed::arguments given) {
  const bool straight = !given.empty() && std::string_view(given[0]) == "--straight";
  const int count = columns_per_rank * session.size();
  std::vector<deed::handle<std::vector<double>>> columns;
  for (int c = 0; c < count; ++c)
    columns.push_back(session.register_data(deed::owner{c % session.size()},
                                            [c] { return column_of(c); }, {.name = "column"}));
  for (int step = 0; step < steps; ++step) {
    for (auto& column : columns) {
      if (straight)
        session.insert_task(smooth, deed::read_write(column));
      else
        session.insert_task(smooth, deed::read_write(column),
                            deed::on(deed::rank{0}));  // the detour
    }
  }
  auto sum = session.register_data(deed::owner{0}, 0.0, {.name = "sum"});
  for (auto& column : columns)
    session.insert_task(add_up, deed::read_write(sum), deed::read(column));
  session.wait();
  if (session.rank() != 0) return;
  const double found = *session.borrow(deed::read(sum));
  if (found != sequential_sum(count))
    throw deed::stop_run(deed::exit_code::codelet_threw,
                         "the result differs from the sequential one");
  std::cout << "sum " << found << ", equal, bit for bit, to the sequential computation\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, program); }
