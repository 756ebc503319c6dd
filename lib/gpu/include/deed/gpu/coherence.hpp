// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/memory.hpp>
#include <deed/base/place.hpp>
#include <deed/gpu/space.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

/// @file
/// `coherent_datum`: one datum that is valid on the host, on devices, or on several at once.

namespace deed::gpu {

class driver;
struct datum_core;

/// How a task uses a datum.
enum class access_mode : std::uint8_t { read, write, read_write };
[[nodiscard]] constexpr bool reads(access_mode mode) noexcept { return mode != access_mode::write; }
[[nodiscard]] constexpr bool writes(access_mode mode) noexcept { return mode != access_mode::read; }

/// What one node (the host, or a device) has of a datum.
enum class replica_state : std::uint8_t {
  invalid,   ///< No valid contents. A block may still exist.
  loading,   ///< A copy is on its way; the source stays valid meanwhile.
  shared,    ///< Valid, of the same version as every other shared one.
  modified,  ///< The only valid one.
};

/// A datum with a home on the host that may be copied to devices; the driver keeps the copies
/// coherent. Accesses happen in the order in which they were asked for.
///
/// | state of a node | read here | write here | written elsewhere | memory is short here |
/// |---|---|---|---|---|
/// | invalid | loading, then shared | modified | – | block given back |
/// | loading | waits | waits | waits until loaded | not eligible |
/// | shared | – | modified, others invalid | invalid | dropped; the last one is copied home first |
/// | modified | – | – | invalid | copied home: shared; then dropped |
///
/// A datum whose writer failed, or whose only copy was lost with its device, is poisoned: readers
/// get `data_lost`, a write-only access makes it good again.
///
/// Keeps: the caller keeps the home memory until the function given to `driver::retire` was called.
class coherent_datum {
 public:
  coherent_datum(coherent_datum&&) noexcept = default;
  coherent_datum& operator=(coherent_datum&&) = delete;
  ~coherent_datum();

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  friend class driver;
  explicit coherent_datum(std::shared_ptr<datum_core> core) noexcept : core_(std::move(core)) {}

  std::shared_ptr<datum_core> core_;
};

}  // namespace deed::gpu
