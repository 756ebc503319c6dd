// SPDX-License-Identifier: MIT
#include "checkpoint.hpp"

#include <deed/deed.hpp>

#include "../support/virtual_ranks.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace {

namespace files = std::filesystem;
using deed::runtime::disk;
using ::testing::HasSubstr;

/// A folder that is there as long as the test.
class scratch {
 public:
  scratch() {
    std::string pattern = (files::temp_directory_path() / "deed_checkpoint.XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~scratch() {
    std::error_code ignored;
    files::remove_all(path_, ignored);
  }
  scratch(const scratch&) = delete;
  [[nodiscard]] std::string run() const { return path_ + "/run"; }

 private:
  std::string path_;
};

using numbers = std::vector<int>;

constexpr deed::codelet grow{"grow", [](numbers& to, const numbers& from) {
                               to.push_back(static_cast<int>(to.size()));
                               for (std::size_t i = 0; i < to.size(); ++i)
                                 to[i] = (3 * to[i] + from[i % from.size()] + 1) % 10'007;
                             }};
constexpr deed::codelet note{"note", [](std::string& text, const numbers& from) {
                               text += std::to_string(from.back() % 10);
                             }};
constexpr deed::codelet relax{"relax", [](deed::tile<double> to, const numbers& from) {
                                for (std::size_t i = 0; i < to.rows(); ++i) {
                                  for (std::size_t j = 0; j < to.cols(); ++j)
                                    to(i, j) = to(i, j) / 2 + from.front() + double(i) - double(j);
                                }
                              }};
constexpr deed::codelet count{"count", [](long& times) { ++times; }};
constexpr deed::codelet weigh{"weigh", [](double& sum, const numbers& one, const std::string& text,
                                          deed::tile<const double> tile) {
                                sum = 31 * sum + std::accumulate(one.begin(), one.end(), 0.0);
                                for (const char c : text) sum += c;
                                for (std::size_t i = 0; i < tile.rows(); ++i)
                                  for (std::size_t j = 0; j < tile.cols(); ++j)
                                    sum += tile(i, j) * double(i + 2 * j + 1);
                              }};

constexpr int parts = 6;

/// Data of every wire form, read and written across ranks.
class simulation {
 public:
  explicit simulation(deed::session& session)
      : session_(session),
        plate_(session, {.rows = 12,
                         .cols = 5,
                         .tile_rows = 2,
                         .tile_cols = 5,
                         .owners = deed::block_cyclic{session.size()},
                         .initial = 1.0,
                         .name = "plate"}),
        unused_(session.register_data<double>(deed::owner{0}, deed::uninitialised,
                                              {.name = "unused"})) {
    for (int i = 0; i < parts; ++i) {
      const deed::owner who{(2 * i + 1) % session.size()};
      lists_.push_back(session.register_data(
          who, numbers{i}, {.tag = deed::tag{100u + unsigned(i)}, .name = "list"}));
      texts_.push_back(session.register_data(who, std::string("from "), {.name = "text"}));
    }
  }
  void step() {
    for (std::size_t i = 0; i < parts; ++i) {
      session_.insert_task(grow, deed::read_write(lists_[i]), deed::read(lists_[(i + 1) % parts]));
      session_.insert_task(note, deed::read_write(texts_[i]), deed::read(lists_[(i + 2) % parts]));
      session_.insert_task(relax, deed::read_write(plate_(i, 0)), deed::read(lists_[i]));
    }
  }
  /// Of all values; on rank 0.
  double sum() {
    auto total = session_.register_data(deed::owner{0}, 0.0);
    for (std::size_t i = 0; i < parts; ++i)
      session_.insert_task(weigh, deed::read_write(total), deed::read(lists_[i]),
                           deed::read(texts_[i]), deed::read(plate_(i, 0)));
    session_.wait();
    return session_.rank() == 0 ? *session_.borrow(deed::read(total)) : 0;
  }
  [[nodiscard]] deed::tiled_matrix<double>& plate() { return plate_; }

