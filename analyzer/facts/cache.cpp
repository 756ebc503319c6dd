// SPDX-License-Identifier: MIT
#include "facts/cache.hpp"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/xxhash.h>

#include <cstring>

namespace deed::check {
namespace {

void put(std::string& into, std::uint64_t n) {
  into.append(reinterpret_cast<const char*>(&n), sizeof n);
}
void put(std::string& into, const std::string& text) {
  put(into, text.size());
  into += text;
}
void put(std::string& into, const std::vector<std::string>& list) {
  put(into, list.size());
  for (const std::string& one : list) put(into, one);
}

/// Takes what `put` wrote. After the first thing that is missing all that follows is.
class taker {
 public:
  explicit taker(llvm::StringRef bytes) : left_(bytes) {}
  [[nodiscard]] bool good() const { return good_; }

  std::uint64_t number() {
    std::uint64_t n = 0;
    if (left_.size() < sizeof n) {
      good_ = false;
      return 0;
    }
    std::memcpy(&n, left_.data(), sizeof n);
    left_ = left_.drop_front(sizeof n);
    return n;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (size > left_.size()) good_ = false;
    if (!good_) return {};
    const std::string found = left_.take_front(size).str();
    left_ = left_.drop_front(size);
    return found;
  }
  std::vector<std::string> list() {
    std::vector<std::string> found;
    for (std::uint64_t n = number(); n > 0 && good_; --n) found.push_back(text());
    return found;
  }

 private:
  llvm::StringRef left_;
  bool good_ = true;
};

/// Size and time of a file; empty if it is not there.
std::string stamp(const std::string& file) {
  llvm::sys::fs::file_status now;
  if (llvm::sys::fs::status(file, now)) return {};
  const auto time = now.getLastModificationTime().time_since_epoch().count();
  return std::to_string(now.getSize()) + " " + std::to_string(time);
}

const std::string& tool_stamp() {
  static const std::string own = stamp(llvm::sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(&packed))));
  return own;
}

}  // namespace

std::string packed(const unit_facts& facts) {
  std::string bytes;
  put(bytes, tool_stamp());
  std::vector<std::string> stamps;
  for (const std::string& file : facts.files) stamps.push_back(stamp(file));
  put(bytes, facts.files);
  put(bytes, stamps);
  put(bytes, facts.failures);
  put(bytes, facts.faults);
  put(bytes, facts.without_deed ? 1 : 0);
  put(bytes, static_cast<std::uint64_t>(facts.without_graph));
  put(bytes, facts.bytes);
  return bytes;
}

std::optional<unit_facts> unpacked(const std::string& bytes) {
  taker in(bytes);
  unit_facts facts;
  if (in.text() != tool_stamp()) return std::nullopt;
  facts.files = in.list();
  const auto stamps = in.list();
  facts.failures = in.list();
  facts.faults = in.list();
  facts.without_deed = in.number() != 0;
  facts.without_graph = static_cast<int>(in.number());
  facts.bytes = in.text();
  if (!in.good() || stamps.size() != facts.files.size()) return std::nullopt;
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    if (stamps[i] != stamp(facts.files[i])) return std::nullopt;
  }
  return facts;
}

facts_cache::facts_cache(std::string folder) : folder_(std::move(folder)) {}

std::string facts_cache::file_of(const std::string& unit_and_command) const {
  llvm::SmallString<128> file(folder_);
  llvm::sys::path::append(file, std::to_string(llvm::xxh3_64bits(unit_and_command)) + ".facts");
  return file.str().str();
}

std::string facts_cache::why_closed() const {
  if (folder_.empty()) return {};
  if (const auto error = llvm::sys::fs::create_directories(folder_)) return error.message();
  const auto error = llvm::sys::fs::access(folder_, llvm::sys::fs::AccessMode::Write);
  return error ? error.message() : std::string();
}

std::optional<unit_facts> facts_cache::find(const std::string& unit_and_command) const {
  if (folder_.empty()) return std::nullopt;
  const auto kept = llvm::MemoryBuffer::getFile(file_of(unit_and_command));
  if (!kept) return std::nullopt;
  return unpacked((*kept)->getBuffer().str());
}

void facts_cache::keep(const std::string& unit_and_command, const unit_facts& facts) const {
  if (folder_.empty() || !facts.failures.empty()) return;
  const std::string file = file_of(unit_and_command);
  // Under another name first: a run beside this one never sees half a file.
  llvm::SmallString<128> beside;
  int descriptor = -1;
  if (llvm::sys::fs::createUniqueFile(file + ".%%%%%%", descriptor, beside)) return;
  {
    llvm::raw_fd_ostream out(descriptor, true);
    out << packed(facts);
  }
  if (llvm::sys::fs::rename(beside, file)) llvm::sys::fs::remove(beside);
}

}  // namespace deed::check
