// SPDX-License-Identifier: MIT
#pragma once

#include <deed/deed.hpp>

#include <cstddef>
#include <cstdint>
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
  return in >> number ? number : 0;
}

/// @throws deed::stop_run with the exit code of a missing or a damaged input.
inline image read_image(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || !std::filesystem::is_regular_file(path)) {
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
  if (picture.cols > most_pixels / picture.rows) {
    throw damaged("too large: " + std::to_string(picture.cols) + " x " +
                  std::to_string(picture.rows) + " pixels");
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
  return picture;
}

/// Writes beside the target and renames, so that nobody meets half a picture.
/// @throws deed::stop_run with the exit code of an output that cannot be written.
inline void write_image(const std::string& path, const image& picture) {
  const std::string beside = path + ".part";
  const auto refused = [&] {
    std::error_code ignored;
    std::filesystem::remove(beside, ignored);
    return deed::stop_run(deed::exit_code::cannot_write, path + ": the image cannot be written");
  };
  std::ofstream out(beside, std::ios::binary);
  out << "P5\n" << picture.cols << ' ' << picture.rows << "\n255\n";
  out.write(reinterpret_cast<const char*>(picture.pixels.data()),
            static_cast<std::streamsize>(picture.pixels.size()));
  out.close();
  if (!out) throw refused();
  std::error_code failed;
  std::filesystem::rename(beside, path, failed);
  if (failed) throw refused();
}

}  // namespace sample
