// SPDX-License-Identifier: MIT
#pragma once

#include <deed/deed.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

/// @file
/// Grey pictures in the PGM format (binary, "P5", one byte per pixel), for samples.

namespace sample {

struct image {
  std::size_t rows = 0, cols = 0;
  std::vector<std::uint8_t> pixels;  ///< `rows * cols`, row-major.

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive & rows & cols & pixels;
  }
};

inline constexpr std::size_t most_pixels = std::size_t{1} << 30;

/// A number of the header, behind white space and comments; 0 if there is none.
inline std::size_t header_number(std::istream& in) {
  while (std::isspace(in.peek()) != 0 || in.peek() == '#') {
    if (in.peek() == '#') {
      std::string comment;
      std::getline(in, comment);
    } else {
      in.get();
    }
  }
  std::size_t number = 0;
  return std::isdigit(in.peek()) != 0 && in >> number ? number
                                                      : 0;  // -1 would be read as 2^64 - 1.
}

/// In bytes: the machine's, or what this process may have of it.
inline std::uint64_t memory_here() {
  rlimit allowed{};
  getrlimit(RLIMIT_AS, &allowed);
  return std::min<std::uint64_t>(allowed.rlim_cur,
                                 static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                                     static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

/// How many of the ranks share this machine: the launcher knows; virtual ranks all do.
inline int ranks_here(int ranks) {
  for (const char* told : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) {
    if (const char* const number = std::getenv(told))
      return std::clamp(std::atoi(number), 1, ranks);
  }
  return ranks;
}

/// @param bytes_per_pixel What the program will need on this machine for each.
/// @throws deed::stop_run with the exit code of a missing or a damaged input.
inline image read_image(const std::string& path, double bytes_per_pixel = 1) {
  // Asked first: to open a pipe would wait for whoever writes it.
  std::ifstream in;
  if (std::filesystem::is_regular_file(path)) in.open(path, std::ios::binary);
  if (!in.is_open()) {
    throw deed::stop_run(deed::exit_code::missing_input, path + ": no such image can be read");
  }
  const auto damaged = [&](const std::string& why) {
    return deed::stop_run(deed::exit_code::damaged_input, path + ": " + why);
  };
  char magic[2] = {};
  in.read(magic, 2);
  if (!in || magic[0] != 'P' || magic[1] != '5')
    throw damaged("not a PGM image (it does not begin with P5)");
  image picture;
  picture.cols = header_number(in);
  picture.rows = header_number(in);
  const std::size_t white = header_number(in);
  if (picture.rows == 0 || picture.cols == 0) throw damaged("the header has no size");
  if (white == 0 || white > 255)
    throw damaged("only 1 byte per pixel is read; the header says another depth");
  const std::string size =
      std::to_string(picture.cols) + " x " + std::to_string(picture.rows) + " pixels";
  if (picture.cols > most_pixels / picture.rows) throw damaged("too large: " + size);
  const auto needed = static_cast<std::uint64_t>(static_cast<double>(picture.rows * picture.cols) *
                                                 bytes_per_pixel);
  if (needed > memory_here()) {
    throw damaged("too large: " + size + " need " + std::to_string(needed >> 20) +
                  " MiB, there are " + std::to_string(memory_here() >> 20));
  }
  in.get();  // One white space ends the header.
  const std::size_t wanted = picture.rows * picture.cols;
  const auto begin = in.tellg();
  const auto there =
      static_cast<std::size_t>(std::filesystem::file_size(path)) - static_cast<std::size_t>(begin);
  if (there < wanted) {
    throw damaged("cut short: " + std::to_string(there) + " of " + std::to_string(wanted) +
                  " pixels are there");
  }
  picture.pixels.resize(wanted);
  in.read(reinterpret_cast<char*>(picture.pixels.data()), static_cast<std::streamsize>(wanted));
  if (!in) throw damaged("cannot be read to the end");
  for (std::uint8_t& pixel : picture.pixels) {  // White is 255 here, and where it is written.
    if (pixel > white) throw damaged("a pixel is brighter than the header says");
    pixel = static_cast<std::uint8_t>(pixel * 255u / white);
  }
  return picture;
}

/// A file is written beside its place and renamed, so that nobody meets half a picture; a device or
/// a pipe is written to as it is.
inline std::string written_at(const std::string& path) {
  const bool in_place = std::filesystem::exists(path) && !std::filesystem::is_regular_file(path);
  return in_place ? path : path + ".part";
}

inline void remove_part(const std::string& path) {
  std::error_code ignored;
  if (written_at(path) != path) std::filesystem::remove(written_at(path), ignored);
}

inline deed::stop_run refused(const std::string& path) {
  remove_part(path);
  return {deed::exit_code::cannot_write, path + ": the image cannot be written"};
}

/// Before long work: @throws deed::stop_run if a picture cannot be written there.
inline void check_writable(const std::string& path) {
  const bool opens = static_cast<bool>(std::ofstream(written_at(path), std::ios::app));
  if (!opens || std::filesystem::is_directory(path)) throw refused(path);
  remove_part(path);
}

/// @throws deed::stop_run with the exit code of an output that cannot be written.
inline void write_image(const std::string& path, const image& picture) {
  const std::string at = written_at(path);
  std::ofstream out(at, std::ios::binary);
  out << "P5\n" << picture.cols << ' ' << picture.rows << "\n255\n";
  out.write(reinterpret_cast<const char*>(picture.pixels.data()),
            static_cast<std::streamsize>(picture.pixels.size()));
  out.close();
  if (!out) throw refused(path);
  std::error_code failed;
  if (at != path) std::filesystem::rename(at, path, failed);
  if (failed) throw refused(path);
}

}  // namespace sample
