// SPDX-License-Identifier: MIT
// Pictures go through four stages, each on a rank of its own: while one is sharpened, the next is
// smoothed. Nobody says so; it follows from what the tasks read and write.
#include <deed/deed.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

namespace {

constexpr std::size_t width = 64, frames = 24, at_a_time = 6;
constexpr int stages = 4;

using frame = std::vector<std::int32_t>;  // width x width.

void take_picture(frame& picture, std::size_t number) {
  picture.resize(width * width);
  for (std::size_t k = 0; k < picture.size(); ++k)
    picture[k] = static_cast<std::int32_t>((k * 2654435761u + number * 40503u) % 256);
}
void smooth_out(frame& after, const frame& before) {
  after = before;
  for (std::size_t k = 1; k + 1 < before.size(); ++k)
    after[k] = (before[k - 1] + 2 * before[k] + before[k + 1]) / 4;
}
void find_edges(frame& after, const frame& before) {
  after = before;
  for (std::size_t k = width; k < before.size(); ++k) after[k] = before[k] - before[k - width];
}
void sum_up(std::int64_t& sum, const frame& picture) {
  for (const std::int32_t value : picture) sum = sum * 31 + value;
}

constexpr deed::codelet take{"take", take_picture};
constexpr deed::codelet smooth{"smooth", smooth_out};
constexpr deed::codelet edges{"edges", find_edges};
constexpr deed::codelet sum{"sum", sum_up};

std::int64_t sequential() {
  std::int64_t all = 0;
  frame taken, smoothed, edged;
  for (std::size_t number = 0; number < frames; ++number) {
    take_picture(taken, number);
    smooth_out(smoothed, taken);
    find_edges(edged, smoothed);
    sum_up(all, edged);
  }
  return all;
}

void pipeline(deed::session& session) {
  const auto rank_of = [&](int stage) { return deed::owner{stage * session.size() / stages}; };
  // So many pictures may be under way; a buffer is used again when nobody reads it any more.
  std::vector<std::vector<deed::handle<frame>>> buffers(stages - 1);
  for (int stage = 0; stage + 1 < stages; ++stage) {
    for (std::size_t i = 0; i < at_a_time; ++i)
      buffers[static_cast<std::size_t>(stage)].push_back(
          session.register_data(rank_of(stage), frame{}, {.name = "frame"}));
  }
  auto all = session.register_data(rank_of(stages - 1), std::int64_t{0}, {.name = "all"});

  for (std::size_t number = 0; number < frames; ++number) {
    const std::size_t i = number % at_a_time;
    session.insert_task(take, deed::write(buffers[0][i]), deed::value(number));
    session.insert_task(smooth, deed::write(buffers[1][i]), deed::read(buffers[0][i]));
    session.insert_task(edges, deed::write(buffers[2][i]), deed::read(buffers[1][i]));
    session.insert_task(sum, deed::read_write(all), deed::read(buffers[2][i]));
  }
  session.wait();
  if (session.is_dry()) return;  // There is no result to check.

  bool wrong = false;
  if (session.owns(all)) wrong = *session.borrow(deed::read(all)) != sequential();
  if (session.any(wrong))
    throw deed::stop_run(deed::exit_code::codelet_threw, "a picture is not the sequential one");
  if (session.rank() == 0)
    std::cout << frames << " pictures through " << stages
              << " stages, equal, bit for bit, to the sequential ones\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, pipeline); }
