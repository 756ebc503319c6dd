// SPDX-License-Identifier: MIT
// A body for devices that could enqueue nothing.
// expect-error: deed[D202] a body for devices takes `deed::gpu::enqueue&` first
#include <deed/deed.hpp>

using deed::gpu::device_tile;

constexpr deed::codelet right{
    "right", deed::hip{[](deed::gpu::enqueue&, device_tile<const double>, device_tile<double>) {}}};
constexpr deed::codelet wrong{"wrong",
                              deed::hip{[](device_tile<const double>, device_tile<double>) {}}};

void program(deed::session& session, deed::handle<deed::tile<double>>& a,
             deed::handle<deed::tile<double>>& b) {
  session.insert_task(right, deed::read(a), deed::write(b));
#ifdef DEED_MISUSE
  session.insert_task(wrong, deed::read(a), deed::write(b));  // here
#endif
}
