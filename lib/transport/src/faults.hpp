// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error_code.hpp>
#include <deed/base/identity.hpp>
#include <deed/transport/transfer.hpp>

#include <exception>
#include <string_view>

/// @file
/// What the engine reports, as `deed::error`. The runtime adds the user's names and lines.

namespace deed::transport::detail {

/// The code of what differs between both ends; 0 if they agree.
[[nodiscard]] error_code what_differs(const transfer& sent, const transfer& expected) noexcept;

/// What another rank is told of it.
[[nodiscard]] error_code code_of(const std::exception_ptr& failure) noexcept;

/// Both ends of a transfer believe different things.
[[nodiscard]] std::exception_ptr ends_differ(error_code code, const transfer& sent, rank sender,
                                             const transfer& expected, rank receiver);
/// The same, as the sender learns it: `refused_by_peer`.
[[nodiscard]] std::exception_ptr refused_send(error_code code, const transfer& sent, rank sender,
                                              const transfer& expected, rank receiver);
[[nodiscard]] std::exception_ptr peer_lost(rank peer, const transfer& what);
[[nodiscard]] std::exception_ptr peer_lost(rank peer);
/// The other end failed for a reason of its own: `refused_by_peer`.
[[nodiscard]] std::exception_ptr failed_there(error_code code, rank peer, const transfer& what);
[[nodiscard]] std::exception_ptr damaged(rank peer, std::string_view why);
[[nodiscard]] std::exception_ptr payload_damaged(rank peer, const transfer& what);
[[nodiscard]] std::exception_ptr wrong_room(const transfer& what, std::uint64_t given);
[[nodiscard]] std::exception_ptr never_received(const transfer& what, rank peer);
[[nodiscard]] std::exception_ptr never_matched(const transfer& what, rank peer);
[[nodiscard]] std::exception_ptr collectives_differ(rank peer, std::uint64_t number,
                                                    std::uint64_t mine, std::uint64_t theirs);
[[noreturn]] void throw_no_peer(rank peer, int ranks);

}  // namespace deed::transport::detail
