// SPDX-License-Identifier: MIT
// A right result by a wrong way. Every rank owns some columns of numbers, and each step smooths all
// of them; but the tasks are sent to rank 0, so that each column travels home from there in every
// step, and the other ranks wait. The weights travel again and again, too: each step forgets the
// copies of them. docs/viewer.md finds both with a recording. `--straight` is the program as it
// should be: without `on`, a task runs where its data are. With `--broken` a column is wrong from
// the start, and a task throws.
#include <deed/deed.hpp>

#include <cmath>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using numbers = std::vector<double>;

constexpr int steps = 12, columns_per_rank = 2, length = 4'000;
constexpr deed::flops work{30 * length};  // Of a task, on virtual ranks.

constexpr auto smooth_column = [](numbers& column, const numbers& weights) {
  double before = column.front();
  for (std::size_t i = 1; i + 1 < column.size(); ++i)
    before =
        std::exchange(column[i], std::sqrt((before + weights[i] * column[i] + column[i + 1]) / 3));
};
constexpr deed::codelet smooth{"smooth", [](numbers& column, const numbers& weights) {
                                 if (column.front() < 0)
                                   throw std::domain_error("a column begins below zero");
                                 smooth_column(column, weights);
                               }};
constexpr deed::codelet add_up{"add_up", [](double& sum, const numbers& column) {
                                 for (const double each : column) sum += each;
                               }};

numbers column_of(int number) {
  numbers values(length);
  for (int i = 0; i < length; ++i)
    values[static_cast<std::size_t>(i)] = 1.0 + (number * 31 + i * 7) % 100;
  return values;
}

double sequential_sum(int columns, const numbers& weights) {
  double sum = 0;
  for (int c = 0; c < columns; ++c) {
    numbers column = column_of(c);
    for (int step = 0; step < steps; ++step) smooth_column(column, weights);
    for (const double each : column) sum += each;
  }
  return sum;
}

void program(deed::session& session, deed::arguments given) {
  bool straight = false, broken = false;
  for (const std::string& each : given) {
    if (each == "--straight")
      straight = true;
    else if (each == "--broken")
      broken = true;
    else
      throw deed::stop_run(deed::exit_code::bad_option,
                           each + ": no such option; there are --straight and --broken");
  }
  const int count = columns_per_rank * session.size();
  std::vector<deed::handle<numbers>> columns;
  for (int c = 0; c < count; ++c) {
    const auto filled = [c, broken, count] {
      numbers values = column_of(c);
      if (broken && c == count - 1) values.front() = -1;
      return values;
    };
    columns.push_back(
        session.register_data(deed::owner{c % session.size()}, filled, {.name = "column"}));
  }
  auto weights = session.register_data(deed::owner{session.size() - 1},
                                       [] { return numbers(length, 1.25); }, {.name = "weights"});
  for (int step = 0; step < steps; ++step) {
    for (auto& column : columns) {
      if (straight)
        session.insert_task(smooth, deed::read_write(column), deed::read(weights), work);
      else
        session.insert_task(smooth, deed::read_write(column), deed::read(weights), work,
                            deed::on(deed::rank{0}));  // the detour
    }
    if (!straight) session.flush(weights);  // "saves memory"
  }
  auto sum = session.register_data(deed::owner{0}, 0.0, {.name = "sum"});
  for (auto& column : columns)
    session.insert_task(add_up, deed::read_write(sum), deed::read(column), work);
  session.wait();
  if (session.is_dry()) return;  // There is no result to check.
  if (session.rank() != 0) return;
  const double found = *session.borrow(deed::read(sum));
  if (found != sequential_sum(count, numbers(length, 1.25)))
    throw deed::stop_run(deed::exit_code::codelet_threw,
                         "the result differs from the sequential one");
  std::cout << "sum " << found << ", equal, bit for bit, to the sequential computation\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, program); }
