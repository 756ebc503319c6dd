// SPDX-License-Identifier: MIT
#include "checkpoint_disk.hpp"

#include <deed/base/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace deed::runtime {

void check_disk(int result, const std::string& path) {
  if (result == 0) return;
  throw error(error_code::cannot_write, "cannot write `" + path + "`",
              {{"because", std::strerror(result)}},
              "the generation before it is as it was; make room or choose another folder");
}

int disk::make_folder(const std::string& path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  return failure.value();
}
int disk::create(const std::string& path, int& file) {
  file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  return file < 0 ? errno : 0;
}
int disk::write(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return ENOSPC;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return 0;
}
int disk::sync(int file) { return ::fsync(file) == 0 ? 0 : errno; }
int disk::sync_folder(const std::string& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return errno;
  // Some file systems have nothing to do for a folder, and say so.
  const int result = ::fsync(folder) == 0 || errno == EINVAL ? 0 : errno;
  ::close(folder);
  return result;
}
int disk::close(int file) { return ::close(file) == 0 ? 0 : errno; }
int disk::rename(const std::string& from, const std::string& to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}
int disk::remove(const std::string& path) { return ::remove(path.c_str()) == 0 ? 0 : errno; }

file_writer::~file_writer() {
  if (file_ >= 0) static_cast<void>(disk_.close(file_));
}

void file_writer::write(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  if (file_ < 0) {
    check_disk(disk_.make_folder(folder_), folder_);
    check_disk(disk_.create(path_, file_), path_);
  }
  check_disk(disk_.write(file_, bytes), path_);
}

void file_writer::finish() {
  if (file_ < 0) return;
  check_disk(disk_.sync(file_), path_);
  check_disk(disk_.close(std::exchange(file_, -1)), path_);
  check_disk(disk_.sync_folder(folder_), folder_);
}

}  // namespace deed::runtime
