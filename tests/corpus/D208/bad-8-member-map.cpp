// SPDX-License-Identifier: MIT
#include "common.hpp"

using field = std::vector<double>;
constexpr deed::codelet set{"set", [](field& f) { f.assign(8, 1); }};
constexpr deed::codelet shift{
    "shift", [](field& to, const field& from) { to.assign(from.rbegin(), from.rend()); }};
constexpr deed::codelet mean{"mean", [](double& m, const field& f) { m = f.front(); }};

// Fields by their names, and nobody calls `fill()`.
class fluid {
 public:
  explicit fluid(deed::session& session) : session_(session) {
    for (const char* name : {"density", "pressure"})
      fields_.emplace(
          name, session.register_data<field>(deed::owner{0}, deed::uninitialised, {.name = name}));
  }
  void fill() {
    for (auto& [name, f] : fields_) session_.insert_task(set, deed::write(f));
  }
  void step() {
    for (auto& [name, f] : fields_) {
      auto next = session_.register_data(deed::owner{0}, field(8), {.name = "next"});
      session_.insert_task(shift, deed::write(next), deed::read(f));
      std::swap(f, next);
    }
  }
  double mean_of(const std::string& name) {
    auto m = session_.register_data(deed::owner{0}, 0.0, {.name = "mean"});
    session_.insert_task(mean, deed::write(m), deed::read(fields_.at(name)));
    session_.fetch(deed::read(m), deed::everywhere);
    return *session_.borrow(deed::read(m));
  }

 private:
  deed::session& session_;
  std::map<std::string, deed::handle<field>> fields_;
};

void program(deed::session& session) {
  fluid water(session);
  for (int i = 0; i < 20; ++i) {
    water.step();
    if (water.mean_of("density") < 1e-3) break;
  }
}
