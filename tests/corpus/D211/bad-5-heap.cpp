// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <memory>

using view = deed::gpu::device_span<double>;
struct window {
  view of;
  int first = 0;
};

view* plain;
std::unique_ptr<window> owned;
std::shared_ptr<window> shared;
window whole;

constexpr deed::codelet made{"made",
                             deed::cuda{[](deed::gpu::enqueue&, view x) { plain = new view(x); }}};
constexpr deed::codelet given{"given", deed::cuda{[](deed::gpu::enqueue&, view x) {
                                owned = std::make_unique<window>(x, 1);
                              }}};
constexpr deed::codelet reset{
    "reset", deed::cuda{[](deed::gpu::enqueue&, view x) { shared.reset(new window{x}); }}};
constexpr deed::codelet member{"member",
                               deed::cuda{[](deed::gpu::enqueue&, view x) { whole.of = x; }}};
constexpr deed::codelet all_of_it{
    "all_of_it", deed::cuda{[](deed::gpu::enqueue&, view x) { whole = window{x, 2}; }}};
constexpr deed::codelet by_a_local{"by_a_local", deed::cuda{[](deed::gpu::enqueue&, view x) {
                                     auto here = std::make_unique<window>();
                                     here->of = x;
                                     owned = std::move(here);
                                   }}};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(10));
  session.insert_task(made, deed::read_write(c));
  session.insert_task(given, deed::read_write(c));
  session.insert_task(reset, deed::read_write(c));
  session.insert_task(member, deed::read_write(c));
  session.insert_task(all_of_it, deed::read_write(c));
  session.insert_task(by_a_local, deed::read_write(c));
}
