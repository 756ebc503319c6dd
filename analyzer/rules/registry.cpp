// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {

const std::vector<const rule*>& all_rules() {
  static const std::vector<const rule*> rules{
      &d101, &d102, &d104, &d105, &d112, &d113, &d114, &d115, &d116, &d208, &d209, &d305,
      &d306, &d307, &d308, &d413, &d501, &d502, &d603, &d612, &d702, &d703, &d704, &d801};
  return rules;
}

}  // namespace deed::check
