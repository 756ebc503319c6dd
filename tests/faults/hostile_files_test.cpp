// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/base/random.hpp>

#include "../support/counted_memory.hpp"
#include "../support/virtual_ranks.hpp"
#include "analysis/ask/hang.hpp"
#include "analysis/read/json.hpp"
#include "analysis/read/metadata.hpp"
#include "checkpoint_store.hpp"
#include "cost_history.hpp"
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>

/// @file
/// Files that ask for more memory than they are worth: each is refused, or read with at most twice
/// its own size and 64 MiB.

namespace {

using namespace deed;

constexpr std::size_t allowed_beside = std::size_t{64} << 20;

std::string repeated(std::string_view text, std::size_t bytes) {
  std::string many;
  many.reserve(bytes + text.size());
  while (many.size() < bytes) many += text;
  return many;
}

/// A file in a folder of its own.
class hostile_file {
 public:
  explicit hostile_file(std::string_view text) : bytes_(text.size()) {
    std::string form = (std::filesystem::temp_directory_path() / "deed-hostile-XXXXXX").string();
    folder_ = ::mkdtemp(form.data());
    std::ofstream(path(), std::ios::binary) << text;
  }
  ~hostile_file() { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return folder_ + "/file"; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::string folder_;
  std::size_t bytes_;
};

/// What `read` takes of memory, the file's own text included.
void expect_modest(std::string_view text, const std::function<void(const std::string&)>& read) {
  const hostile_file file(text);
  const counted_memory memory;
  read(file.path());
  EXPECT_LE(memory.most(), 2 * file.bytes() + allowed_beside) << "of " << file.bytes() << " bytes";
}

constexpr std::size_t large = std::size_t{30} << 20;

TEST(hostile_files, reports_of_deadlocks) {
  const auto refused = [](const std::string& path) {
    EXPECT_THROW(static_cast<void>(viewer::read_hang(path)), viewer::unreadable);
  };
  const std::string head = R"({"format": "deed-hang", "version": 1, "ranks": [)";
  expect_modest(head + repeated("0,", large) + "0]}", refused);
  expect_modest(head + repeated("{},", large) + "0]}", refused);
  expect_modest(head + repeated(R"({"":0},)", large) + "0]}", refused);
  expect_modest(head + repeated("[[[[0]]]],", large) + "0]}", refused);
  const auto accepted = [](const std::string& path) {
    EXPECT_EQ(viewer::read_hang(path).ranks.size(), 1u);
  };
  expect_modest(head + "{\"rank\": 0, \"where\": \"" + std::string(large / 2, 'x') + "\"}]}",
                accepted);
}

TEST(hostile_files, a_report_of_many_ranks_is_read) {
  const std::string wait =
      R"({"what": "task `add`", "peer": 1, "tag": 3, "datum": "`a`", "version": 2, "owner": 1})";
  const std::string rank =
      R"({"rank": 7, "where": "wait() at a.cpp:5", "messages": [], "waits": [)" +
      repeated(wait + ",", 4 * wait.size()) + wait + "]}";
  const hostile_file file(R"({"format": "deed-hang", "version": 1, "ranks": [)" +
                          repeated(rank + ",", 4096 * (rank.size() + 1)) + rank + "]}");
  EXPECT_EQ(viewer::read_hang(file.path()).ranks.size(), 4097u);
}

TEST(hostile_files, layouts_of_traces) {
  const auto refused = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text(std::filesystem::file_size(path), ' ');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    EXPECT_THROW(static_cast<void>(viewer::parse_metadata(text)), viewer::unreadable);
  };
  std::string names = "env {";
  for (int i = 0; names.size() < large; ++i) names += std::to_string(i) + "=1;";
  expect_modest(names + "};", refused);
  expect_modest(names.substr(0, 1 << 20), refused);  // Short enough to be read, and it has no end.
  std::string streams;
  for (int i = 0; streams.size() < large; ++i) streams += "stream{id=" + std::to_string(i) + ";}";
  expect_modest(streams, refused);
}

/// A manifest of the shortest lines that there are.
std::string manifest_of_short_lines(std::size_t bytes) {
  runtime::manifest head;
  head.generation = 1;
  head.ranks = 1;
  const runtime::saved_value value;
  return runtime::text_of(head, repeated(runtime::lines_of(std::span(&value, 1)), bytes));
}

TEST(hostile_files, manifests_of_checkpoints) {
  const std::string checkpoint = std::filesystem::temp_directory_path() / "deed-hostile-manifest";
  std::filesystem::create_directories(runtime::folder_of(checkpoint, 1));
  std::size_t bytes = 0;
  {
    const std::string text = manifest_of_short_lines(2 * large);
    bytes = text.size();
    std::ofstream(runtime::manifest_of(checkpoint, 1), std::ios::binary) << text;
  }
  for (const int ranks : {1, 2}) {
    const counted_memory memory;
    try {
      test::on_virtual_ranks(ranks,
                             [&](session& all) { static_cast<void>(all.resume(checkpoint)); });
      ADD_FAILURE() << "a value that the program does not have was taken up";
    } catch (const error& refused) {
      EXPECT_EQ(refused.code(), error_code::checkpoint_does_not_fit);
    }
    EXPECT_LE(memory.most(), static_cast<std::size_t>(ranks) * 2 * bytes + allowed_beside);
  }
  std::filesystem::remove_all(checkpoint);
}

/// A history that ends as it should.
std::string history(std::size_t bytes) {
  std::string text = "deed history 1 of machine\n";
  for (int i = 0; text.size() < bytes; ++i) text += "task \"\" 1 1 1 " + std::to_string(i) + '\n';
  std::uint64_t hash = 1;
  for (const char letter : text) hash = mix(hash, static_cast<unsigned char>(letter));
  return text + "end " + std::to_string(hash) + '\n';
}

TEST(hostile_files, histories_of_costs) {
  const auto said = [](const char* wanted) {
    return [wanted](const std::string& path) {
      runtime::cost_history known;
      EXPECT_EQ(known.read(path, "machine"), wanted);
    };
  };
  expect_modest(history(large), said("is damaged"));
  expect_modest(history(4'000'000), said(""));
}

}  // namespace
