// SPDX-License-Identifier: MIT
// Wrong programs, one per name: `cases NAME [--deed-…]`. What they print stands in `expected`; a
// comment `@x` marks a line that is named there.
#include <deed/deed.hpp>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr deed::codelet root{"root", [](double& x) {
                               if (x < 0) throw std::domain_error("x < 0");
                             }};
constexpr deed::codelet add{"add", [](double& sum, const double& x) { sum += x; }};

struct cloud {
  std::vector<double> x;
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    if (x.size() > 2) throw std::length_error("more than 2 particles");
    ar & x;
    if (Archive::is_loading::value && x.size() == 2) throw std::length_error("too few");
  }
};

void task_throws(deed::session& session) {
  auto a = session.register_data(deed::owner{1}, -1.0, {.name = "a"});
  auto b = session.register_data(deed::owner{0}, 1.0, {.name = "b"});
  session.insert_task(root, deed::read_write(a));  // @inserted
  session.insert_task(add, deed::read_write(b), deed::read(a));
  session.wait();
}

void packing_throws(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, cloud{{1, 2, 3}}, {.name = "c"});  // @registered
  session.fetch(deed::read(c), deed::everywhere);                                   // @packed
  session.wait();
}

void unpacking_throws(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, cloud{{1, 2}}, {.name = "c"});
  session.fetch(deed::read(c), deed::everywhere);  // @unpacked
  session.wait();
}

const std::map<std::string_view, std::function<void(deed::session&)>> cases{
    {"task_throws", task_throws},
    {"packing_throws", packing_throws},
    {"unpacking_throws", unpacking_throws},
};

}  // namespace

int main(int argc, char** argv) {
  return deed::run(argc, argv, [](deed::session& session, deed::arguments arguments) {
    const auto known = arguments.empty() ? cases.end() : cases.find(arguments.front());
    if (known == cases.end()) throw deed::stop_run(deed::exit_code::bad_option, "no such case");
    known->second(session);
  });
}