 private:
  deed::session& session_;
  deed::tiled_matrix<double> plate_;
  deed::handle<double> unused_;
  std::vector<deed::handle<numbers>> lists_;
  std::vector<deed::handle<std::string>> texts_;
};

/// Steps up to `last`, from the checkpoint if there is one; the sum of all values.
double run(int ranks, const std::string& folder, int last, int every, std::uint64_t seed = 1) {
  double result = 0;
  test::on_virtual_ranks(
      ranks,
      [&](deed::session& session) {
        simulation all(session);
        auto step = session.resume(folder).value_or(0);
        while (step < static_cast<std::uint64_t>(last)) {
          all.step();
          if (++step % static_cast<std::uint64_t>(every) == 0) {
            EXPECT_TRUE(session.checkpoint(folder, step));
          }
        }
        const double sum = all.sum();
        if (session.rank() == 0) result = sum;
      },
      seed);
  return result;
}
double unbroken(int last) {
  const scratch nowhere;
  return run(3, nowhere.run(), last, 1'000);
}

std::string what_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const deed::error& thrown) {
    return thrown.what();
  }
  return "nothing was thrown";
}

std::vector<files::path> files_in(const std::string& folder) {
  std::vector<files::path> found;
  for (const auto& each : files::recursive_directory_iterator(folder))
    if (each.is_regular_file()) found.push_back(each.path());
  std::ranges::sort(found);
  return found;
}

void flip(const files::path& path, std::uint64_t at, unsigned bit) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(at));
  const char old = static_cast<char>(file.get());
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(old ^ (1 << bit)));
}

TEST(checkpoint, a_run_goes_on_with_the_same_bits_on_any_number_of_ranks) {
  const double wanted = unbroken(9);
  for (const int before : {1, 2, 4, 8}) {
    for (const int after : {1, 2, 4, 8}) {
      const scratch there;
      run(before, there.run(), 5, 5);
      EXPECT_EQ(run(after, there.run(), 9, 100), wanted) << before << " to " << after;
    }
  }
}

TEST(checkpoint, there_is_none_at_first) {
  const scratch there;
  test::on_virtual_ranks(
      2, [&](deed::session& session) { EXPECT_EQ(session.resume(there.run()), std::nullopt); });
}

TEST(checkpoint, it_needs_a_folder) {
  test::on_virtual_ranks(2, [](deed::session& session) {
    try {
      session.checkpoint("", 1);
      ADD_FAILURE() << "nobody said where to";
    } catch (const deed::error& refused) {
      EXPECT_EQ(refused.code(), deed::error_code::cannot_write);
      EXPECT_NE(std::string(refused.what()).find("no folder"), std::string::npos);
    }
  });
}

TEST(checkpoint, a_value_that_the_program_holds_is_an_error_of_the_program) {
  const scratch there;
  test::on_virtual_ranks(1, [&](deed::session& session) {
    auto x = session.register_data(deed::per_rank, 1.0, {.name = "x"});
    auto held = session.borrow(deed::read_write(x));
    try {
      session.checkpoint(there.run(), 1);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const deed::error& thrown) {
      EXPECT_EQ(thrown.code(), deed::error_code::borrowed_twice);
    }
  });
}

TEST(checkpoint, another_run_in_its_folder_ends_it) {
  const scratch there;
  test::on_virtual_ranks(2, [&](deed::session& session) {
    simulation all(session);
    EXPECT_TRUE(session.checkpoint(there.run(), 1));
    EXPECT_TRUE(session.checkpoint(there.run(), 2));
    if (session.rank() == 0) files::create_directory(there.run() + "/generation-3");
    try {
      session.checkpoint(there.run(), 3);
      ADD_FAILURE() << "nothing was thrown on rank " << session.rank();
    } catch (const deed::error& thrown) {
      EXPECT_EQ(thrown.code(), deed::error_code::cannot_write);
      EXPECT_THAT(thrown.what(), HasSubstr("another run writes checkpoints to"));
      EXPECT_TRUE(session.rank() != 0 ||
                  std::string(thrown.what()).find("generation 3") != std::string::npos);
    }
  });
}

TEST(checkpoint, two_generations_are_kept) {
  const scratch there;
  run(2, there.run(), 7, 1);
  EXPECT_EQ(deed::runtime::generations_in(there.run()), (std::vector<std::uint64_t>{7, 6}));
}

