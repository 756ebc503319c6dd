// SPDX-License-Identifier: MIT
// A class with private members, and no serialize().
// expect-error: deed[D901] this type cannot travel
#include <deed/deed.hpp>

#include <vector>

class lattice {
 public:
  lattice() : spins_(8) {}
  [[nodiscard]] const std::vector<int>& spins() const { return spins_; }

 private:
  std::vector<int> spins_;
};

#ifdef DEED_MISUSE
void program(deed::session& session) {
  auto state = session.register_data<lattice>(deed::owner{0}, deed::uninitialised);  // here
}
#else
void program(deed::session& session) {
  auto state = session.register_data(deed::owner{0}, lattice().spins());
}
#endif
