// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <functional>

using view = deed::gpu::device_span<double>;
void use(view);
void note(std::size_t);

std::mutex one;
std::function<void()> later;
std::vector<std::function<void()>> list;

constexpr deed::codelet captured{"captured", deed::cuda{[](deed::gpu::enqueue&, view x) {
                                   const std::lock_guard lock(one);
                                   later = [size = x.size()] { note(size); };
                                 }}};
constexpr deed::codelet in_a_list{"in_a_list", deed::cuda{[](deed::gpu::enqueue&, view x) {
                                    const std::lock_guard lock(one);
                                    list.push_back([size = x.size()] { note(size); });
                                  }}};
constexpr deed::codelet by_a_local{"by_a_local", deed::cuda{[](deed::gpu::enqueue&, view x) {
                                     const auto act = [x] { use(x); };
                                     act();
                                   }}};
constexpr deed::codelet by_reference{"by_reference", [](std::vector<double>& v) {
                                       v[0] = 1;
                                       const std::lock_guard lock(one);
                                       later = [copy = v] { note(copy.size()); };
                                     }};
constexpr deed::codelet bound{"bound", deed::cuda{[](deed::gpu::enqueue&, view x) {
                                const std::lock_guard lock(one);
                                later = std::bind_front(note, x.size());
                              }}};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(10));
  session.insert_task(captured, deed::read_write(c));
  session.insert_task(in_a_list, deed::read_write(c));
  session.insert_task(by_a_local, deed::read_write(c));
  session.insert_task(by_reference, deed::read_write(c));
  session.insert_task(bound, deed::read_write(c));
}