TEST(checkpoint, data_may_have_moved_before_and_copies_may_lie_about) {
  const scratch there;
  const double wanted = unbroken(6);
  test::on_virtual_ranks(3, [&](deed::session& session) {
    simulation all(session);
    for (int step = 0; step < 4; ++step) all.step();
    all.plate().migrate([](std::size_t, std::size_t) { return 2; });
    EXPECT_TRUE(session.checkpoint(there.run(), 4));
    all.step();  // What follows is not in it.
  });
  EXPECT_EQ(run(3, there.run(), 6, 100), wanted);
}

TEST(checkpoint, a_session_can_go_back) {
  const scratch there;
  const double wanted = unbroken(4);
  double result = 0;
  test::on_virtual_ranks(3, [&](deed::session& session) {
    simulation all(session);
    all.step();
    EXPECT_TRUE(session.checkpoint(there.run(), 1));
    for (int step = 0; step < 5; ++step) all.step();
    EXPECT_EQ(session.resume(there.run()), 1u);
    for (int step = 1; step < 4; ++step) all.step();
    const double sum = all.sum();
    if (session.rank() == 0) result = sum;
  });
  EXPECT_EQ(result, wanted);
}

TEST(checkpoint, data_may_be_cut_into_parts) {
  const scratch folder;
  test::on_virtual_ranks(2, [&](deed::session& session) {
    auto all = session.register_data(deed::owner{0}, numbers(8, 1), {.name = "all"});
    auto pieces = session.partition(std::move(all), deed::row_blocks{2});
    session.insert_task(grow, deed::read_write(pieces[0]), deed::read(pieces[1]));
    session.checkpoint(folder.run(), 1);
    session.insert_task(grow, deed::read_write(pieces[0]), deed::read(pieces[1]));
    EXPECT_EQ(session.resume(folder.run()), 1u);
    all = session.unite(std::move(pieces));
    session.wait();
    if (session.owns(all)) {
      EXPECT_EQ(session.borrow(deed::read(all))->size(), 9u);  // It grew once.
    }
  });
}

TEST(checkpoint, per_rank_data_come_back_on_the_same_number_of_ranks) {
  const scratch there;
  const auto program = [&](bool first) {
    return [&, first](deed::session& session) {
      auto own = session.register_data(deed::per_rank, long{session.rank()}, {.name = "own"});
      if (first) {
        for (int i = 0; i <= session.rank(); ++i) session.insert_task(count, deed::read_write(own));
        EXPECT_TRUE(session.checkpoint(there.run(), 1));
      } else {
        EXPECT_EQ(session.resume(there.run()), 1u);
        EXPECT_EQ(*session.borrow(deed::read(own)), 2 * session.rank() + 1);
      }
    };
  };
  test::on_virtual_ranks(3, program(true));
  test::on_virtual_ranks(3, program(false));
  const std::string said = what_of([&] { test::on_virtual_ranks(2, program(false)); });
  EXPECT_THAT(
      said,
      HasSubstr("deed[D615] `own` is per rank: 3 ranks wrote the checkpoint, and there are 2"));
}

/// What is said when a checkpoint of `state`, an int, is taken up by another program.
template <class Program>
std::string resumed_by(Program&& program) {
  const scratch there;
  test::on_virtual_ranks(2, [&](deed::session& session) {
    auto state = session.register_data(deed::owner{1}, 7, {.name = "state"});
    EXPECT_TRUE(session.checkpoint(there.run(), 1));
  });
  return what_of([&] {
    test::on_virtual_ranks(2, [&](deed::session& session) { program(session, there.run()); });
  });
}

