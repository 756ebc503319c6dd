// SPDX-License-Identifier: MIT
#pragma once

#include <deed/ownership/access_list.hpp>
#include <deed/runtime/call_options.hpp>
#include <deed/runtime/parts.hpp>
#include <deed/runtime/task_description.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// A collective call as the untyped core sees it.

namespace deed {

/// At the root of a gather: its own part is already in the whole.
struct keep_own_part_t {
  explicit keep_own_part_t() = default;
};
inline constexpr keep_own_part_t keep_own_part{};

/// Where the parts lie in the whole, at the root: part i has `counts[i]` elements, from element
/// `displacements[i]`. One of each per rank. They must not overlap in a gather (D117).
struct placed {
  std::vector<std::size_t> counts;
  std::vector<std::size_t> displacements;
};

namespace runtime {

class core;

enum class collective_kind : std::uint8_t {
  gather = 1,
  scatter,
  broadcast,
  reduce,
  all_gather,
  all_reduce,
  all_to_all,
  barrier,  ///< Of a group: an all_reduce of nothing.
};

/// One side of a collective: a datum, memory of the program, or nothing.
struct collective_side {
  std::optional<access_description> datum;
  void* storage = nullptr;       ///< Of the program.
  std::shared_ptr<void> keeper;  ///< Of that storage.
};

struct collective_description {
  collective_kind kind;
  int root = 0;
  collective_side give, take;
  const part_operations* parts = nullptr;
  std::function<void(void* into, const void* from)> combine;
  bool keeps_own = false;
  bool root_apart = false;  ///< The root, the last of the group, has no part of its own.
  std::vector<part_place>
      places;  ///< At the root, of gather and scatter; empty: one behind another.
  place where;
};

/// @throws deed::error D117 if the two lists differ in length.
[[nodiscard]] std::vector<part_place> places_of(const placed& where, std::size_t element_bytes,
                                                place called);
[[nodiscard]] bool is_rank(const core& home, int rank) noexcept;
[[nodiscard]] request start_collective(core& home, collective_description&& what,
                                       message_options&& options);
void detach_collective(core& home, collective_description&& what, message_options&& options);

/// Who completes a call: the session, or a request.
struct detached {
  using result = void;
  static void start(core& home, collective_description&& what, message_options&& options) {
    detach_collective(home, std::move(what), std::move(options));
  }
};
struct requested {
  using result = request;
  static request start(core& home, collective_description&& what, message_options&& options) {
    return start_collective(home, std::move(what), std::move(options));
  }
};

template <class T>
struct is_collective_data : std::is_same<T, keep_own_part_t> {};
template <class T, access_mode Mode>
struct is_collective_data<access<T, Mode>> : std::true_type {};
template <class T, access_mode Mode>
struct is_collective_data<access_list<T, Mode>> : std::true_type {};
template <class T>
concept collective_data = is_collective_data<std::remove_cvref_t<T>>::value;

}  // namespace runtime
}  // namespace deed
