// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <functional>
#include <memory>

using view = deed::gpu::device_span<double>;
struct work {
  deed::gpu::enqueue* where;
};

std::mutex one;
std::unique_ptr<deed::gpu::device_id> owned;
std::vector<deed::gpu::device_id> list;
std::function<int()> later;

constexpr deed::codelet given{"given", deed::cuda{[](deed::gpu::enqueue& q, view) {
                                const auto here = std::make_unique<work>(&q);
                                const std::lock_guard lock(one);
                                owned.reset(new deed::gpu::device_id(here->where->device()));
                              }}};
constexpr deed::codelet pushed{"pushed", deed::cuda{[](deed::gpu::enqueue& q, view) {
                                 const std::lock_guard lock(one);
                                 list.push_back(q.device());
                               }}};
constexpr deed::codelet captured{"captured", deed::cuda{[](deed::gpu::enqueue& q, view) {
                                   const std::lock_guard lock(one);
                                   later = [at = q.device()] { return at.value; };
                                   const auto now = [&q] { return q.device(); };
                                   static_cast<void>(now());
                                 }}};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(10));
  session.insert_task(given, deed::read_write(c));
  session.insert_task(pushed, deed::read_write(c));
  session.insert_task(captured, deed::read_write(c));
}
