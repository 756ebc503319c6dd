// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

/// @file
/// The one place with calls of the operating system; but for names of code, see symbol_file.hpp.

namespace deed::trace::detail {

/// Shared, writable memory that is a file. The descriptor is closed at once.
class mapped_file {
 public:
  mapped_file() noexcept = default;
  /// A new file of `bytes`, its blocks on the disk; empty if that fails. `populate`: pages are made
  /// ready, so that the first write to each costs nothing.
  mapped_file(const std::string& path, std::size_t bytes, bool populate) noexcept;
  ~mapped_file();
  mapped_file(mapped_file&& other) noexcept;
  mapped_file& operator=(mapped_file&& other) noexcept;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] explicit operator bool() const noexcept { return data_ != nullptr; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Creates the folder and those above it; true if it is there afterwards.
bool make_folders(const std::string& path) noexcept;
bool rename_file(const std::string& from, const std::string& to) noexcept;
void remove_file(const std::string& path) noexcept;
/// Copies the file, under a hidden name until it is whole, and removes the old one; where the copy
/// fails, the old one stays.
bool move_file(const std::string& folder, const std::string& name,
               const std::string& to_folder) noexcept;
/// Removes the folder if it is empty.
void remove_folder(const std::string& path) noexcept;
/// What was written to the file is on the disk afterwards, also through a mapping.
void bring_to_disk(const std::string& path) noexcept;
void cut_file(const std::string& path, std::size_t bytes) noexcept;
/// Writes over a part of the file, which keeps its size. Async-signal-safe.
void change_text(const std::string& path, std::size_t at, std::string_view with) noexcept;
/// Writes beside the file and renames, so that a reader sees the old text or the new one.
bool replace_text(const std::string& folder, const std::string& name,
                  const std::string& text) noexcept;
[[nodiscard]] std::string host_name();
[[nodiscard]] std::string boot_id();
[[nodiscard]] std::string command_line();
[[nodiscard]] int process_id() noexcept;

}  // namespace deed::trace::detail
