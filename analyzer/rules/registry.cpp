// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {

const std::vector<const rule*>& all_rules() {
  static const std::vector<const rule*> rules{
      &d101, &d102, &d103, &d104, &d105, &d106, &d107, &d109, &d111, &d112, &d113, &d114, &d115,
      &d116, &d117, &d201, &d204, &d205, &d206, &d207, &d208, &d209, &d211, &d212, &d213, &d214,
      &d215, &d216, &d303, &d305, &d306, &d307, &d308, &d309, &d401, &d402, &d403, &d404, &d405,
      &d406, &d407, &d408, &d409, &d410, &d412, &d413, &d414, &d501, &d502, &d505, &d506, &d507,
      &d508, &d509, &d510, &d511, &d512, &d514, &d602, &d603, &d606, &d608, &d609, &d610, &d611,
      &d612, &d702, &d703, &d704, &d705, &d706, &d710, &d801, &d802, &d803, &d806, &d807, &d808,
      &d809, &d810, &d813, &d815, &d816, &d902, &d903, &d904, &d906, &d907, &d911};
  return rules;
}

}  // namespace deed::check