TEST(checkpoint, another_type_is_refused_with_both_declarations) {
  const std::string said = resumed_by([](deed::session& session, const std::string& folder) {
    auto state = session.register_data(deed::owner{1}, 7.0, {.name = "state"});
    static_cast<void>(session.resume(folder));
  });
  EXPECT_THAT(said, HasSubstr("deed[D615] the type of `state` is another one\n  in the checkpoint  "
                              "int, registered at checkpoint_test.cpp:"));
  EXPECT_THAT(said, HasSubstr("in the program     double, registered at checkpoint_test.cpp:"));
}
TEST(checkpoint, another_name_is_refused) {
  EXPECT_THAT(
      resumed_by([](deed::session& session, const std::string& folder) {
        auto other = session.register_data(deed::owner{1}, 7, {.name = "other"});
        static_cast<void>(session.resume(folder));
      }),
      HasSubstr("deed[D615] tag 0 is `state` in the checkpoint and `other` in the program"));
}
TEST(checkpoint, a_datum_that_it_lacks_is_refused) {
  EXPECT_THAT(resumed_by([](deed::session& session, const std::string& folder) {
                auto state = session.register_data(deed::owner{1}, 7, {.name = "state"});
                auto more = session.register_data(deed::owner{1}, 7, {.name = "more"});
                static_cast<void>(session.resume(folder));
              }),
              HasSubstr("deed[D615] `more` is not in the checkpoint"));
}
TEST(checkpoint, a_datum_that_the_program_lacks_is_refused) {
  EXPECT_THAT(resumed_by([](deed::session& session, const std::string& folder) {
                static_cast<void>(session.resume(folder));
              }),
              HasSubstr("deed[D615] the checkpoint has `state`, and the program does not"));
}
TEST(checkpoint, another_size_is_refused) {
  const scratch there;
  const auto program = [&](std::ptrdiff_t rows) {
    return [&, rows](deed::session& session) {
      deed::tiled_matrix<float> m{session,
                                  {.rows = rows,
                                   .cols = 4,
                                   .tile_rows = rows,
                                   .tile_cols = 2,
                                   .initial = 1.0f,
                                   .name = "m"}};
      if (rows == 4) {
        EXPECT_TRUE(session.checkpoint(there.run(), 1));
      } else {
        static_cast<void>(session.resume(there.run()));
      }
    };
  };
  test::on_virtual_ranks(2, program(4));
  EXPECT_THAT(what_of([&] { test::on_virtual_ranks(2, program(5)); }),
              HasSubstr("the size of `m(0,0)` is another one"));
}

/// A run with two generations, of epochs 2 and 4, that can be damaged again and again.
class victim {
 public:
  victim() {
    run(2, whole_.run(), 4, 2);
    restore();
    for (const auto& each : files_in(deed::runtime::folder_of(folder(), 2)))
      newest_.push_back(each);
  }
  [[nodiscard]] std::string folder() const { return damaged_.run(); }
  [[nodiscard]] const std::vector<files::path>& newest() const { return newest_; }
  void restore() const {
    files::remove_all(folder());
    files::copy(whole_.run(), folder(), files::copy_options::recursive);
  }
  /// What is taken up.
  [[nodiscard]] std::uint64_t epoch() const {
    std::atomic<std::uint64_t> found{0};
    test::on_virtual_ranks(2, [&](deed::session& session) {
      simulation all(session);
      found = session.resume(folder()).value_or(0);
    });
    return found;
  }

 private:
  scratch whole_, damaged_;
  std::vector<files::path> newest_;
};

TEST(checkpoint, damage_of_the_newest_falls_back_to_the_one_before_in_1000_of_1000_cases) {
  const victim all;
  ASSERT_EQ(all.newest().size(), 3u);
  std::mt19937_64 random(7);
  int fell_back = 0;
  for (int i = 0; i < 1000; ++i) {
    const files::path& file = all.newest()[random() % all.newest().size()];
    flip(file, random() % files::file_size(file), static_cast<unsigned>(random() % 8));
    if (all.epoch() == 2) ++fell_back;
    all.restore();
  }
  EXPECT_EQ(fell_back, 1000);
}

TEST(checkpoint, every_cut_of_every_file_falls_back) {
  const victim all;
  for (const files::path& file : all.newest()) {
    const std::uint64_t whole = files::file_size(file);
    for (std::uint64_t size = 0; size < whole; size += 7) {
      files::resize_file(file, size);
      EXPECT_EQ(all.epoch(), 2u) << file << " cut at " << size;
      all.restore();
    }
  }
}

TEST(checkpoint, a_pipe_or_a_folder_in_place_of_a_file_falls_back) {
  const victim all;
  for (const files::path& file : all.newest()) {
    files::remove(file);
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
    EXPECT_EQ(all.epoch(), 2u) << file << " is a pipe";
    all.restore();
    files::remove(file);
    files::create_directory(file);
    EXPECT_EQ(all.epoch(), 2u) << file << " is a folder";
    all.restore();
  }
}

TEST(checkpoint, without_any_manifest_the_new_start_is_said) {
  const victim all;
  for (const std::uint64_t each : {1u, 2u})
    files::remove(deed::runtime::manifest_of(all.folder(), each));
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(all.epoch(), 0u);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "deed: starts anew: of 2 checkpoints in `" + all.folder() +
                "` none has a manifest, so none was finished\n");
}

