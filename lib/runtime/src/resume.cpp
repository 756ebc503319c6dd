// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "among_ranks.hpp"
#include "checkpoint.hpp"
#include "core.hpp"
#include "of_all_ranks.hpp"
#include "partner_copies.hpp"
#include "report.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// @file
/// Taking up a checkpoint: the newest whose manifest somebody has and whose values all are whole,
/// or whole again from their copies.

namespace deed::runtime {
namespace {

/// A manifest, and a rank that has it.
struct candidate {
  std::uint64_t generation = 0;
  int rank = 0;
};

/// What the first rank may try, and why it passed some over; elsewhere it follows.
class search {
 public:
  search(session& all, std::string_view folder, place where);
  /// The newest manifest that is left, of all ranks, or nothing. A step.
  [[nodiscard]] std::optional<manifest> next();
  void pass_over(std::uint64_t generation, std::string_view reason);
  [[nodiscard]] std::string reasons() { return said_by_first(all_, reasons_, where_); }
  /// What is newer is not whole, and does not count any more. A step.
  void set_aside_newer(std::uint64_t generation, std::uint64_t epoch) const;
  /// Of a run that starts anew: nothing is there, or nothing has a manifest, since the run was
  /// killed in its first checkpoint, or somebody removed them.
  void tell_start() const;

 private:
  void note(std::string_view reason, std::uint64_t generation);

