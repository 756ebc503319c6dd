// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// @file
/// What a rank sees of the machine on which it runs.

namespace deed::doctor {

constexpr std::size_t most_threads = 1024;  // Hardware threads of a machine that are told apart.

/// Plain bytes: ranks send it to each other.
struct machine_facts {
  std::array<char, 64> host{};
  std::array<std::uint64_t, most_threads / 64> granted{};  ///< Hardware threads, a bit each.
  int hardware_threads = 0;                                ///< Of the machine.
  std::uint64_t memory_bytes = 0, available_bytes = 0;
  std::uint64_t shared_memory_bytes = 0;  ///< Free in /dev/shm.
  std::uint64_t lockable_bytes = 0;       ///< RLIMIT_MEMLOCK; all ones: no limit.
  bool has_infiniband = false;
  std::array<char, 1024> devices{};  ///< One line: which there are, or why none.
};

/// `devices`: one line, of the session.
[[nodiscard]] machine_facts look_at_machine(std::string_view devices);

/// "0-3,8"
[[nodiscard]] std::string cores_of(const machine_facts& facts);
/// Hardware threads that both may use.
[[nodiscard]] std::size_t shared_by(const machine_facts& one, const machine_facts& two);
[[nodiscard]] std::size_t count_granted(const machine_facts& facts);

}  // namespace deed::doctor
