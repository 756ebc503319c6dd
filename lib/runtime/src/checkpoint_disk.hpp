// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

/// @file
/// The disk as checkpoints write to it.

namespace deed::runtime {

/// The calls that change a disk. Each returns 0 or a number of errno.
/// Tests make them fail, or end the process between any two.
class disk {
 public:
  virtual ~disk() = default;
  virtual int make_folder(const std::string& path);  ///< 0 too if it is there already.
  virtual int create(const std::string& path, int& file);
  virtual int write(int file, std::span<const std::byte> bytes);  ///< All of them.
  virtual int sync(int file);
  virtual int sync_folder(const std::string& path);
  virtual int close(int file);
  virtual int rename(const std::string& from, const std::string& to);
  virtual int remove(const std::string& path);  ///< A file, or an empty folder.
};

/// @throws deed::error D006 if a result of `disk` is not 0.
void check_disk(int result, const std::string& path);

/// Writes one file from its start; without any bytes there is none. Blocks: for the disk.
/// @throws deed::error D006 from every member if the disk refuses.
class file_writer {
 public:
  file_writer(disk& on, std::string folder, std::string path)
      : disk_(on), folder_(std::move(folder)), path_(std::move(path)) {}
  ~file_writer();
  file_writer(const file_writer&) = delete;
  file_writer& operator=(const file_writer&) = delete;

  void write(std::span<const std::byte> bytes);
  /// All bytes are on the disk when it returns.
  void finish();

 private:
  disk& disk_;
  std::string folder_, path_;
  int file_ = -1;
};

}  // namespace deed::runtime
