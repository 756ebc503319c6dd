// SPDX-License-Identifier: MIT
#include "analysis/edit/edit.hpp"
#include "analysis/edit/unwritable.hpp"
#include "analysis/read/mapped_file.hpp"
#include "analysis/read/unpacked.hpp"
#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace deed::viewer {
namespace {

namespace files = std::filesystem;

/// The streams of all ranks, packed or not; in order.
std::vector<std::string> streams_of(const std::string& run, bool packed) {
  std::vector<std::string> found;
  std::error_code failed;
  for (const auto& rank : files::directory_iterator(run, failed)) {
    if (!rank.is_directory() || !rank.path().filename().string().starts_with("rank-")) continue;
    for (const auto& file : files::directory_iterator(rank.path())) {
      const std::string name = file.path().filename().string();
      if (!name.starts_with('.') && name != "metadata" && file.is_regular_file() &&
          is_packed(name) == packed)
        found.push_back(file.path().string());
    }
  }
  if (failed) throw unreadable("`" + run + "` cannot be opened: " + failed.message());
  std::sort(found.begin(), found.end());
  return found;
}

/// Under a name that no reader looks at until it is whole.
void write_whole(const std::string& to, std::span<const std::byte> bytes) {
  const std::string hidden =
      (files::path(to).parent_path() / ("." + files::path(to).filename().string())).string();
  std::ofstream out(hidden, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.close();
  std::error_code failed;
  if (!out) failed = std::make_error_code(std::errc::io_error);
  if (!failed) files::rename(hidden, to, failed);
  if (failed) throw unwritable("`" + to + "` cannot be written: " + failed.message());
}

void remove(const std::string& file) {
  std::error_code failed;
  files::remove(file, failed);
  if (failed) throw unwritable("`" + file + "` cannot be removed: " + failed.message());
}

std::vector<std::byte> packed_bytes(std::span<const std::byte> bytes, int level) {
  std::vector<std::byte> packed(ZSTD_compressBound(bytes.size()));
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  const std::size_t size =
      ZSTD_compress2(context, packed.data(), packed.size(), bytes.data(), bytes.size());
  ZSTD_freeCCtx(context);
  if (ZSTD_isError(size) != 0) throw unreadable(std::string("zstd: ") + ZSTD_getErrorName(size));
  packed.resize(size);
  return packed;
}

}  // namespace

packing pack(const std::string& run, int level, bool keep) {
  refuse_while_recorded(run);
  packing done;
  for (const std::string& each : streams_of(run, false)) {
    const mapped_file file(each);
    if (file.bytes().empty() || file.bytes().size() > most_unpacked_bytes) continue;
    const auto bytes = packed_bytes(file.bytes(), level);
    const auto again = unpack(bytes);  // Before the original goes.
    if (!again || !std::ranges::equal(again->bytes(), file.bytes()))
      throw unreadable("`" + each + "` was changed while it was packed");
    write_whole(each + std::string(packed_suffix), bytes);
    if (!keep) remove(each);
    ++done.files;
    done.before += file.bytes().size();
    done.after += bytes.size();
  }
  return done;
}

packing unpack_run(const std::string& run) {
  packing done;
  for (const std::string& each : streams_of(run, true)) {
    const mapped_file file(each);
    const auto bytes = unpack(file.bytes());
    if (!bytes) throw unreadable("`" + each + "` is damaged: zstd cannot unpack it");
    write_whole(each.substr(0, each.size() - packed_suffix.size()), bytes->bytes());
    remove(each);
    ++done.files;
    done.before += file.bytes().size();
    done.after += bytes->bytes().size();
  }
  return done;
}

}  // namespace deed::viewer
