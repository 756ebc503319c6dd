// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <functional>
#include <memory>

using view = deed::gpu::device_span<double>;
struct work {
  deed::gpu::enqueue* where;
};

std::unique_ptr<work> owned;
std::vector<deed::gpu::enqueue*> list;
std::function<void()> later;

constexpr deed::codelet given{
    "given", deed::cuda{[](deed::gpu::enqueue& q, view) { owned.reset(new work{&q}); }}};
constexpr deed::codelet pushed{"pushed",
                               deed::cuda{[](deed::gpu::enqueue& q, view) { list.push_back(&q); }}};
constexpr deed::codelet captured{"captured", deed::cuda{[](deed::gpu::enqueue& q, view) {
                                   later = [&q] { static_cast<void>(q.device()); };
                                 }}};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(10));
  session.insert_task(given, deed::read_write(c));
  session.insert_task(pushed, deed::read_write(c));
  session.insert_task(captured, deed::read_write(c));
}
