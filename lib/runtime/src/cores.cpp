// SPDX-License-Identifier: MIT
#include "cores.hpp"

#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace deed::runtime {
namespace {

/// Owns a set of processing units.
class units {
 public:
  units() : set_(hwloc_bitmap_alloc()) {}
  explicit units(const std::string& list) : units() {
    hwloc_bitmap_list_sscanf(set_, list.c_str());
  }
  units(units&& other) noexcept : set_(std::exchange(other.set_, nullptr)) {}
  units& operator=(units&&) = delete;
  ~units() { hwloc_bitmap_free(set_); }

  [[nodiscard]] hwloc_bitmap_t get() const noexcept { return set_; }
  [[nodiscard]] std::string list() const {
    char* text = nullptr;
    if (hwloc_bitmap_list_asprintf(&text, set_) < 0) return {};
    const std::unique_ptr<char, decltype(&std::free)> kept(text, &std::free);
    return kept.get();
  }

 private:
  hwloc_bitmap_t set_;
};

}  // namespace

struct core_set::machine {
  hwloc_topology_t topology = nullptr;
  std::vector<units> cores;  // What the mask grants of each.

  machine() {
    if (hwloc_topology_init(&topology) != 0) return;
    const units mask;
    if (hwloc_topology_load(topology) != 0 ||
        hwloc_get_cpubind(topology, mask.get(), HWLOC_CPUBIND_PROCESS) != 0) {
      return;
    }
    for (hwloc_obj_t core = nullptr;
         (core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != nullptr;) {
      if (hwloc_bitmap_intersects(core->cpuset, mask.get()) == 0) continue;
      cores.emplace_back();
      hwloc_bitmap_and(cores.back().get(), core->cpuset, mask.get());
    }
  }
  ~machine() {
    if (topology != nullptr) hwloc_topology_destroy(topology);
  }
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;
};

core_set core_set::granted() {
  const auto found = std::make_shared<const machine>();
  core_set all;
  all.machine_ = found;
  all.cores_.resize(found->cores.size());
  std::iota(all.cores_.begin(), all.cores_.end(), 0);
  return all;
}

core_set core_set::part(int index, int parts) const {
  const int each = count() / parts;
  core_set mine;
  mine.machine_ = machine_;
  const auto first = cores_.begin() + index * each;
  mine.cores_.assign(first, first + each);
  return mine;
}

core_share core_set::share_of(const std::vector<std::string>& masks, int self) const {
  const std::string& own = masks[static_cast<std::size_t>(self)];
  const units mine(own);
  int before = 0, same = 0, sharing = 0;
  for (std::size_t r = 0; r < masks.size(); ++r) {
    const bool equal = masks[r] == own;
    same += equal ? 1 : 0;
    before += equal && static_cast<int>(r) < self ? 1 : 0;
    sharing += hwloc_bitmap_intersects(mine.get(), units(masks[r]).get()) != 0 ? 1 : 0;
  }
  return {.own = sharing == same ? part(before, same) : core_set{},
          .fair = std::max(1, count() / std::max(1, sharing))};
}

std::string core_set::mask() const {
  const units all;
  for (const int core : cores_) {
    hwloc_bitmap_or(all.get(), all.get(), machine_->cores[static_cast<std::size_t>(core)].get());
  }
  return all.list();
}

void core_set::bind(int number, int of) const {
  if (of > count()) return;
  hwloc_set_cpubind(machine_->topology, units(part(number, of).mask()).get(), HWLOC_CPUBIND_THREAD);
}

std::shared_ptr<const void> core_set::visit(int number, int of) const {
  if (of > count()) return nullptr;
  const int each = count() / of, now = ::sched_getcpu();
  for (int i = number * each; i < (number + 1) * each; ++i) {
    const auto& core =
        machine_->cores[static_cast<std::size_t>(cores_[static_cast<std::size_t>(i)])];
    if (now < 0 || hwloc_bitmap_isset(core.get(), static_cast<unsigned>(now)) != 0) return nullptr;
  }
  struct guest {
    std::shared_ptr<const machine> home;
    units before;
    ~guest() { hwloc_set_cpubind(home->topology, before.get(), HWLOC_CPUBIND_THREAD); }
  };
  const auto made = std::make_shared<guest>(machine_, units());
  if (hwloc_get_cpubind(machine_->topology, made->before.get(), HWLOC_CPUBIND_THREAD) != 0)
    return nullptr;
  bind(number, of);
  return made;
}

}  // namespace deed::runtime
