// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// What addresses of code are called.

namespace deed::trace::detail {

/// A file of this process with code. The first `look` has its places in memory; its names stay in
/// the file until somebody asks.
struct code_file {
  std::string path;          ///< To open it.
  std::string name;          ///< Without its folder.
  std::uintptr_t base = 0;   ///< Where its addresses begin to count.
  std::uintptr_t begin = 0;  ///< Of its code.
  std::uintptr_t end = 0;
  std::uint64_t contents = 0;  ///< A hash of what tells one build of it from another.
};

/// The files of this process with code, and the names of their functions.
///
/// `dladdr` knows the names of exported functions alone, which those of a program are not, and
/// takes a lock of the loader; here a handler of signals reads a table that was made before, and
/// the files' own tables of symbols.
class code_names {
 public:
  static constexpr std::size_t most_lines = 24;

  code_names() { look(); }
  /// Finds what was loaded meanwhile. Not in a handler of signals.
  void look();
  /// A line for each address, `file+0x1234 (function+0x10)`, mangled, in memory of this, until the
  /// next call; without the function if the file does not say it. Of addresses outside of all files
  /// the first alone. Safe in a handler of signals.
  [[nodiscard]] const char* lines(std::span<const void* const> addresses) noexcept;

 private:
  [[nodiscard]] const code_file* file_of(std::uintptr_t address) const noexcept;
  void put(std::string_view text) noexcept;
  void put_number(std::uint64_t number) noexcept;
  void put_line(const code_file* of, std::uintptr_t address) noexcept;

  static constexpr std::size_t longest = 8'000;  // Fits into the smallest packet.

  std::vector<code_file> files_;
  std::array<char, longest + 1> text_{};
  std::size_t length_ = 0;
  bool whole_ = true;  // All of the last line had room.
};

}  // namespace deed::trace::detail
