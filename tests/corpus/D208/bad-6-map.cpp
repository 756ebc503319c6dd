// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet follow{"follow", [](double& next, const double& now) { next = now + 1; }};

// The fields are stepped, and nobody has filled them.
class fluid {
 public:
  explicit fluid(deed::session& session) : session_(session) {
    for (const char* name : {"density", "pressure"})
      fields_.emplace(name, session.register_data<double>(deed::owner{0}, deed::uninitialised));
  }
  void step() {
    for (auto& [name, field] : fields_) {
      auto next = session_.register_data(deed::owner{0}, 0.0);
      session_.insert_task(follow, deed::write(next), deed::read(field));
      std::swap(field, next);
    }
  }

 private:
  deed::session& session_;
  std::map<std::string, deed::handle<double>> fields_;
};

void program(deed::session& session) {
  fluid water(session);
  for (int i = 0; i < 3; ++i) water.step();
  session.wait();
}
