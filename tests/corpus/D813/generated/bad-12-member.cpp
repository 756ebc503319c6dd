// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

inline std::vector<deed::gpu::enqueue*> kept;
struct helper {
  static void work(deed::gpu::enqueue& queue, deed::gpu::device_span<double> x) {
    kept.push_back(&queue);  // D813
  }
};
constexpr deed::codelet it{"it", deed::cuda{[](deed::gpu::enqueue& queue, deed::gpu::device_span<double> x) { helper::work(queue, x); }}};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(10));
  session.insert_task(it, deed::read_write(c));
}
