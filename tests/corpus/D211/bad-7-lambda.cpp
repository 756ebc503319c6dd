// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <functional>

using view = deed::gpu::device_span<double>;
void use(view);

std::function<void()> later;
std::vector<std::function<void()>> list;

constexpr deed::codelet captured{
    "captured", deed::cuda{[](deed::gpu::enqueue&, view x) { later = [x] { use(x); }; }}};
constexpr deed::codelet in_a_list{"in_a_list", deed::cuda{[](deed::gpu::enqueue&, view x) {
                                    list.push_back([part = x.subspan(0, 4)] { use(part); });
                                  }}};
constexpr deed::codelet by_a_local{"by_a_local", deed::cuda{[](deed::gpu::enqueue&, view x) {
                                     const auto act = [x] { use(x); };
                                     later = act;
                                   }}};
constexpr deed::codelet by_reference{"by_reference",
                                     [](std::vector<double>& v) { later = [&v] { v[0] = 1; }; }};
constexpr deed::codelet bound{
    "bound", deed::cuda{[](deed::gpu::enqueue&, view x) { later = std::bind_front(use, x); }}};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(10));
  session.insert_task(captured, deed::read_write(c));
  session.insert_task(in_a_list, deed::read_write(c));
  session.insert_task(by_a_local, deed::read_write(c));
  session.insert_task(by_reference, deed::read_write(c));
  session.insert_task(bound, deed::read_write(c));
}
