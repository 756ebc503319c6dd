// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/base/random.hpp>
#include <deed/data/archive.hpp>

#include <cstring>
#include <exception>
#include <new>
#include <string>

namespace deed::data {
namespace {

/// Boost.MPI's archives believe what they read, so their bytes are compared with a hash before.
std::uint64_t seal(std::span<const std::byte> content) {
  std::uint64_t hash = content.size();
  for (; content.size() >= sizeof hash; content = content.subspan(sizeof hash)) {
    std::uint64_t word;
    std::memcpy(&word, content.data(), sizeof word);
    hash = mix(hash, word);
  }
  for (const std::byte byte : content) hash = mix(hash, static_cast<std::uint64_t>(byte));
  return hash;
}

}  // namespace

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
  const bool file = source_ == input::file;
  throw error(file ? error_code::file_damaged : error_code::message_damaged,
              "a packed value is damaged: " + std::string(what),
              {{"at byte", std::to_string(size_ - remaining()) + " of " + std::to_string(size_)}},
              file ? "take an older file; this one cannot be read"
                   : "make save and load handle the same members in the same order; "
                     "if they do, check the network");
}

void oarchive::save_sealed(const void* from, std::size_t bytes) {
  const std::span content(static_cast<const std::byte*>(from), bytes);
  save_count(bytes);
  *this << seal(content);
  to_.append(from, bytes);
}

std::span<const std::byte> iarchive::load_sealed() {
  const std::size_t bytes = load_count(1);
  std::uint64_t expected;
  *this >> expected;
  if (bytes > remaining()) refuse("it ends too early");
  const std::span content(next_, bytes);
  if (seal(content) != expected) refuse("the hash of an archive of Boost.MPI differs");
  next_ += bytes;
  return content;
}

void detail::unpack_all(void* value, std::span<const std::byte> from, input source,
                        void (*load)(void* value, iarchive& archive)) {
  iarchive archive(from, source);
  try {
    load(value, archive);
  } catch (const error&) {
    throw;
  } catch (const std::bad_array_new_length&) {
    archive.refuse("it asks for an impossible length");
  } catch (const std::bad_alloc&) {
    throw error(error_code::host_memory_exhausted, "no memory for a value that arrives",
                {{"packed", std::to_string(from.size()) + " bytes"}},
                "give each rank more memory, or split the value");
  } catch (const std::exception& thrown) {
    archive.refuse(thrown.what());
  }
  archive.finish();
}

}  // namespace deed::data