TEST(checkpoint, a_file_is_no_folder) {
  const scratch there;
  std::ofstream(there.run()) << "a file";
  const std::string said = what_of([&] {
    test::on_virtual_ranks(2, [&](deed::session& session) { session.checkpoint(there.run(), 1); });
  });
  EXPECT_THAT(said, HasSubstr("deed[D006] `" + there.run() + "` is no folder"));
}

TEST(checkpoint, what_is_damaged_is_set_aside_and_does_not_count) {
  const victim all;
  const double wanted = unbroken(5);
  flip(all.newest().back(), 1, 1);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(2, all.folder(), 5, 1), wanted);  // Writes generations 3, 4 and 5.
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("deed: goes on from epoch 2; what is newer in `" + all.folder() +
                              "` is damaged and set aside: rank 1: file `"));
  EXPECT_TRUE(files::exists(all.folder() + "/damaged-2"));
  EXPECT_EQ(deed::runtime::generations_in(all.folder()), (std::vector<std::uint64_t>{4, 3}));
}

TEST(checkpoint, nothing_whole_is_an_error_and_no_new_start) {
  const scratch there;
  run(2, there.run(), 1, 1);
  flip(deed::runtime::file_of(there.run(), 1, 0), 3, 1);
  const std::string said = what_of([&] { run(2, there.run(), 1, 1); });
  EXPECT_THAT(said, HasSubstr("deed[D005] no checkpoint in `" + there.run() + "` is whole"));
  EXPECT_THAT(said, HasSubstr("rank-0` is damaged, at byte "));
}

/// A disk on which the k-th change is the last: half of a write is done, and nothing after it.
class dying_disk final : public disk {
 public:
  explicit dying_disk(long calls) : left_(calls) {}
  [[nodiscard]] bool died() const { return left_ < 0; }

  int make_folder(const std::string& path) override {
    return lives() ? disk::make_folder(path) : EIO;
  }
  int create(const std::string& path, int& file) override {
    return lives() ? disk::create(path, file) : EIO;
  }
  int write(int file, std::span<const std::byte> bytes) override {
    if (lives()) return disk::write(file, bytes);
    if (left_ == -1) static_cast<void>(disk::write(file, bytes.first(bytes.size() / 2)));
    return EIO;
  }
  int sync(int file) override { return lives() ? disk::sync(file) : EIO; }
  int sync_folder(const std::string& path) override {
    return lives() ? disk::sync_folder(path) : EIO;
  }
  int rename(const std::string& from, const std::string& to) override {
    return lives() ? disk::rename(from, to) : EIO;
  }
  int remove(const std::string& path) override { return lives() ? disk::remove(path) : EIO; }

 private:
  bool lives() { return --left_ >= 0; }
  long left_;
};

TEST(checkpoint, a_run_that_ends_between_any_two_changes_of_the_disk_leaves_a_whole_one) {
  const double wanted = unbroken(6);
  int tried = 0;
  for (long calls = 0;; ++calls, ++tried) {
    const scratch there;
    run(3, there.run(), 4, 2);  // Two whole ones; the third takes the place of the first.
    dying_disk dying(calls);
    bool written = false;
    test::on_virtual_ranks(3, [&](deed::session& session) {
      simulation all(session);
      EXPECT_EQ(session.resume(there.run()), 4u);
      all.step();
      const bool well = deed::runtime::checkpoint(session, session.untyped(), dying, there.run(), 5,
                                                  deed::place::current());
      if (session.rank() == 0) written = well;
    });
    std::uint64_t epoch = 0;
    test::on_virtual_ranks(2, [&](deed::session& session) {
      simulation all(session);
      const auto found = session.resume(there.run());
      if (session.rank() == 0) epoch = found.value_or(0);
    });
    EXPECT_TRUE(epoch == 4 || epoch == 5) << "after " << calls << " changes: " << epoch;
    if (written) {
      EXPECT_EQ(epoch, 5u);
    }
    EXPECT_EQ(run(2, there.run(), 6, 1), wanted) << "after " << calls << " changes";
    if (!dying.died()) break;
  }
  EXPECT_GE(tried, 20);
}

