// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// @file
/// The table of symbols of a file with code.

namespace deed::trace::detail {

/// A file in the format ELF, opened for its names. Every number in it is checked by the read that
/// follows it: nothing is mapped, so that a file which somebody cuts meanwhile is no fault.
///
/// Threads, and handlers of signals: safe in all; no heap.
/// Cost: a pass over the symbols per question, 24 bytes each.
///
/// Source: System V ABI, chapter 4, Object Files.
class symbol_file {
 public:
  /// `contents`: what `hash` gives of the program headers and notes that were loaded. Nothing is
  /// found in a file that has others: it was built anew since.
  symbol_file(const char* path, std::uint64_t contents) noexcept;
  ~symbol_file();
  symbol_file(const symbol_file&) = delete;
  symbol_file& operator=(const symbol_file&) = delete;

  struct symbol {
    std::string_view name;     ///< Until the next question; empty: none.
    std::uint64_t offset = 0;  ///< Of the address from its begin.
  };
  /// The function at an address, counted from where the file begins to count.
  [[nodiscard]] symbol find(std::uint64_t address) noexcept;

  [[nodiscard]] static std::uint64_t hash(std::uint64_t start,
                                          std::span<const std::byte> bytes) noexcept;

 private:
  struct part {
    std::uint64_t begin = 0, size = 0;
  };

  [[nodiscard]] bool read(std::uint64_t at, void* into, std::size_t bytes) const noexcept;
  [[nodiscard]] bool has(std::uint64_t contents) noexcept;
  [[nodiscard]] bool find_tables() noexcept;
  [[nodiscard]] std::string_view name_at(std::uint64_t offset) noexcept;

  int descriptor_;
  part symbols_, names_;
  alignas(8) std::array<char, 4096> room_{};
};

}  // namespace deed::trace::detail
