// SPDX-License-Identifier: MIT
#include "common.hpp"

struct named {
  const char* name;
  std::size_t size;
};

std::mutex one;
std::vector<double> values;
std::vector<named> list;
std::map<int, std::size_t> table;
std::optional<double> last;

constexpr deed::codelet pushed{"pushed", [](std::span<const double> x) {
                                 const std::lock_guard lock(one);
                                 values.push_back(x[0]);
                               }};
constexpr deed::codelet copied{"copied", [](std::span<const double> x) {
                                 const std::lock_guard lock(one);
                                 values.assign(x.data(), x.data() + x.size());
                               }};
constexpr deed::codelet in_a_struct{"in_a_struct", [](std::span<const double> x) {
                                      const std::lock_guard lock(one);
                                      list.push_back({"x", x.size()});
                                    }};
constexpr deed::codelet by_key{"by_key", [](std::span<const double> x) {
                                 const std::lock_guard lock(one);
                                 table[1] = x.size();
                               }};
constexpr deed::codelet as_a_pair{"as_a_pair", [](std::span<const double> x) {
                                    const std::lock_guard lock(one);
                                    table.insert({2, x.size()});
                                  }};
constexpr deed::codelet maybe{"maybe", [](std::span<const double> x) {
                                const std::lock_guard lock(one);
                                last = x[0];
                              }};
constexpr deed::codelet by_a_local{"by_a_local", [](std::span<const double> x) {
                                     std::vector<std::span<const double>> here;
                                     here.push_back(x);
                                     const std::lock_guard lock(one);
                                     values.push_back(here[0][0]);
                                   }};

void program(deed::session& session) {
  std::vector<double> room(10);
  auto c = session.register_data(deed::owner{0}, deed::in_place(room));
  session.insert_task(pushed, deed::read(c));
  session.insert_task(copied, deed::read(c));
  session.insert_task(in_a_struct, deed::read(c));
  session.insert_task(by_key, deed::read(c));
  session.insert_task(as_a_pair, deed::read(c));
  session.insert_task(maybe, deed::read(c));
  session.insert_task(by_a_local, deed::read(c));
}