TEST(checkpoint, a_full_disk_costs_the_checkpoint_and_not_the_run) {
  const scratch there;
  run(2, there.run(), 2, 2);
  ::testing::internal::CaptureStderr();
  test::on_virtual_ranks(2, [&](deed::session& session) {
    simulation all(session);
    EXPECT_EQ(session.resume(there.run()), 2u);
    dying_disk full(1);
    EXPECT_FALSE(deed::runtime::checkpoint(session, session.untyped(), full, there.run(), 3,
                                           deed::place::current()));
    all.step();
    EXPECT_TRUE(session.checkpoint(there.run(), 3));
  });
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(said,
              HasSubstr("deed[D006] no checkpoint of epoch 3 in `" + there.run() + "`: rank "));
  EXPECT_THAT(said, HasSubstr("what was written before is as it was"));
}

/// A disk without room behind the k-th write.
class full_disk final : public disk {
 public:
  explicit full_disk(long writes) : left_(writes) {}
  [[nodiscard]] bool was_full() const { return left_ < 0; }
  int write(int file, std::span<const std::byte> bytes) override {
    return --left_ >= 0 ? disk::write(file, bytes) : ENOSPC;
  }

 private:
  long left_;
};

TEST(checkpoint, what_a_full_disk_broke_off_is_removed_and_the_next_one_counts) {
  using deed::runtime::generations_in;
  bool was_full = true;
  for (long writes = 0; was_full; ++writes) {
    const scratch there;
    run(3, there.run(), 2, 1);  // Generations 1 and 2.
    ::testing::internal::CaptureStderr();
    test::on_virtual_ranks(3, [&](deed::session& session) {
      simulation all(session);
      EXPECT_EQ(session.resume(there.run()), 2u);
      all.step();
      full_disk full(writes);
      const bool well = deed::runtime::checkpoint(session, session.untyped(), full, there.run(), 3,
                                                  deed::place::current());
      session.barrier();
      if (session.rank() != 0) return;
      was_full = !well;
      EXPECT_EQ(generations_in(there.run()),
                (well ? std::vector<std::uint64_t>{3, 2} : std::vector<std::uint64_t>{2, 1}));
    });
    static_cast<void>(::testing::internal::GetCapturedStderr());
    EXPECT_EQ(run(3, there.run(), 4, 1), unbroken(4)) << "after " << writes << " writes";
  }
}

TEST(checkpoint, what_an_earlier_run_left_stays_unless_it_is_resumed) {
  using deed::runtime::generations_in;
  const scratch there;
  run(2, there.run(), 3, 1);
  ASSERT_EQ(generations_in(there.run()), (std::vector<std::uint64_t>{3, 2}));
  ::testing::internal::CaptureStderr();
  test::on_virtual_ranks(2, [&](deed::session& session) {
    simulation all(session);
    for (std::uint64_t step = 1; step <= 3; ++step) {
      all.step();
      EXPECT_TRUE(session.checkpoint(there.run(), step));
    }
  });
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "deed: `" + there.run() +
                "` has 2 checkpoints of an earlier run, from which this one "
                "did not go on; what was there stays\n");
  EXPECT_EQ(generations_in(there.run()), (std::vector<std::uint64_t>{6, 5, 3, 2}));
  run(2, there.run(), 4, 1);
  EXPECT_EQ(generations_in(there.run()), (std::vector<std::uint64_t>{7, 6}));
}

TEST(checkpoint, a_folder_is_the_same_however_it_is_written) {
  const scratch there;
  const std::filesystem::path path(there.run());
  const std::string odd = (path.parent_path() / "." / path.filename()).string();
  std::filesystem::create_directories(path);
  ::testing::internal::CaptureStderr();
  test::on_virtual_ranks(2, [&](deed::session& session) {
    simulation all(session);
    for (const std::string& folder : {there.run(), odd, there.run() + "/", there.run()})
      EXPECT_TRUE(session.checkpoint(folder, 1));
  });
  EXPECT_EQ(deed::runtime::generations_in(there.run()), (std::vector<std::uint64_t>{4, 3}));
  test::on_virtual_ranks(2, [&](deed::session& session) {
    simulation all(session);
    EXPECT_TRUE(session.resume(there.run() + "/").has_value());
    EXPECT_TRUE(session.checkpoint(there.run(), 2));
  });
  EXPECT_EQ(deed::runtime::generations_in(there.run()), (std::vector<std::uint64_t>{5, 4}));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), Not(HasSubstr("earlier run")));
}

