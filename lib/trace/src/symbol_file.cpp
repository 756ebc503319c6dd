// SPDX-License-Identifier: MIT
#include "symbol_file.hpp"

#include <deed/base/random.hpp>

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace deed::trace::detail {
namespace {

using file_header = ElfW(Ehdr);
using program_header = ElfW(Phdr);
using section_header = ElfW(Shdr);
using elf_symbol = ElfW(Sym);

constexpr unsigned char native_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned kind_mask = 0xf;  // Of `st_info`, equal in both classes.

bool is_readable(const file_header& head) noexcept {
  return std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
         head.e_ident[EI_CLASS] == native_class && head.e_phentsize == sizeof(program_header) &&
         (head.e_shnum == 0 || head.e_shentsize == sizeof(section_header));
}

bool is_function(const elf_symbol& each) noexcept {
  const unsigned kind = each.st_info & kind_mask;
  return (kind == STT_FUNC || kind == STT_GNU_IFUNC) && each.st_shndx != SHN_UNDEF;
}

}  // namespace

symbol_file::symbol_file(const char* path, std::uint64_t contents) noexcept
    : descriptor_(::open(path, O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0 || (has(contents) && find_tables())) return;
  ::close(descriptor_);
  descriptor_ = -1;
}

symbol_file::~symbol_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::uint64_t symbol_file::hash(std::uint64_t start, std::span<const std::byte> bytes) noexcept {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    start = mix(start, word);
  }
  return start;
}

bool symbol_file::read(std::uint64_t at, void* into, std::size_t bytes) const noexcept {
  return ::pread(descriptor_, into, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
}

bool symbol_file::has(std::uint64_t contents) noexcept {
  file_header head;
  if (!read(0, &head, sizeof head) || !is_readable(head)) return false;
  std::uint64_t found = 0;
  const auto add = [&](std::uint64_t at, std::size_t bytes) {
    if (bytes > room_.size() || !read(at, room_.data(), bytes)) return;
    found = hash(found, std::as_bytes(std::span(room_.data(), bytes)));
  };
  add(head.e_phoff, head.e_phnum * sizeof(program_header));
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    program_header each;
    if (!read(head.e_phoff + i * sizeof each, &each, sizeof each)) return false;
    if (each.p_type == PT_NOTE) add(each.p_offset, each.p_filesz);
  }
  return found == contents;
}

/// That of all symbols, or where they were stripped, that of the exported ones.
bool symbol_file::find_tables() noexcept {
  file_header head;
  if (!read(0, &head, sizeof head)) return false;
  bool all = false;
  for (unsigned i = 0; i < head.e_shnum && !all; ++i) {
    section_header each, names;
    if (!read(head.e_shoff + i * sizeof each, &each, sizeof each)) return false;
    all = each.sh_type == SHT_SYMTAB;
    if ((!all && each.sh_type != SHT_DYNSYM) ||
        !read(head.e_shoff + each.sh_link * sizeof names, &names, sizeof names))
      continue;
    symbols_ = {each.sh_offset, each.sh_size};
    names_ = {names.sh_offset, names.sh_size};
  }
  return symbols_.size != 0;
}

symbol_file::symbol symbol_file::find(std::uint64_t address) noexcept {
  if (descriptor_ < 0) return {};
  constexpr std::size_t at_once = sizeof room_ / sizeof(elf_symbol);
  elf_symbol best{};
  for (std::uint64_t left = symbols_.size / sizeof(elf_symbol), at = symbols_.begin; left > 0;) {
    const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(left, at_once));
    if (!read(at, room_.data(), some * sizeof(elf_symbol))) break;
    for (std::size_t i = 0; i < some; ++i) {
      elf_symbol each;
      std::memcpy(&each, room_.data() + i * sizeof each, sizeof each);
      if (is_function(each) && each.st_value <= address && address - each.st_value < each.st_size &&
          each.st_value >= best.st_value)
        best = each;
    }
    left -= some;
    at += some * sizeof(elf_symbol);
  }
  if (best.st_size == 0) return {};
  return {name_at(best.st_name), address - best.st_value};
}

/// None that is cut off: it would be another one.
std::string_view symbol_file::name_at(std::uint64_t offset) noexcept {
  if (offset >= names_.size) return {};
  const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(names_.size - offset, 1024));
  if (!read(names_.begin + offset, room_.data(), some)) return {};
  const std::string_view text(room_.data(), some);
  const std::size_t end = text.find('\0');
  return end == std::string_view::npos ? std::string_view{} : text.substr(0, end);
}

}  // namespace deed::trace::detail
