// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {

const std::vector<const rule*>& all_rules() {
  static const std::vector<const rule*> rules{&d101, &d102, &d209, &d306, &d307};
  return rules;
}

}  // namespace deed::check
