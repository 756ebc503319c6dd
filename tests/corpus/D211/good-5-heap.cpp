// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <memory>

using view = deed::gpu::device_span<double>;
struct window {
  view of;
  std::size_t size = 0;
};
/// Takes a view and keeps its size.
struct extent {
  explicit extent(view x) : size(x.size()) {}
  std::size_t size;
  const char* unit = "elements";
};
void use(const window&);

std::mutex one;
std::size_t* plain;
std::unique_ptr<extent> owned;
std::shared_ptr<extent> shared;
window whole;

constexpr deed::codelet made{"made", deed::cuda{[](deed::gpu::enqueue&, view x) {
                               const std::lock_guard lock(one);
                               plain = new std::size_t(x.size());
                             }}};
constexpr deed::codelet given{"given", deed::cuda{[](deed::gpu::enqueue&, view x) {
                                const std::lock_guard lock(one);
                                owned = std::make_unique<extent>(x);
                              }}};
constexpr deed::codelet reset{"reset", deed::cuda{[](deed::gpu::enqueue&, view x) {
                                const std::lock_guard lock(one);
                                shared.reset(new extent{x});
                              }}};
constexpr deed::codelet member{"member", deed::cuda{[](deed::gpu::enqueue&, view x) {
                                 const std::lock_guard lock(one);
                                 whole.size = x.size();
                               }}};
constexpr deed::codelet all_of_it{"all_of_it", deed::cuda{[](deed::gpu::enqueue&, view x) {
                                    const std::lock_guard lock(one);
                                    whole = window{{}, x.size()};
                                  }}};
constexpr deed::codelet by_a_local{"by_a_local", deed::cuda{[](deed::gpu::enqueue&, view x) {
                                     const std::lock_guard lock(one);
                                     auto here = std::make_unique<window>();
                                     here->of = x;
                                     use(*here);
                                     auto size = std::make_unique<extent>(x);
                                     owned = std::move(size);
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
