// SPDX-License-Identifier: MIT
#include "code_names.hpp"

#include "symbol_file.hpp"
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

namespace deed::trace::detail {
namespace {

constexpr std::size_t longest_note = 4096;

std::span<const std::byte> loaded(const dl_phdr_info& of, const ElfW(Phdr) & part) {
  // The loader says where a file lies as a number.
  return {reinterpret_cast<const std::byte*>(of.dlpi_addr + part.p_vaddr),  // NOLINT
          part.p_filesz};
}

std::string program_name() {
  std::array<char, 1024> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  return {path.data(), static_cast<std::size_t>(std::max<ssize_t>(0, length))};
}

int add_file(dl_phdr_info* found, std::size_t, void* data) {
  auto& files = *static_cast<std::vector<code_file>*>(data);
  const bool is_program = files.empty();
  const std::span parts(found->dlpi_phdr, found->dlpi_phnum);
  const std::string path = is_program ? program_name() : found->dlpi_name;
  std::uint64_t contents = symbol_file::hash(0, std::as_bytes(parts));
  for (const auto& each : parts)
    if (each.p_type == PT_NOTE && each.p_filesz <= longest_note)
      contents = symbol_file::hash(contents, loaded(*found, each));
  for (const auto& each : parts) {
    if (each.p_type != PT_LOAD || (each.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = found->dlpi_addr + each.p_vaddr;
    // The program's file may have another name now, or none: this is it.
    files.push_back({.path = is_program ? "/proc/self/exe" : path,
                     .name = path.substr(path.rfind('/') + 1),
                     .base = found->dlpi_addr,
                     .begin = begin,
                     .end = begin + each.p_memsz,
                     .contents = contents});
  }
  return 0;
}

}  // namespace

void code_names::look() {
  std::vector<code_file> now;
  ::dl_iterate_phdr(add_file, &now);
  files_ = std::move(now);
}

const code_file* code_names::file_of(std::uintptr_t address) const noexcept {
  for (const code_file& each : files_)
    if (each.begin <= address && address < each.end) return &each;
  return nullptr;
}

void code_names::put(std::string_view text) noexcept {
  whole_ = whole_ && text.size() <= longest - length_;
  if (!whole_) return;
  std::memcpy(text_.data() + length_, text.data(), text.size());
  length_ += text.size();
}

void code_names::put_number(std::uint64_t number) noexcept {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  put("0x");
  put({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

void code_names::put_line(const code_file* of, std::uintptr_t address) noexcept {
  if (length_ != 0) put("\n");
  if (of == nullptr) return put_number(address);
  put(of->name);
  put("+");
  put_number(address - of->base);
  symbol_file names(of->path.c_str(), of->contents);
  const auto [name, offset] = names.find(address - of->base);
  if (name.empty()) return;
  put(" (");
  put(name);
  put("+");
  put_number(offset);
  put(")");
}

const char* code_names::lines(std::span<const void* const> addresses) noexcept {
  length_ = 0;
  whole_ = true;
  std::size_t count = 0;
  for (const void* const each : addresses.first(std::min(addresses.size(), most_lines))) {
    const auto address = reinterpret_cast<std::uintptr_t>(each);
    const code_file* const of = file_of(address);
    if (of == nullptr && count++ != 0) continue;
    ++count;
    const std::size_t before = length_;
    put_line(of, address);
    if (whole_) continue;
    length_ = before;  // The lines that have room.
    break;
  }
  text_[length_] = '\0';
  return text_.data();
}

}  // namespace deed::trace::detail
