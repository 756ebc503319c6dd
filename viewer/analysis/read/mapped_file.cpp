// SPDX-License-Identifier: MIT
#include "analysis/read/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace deed::viewer {

mapped_file::mapped_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // Of a pipe, no wait.
  if (file < 0) return;
  struct stat about{};
  if (::fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
    const auto size = static_cast<std::size_t>(about.st_size);
    void* const address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    if (address != MAP_FAILED) bytes_ = {static_cast<const std::byte*>(address), size};
  }
  ::close(file);
}

mapped_file mapped_file::memory(std::size_t size) {
  mapped_file made;
  made.of_file_ = false;
  void* const address =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address != MAP_FAILED) made.bytes_ = {static_cast<const std::byte*>(address), size};
  return made;
}

mapped_file::~mapped_file() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void mapped_file::fetch() const noexcept {
#ifdef MADV_POPULATE_READ  // A wish: kernels before 5.14 refuse.
  if (of_file_ && !bytes_.empty())
    ::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_POPULATE_READ);
#endif
}

void mapped_file::rest() const noexcept {
  if (of_file_ && !bytes_.empty())
    ::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

}  // namespace deed::viewer
