// SPDX-License-Identifier: MIT
#include "mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace deed::trace::detail {
namespace {

// A full disk has to be an error here, not a SIGBUS in a worker.
bool allocate(int file, std::size_t bytes) noexcept {
  const int failed = posix_fallocate(file, 0, static_cast<off_t>(bytes));
  if (failed == EOPNOTSUPP || failed == EINVAL)
    return ftruncate(file, static_cast<off_t>(bytes)) == 0;
  return failed == 0;
}

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

mapped_file::mapped_file(const std::string& path, std::size_t bytes, bool populate) noexcept {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return;
  if (allocate(file, bytes)) {
    void* const address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (address != MAP_FAILED) {
      data_ = static_cast<std::byte*>(address);
      size_ = bytes;
#ifdef MADV_POPULATE_WRITE
      if (populate)
        ::madvise(address, bytes, MADV_POPULATE_WRITE);  // Older kernels refuse: slower.
#else
      static_cast<void>(populate);
#endif
    }
  }
  ::close(file);
  if (data_ == nullptr) ::unlink(path.c_str());
}

mapped_file::~mapped_file() {
  if (data_ != nullptr) ::munmap(data_, size_);
}
mapped_file::mapped_file(mapped_file&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
mapped_file& mapped_file::operator=(mapped_file&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

bool make_folders(const std::string& path) noexcept {
  std::error_code failed, ignored;
  std::filesystem::create_directories(path, failed);
  if (std::filesystem::is_directory(path, ignored)) return true;
  errno = failed ? failed.value() : ENOTDIR;
  return false;
}

bool rename_file(const std::string& from, const std::string& to) noexcept {
  return ::rename(from.c_str(), to.c_str()) == 0;
}

void remove_file(const std::string& path) noexcept { ::unlink(path.c_str()); }

bool move_file(const std::string& folder, const std::string& name,
               const std::string& to_folder) noexcept {
  const std::string hidden = to_folder + "/." + name;
  std::error_code failed;
  std::filesystem::copy_file(folder + "/" + name, hidden,
                             std::filesystem::copy_options::overwrite_existing, failed);
  if (failed || !rename_file(hidden, to_folder + "/" + name)) {
    remove_file(hidden);
    return false;
  }
  remove_file(folder + "/" + name);
  return true;
}

void remove_folder(const std::string& path) noexcept { ::rmdir(path.c_str()); }

void bring_to_disk(const std::string& path) noexcept {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;  // A ring has removed it meanwhile.
  ::fdatasync(file);
  ::close(file);
}

void cut_file(const std::string& path, std::size_t bytes) noexcept {
  std::error_code failed;
  std::filesystem::resize_file(path, bytes, failed);
}

bool replace_text(const std::string& folder, const std::string& name,
                  const std::string& text) noexcept {
  const std::string hidden = folder + "/." + name;
  std::FILE* const file = std::fopen(hidden.c_str(), "wb");
  if (file == nullptr) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  if (written && closed && rename_file(hidden, folder + "/" + name)) return true;
  const int why = errno;
  remove_file(hidden);
  errno = why;
  return false;
}

void change_text(const std::string& path, std::size_t at, std::string_view with) noexcept {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  static_cast<void>(::pwrite(file, with.data(), with.size(), static_cast<off_t>(at)) == 0);
  ::close(file);
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string boot_id() { return first_line("/proc/sys/kernel/random/boot_id"); }

std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string line{std::istreambuf_iterator<char>(file), {}};
  if (line.ends_with('\0')) line.pop_back();
  std::replace(line.begin(), line.end(), '\0', ' ');
  return line;
}

int process_id() noexcept { return ::getpid(); }

}  // namespace deed::trace::detail
