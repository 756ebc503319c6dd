// SPDX-License-Identifier: MIT
// A vector lies on rank 0. Its blocks go to their owners, one task works on each, and rank 0 gets
// them back: scatter and gather follow the owners, and nobody counts bytes.
#include <deed/deed.hpp>

#include <cmath>
#include <iostream>
#include <vector>

namespace {

using block = std::vector<float>;

constexpr auto smooth = [](block& x) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sqrt(x[i] + static_cast<float>(i));
};
constexpr deed::codelet work{"work", [](block& x) { smooth(x); }};

block make_block(int number) {
  block made(static_cast<std::size_t>(100 + 10 * number));  // Of different lengths.
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<float>(number) + 1;
  return made;
}

void program(deed::session& session) {
  const int count = 3 * session.size() + 1, root = 0;
  std::vector<deed::handle<block>> blocks;
  for (int i = 0; i < count; ++i) {
    blocks.push_back(session.register_data<block>(deed::owner{i % session.size()},
                                                  deed::uninitialised, {.name = "block"}));
  }
  std::vector<block> vector;  // Of the root alone.
  if (session.rank() == root) {
    for (int i = 0; i < count; ++i) vector.push_back(make_block(i));
  }

  session.scatter(deed::write(blocks), deed::from{root}, vector);
  for (auto& each : blocks) session.insert_task(work, deed::read_write(each));
  session.gather(deed::read(blocks), deed::to{root}, vector, deed::when_done([&] {
                   if (session.rank() == root && !session.is_dry()) std::cout << "all are back\n";
                 }));
  session.wait();
  if (session.is_dry()) return;  // There is no result to check.
  if (session.rank() != root) return;

  for (int i = 0; i < count; ++i) {
    block alone = make_block(i);
    smooth(alone);
    if (vector[static_cast<std::size_t>(i)] == alone) continue;
    throw deed::stop_run(deed::exit_code::codelet_threw,
                         "block " + std::to_string(i) + " differs from the sequential one");
  }
  std::cout << count << " blocks, equal, bit for bit, to the sequential ones\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, program); }
