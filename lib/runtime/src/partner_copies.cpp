// SPDX-License-Identifier: MIT
#include "partner_copies.hpp"

#include <deed/base/error.hpp>

#include "among_ranks.hpp"
#include "core.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <utility>

namespace deed::runtime {

std::vector<std::uint32_t> partners_of(std::span<const int> machines) {
  const std::size_t count = machines.size();
  std::vector<std::uint32_t> by_machine(count), partners(count);
  std::iota(by_machine.begin(), by_machine.end(), 0u);
  std::ranges::sort(by_machine, {},
                    [&](std::uint32_t rank) { return std::pair(machines[rank], rank); });
  for (std::size_t i = 0; i < count; ++i)
    partners[by_machine[i]] = by_machine[(i + count / 2) % count];
  return partners;
}

namespace {

/// Reads a file from its start, a piece at a time.
class file_reader {
 public:
  explicit file_reader(const std::string& path) : path_(path) {
    std::error_code failure;
    if (path.empty() || !std::filesystem::is_regular_file(path, failure)) return;
    file_.emplace(path, std::ios::binary);
  }
  /// Empty at the end. @throws deed::error D005
  std::vector<std::byte> next() {
    constexpr std::size_t at_once = std::size_t{4} << 20;
    std::vector<std::byte> piece;
    if (!file_ || file_->eof()) return piece;
    piece.resize(at_once);
    file_->read(reinterpret_cast<char*>(piece.data()), static_cast<std::streamsize>(at_once));
    if (!file_->good() && !file_->eof())
      throw error(error_code::file_damaged, "cannot read `" + path_ + "`", {},
                  "look at the disk that it lies on");
    piece.resize(static_cast<std::size_t>(file_->gcount()));
    return piece;
  }

 private:
  std::string path_;
  std::optional<std::ifstream> file_;
};

}  // namespace

std::string pass_file(core& home, disk& on, const file_passage& mine) {
  file_reader source(mine.given);
  file_writer sink(on, mine.folder, mine.taken);
  bool gives = !mine.given.empty(), takes = !mine.taken.empty();
  std::string failure;
  const auto unless_failed = [&](auto&& work) {
    if (failure.empty()) failure = failure_of(work);
  };
  while (gives || takes) {
    std::vector<std::byte> piece;
    if (gives) unless_failed([&] { piece = source.next(); });
    const std::vector<std::byte> arrived =
        home.exchange(gives ? mine.to : core::nobody, piece, takes ? mine.from : core::nobody);
    gives = gives && !piece.empty();  // Nothing is the end, also after a failure.
    takes = takes && !arrived.empty();
    unless_failed([&] { sink.write(arrived); });
  }
  unless_failed([&] { sink.finish(); });
  return failure;
}

std::string commit_copy(core& home, disk& on, std::string_view folder, std::uint64_t generation,
                        std::string_view text, int keeper) {
  const auto as_text = [](const std::vector<std::byte>& bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  if (home.rank() == 0) {
    static_cast<void>(home.exchange(keeper, std::as_bytes(std::span(text)), core::nobody));
    return as_text(home.exchange(core::nobody, {}, keeper));
  }
  if (home.rank() != keeper) return {};
  const std::string told = as_text(home.exchange(core::nobody, {}, 0));
  std::string failure;  // Told nothing, the first rank gave it up.
  if (!told.empty()) failure = failure_of([&] { commit(on, folder, generation, told); });
  static_cast<void>(home.exchange(0, std::as_bytes(std::span(failure)), core::nobody));
  return {};
}

}  // namespace deed::runtime
