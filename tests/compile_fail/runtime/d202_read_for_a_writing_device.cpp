// SPDX-License-Identifier: MIT
// The device body writes what the task only reads.
// expect-error: deed[D202] an argument is not what the device body's parameter asks for
#include <deed/deed.hpp>

using deed::gpu::device_span;

constexpr deed::codelet scale{"scale", deed::cuda{[](deed::gpu::enqueue&, device_span<double>,
                                                     device_span<const double>, double) {}}};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, std::vector<double>(8));
  auto b = session.register_data(deed::owner{0}, std::vector<double>(8));
  session.insert_task(scale, deed::read_write(a), deed::read(b), deed::value(2.0));
#ifdef DEED_MISUSE
  session.insert_task(scale, deed::read(a), deed::read(b), deed::value(2.0));  // here
#endif
}
