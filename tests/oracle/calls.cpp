// SPDX-License-Identifier: MIT
#include "calls.hpp"

#include <deed/ownership/access_list.hpp>
#include <deed/runtime/collectives.hpp>

#include <functional>
#include <ranges>

namespace oracle {
namespace {

/// With the group that the call names.
template <class... Options>
std::optional<deed::request> collect_in(const collective_call& call, any_handle& given_in,
                                        any_handle& taken_in, Options... options) {
  std::optional<deed::request> made;
  deed::session& session = call.session;
  std::visit(
      [&](auto& given, auto& taken) {
        using given_type = std::remove_cvref_t<decltype(given)>;
        using taken_type = std::remove_cvref_t<decltype(taken)>;
        constexpr bool numbers = std::is_same_v<given_type, deed::handle<number>>;
        constexpr bool lists = std::is_same_v<given_type, deed::handle<list>>;
        const deed::to to{call.root};
        const deed::from from{call.root};
        if constexpr (numbers && std::is_same_v<taken_type, deed::handle<number>>) {
          if (call.what.kind == together::reduce)
            session.reduce(deed::read(given), deed::write(taken), to, std::plus<>{}, options...);
          else
            session.all_reduce(deed::read(given), deed::write(taken), std::plus<>{}, options...);
        } else if constexpr ((numbers || lists) && std::is_same_v<taken_type, deed::handle<list>>) {
          if (call.what.kind == together::all_gather) {
            made = session.iall_gather(deed::read(given), deed::write(taken), options...);
          } else if (call.what.kind == together::gather) {
            session.gather(deed::read(given), deed::write(taken), to, options...);
          } else if constexpr (lists) {
            if (call.what.kind == together::all_to_all)
              session.all_to_all(deed::read(given), deed::write(taken), options...);
            else
              session.scatter(deed::read(given), deed::write(taken), from, options...);
          }
        }
      },
      given_in, taken_in);
  return made;
}

template <class... Options>
void broadcast_in(const collective_call& call, any_handle& mine, Options... options) {
  std::visit(
      [&](auto& h) {
        if constexpr (is_handle<decltype(h)>)
          call.session.broadcast(deed::read_write(h), deed::from{call.root}, options...);
      },
      mine);
}

/// The handles that a list names, all of one type.
template <class T>
auto listed(const step& s, std::vector<any_handle>& handles) {
  return s.uses | std::views::transform([&handles](const use& u) -> deed::handle<T>& {
           return std::get<deed::handle<T>>(handles[static_cast<std::size_t>(u.datum)]);
         });
}
template <class Use>
void with_type(const step& s, std::vector<any_handle>& handles, Use&& use_type) {
  std::visit(
      [&](auto& h) {
        if constexpr (is_handle<decltype(h)>) {
          using T = typename std::remove_cvref_t<decltype(h)>::value_type;
          if constexpr (!std::is_same_v<T, tile>) use_type(T{});
        }
      },
      handles[static_cast<std::size_t>(s.uses.front().datum)]);
}

}  // namespace

std::optional<deed::request> collect(const collective_call& call, any_handle& given,
                                     any_handle& taken, std::function<void()> then) {
  const auto in = [&](auto... options) -> std::optional<deed::request> {
    if (call.what.kind == together::broadcast) {
      broadcast_in(call, given, std::move(options)...);
      return std::nullopt;
    }
    if (then != nullptr) return collect_in(call, given, taken, deed::when_done(then), options...);
    return collect_in(call, given, taken, options...);
  };
  if (call.group == nullptr) return in();
  return call.what.among ? in(deed::among(*call.group)) : in(deed::within(*call.group));
}

std::optional<std::uint64_t> gather_values(deed::session& session, const step& s,
                                           std::vector<any_handle>& handles) {
  std::optional<std::uint64_t> seen_there;
  with_type(s, handles, [&](auto type) {
    std::vector<decltype(type)> values;
    session.igather(deed::read(listed<decltype(type)>(s, handles)), deed::to{s.rank}, values)
        .wait();
    if (session.rank() != s.rank) return;
    std::uint64_t hash = 0;
    for (const auto& each : values) hash = deed::mix(hash, hash_of(seen_of(each)));
    seen_there = hash;
  });
  return seen_there;
}

void scatter_values(deed::session& session, const plan& program, const step& s,
                    std::vector<any_handle>& handles, std::size_t index) {
  with_type(s, handles, [&](auto type) {
    std::vector<decltype(type)> values(session.rank() == s.rank ? s.uses.size() : 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto& d = program.data[static_cast<std::size_t>(s.uses[i].datum)];
      assign(seen_of(values[i]), list_seed(index, i), d.large);
    }
    session.scatter(deed::write(listed<decltype(type)>(s, handles)), deed::from{s.rank}, values);
  });
}

}  // namespace oracle
