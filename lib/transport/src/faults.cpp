// SPDX-License-Identifier: MIT
#include "faults.hpp"

#include <deed/base/error.hpp>

#include <array>
#include <cstdio>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace deed::transport::detail {
namespace {

using facts = std::vector<error::fact>;

std::string number(std::uint64_t n) { return std::to_string(n); }
std::string on(rank r) { return "rank " + std::to_string(r.value); }

std::string hex(std::uint64_t n) {
  std::array<char, 20> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(n));
  return text.data();
}

std::string describe(const transfer& what) {
  std::string text = what.kind != transfer_kind::message
                         ? "datum " + number(what.tag) + " of rank " + number(what.origin) +
                               ", version " + number(what.version)
                         : "message with tag " + number(what.tag);
  if (what.bytes != any_size) text += ", " + number(what.bytes) + " bytes";
  return text;
}

template <class Error = error>
std::exception_ptr make(error_code code, const std::string& happened, facts what,
                        std::string_view help) {
  return std::make_exception_ptr(Error(code, happened, std::move(what), help));
}

std::string believes(error_code code, const transfer& what) {
  switch (code) {
    case error_code::sizes_differ:
    case error_code::message_sizes_differ:
      return number(what.bytes) + " bytes";
    case error_code::version_mismatch:
      return "version " + number(what.version);
    default:
      return "type " + hex(what.type_hash);
  }
}

std::pair<std::string_view, std::string_view> texts(error_code code) {
  switch (code) {
    case error_code::sizes_differ:
      return {"ranks disagree on the size of datum ",
              "compute extents from values that are equal on all ranks"};
    case error_code::types_differ:
      return {"element types differ for datum ", "use one alias for both"};
    case error_code::version_mismatch:
      return {"another version arrived of datum ", "run with `--deed-checks=global`"};
    case error_code::message_sizes_differ:
      return {"send and receive differ in size: message with tag ",
              "use one named constant for both"};
    default:
      return {"send and receive differ in type: message with tag ", "use one alias for both"};
  }
}

template <class Error>
std::exception_ptr both_ends(error_code code, const transfer& sent, rank sender,
                             const transfer& expected, rank receiver) {
  const auto [happened, help] = texts(code);
  return make<Error>(code, std::string(happened) + number(expected.tag),
                     {{on(sender), "sends " + believes(code, sent)},
                      {on(receiver), "expects " + believes(code, expected)},
                      {"transfer", describe(sent)}},
                     help);
}

}  // namespace

error_code what_differs(const transfer& sent, const transfer& expected) noexcept {
  const bool datum = expected.kind != transfer_kind::message;
  if (sent.type_hash != expected.type_hash) {
    return datum ? error_code::types_differ : error_code::message_types_differ;
  }
  if (expected.bytes != any_size && sent.bytes != expected.bytes) {
    return datum ? error_code::sizes_differ : error_code::message_sizes_differ;
  }
  return error_code{};
}

std::exception_ptr ends_differ(error_code code, const transfer& sent, rank sender,
                               const transfer& expected, rank receiver) {
  return both_ends<error>(code, sent, sender, expected, receiver);
}

std::exception_ptr refused_send(error_code code, const transfer& sent, rank sender,
                                const transfer& expected, rank receiver) {
  const bool differ = what_differs(sent, expected) == code || code == error_code::version_mismatch;
  return differ ? both_ends<refused_by_peer>(code, sent, sender, expected, receiver)
                : failed_there(code, receiver, sent);
}

std::exception_ptr peer_lost(rank peer, const transfer& what) {
  return make(error_code::peer_lost, on(peer) + " is lost", {{"transfer", describe(what)}},
              "look at that rank's own report and at its machine");
}

std::exception_ptr peer_lost(rank peer) {
  return make(error_code::peer_lost, on(peer) + " is lost", {},
              "look at that rank's own report and at its machine");
}

error_code code_of(const std::exception_ptr& failure) noexcept {
  try {
    std::rethrow_exception(failure);
  } catch (const error& named) {
    return named.code();
  } catch (const std::bad_alloc&) {
    return error_code::host_memory_exhausted;
  } catch (...) {
    return error_code::task_threw;
  }
}

std::exception_ptr failed_there(error_code code, rank peer, const transfer& what) {
  return make<refused_by_peer>(code, "a transfer failed on " + on(peer),
                               {{"transfer", describe(what)}}, "look at that rank's own report");
}

std::exception_ptr damaged(rank peer, std::string_view why) {
  return make(error_code::message_damaged, "a message from " + on(peer) + " is damaged",
              {{"found", std::string(why)}}, "check the network and the versions of both ranks");
}

std::exception_ptr payload_damaged(rank peer, const transfer& what) {
  return make(error_code::message_damaged, "a message from " + on(peer) + " is damaged",
              {{"found", "the checksum of its payload differs"}, {"transfer", describe(what)}},
              "check the network and the memory of both ranks");
}

std::exception_ptr wrong_room(const transfer& what, std::uint64_t given) {
  return make(error_code::sizes_differ, "the room for a transfer has another size",
              {{"room", number(given) + " bytes"}, {"transfer", describe(what)}},
              "report this: the library gave room of the wrong size");
}

std::exception_ptr never_received(const transfer& what, rank peer) {
  return make(error_code::message_never_received, "a send to " + on(peer) + " was never received",
              {{"transfer", describe(what)}}, "add the receive, or correct the tag");
}

std::exception_ptr never_matched(const transfer& what, rank peer) {
  return make(error_code::receive_never_matched,
              "a receive from " + on(peer) + " was never matched", {{"transfer", describe(what)}},
              "add the send, or correct the tag");
}

std::exception_ptr collectives_differ(rank peer, std::uint64_t which, std::uint64_t mine,
                                      std::uint64_t theirs) {
  return make(error_code::collectives_differ, "ranks call different collectives",
              {{"collective", "number " + number(which)},
               {"here", number(mine) + " words"},
               {on(peer), number(theirs) + " words"}},
              "call the same collectives in the same order on all ranks");
}

void throw_no_peer(rank peer, int ranks) {
  throw error(error_code::no_such_peer, "no such peer " + std::to_string(peer.value),
              {{"ranks", "0 to " + std::to_string(ranks - 1)}},
              "use a rank in `[0, session.size())`");
}

}  // namespace deed::transport::detail
