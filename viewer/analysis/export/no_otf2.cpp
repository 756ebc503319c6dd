// SPDX-License-Identifier: MIT
#include "analysis/export/export.hpp"
#include "analysis/read/metadata.hpp"

namespace deed::viewer {

void export_otf2(const model&, const std::string&, const run_part&) {
  throw unreadable("this deed-trace was built without OTF2: install libopen-trace-format2-dev");
}

}  // namespace deed::viewer
