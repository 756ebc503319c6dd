// SPDX-License-Identifier: MIT
// A user's own type travels: vectors and a map, packed by its serialize(). A cloud that rank 0 owns
// is moved by it; every step the next rank measures the cloud and rank 0 collects what was
// measured.
#include <deed/deed.hpp>

#include <cmath>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace {

struct particles {  // any type with a Boost.Serialization serialize()
  std::vector<double> x, y, z;
  std::map<int, std::string> species;
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    ar & x & y & z & species;
  }
};

particles make_particles(std::size_t count) {
  particles cloud;
  for (std::size_t i = 0; i < count; ++i) {
    const auto t = static_cast<double>(i);
    cloud.x.push_back(std::cos(t));
    cloud.y.push_back(std::sin(t));
    cloud.z.push_back(0.001 * t);
    if (i % 100 == 0) cloud.species[static_cast<int>(i)] = i % 200 == 0 ? "electron" : "ion";
  }
  return cloud;
}

constexpr auto move_by = [](particles& p, double dt) {
  for (std::size_t i = 0; i < p.x.size(); ++i) {
    const double x = p.x[i];
    p.x[i] -= dt * p.y[i];
    p.y[i] += dt * x;
    p.z[i] += dt;
  }
  p.species.emplace(static_cast<int>(p.species.size()) + 1, "made by a step");
};
constexpr auto measure_cloud = [](double& sum, const particles& p) {
  sum = 0;
  for (std::size_t i = 0; i < p.x.size(); ++i) sum += p.x[i] * p.y[i] + p.z[i];
  for (const auto& [number, name] : p.species) sum += number + static_cast<double>(name.size());
};

constexpr deed::codelet move{"move", [](particles& p, double dt) { move_by(p, dt); }};
constexpr deed::codelet measure{"measure",
                                [](double& sum, const particles& p) { measure_cloud(sum, p); }};
constexpr deed::codelet collect{"collect", [](double& total, const double& sum) { total += sum; }};

void program(deed::session& session) {
  constexpr std::size_t count = 10'000;
  constexpr int steps = 20;
  const double dt = 0.1;

  auto cloud = session.register_data(deed::owner{0}, [] { return make_particles(count); },
                                     {.name = "cloud"});  // runs on rank 0 only
  auto total = session.register_data(deed::owner{0}, 0.0, {.name = "total"});
  for (int step = 0; step < steps; ++step) {
    auto sum =
        session.register_data(deed::owner{(step + 1) % session.size()}, 0.0, {.name = "sum"});
    session.insert_task(move, deed::read_write(cloud), deed::value(dt));
    session.insert_task(measure, deed::write(sum),
                        deed::read(cloud));  // the cloud goes to the owner of `sum`
    session.insert_task(collect, deed::read_write(total), deed::read(sum));
  }
  session.wait();
  if (session.is_dry()) return;  // There is no result to check.
  if (session.rank() != 0) return;

  particles alone = make_particles(count);
  double expected = 0;
  for (int step = 0; step < steps; ++step) {
    double sum = 0;
    move_by(alone, dt);
    measure_cloud(sum, alone);
    expected += sum;
  }
  const double found = *session.borrow(deed::read(total));
  if (found != expected)
    throw deed::stop_run(deed::exit_code::codelet_threw,
                         "the result differs from the sequential one");
  std::cout << "total " << found << ", equal, bit for bit, to the sequential computation\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, program); }
