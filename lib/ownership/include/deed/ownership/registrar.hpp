// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/place.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// @file
/// What a handle knows of its session: enough to end its datum, and to notice that the session
/// ended.

namespace deed::ownership {

/// The index of a datum in the ledger of its session; free for another datum after the end.
using slot = std::uint32_t;

/// How the user knows a datum: the name given to it, and the line that registered it.
struct registration {
  std::string_view name;  ///< Kept by the registrar.
  place where;
};

/// A datum of which the parts have the value at present.
struct split {
  std::string name;
  std::size_t parts = 0;
  place where;
};
/// @throws deed::error D116
[[noreturn]] void refuse_split(const split& whole, place used);

/// A session as its handles see it. Counted by them, so that a handle may outlive it safely.
/// Threads: counting from any; the rest from the thread that made the session.
class registrar {
 public:
  registrar(const registrar&) = delete;
  registrar& operator=(const registrar&) = delete;

  /// The handle of `datum` ended, at `where`; its memory goes after its last task.
  /// @throws what the session's errors are, unless it has ended.
  virtual void end(slot datum, place where) = 0;
  /// Another handle takes the place of that of `datum`, which lives and ends now.
  virtual void overwritten(slot) noexcept {}
  /// The rank that owns `datum` now; -1 if every rank has one of its own.
  [[nodiscard]] virtual int owner_of(slot datum) const = 0;
  /// The name of `datum` between ranks.
  [[nodiscard]] virtual std::uint64_t tag_of(slot datum) const = 0;
  /// By type and extents alone: equal on all ranks.
  [[nodiscard]] virtual std::uint64_t bytes_of(slot datum) const = 0;
  /// How the datum that was registered so is partitioned; null if it is not, or has ended.
  [[nodiscard]] virtual const split* split_of(slot datum, const registration& known) const = 0;

  /// False once the session has ended.
  [[nodiscard]] bool open() const noexcept { return open_; }

  void keep() noexcept { keepers_.fetch_add(1, std::memory_order_relaxed); }
  void drop() noexcept {
    // Release: what this keeper did stays before the deletion; acquire: the deletion sees it all.
    if (keepers_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 protected:
  registrar() = default;  // Kept once, by the session.
  virtual ~registrar() = default;
  void mark_ended() noexcept { open_ = false; }

 private:
  std::atomic<std::uint32_t> keepers_{1};
  bool open_ = true;
};

}  // namespace deed::ownership
