// SPDX-License-Identifier: MIT
// A table that is larger than the memory which it may take: it lies in a file, and a few buffers go
// over it, again and again. While one piece is computed, the next is read and the last is written.
#include <deed/deed.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr std::size_t pieces = 48, length = 2048, rounds = 3, buffers = 3;

using piece = std::vector<std::uint64_t>;

std::uint64_t first_value(std::size_t i) { return i * 2654435761u % 1000003; }
void change(piece& values, std::size_t round) {
  for (std::size_t i = 1; i < values.size(); ++i) values[i] += values[i - 1] * (round + 3);
}

/// A rank's own file. Tasks of several workers use it, each another place.
std::streamoff place_of(std::size_t number) {
  return static_cast<std::streamoff>(number * length * sizeof(std::uint64_t));
}
constexpr deed::codelet load{
    "load", [](piece& values, const std::size_t&, const std::string& path, std::size_t number) {
      values.resize(length);
      std::ifstream file(path, std::ios::binary);
      file.seekg(place_of(number));
      if (!file.read(reinterpret_cast<char*>(values.data()), length * sizeof(std::uint64_t)))
        throw std::runtime_error(path + " cannot be read");
    }};
constexpr deed::codelet compute{"compute",
                                [](piece& values, std::size_t round) { change(values, round); }};
constexpr deed::codelet store{
    "store",
    [](const piece& values, std::size_t& written, const std::string& path, std::size_t number) {
      std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(place_of(number));
      if (!file.write(reinterpret_cast<const char*>(values.data()), length * sizeof(std::uint64_t))
               .flush())
        throw std::runtime_error(path + " cannot be written");
      ++written;
    }};

/// Removes what it made, also when something throws.
class scratch_file {
 public:
  scratch_file(std::string path, const std::vector<std::size_t>& mine) : path_(std::move(path)) {
    std::ofstream file(path_, std::ios::binary);
    for (const std::size_t number : mine) {
      piece values(length);
      for (std::size_t i = 0; i < length; ++i) values[i] = first_value(number * length + i);
      file.write(reinterpret_cast<const char*>(values.data()), length * sizeof(std::uint64_t));
    }
  }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;
  ~scratch_file() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

bool as_expected(const std::string& path, const std::vector<std::size_t>& mine) {
  std::ifstream file(path, std::ios::binary);
  for (const std::size_t number : mine) {
    piece expected(length), found(length);
    for (std::size_t i = 0; i < length; ++i) expected[i] = first_value(number * length + i);
    for (std::size_t round = 0; round < rounds; ++round) change(expected, round);
    file.read(reinterpret_cast<char*>(found.data()), length * sizeof(std::uint64_t));
    if (!file || found != expected) return false;
  }
  return true;
}

void out_of_core(deed::session& session) {
  std::vector<std::size_t> mine;  // Which pieces lie in this rank's file, one after the other.
  for (std::size_t number = 0; number < pieces; ++number) {
    if (static_cast<int>(number) % session.size() == session.rank()) mine.push_back(number);
  }
  const scratch_file file("out_of_core." + std::to_string(session.rank()), mine);

  // Per-rank data: each rank has its own buffers, and counts how often each piece was written: who
  // reads a piece waits for its count.
  std::vector<deed::handle<piece>> room;
  for (std::size_t i = 0; i < buffers; ++i)
    room.push_back(session.register_data(deed::per_rank, piece{}, {.name = "room"}));
  std::vector<deed::handle<std::size_t>> written;
  for (std::size_t i = 0; i < pieces; ++i)
    written.push_back(session.register_data(deed::per_rank, std::size_t{0}, {.name = "written"}));

  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < mine.size(); ++i) {
      auto& values = room[i % buffers];
      session.insert_task(load, deed::write(values), deed::read(written[i]),
                          deed::value(file.path()), deed::value(i));
      session.insert_task(compute, deed::read_write(values), deed::value(round));
      session.insert_task(store, deed::read(values), deed::read_write(written[i]),
                          deed::value(file.path()), deed::value(i));
    }
  }
  session.wait();
  if (session.is_dry()) return;  // There is no result to check.
  bool right = as_expected(file.path(), mine);
  for (std::size_t i = 0; i < mine.size(); ++i)
    right = right && *session.borrow(deed::read(written[i])) == rounds;
  if (session.any(!right))
    throw deed::stop_run(deed::exit_code::codelet_threw, "the table is not the sequential one");
  if (session.rank() == 0)
    std::cout << pieces << " pieces through " << buffers
              << " buffers, equal, bit for bit, to the sequential table\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, out_of_core); }
