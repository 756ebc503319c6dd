// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/data/archive.hpp>

#include <string>

namespace deed::data {

void oarchive::fill_up(std::size_t start, std::size_t least) {
  const std::size_t written = to_.size() - start;
  if (written < least) std::memset(to_.extend(least - written), 0, least - written);
}

void oarchive::refuse_depth() {
  throw error(error_code::cannot_travel, "a value nests deeper than 256 values",
              {{"limit", std::to_string(deepest_nesting)}},
              "send a long chain as a std::vector of its links");
}

void iarchive::skip_filling(const std::byte* start, std::size_t least) {
  const auto read = static_cast<std::size_t>(next_ - start);
  if (read >= least) return;
  if (least - read > remaining()) refuse("it ends too early");
  next_ += least - read;
}

void iarchive::refuse(std::string_view what) const {
  throw error(error_code::message_damaged, "a packed value is damaged: " + std::string(what),
              {{"at byte", std::to_string(size_ - remaining()) + " of " + std::to_string(size_)}},
              "make save and load handle the same members in the same order; "
              "if they do, check the network");
}

}  // namespace deed::data
