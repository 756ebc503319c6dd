// SPDX-License-Identifier: MIT
#include "common.hpp"

using view = deed::gpu::device_span<const double>;
struct named {
  const char* name;
  view of;
};

std::vector<view> views;
std::vector<named> list;
std::map<int, view> table;
std::optional<view> last;

constexpr deed::codelet pushed{"pushed",
                               deed::cuda{[](deed::gpu::enqueue&, view x) { views.push_back(x); }}};
constexpr deed::codelet in_a_struct{"in_a_struct", deed::cuda{[](deed::gpu::enqueue&, view x) {
                                      list.push_back({"x", x.subspan(1, 2)});
                                    }}};
constexpr deed::codelet by_key{"by_key",
                               deed::cuda{[](deed::gpu::enqueue&, view x) { table[1] = x; }}};
constexpr deed::codelet as_a_pair{
    "as_a_pair", deed::cuda{[](deed::gpu::enqueue&, view x) { table.insert({2, x}); }}};
constexpr deed::codelet maybe{"maybe", deed::cuda{[](deed::gpu::enqueue&, view x) { last = x; }}};
constexpr deed::codelet by_a_local{"by_a_local", deed::cuda{[](deed::gpu::enqueue&, view x) {
                                     std::vector<view> here;
                                     here.push_back(x);
                                     views = std::move(here);
                                   }}};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(10));
  session.insert_task(pushed, deed::read(c));
  session.insert_task(in_a_struct, deed::read(c));
  session.insert_task(by_key, deed::read(c));
  session.insert_task(as_a_pair, deed::read(c));
  session.insert_task(maybe, deed::read(c));
  session.insert_task(by_a_local, deed::read(c));
}
