// SPDX-License-Identifier: MIT
#include "analysis/read/unpacked.hpp"

#include <zstd.h>

namespace deed::viewer {

std::optional<mapped_file> unpack(std::span<const std::byte> packed) {
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size == 0 ||
      size > most_unpacked_bytes)
    return {};
  mapped_file file = mapped_file::memory(static_cast<std::size_t>(size));
  if (file.bytes().empty() ||
      ZSTD_decompress(file.writable().data(), size, packed.data(), packed.size()) != size)
    return {};
  return file;
}

}  // namespace deed::viewer