TEST(checkpoint_store, what_an_earlier_run_has_not_finished_stays_too) {
  const scratch there;
  for (const std::uint64_t generation : {1u, 2u, 3u, 4u})
    std::filesystem::create_directories(deed::runtime::folder_of(there.run(), generation));
  deed::runtime::disk real;
  EXPECT_EQ(deed::runtime::prune(real, there.run(), {.first = 3, .last = 4}, 2), 1u);
  EXPECT_EQ(deed::runtime::generations_in(there.run()), (std::vector<std::uint64_t>{2, 1}));
}

TEST(checkpoint, a_folder_that_cannot_be_looked_into_is_no_start_anew) {
  const scratch there;
  std::ofstream(there.run()) << "no folder";
  const std::string said = what_of([&] {
    test::on_virtual_ranks(
        2, [&](deed::session& session) { static_cast<void>(session.resume(there.run())); });
  });
  EXPECT_THAT(said, HasSubstr("deed[D005] no checkpoint in `" + there.run() + "` is whole"));
  EXPECT_THAT(said, HasSubstr("cannot be looked into: Not a directory"));
}

TEST(checkpoint_store, a_manifest_has_as_many_ranks_as_there_can_be) {
  const std::vector<deed::runtime::saved_value> values{
      {.tag = 1, .file = 1, .shape = {}, .name = "x", .type_name = "int", .where = "x.cpp:3"}};
  const auto taken = [&](std::uint32_t ranks) {
    const deed::runtime::manifest_head head{
        .generation = 1, .epoch = 1, .ranks = ranks, .copies = {}};
    return what_of([&] {
      static_cast<void>(deed::runtime::parse_manifest(text_of(head, lines_of(values)), "m"));
    });
  };
  EXPECT_EQ(taken(2), "nothing was thrown");
  EXPECT_THAT(taken(1), HasSubstr("line 5"));
  EXPECT_THAT(taken(0), HasSubstr("from 1 to 1048576 ranks"));
  EXPECT_THAT(taken(2'000'000'000), HasSubstr("from 1 to 1048576 ranks"));
}

TEST(checkpoint_store, a_manifest_says_again_what_was_written) {
  const deed::runtime::manifest_head head{
      .generation = 3, .epoch = 12, .ranks = 2, .copies = {1, 0}};
  const std::vector<deed::runtime::saved_value> values{
      {.tag = 7,
       .file = 1,
       .per_rank = false,
       .present = true,
       .type_hash = ~0ull,
       .shape = {3, 4},
       .offset = 5,
       .bytes = 96,
       .hash = 1,
       .name = "a\tb\\c",
       .type_name = "std::vector<int>",
       .where = "x.cpp:3"},
      {.tag = ~0ull, .shape = {}, .name = "line\nbreak", .type_name = "", .where = ""}};
  const std::string text = text_of(head, lines_of(values));
  const deed::runtime::manifest read = deed::runtime::parse_manifest(text, "m");
  EXPECT_EQ(static_cast<const deed::runtime::manifest_head&>(read), head);
  EXPECT_EQ(read.text, text);
  std::vector<deed::runtime::saved_value> again, of_rank_1;
  visit_values(read, [&](const auto& each) { again.push_back(each); });
  visit_values(read, 1, [&](const auto& each) { of_rank_1.push_back(each); });
  EXPECT_EQ(again, values);
  EXPECT_EQ(of_rank_1, std::vector{values[0]});
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const int bit : {0, 3, 6}) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      EXPECT_THROW(static_cast<void>(deed::runtime::parse_manifest(damaged, "m")), deed::error);
    }
  }
  const auto said_of = [&](std::size_t bytes) {
    try {
      static_cast<void>(deed::runtime::parse_manifest(text.substr(0, bytes), "m"));
    } catch (const deed::error& refused) {
      return std::string(refused.what());
    }
    return std::string("taken");
  };
  EXPECT_THAT(said_of(0), HasSubstr("line 1"));
  EXPECT_THAT(said_of(30), HasSubstr("the end"));  // Its first line is whole.
}

}  // namespace
