// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/export/export.hpp"

#include <iomanip>
#include <ostream>

namespace deed::viewer {

void export_wait_graph(const model& of, std::int64_t when, std::ostream& out) {
  out << "digraph waits {\n  node [shape=box];\n";
  for (const wait_edge& each : wait_graph(of, when))
    out << "  " << std::quoted(each.from) << " -> " << std::quoted(each.to)
        << " [label=" << std::quoted(each.because) << (each.in_cycle ? ", color=red" : "")
        << "];\n";
  out << "}\n";
}

}  // namespace deed::viewer
