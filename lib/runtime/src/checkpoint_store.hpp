// SPDX-License-Identifier: MIT
#pragma once

#include <deed/data/type_operations.hpp>

#include "checkpoint_disk.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Checkpoints on disk. A folder holds generations; a generation holds one file of values per rank,
/// maybe copies of other ranks' files, and a manifest that says what lies where. The manifest
/// appears by a rename when all values are on the disk: a generation without one never was. Every
/// byte is covered by a hash.

namespace deed::runtime {

/// One datum's value, or its copy on one rank where every rank has its own.
struct saved_value {
  std::uint64_t tag = 0;
  std::uint32_t file = 0;  ///< The rank that wrote it.
  bool per_rank = false;
  bool present = false;  ///< It had a value.
  std::uint64_t type_hash = 0;
  data::extents shape;
  std::uint64_t offset = 0, bytes = 0, hash = 0;
  std::string name;  ///< As the user knows it.
  std::string type_name;
  std::string where;  ///< It was registered.
  friend bool operator==(const saved_value&, const saved_value&) = default;
};

/// As in a checkpoint.
[[nodiscard]] std::uint64_t hash_of(std::span<const std::byte> bytes);

/// What a generation is.
struct manifest_head {
  std::uint64_t generation = 0;
  std::uint64_t epoch = 0;
  std::uint32_t ranks = 0;
  std::vector<std::uint32_t> copies;  ///< The rank that keeps one of each rank's file; or none.
  friend bool operator==(const manifest_head&, const manifest_head&) = default;
};

/// And what it holds: values are read where they stand in the text, one at a time, since a list of
/// them takes several times as much memory, and anybody may have written the file.
struct manifest : manifest_head {
  std::string text;  ///< Whole, as `text_of` writes it.
};

/// The lines of values in a manifest; every rank writes its own.
[[nodiscard]] std::string lines_of(std::span<const saved_value> values);
/// A whole manifest, from the lines of all ranks.
[[nodiscard]] std::string text_of(const manifest_head& head, std::string_view lines);
/// Looks at every line. @throws deed::error D005 if it is not what `text_of` wrote.
[[nodiscard]] manifest parse_manifest(std::string text, std::string_view path);

using value_visitor = std::function<void(const saved_value&)>;
/// Shows the values of all ranks, in the order in which they were written.
void visit_values(const manifest& all, const value_visitor& visit);
/// Shows those of one rank.
void visit_values(const manifest& all, std::uint32_t file, const value_visitor& visit);

[[nodiscard]] std::string folder_of(std::string_view folder, std::uint64_t generation);
[[nodiscard]] std::string file_of(std::string_view folder, std::uint64_t generation,
                                  std::uint32_t rank);
[[nodiscard]] std::string copy_of(std::string_view folder, std::uint64_t generation,
                                  std::uint32_t rank);
[[nodiscard]] std::string manifest_of(std::string_view folder, std::uint64_t generation);

/// Generations that lie in a folder, whole or not, the newest first. Empty if there is no folder.
[[nodiscard]] std::vector<std::uint64_t> generations_in(std::string_view folder);

/// Writes the values of one rank; without any, there is no file. Blocks: for the disk.
/// @throws deed::error D006 from every member if the disk refuses.
class value_writer {
 public:
  value_writer(disk& on, std::string_view folder, std::uint64_t generation, std::uint32_t rank);

  /// Appends a value; says in `to` where it lies.
  void append(std::span<const std::byte> bytes, saved_value& to);
  /// All values are on the disk when it returns.
  void finish();

 private:
  void flush();

  file_writer file_;
  std::vector<std::byte> waiting_;  // Small values, written together.
  std::uint64_t written_ = 0;
};

/// Takes a value's bytes, and may say in the second where they went.
using value_sink = std::function<void(std::span<const std::byte>, saved_value&)>;

/// The generation is there from now on. @throws deed::error D006; then it is not.
void commit(disk& on, std::string_view folder, std::uint64_t generation, std::string_view text);
/// From the first to the last.
struct generation_range {
  std::uint64_t first = 1, last = 0;
};
/// Of `own`, removes all but the newest `keep` generations, and what never was one. What is older
/// than these, or cannot be removed, stays. @return the oldest that is there.
std::uint64_t prune(disk& on, std::string_view folder, generation_range own, std::size_t keep);
/// Removes one, whole or not. Several ranks may do so at once. What cannot be removed stays.
void remove_generation(disk& on, std::string_view folder, std::uint64_t generation);
/// Removes what is older, in a folder that may be one rank's own.
void prune_older(disk& on, std::string_view folder, std::uint64_t oldest);

/// Why a folder that is there cannot be looked into; empty if it can, or is not there.
[[nodiscard]] std::string why_closed(std::string_view folder);

/// A generation that is damaged does not count as one any more; it stays, under another name.
void set_aside(disk& on, std::string_view folder, std::uint64_t generation);

/// Whether there is a manifest. Without, the run ended while the generation was written.
[[nodiscard]] bool is_whole(std::string_view folder, std::uint64_t generation);
/// @throws deed::error D005 if it is damaged.
[[nodiscard]] manifest read_manifest(std::string_view folder, std::uint64_t generation);
/// Checks that a rank's file of values, or a copy, is whole.
/// @throws deed::error D005 with the place of the damage.
void verify_file(const std::string& path, const manifest& all, std::uint32_t file);
/// The bytes of a value, checked. @throws deed::error D005
[[nodiscard]] std::vector<std::byte> read_value(std::string_view folder, const manifest& all,
                                                const saved_value& value);

}  // namespace deed::runtime
