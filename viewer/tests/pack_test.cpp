// SPDX-License-Identifier: MIT
#include <deed/base/random.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/edit/edit.hpp"
#include "analysis/say/answer.hpp"
#include "scratch_folder.hpp"
#include "small_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace {

using namespace deed::viewer;

TEST(pack, gives_smaller_files_of_the_same_run_and_the_same_files_again) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  const auto before = all_files(path);
  const std::string said = render(info(model(run(path))), style::text, {}, 100);
  const packing packed = pack(path, 3);
  ASSERT_GT(packed.files, 0u);
  EXPECT_LT(packed.after, packed.before / 3);
  EXPECT_EQ(render(info(model(run(path))), style::text, {}, 100), said) << "read as it is";
  EXPECT_THAT(run(path).incomplete(), testing::IsEmpty());
  EXPECT_THAT(repair(path, false).left, testing::IsEmpty());
  EXPECT_EQ(pack(path, 3).files, 0u);
  const packing again = unpack_run(path);
  EXPECT_EQ(again.files, packed.files);
  EXPECT_EQ(again.after, packed.before);
  EXPECT_EQ(all_files(path), before);
}

TEST(pack, may_keep_the_originals_and_reads_them_once) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  const auto before = all_files(path);
  const std::string said = render(info(model(run(path))), style::text, {}, 100);
  const packing packed = pack(path, 3, true);
  ASSERT_GT(packed.files, 0u);
  auto both = all_files(path);
  EXPECT_EQ(both.size(), before.size() + packed.files);
  for (const auto& [name, bytes] : before) EXPECT_EQ(both[name], bytes) << name;
  EXPECT_EQ(render(info(model(run(path))), style::text, {}, 100), said) << "each event once";
  for (const auto& [name, bytes] : both)  // A damaged copy is not looked at.
    if (name.ends_with(".zst")) std::ofstream(path + "/" + name) << "no zstd";
  EXPECT_THAT(run(path).incomplete(), testing::IsEmpty()) << "the originals are read";
  EXPECT_EQ(pack(path, 3).files, packed.files) << "and go now";
  EXPECT_EQ(unpack_run(path).files, packed.files);
  EXPECT_EQ(all_files(path), before);
}

TEST(pack, is_told_of_damage_by_repair) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  static_cast<void>(pack(path, 3));
  replace_file(path + "/rank-000000/w00.000.zst", "no zstd");
  EXPECT_THAT(repair(path, false).left,
              testing::ElementsAre(testing::StartsWith("rank-000000/w00.000.zst: ")));
}

TEST(pack, is_what_zstd_reads) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  const std::string file = path + "/rank-000000/w00.000", was = text_of(file);
  pack(path, 3);
  if (std::system("zstd --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no zstd here";
  ASSERT_EQ(std::system(("zstd -q -d " + file + ".zst -o " + folder.path() + "/again").c_str()), 0);
  EXPECT_EQ(text_of(folder.path() + "/again"), was);
}

TEST(pack, says_what_is_damaged_and_keeps_it) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  pack(path, 3);
  const std::string file = path + "/rank-000000/w00.000.zst", whole = text_of(file);
  deed::random_source draw{3};
  for (int i = 0; i < 200; ++i) {
    std::string damaged = whole;
    if (i % 2 == 0)
      damaged.resize(draw.below(whole.size()));
    else
      damaged[draw.below(whole.size())] ^= static_cast<char>(1 + draw.below(255));
    replace_file(file, damaged);
    const run read(path);
    EXPECT_FALSE(read.incomplete().empty()) << "input " << i;
    EXPECT_THROW(unpack_run(path), unreadable);
    EXPECT_EQ(text_of(file), damaged);
    pack(path, 3);  // What was unpacked before the damaged one was met.
  }
}

}  // namespace
