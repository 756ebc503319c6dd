// SPDX-License-Identifier: MIT
#include "build_identity.hpp"

#include <link.h>

#include <bit>
#include <climits>
#include <cstddef>
#include <span>
#include <string_view>

namespace deed::runtime {
namespace {

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 3) & ~std::size_t{3}; }

std::string digits_of(std::span<const unsigned char> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const unsigned char each : bytes) {
    text += digits[each >> 4];
    text += digits[each & 15];
  }
  return text;
}

/// The first object of a process is its program. Source: ELF, notes of the linker's --build-id.
int read_notes(dl_phdr_info* object, std::size_t, void* into) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const auto* const begin =
        reinterpret_cast<const unsigned char*>(object->dlpi_addr + part.p_vaddr);
    std::span<const unsigned char> rest(begin, part.p_memsz);
    while (rest.size() >= sizeof(ElfW(Nhdr))) {
      const auto& note = *reinterpret_cast<const ElfW(Nhdr)*>(rest.data());
      const std::size_t name = sizeof note + aligned(note.n_namesz);
      const std::size_t whole = name + aligned(note.n_descsz);
      if (whole > rest.size()) break;
      if (note.n_type == NT_GNU_BUILD_ID)
        *static_cast<std::string*>(into) = digits_of(rest.subspan(name, note.n_descsz));
      rest = rest.subspan(whole);
    }
  }
  return 1;
}

}  // namespace

std::string build_identity() {
  std::string program;
  dl_iterate_phdr(read_notes, &program);
  return "deed " DEED_VERSION ", " + std::to_string(sizeof(void*) * CHAR_BIT) + " bits, " +
         (std::endian::native == std::endian::little ? "little-endian" : "big-endian") +
         ", program " + (program.empty() ? "without a build id" : program);
}

}  // namespace deed::runtime