  session& all_;
  std::string folder_;
  place where_;
  std::vector<std::uint64_t> mine_;  // That have a manifest in this rank's folder.
  std::vector<candidate> left_;      // The next one last.
  std::string reasons_;
  std::uint64_t newest_passed_ = 0;
  std::size_t there_ = 0;  // In this rank's folder, with a manifest or without.
};

search::search(session& all, std::string_view folder, place where)
    : all_(all), folder_(folder), where_(where) {
  mine_ = generations_in(folder);
  there_ = mine_.size();
  // The first one has a number 1. After it, who has values knows that there were manifests.
  const int had_more = there_ > 0 && mine_.front() > 1 ? 1 : 0;
  std::erase_if(mine_, [&](std::uint64_t each) { return !is_whole(folder, each); });
  const auto offers = all.gather(value(mine_), to{0}, where);
  // Two ranks may have a manifest of their own; all others that offer it see the same folder.
  for (std::size_t rank = 0; rank < offers.size(); ++rank) {
    for (const std::uint64_t each : offers[rank]) {
      if (std::ranges::count(left_, each, &candidate::generation) < 2)
        left_.push_back({each, static_cast<int>(rank)});
    }
  }
  std::ranges::sort(left_, [](const candidate& a, const candidate& b) {
    return a.generation != b.generation ? a.generation < b.generation : a.rank > b.rank;
  });
  reasons_ = first_of(told_by_all(all, why_closed(folder), where));
  const auto more = all.gather(value(had_more), to{0}, where);
  const auto rich = std::ranges::find(more, 1);
  if (there_ == 0 && left_.empty() && reasons_.empty() && rich != more.end())
    reasons_ = of_rank(static_cast<std::size_t>(rich - more.begin()),
                       "there are checkpoints in `" + folder_ + "`, and none on rank 0");
}

std::optional<manifest> search::next() {
  while (true) {
    std::array<std::uint64_t, 2> choice{};  // Generation 0 is none.
    if (!left_.empty()) {
      choice = {left_.back().generation, static_cast<std::uint64_t>(left_.back().rank)};
      left_.pop_back();
    }
    choice = all_.broadcast(value(choice), from{0}, where_);
    const auto [generation, from] = choice;
    const int holder = static_cast<int>(from);
    if (generation == 0) return std::nullopt;
    manifest found;
    std::string failure;
    if (all_.rank() == holder)
      failure = failure_of([&, of = generation] { found = read_manifest(folder_, of); });
    std::string text = said_by(all_, holder, std::move(found.text), where_);
    if (!text.empty()) return parse_manifest(std::move(text), "the manifest");
    failure = said_by(all_, holder, failure, where_);
    note(holder == 0 ? failure : of_rank(from, failure), generation);
  }
}

void search::note(std::string_view reason, std::uint64_t generation) {
  newest_passed_ = std::max(newest_passed_, generation);
  reasons_ += (reasons_.empty() ? "" : "; ") + std::string(reason);
}

void search::pass_over(std::uint64_t generation, std::string_view reason) {
  note(reason, generation);
  std::erase_if(left_, [=](const candidate& each) { return each.generation == generation; });
}

void search::set_aside_newer(std::uint64_t generation, std::uint64_t epoch) const {
  disk real;
  for (const std::uint64_t each : mine_) {
    if (each > generation) set_aside(real, folder_, each);
  }
  if (all_.rank() != 0 || reasons_.empty() || !all_.logs(log_level::warning)) return;
  const std::string passed = newest_passed_ > generation
                                 ? "what is newer in `" + folder_ + "` is damaged and set aside: "
                                 : "";
  std::cerr << "deed: goes on from epoch " + std::to_string(epoch) + "; " + passed + reasons_ +
                   "\n";
}

void search::tell_start() const {
  if (all_.rank() != 0 || !all_.logs(there_ == 0 ? log_level::info : log_level::warning)) return;
  std::cerr << "deed: starts anew: " +
                   (there_ == 0 ? "there is no checkpoint in `" + folder_ + "`\n"
                                : "of " + counted(there_, "checkpoint") + " in `" + folder_ +
                                      "` none has a manifest, so none was finished\n");
}

std::uint32_t share_of(const session& all, std::uint32_t file) {
  return file % static_cast<std::uint32_t>(all.size());
}

/// A file that the rank whose share it is cannot read.
struct lost_file {
  std::uint32_t number = 0;
  std::string reason;
};

/// Every rank looks at some of the files. @return at the first: those that are not whole.
std::vector<lost_file> look_at_files(session& all, std::string_view folder, const manifest& wanted,
                                     place where) {
  std::vector<std::uint32_t> mine;
  std::vector<std::string> why;
  const auto step = static_cast<std::uint32_t>(all.size());
  for (auto file = static_cast<std::uint32_t>(all.rank()); file < wanted.ranks; file += step) {
    std::string failure =
        failure_of([&] { verify_file(file_of(folder, wanted.generation, file), wanted, file); });
    if (failure.empty()) continue;
    mine.push_back(file);
    why.push_back(std::move(failure));
  }
  const auto numbers = all.gather(value(mine), to{0}, where);
  const auto reasons = all.gather(value(why), to{0}, where);
  std::vector<lost_file> lost;
  for (std::size_t rank = 0; rank < numbers.size(); ++rank) {
    for (std::size_t i = 0; i < numbers[rank].size(); ++i)
      lost.push_back({numbers[rank][i], of_rank(rank, reasons[rank][i])});
  }
  return lost;
}

/// Where a file lies in this rank's folder, under its own name or as a copy.
struct own_search {
  std::string path;     // Whole; or empty.
  std::string why_not;  // Of the copy.
};

own_search look_for(std::string_view folder, const manifest& wanted, std::uint32_t file) {
  own_search found;
  for (std::string path :
       {file_of(folder, wanted.generation, file), copy_of(folder, wanted.generation, file)}) {
    found.why_not = failure_of([&] { verify_file(path, wanted, file); });
    if (!found.why_not.empty()) continue;
    found.path = std::move(path);
    break;
  }
  return found;
}

/// Who gives each of the lost files; or why one of them cannot be had.
struct rescue {
  std::vector<int> givers;
  std::string failure;
};

/// At the first rank, from what each rank told of each file: why it has none.
rescue choose_givers(const std::vector<lost_file>& lost, const manifest& wanted,
                     const std::vector<std::vector<std::string>>& why_not) {
  rescue chosen;
  for (std::size_t i = 0; i < lost.size(); ++i) {
    const auto giver = std::ranges::find_if(
        why_not, [i](const std::vector<std::string>& of) { return of[i].empty(); });
    if (giver != why_not.end()) {
      chosen.givers.push_back(static_cast<int>(giver - why_not.begin()));
      continue;
    }
    const std::size_t keeper = wanted.copies[lost[i].number];
    const bool is_here = keeper < why_not.size();
    chosen.failure = lost[i].reason + "; its copy: " +
                     (is_here ? of_rank(keeper, why_not[keeper][i])
                              : "there is no rank " + std::to_string(keeper));
    chosen.givers.clear();
    return chosen;
  }
  return chosen;
}

/// Writes this rank's part of the files anew. @return why it failed, or nothing.
std::string write_anew(session& all, core& home, std::string_view folder, const manifest& wanted,
                       std::span<const std::uint32_t> files, std::span<const own_search> here,
                       std::span<const int> givers) {
  disk real;
  std::string failure;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto taker = static_cast<int>(share_of(all, files[i]));
    const std::string path = file_of(folder, wanted.generation, files[i]), fresh = path + ".new";
    const bool takes = taker == all.rank(), gives = givers[i] == all.rank();
    std::string now = pass_file(home, real,
                                {.to = taker,
                                 .given = gives ? here[i].path : "",
                                 .from = givers[i],
                                 .folder = folder_of(folder, wanted.generation),
                                 .taken = takes ? fresh : ""});
    if (now.empty() && takes) {
      now = failure_of([&] {
        verify_file(fresh, wanted, files[i]);
        check_disk(real.rename(fresh, path), path);
        check_disk(real.sync_folder(folder_of(folder, wanted.generation)), path);
      });
    }
    if (failure.empty()) failure = std::move(now);
  }
  return failure;
}

/// Files that are lost or damaged are written anew from their copies, and so is the manifest of the
/// first rank. A step.
/// @return at the first rank: why a file is not whole.
std::string make_whole(session& all, core& home, std::string_view folder, const manifest& wanted,
                       place where) {
  const bool first = all.rank() == 0;
  const std::vector<lost_file> lost = look_at_files(all, folder, wanted, where);
  std::vector<std::uint32_t> files;
  for (const lost_file& each : lost) files.push_back(each.number);
  files = all.broadcast(value(files), from{0}, where);
  if (!files.empty() && wanted.copies.empty()) return first ? lost.front().reason : "";
  std::string failure;
  if (!files.empty()) {
    std::vector<own_search> here;
    std::vector<std::string> why_not;
    for (const std::uint32_t file : files) {
      here.push_back(look_for(folder, wanted, file));
      why_not.push_back(here.back().why_not);
    }
    const auto told = all.gather(value(why_not), to{0}, where);
    const rescue chosen = first ? choose_givers(lost, wanted, told) : rescue{};
    const std::vector<int> givers = all.broadcast(value(chosen.givers), from{0}, where);
    if (givers.empty()) return chosen.failure;
    failure = write_anew(all, home, folder, wanted, files, here, givers);
    failure = first_of(told_by_all(all, failure, where));
  }
  if (!first || !failure.empty()) return failure;
  if (!is_whole(folder, wanted.generation)) {
    disk real;
    failure = failure_of([&] { commit(real, folder, wanted.generation, wanted.text); });
  }
  if (failure.empty() && !lost.empty() && all.logs(log_level::warning)) {
    const std::string which =
        lost.size() == 1 ? "it was" : "it and " + std::to_string(lost.size() - 1) + " more were";
    std::cerr << "deed: " + lost.front().reason + "; " + which +
                     " written anew from what another rank kept\n";
  }
  return failure;
}

}  // namespace

std::optional<std::uint64_t> resume(session& all, core& home, std::string_view folder,
                                    place where) {
  home.begin_common(collective::resume, 0, where);
  if (all.is_dry()) return std::nullopt;
  search known(all, folder, where);
  home.series_in(folder) = {.resumed = true};  // What is newer than what it finds is set aside.
  while (const std::optional<manifest> wanted = known.next()) {
    const std::string damage =
        said_by_first(all, make_whole(all, home, folder, *wanted, where), where);
    if (!damage.empty()) {
      known.pass_over(wanted->generation, damage);
      continue;
    }
    home.load_values(folder, *wanted, where);
    known.set_aside_newer(wanted->generation, wanted->epoch);
    return wanted->epoch;
  }
  const std::string reasons = known.reasons();
  if (reasons.empty()) {
    known.tell_start();
    return std::nullopt;
  }
  throw common<error>(of_all_ranks(all.rank() == 0, of_all_ranks::nowhere),
                      error_code::file_damaged,
                      "no checkpoint in `" + std::string(folder) + "` is whole",
                      std::vector<error::fact>{{"called", to_string(where)}, {"because", reasons}},
                      "mend that, or remove the folder to start anew");
}

}  // namespace deed::runtime
