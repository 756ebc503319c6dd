// SPDX-License-Identifier: MIT
#include "flow/model.hpp"

#include <array>
#include <utility>

namespace deed::check {
namespace {

template <class E, std::size_t N>
std::optional<E> named(const std::array<std::pair<std::string_view, E>, N>& table,
                       std::string_view word) {
  for (const auto& [name, meaning] : table) {
    if (name == word) return meaning;
  }
  return std::nullopt;
}

constexpr std::array<std::pair<std::string_view, noun>, 20> nouns{{
    {"handle", noun::handle},
    {"token", noun::token},
    {"value", noun::value},
    {"codelet", noun::codelet},
    {"request", noun::request},
    {"borrow", noun::borrow},
    {"gate", noun::gate},
    {"session", noun::session},
    {"view", noun::view},
    {"owner", noun::owner},
    {"tag", noun::tag},
    {"message_tag", noun::message_tag},
    {"peer", noun::peer},
    {"rank", noun::rank},
    {"options", noun::options},
    {"right", noun::right},
    {"arguments", noun::arguments},
    {"pattern", noun::pattern},
    {"within", noun::within},
    {"among", noun::among},
}};

constexpr std::array<std::pair<std::string_view, verb>, 32> verbs{{
    {"type", verb::type},
    {"registers", verb::registers},
    {"accesses", verb::accesses},
    {"submits", verb::submits},
    {"lends", verb::lends},
    {"keeps", verb::keeps},
    {"copies", verb::copies},
    {"consumes", verb::consumes},
    {"releases", verb::releases},
    {"posts", verb::posts},
    {"moves", verb::moves},
    {"splits", verb::splits},
    {"joins", verb::joins},
    {"closes", verb::closes},
    {"waits", verb::waits},
    {"step", verb::step},
    {"awaits", verb::awaits},
    {"opens", verb::opens},
    {"places", verb::places},
    {"rank_source", verb::rank_source},
    {"rank_local", verb::rank_local},
    {"uniform", verb::uniform},
    {"calls", verb::calls},
    {"owner_of", verb::owner_of},
    {"guards", verb::guards},
    {"pure", verb::pure},
    {"blocks", verb::blocks},
    {"owner_context", verb::owner_context},
    {"extent", verb::extent},
    {"index", verb::index},
    {"environment", verb::environment},
    {"reaches", verb::reaches},
}};

constexpr std::array<std::pair<std::string_view, mode>, 6> modes{{
    {"read", mode::read},
    {"write", mode::write},
    {"read_write", mode::read_write},
    {"commute", mode::commute},
    {"reduce", mode::reduce},
    {"scratch", mode::scratch},
}};

}  // namespace

std::optional<noun> noun_named(std::string_view word) { return named(nouns, word); }
std::optional<verb> verb_named(std::string_view word) { return named(verbs, word); }
std::optional<mode> mode_named(std::string_view word) { return named(modes, word); }

}  // namespace deed::check
