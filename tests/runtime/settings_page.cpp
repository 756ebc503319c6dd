// SPDX-License-Identifier: MIT
// settings_page: prints docs/settings.md, as the table of settings has it.
#include "settings.hpp"

#include <iostream>

int main() { std::cout << deed::runtime::settings_page(); }
