// SPDX-License-Identifier: MIT
// A wave on a ring that survives its own end: kill it at any moment, start it again, on as many
// ranks as you like, and it goes on from its last checkpoint to the same bits.
//   restart [--folder=restart.deed] [--steps=2000] [--every=50]
#include <deed/deed.hpp>

#include "support/report.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

namespace {

constexpr std::size_t parts = 8, points = 512;  // Of each part.

/// A stretch of the ring: heights now and one step before.
struct stretch {
  std::vector<double> now, before;
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    ar & now & before;
  }
};
/// What the neighbours need to know of a stretch.
struct ends {
  double first = 0, last = 0;
};

stretch plucked(std::size_t part) {
  stretch made;
  for (std::size_t i = 0; i < points; ++i) {
    const double x = static_cast<double>(part * points + i) / (parts * points);
    made.now.push_back(std::exp(-200 * (x - 0.3) * (x - 0.3)));
  }
  made.before = made.now;
  return made;
}

constexpr auto ends_of = [](ends& of, const stretch& s) { of = {s.now.front(), s.now.back()}; };
constexpr auto advance = [](stretch& s, const ends& left, const ends& right) {
  std::vector<double> next(s.now.size());
  for (std::size_t i = 0; i < next.size(); ++i) {
    const double below = i == 0 ? left.last : s.now[i - 1];
    const double above = i + 1 == next.size() ? right.first : s.now[i + 1];
    next[i] = 2 * s.now[i] - s.before[i] + 0.25 * (below - 2 * s.now[i] + above);
  }
  s.before = std::move(s.now);
  s.now = std::move(next);
};
constexpr auto mix_in = [](std::uint64_t& hash, const stretch& s) {
  for (const double x : s.now) hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001b3;
};

constexpr deed::codelet look{"look", ends_of};
constexpr deed::codelet move{"move", advance};
constexpr deed::codelet mix{"mix", mix_in};

std::uint64_t sequential(std::uint64_t steps) {
  std::vector<stretch> ring;
  for (std::size_t p = 0; p < parts; ++p) ring.push_back(plucked(p));
  std::vector<ends> borders(parts);
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (std::size_t p = 0; p < parts; ++p) ends_of(borders[p], ring[p]);
    for (std::size_t p = 0; p < parts; ++p)
      advance(ring[p], borders[(p + parts - 1) % parts], borders[(p + 1) % parts]);
  }
  std::uint64_t hash = 0;
  for (const stretch& each : ring) mix_in(hash, each);
  return hash;
}

struct options {
  std::string folder = "restart.deed";
  std::uint64_t steps = 2000, every = 50;
};

options read_options(deed::arguments given) {
  options wanted;
  for (const std::string& each : given) {
    if (each == "--help") {
      throw deed::stop_run(deed::exit_code::success,
                           "restart [--folder=restart.deed] [--steps=2000] [--every=50]");
    } else if (each.starts_with("--folder=") && each.size() > 9) {
      wanted.folder = each.substr(9);
    } else if (each.starts_with("--steps=")) {
      wanted.steps = static_cast<std::uint64_t>(sample::positive(each));
    } else if (each.starts_with("--every=")) {
      wanted.every = static_cast<std::uint64_t>(sample::positive(each));
    } else {
      throw deed::stop_run(deed::exit_code::bad_option,
                           each + ": no such option; `restart --help` lists them");
    }
  }
  return wanted;
}

/// Not the folder with all that is in it: it may be anybody's.
void remove_checkpoints(const std::string& folder) {
  std::error_code ignored;
  for (const auto& each : std::filesystem::directory_iterator(folder, ignored)) {
    if (each.path().filename().string().starts_with("generation-"))
      std::filesystem::remove_all(each.path(), ignored);
  }
  std::filesystem::remove(folder, ignored);  // If it is empty now.
}

void program(deed::session& session, deed::arguments given) {
  const options wanted = read_options(given);
  std::vector<deed::handle<stretch>> ring;
  std::vector<deed::handle<ends>> borders;
  for (std::size_t p = 0; p < parts; ++p) {
    const deed::owner who{p * static_cast<std::size_t>(session.size()) / parts};
    ring.push_back(session.register_data(who, [p] { return plucked(p); }, {.name = "stretch"}));
    borders.push_back(session.register_data(who, ends{}, {.name = "border"}));
  }

  const auto found = session.resume(wanted.folder);
  const std::uint64_t begin = found.value_or(0);
  if (session.rank() == 0)
    std::cout << (found ? "goes on from step " + std::to_string(begin) : "starts") + " on " +
                     std::to_string(session.size()) + " ranks\n";
  for (std::uint64_t step = begin; step < wanted.steps;) {
    for (std::size_t p = 0; p < parts; ++p)
      session.insert_task(look, deed::write(borders[p]), deed::read(ring[p]));
    for (std::size_t p = 0; p < parts; ++p)
      session.insert_task(move, deed::read_write(ring[p]),
                          deed::read(borders[(p + parts - 1) % parts]),
                          deed::read(borders[(p + 1) % parts]));
    if (++step % wanted.every == 0) session.checkpoint(wanted.folder, step);
  }
  if (begin > wanted.steps)
    throw deed::stop_run(deed::exit_code::bad_option, "--steps=" + std::to_string(wanted.steps) +
                                                          ": the checkpoint in " + wanted.folder +
                                                          " is of step " + std::to_string(begin));

  auto hash = session.register_data(deed::owner{0}, std::uint64_t{0}, {.name = "hash"});
  for (const auto& each : ring) session.insert_task(mix, deed::read_write(hash), deed::read(each));
  session.wait();
  if (session.is_dry()) return;  // There is no result to check.
  if (session.rank() != 0) return;
  const std::uint64_t bits = *session.borrow(deed::read(hash));
  std::cout << "bits " << std::hex << bits << std::dec << '\n';
  if (bits != sequential(wanted.steps))
    throw deed::stop_run(deed::exit_code::codelet_threw, "the wave is not the sequential one");
  remove_checkpoints(wanted.folder);  // The run is over.
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, program); }
