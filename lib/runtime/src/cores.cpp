// SPDX-License-Identifier: MIT
#include "cores.hpp"

#include <hwloc.h>

#include <algorithm>

namespace deed::runtime {

int granted_cores() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return 1;
  int cores = 1;
  hwloc_bitmap_t mask = hwloc_bitmap_alloc();
  if (hwloc_topology_load(topology) == 0 &&
      hwloc_get_cpubind(topology, mask, HWLOC_CPUBIND_PROCESS) == 0) {
    cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, mask, HWLOC_OBJ_CORE);
    // A mask of single threads of cores holds no whole core.
    if (cores < 1) cores = hwloc_bitmap_weight(mask);
  }
  hwloc_bitmap_free(mask);
  hwloc_topology_destroy(topology);
  return std::max(1, cores);
}

}  // namespace deed::runtime
