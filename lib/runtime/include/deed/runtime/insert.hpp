// SPDX-License-Identifier: MIT
#pragma once

#include <deed/data/datum.hpp>
#include <deed/ownership/access_list.hpp>
#include <deed/ownership/contract.hpp>
#include <deed/runtime/arguments.hpp>
#include <deed/runtime/call_options.hpp>
#include <deed/runtime/device_bodies.hpp>
#include <deed/runtime/scratch.hpp>
#include <deed/runtime/task_description.hpp>
#include <deed/runtime/value_text.hpp>

#include <array>
#include <cstddef>
#include <new>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// The typed skin of `insert_task`: checks the contract, and unpacks it again where the body runs.

namespace deed::runtime {

template <class T>
struct is_placement : std::false_type {};
template <>
struct is_placement<on_argument> : std::true_type {};
template <>
struct is_placement<on_owner_argument> : std::true_type {};
template <>
struct is_placement<choose_by_argument> : std::true_type {};
template <>
struct is_placement<on_each> : std::true_type {};

template <class T>
inline constexpr bool is_known_argument =
    ownership::is_argument<T>::value || is_placement<T>::value || is_extra<T> ||
    std::is_same_v<T, flops> || std::is_same_v<T, priority>;

/// Those of `Arguments` that the body sees, in order.
template <class... Arguments>
using seen_by_body = decltype(std::tuple_cat(
    std::declval<std::conditional_t<ownership::is_argument<Arguments>::value, std::tuple<Arguments>,
                                    std::tuple<>>>()...));

/// How many data a list of a task has; carried among its values.
struct list_length {
  std::size_t count;
};

/// The bodies of a codelet and the values that its task carries.
template <class Functions, class... Values>
struct closure {
  [[no_unique_address]] Functions bodies;
  [[no_unique_address]] std::tuple<Values...> values;
};

template <class Functions, class Seen>
struct closure_for;
template <class Functions, class... Seen>
struct closure_for<Functions, std::tuple<Seen...>> {
  template <class T>
  struct value_in {
    using type = std::tuple<>;
  };
  template <class T>
  struct value_in<value_argument<T>> {
    using type = std::tuple<T>;
  };
  template <class T, access_mode Mode>
  struct value_in<access_list<T, Mode>> {
    using type = std::tuple<list_length>;
  };
  template <class View>
  struct value_in<scratch_argument<View>> {
    using type = std::tuple<scratch_shape<View>>;
  };
  template <class Tuple>
  struct made_of;
  template <class... Values>
  struct made_of<std::tuple<Values...>> {
    using type = closure<Functions, Values...>;
  };
  using type = typename made_of<decltype(std::tuple_cat(
      std::declval<typename value_in<Seen>::type>()...))>::type;
};

template <class Argument>
struct unpack;
template <class T>
struct unpack<access<T, access_mode::read>> {
  static decltype(auto) view(const void* storage) {
    using traits = data::datum_traits<T>;
    return traits::read_view(*static_cast<const typename traits::storage*>(storage));
  }
};
template <class T, access_mode Mode>
struct unpack<access<T, Mode>> {
  static decltype(auto) view(void* storage) {
    using traits = data::datum_traits<T>;
    return traits::write_view(*static_cast<typename traits::storage*>(storage));
  }
};

/// The data of a list, as the body sees them; lives as long as its call.
template <class List>
class unpacked_list;
template <class T, access_mode Mode>
class unpacked_list<access_list<T, Mode>> {
 public:
  using element = ownership::list_element<T, Mode>;
  unpacked_list(void* const* storages, std::size_t count) {
    all_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (std::is_pointer_v<element>) {
        all_.push_back(&unpack<access<T, Mode>>::view(storages[i]));
      } else {
        all_.push_back(unpack<access<T, Mode>>::view(storages[i]));
      }
    }
  }
  operator std::span<const element>() const noexcept { return all_; }

 private:
  std::vector<element> all_;
};

/// How many of the first `count` arguments of a list are accesses.
template <class Seen, std::size_t count>
consteval std::size_t accesses_before() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return (std::size_t{0} + ... +
            (ownership::is_access<std::tuple_element_t<I, Seen>>::value ? 1u : 0u));
  }(std::make_index_sequence<count>{});
}

/// Where in a list of bodies that of an architecture stands; the size of the list if there is none.
template <template <class> class Architecture, class... Bodies>
consteval std::size_t place_of(std::type_identity<std::tuple<Bodies...>>) {
  constexpr bool here[] = {ownership::is_body_for<Architecture, Bodies>...};
  std::size_t at = 0;
  while (at < sizeof...(Bodies) && !here[at]) ++at;
  return at;
}

/// The functions of a list of bodies.
template <class... Bodies>
constexpr auto functions_of(const std::tuple<Bodies...>& bodies) {
  return std::apply(
      [](const auto&... each) { return std::tuple<typename Bodies::function...>(each.body...); },
      bodies);
}

/// Runs bodies on what their task brought; one instantiation per codelet and list of arguments.
template <class Closure, class Bodies, class Seen>
struct body_runner {
  static constexpr std::size_t count = std::tuple_size_v<Seen>;
  template <template <class> class Architecture>
  static constexpr std::size_t place = place_of<Architecture>(std::type_identity<Bodies>{});
  template <template <class> class Architecture>
  static constexpr bool has = place<Architecture> < std::tuple_size_v<Bodies>;

  static Closure& carried(void* closure) { return *static_cast<Closure*>(closure); }
  template <std::size_t I>
  static constexpr bool is_access = ownership::is_access<std::tuple_element_t<I, Seen>>::value;
  template <std::size_t I>
  static constexpr bool is_list = ownership::is_access_list<std::tuple_element_t<I, Seen>>::value;

  /// How many data the lists before argument `I` have; a constant 0 where there is none.
  template <std::size_t I>
  static std::size_t listed_before([[maybe_unused]] void* closure) {
    return [&]<std::size_t... J>(std::index_sequence<J...>) {
      return (std::size_t{0} + ... + length_of<J>(closure));
    }(std::make_index_sequence<I>{});
  }
  template <std::size_t I>
  static std::size_t length_of([[maybe_unused]] void* closure) {
    if constexpr (is_list<I>) {
      return std::get<I - accesses_before<Seen, I>()>(carried(closure).values).count;
    } else {
      return 0;
    }
  }

  template <std::size_t I>
  static constexpr bool takes_scratch = is_scratch<std::tuple_element_t<I, Seen>>;
  /// Where the scratch of argument `I` begins; with `count`, where all of it ends.
  template <std::size_t I>
  static std::size_t scratch_before([[maybe_unused]] void* closure) {
    return [&]<std::size_t... J>(std::index_sequence<J...>) {
      return (std::size_t{0} + ... + scratch_of<J>(closure));
    }(std::make_index_sequence<I>{});
  }
  template <std::size_t I>
  static std::size_t scratch_of([[maybe_unused]] void* closure) {
    if constexpr (takes_scratch<I>) {
      return std::get<I - accesses_before<Seen, I>()>(carried(closure).values).bytes;
    } else {
      return 0;
    }
  }

  template <std::size_t I>
  static decltype(auto) argument(const task_frame& frame) {
    constexpr std::size_t before = accesses_before<Seen, I>();
    if constexpr (is_access<I>) {
      return unpack<std::tuple_element_t<I, Seen>>::view(
          frame.storages[before + listed_before<I>(frame.closure)]);
    } else if constexpr (is_list<I>) {
      return unpacked_list<std::tuple_element_t<I, Seen>>(
          frame.storages + before + listed_before<I>(frame.closure), length_of<I>(frame.closure));
    } else if constexpr (takes_scratch<I>) {
      return scratch_memory(frame.scratch + scratch_before<I>(frame.closure),
                            std::get<I - before>(carried(frame.closure).values));
    } else {
      return (std::get<I - before>(carried(frame.closure).values));
    }
  }
  static void run(const task_frame& frame) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      std::get<place<cpu>>(carried(frame.closure).bodies)(argument<I>(frame)...);
    }(std::make_index_sequence<count>{});
  }

  template <std::size_t I, class Parameter>
  static decltype(auto) argument(const device_frame& frame) {
    constexpr std::size_t before = accesses_before<Seen, I>();
    if constexpr (is_access<I>) {
      return device_view<Parameter>::of(frame.operands[before]);
    } else if constexpr (takes_scratch<I>) {
      const auto& asked = std::get<I - before>(carried(frame.closure).values);
      return device_view<Parameter>::of({frame.scratch + scratch_before<I>(frame.closure),
                                         asked.extents.rows * asked.extents.cols *
                                             sizeof(typename device_view<Parameter>::element),
                                         asked.extents});
    } else {
      return (std::get<I - before>(carried(frame.closure).values));
    }
  }
  template <template <class> class Architecture>
  static void enqueue(const device_frame& frame) {
    constexpr std::size_t which = place<Architecture>;
    using function = typename std::tuple_element_t<which, Bodies>::function;
    using list = typename ownership::parameters<function>::list;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      std::get<which>(carried(frame.closure).bodies)(
          frame.queue, argument<I, std::tuple_element_t<I + 1, list>>(frame)...);
    }(std::make_index_sequence<count>{});
  }

  static constexpr auto runs() -> void (*)(const task_frame&) {
    if constexpr (has<cpu>) {
      return &run;
    } else {
      return nullptr;
    }
  }
  template <template <class> class Architecture>
  static constexpr auto enqueues() -> void (*)(const device_frame&) {
    if constexpr (has<Architecture>) {
      return &enqueue<Architecture>;
    } else {
      return nullptr;
    }
  }
  static void move(void* to, void* from) {
    ::new (to) Closure(std::move(*static_cast<Closure*>(from)));
  }
  static void tell(const void* closure, std::vector<std::string>& texts) {
    std::apply([&](const auto&... each) { (texts.push_back(text_of_value(each)), ...); },
               static_cast<const Closure*>(closure)->values);
  }
  static constexpr auto tells() -> void (*)(const void*, std::vector<std::string>&) {
    if constexpr (accesses_before<Seen, count>() == count) {
      return nullptr;
    } else {
      return &tell;
    }
  }
  static std::size_t all_scratch(const void* closure) {
    return scratch_before<count>(const_cast<void*>(closure));
  }
  static constexpr auto scratches() -> std::size_t (*)(const void*) {
    if constexpr ([]<class... Each>(std::type_identity<std::tuple<Each...>>) {
                    return (is_scratch<Each> || ...);
                  }(std::type_identity<Seen>{})) {
      return &all_scratch;
    } else {
      return nullptr;
    }
  }
  static void destroy(void* closure) noexcept { static_cast<Closure*>(closure)->~Closure(); }

  static constexpr bool empty = std::is_empty_v<Closure>;
  static constexpr body_operations operations{
      runs(),
      empty ? 0 : sizeof(Closure),
      alignof(Closure),
      empty ? nullptr : &move,
      std::is_trivially_destructible_v<Closure> ? nullptr : &destroy,
      enqueues<cuda>(),
      enqueues<hip>(),
      false,
      tells(),
      scratches()};
};

/// Splits the arguments of a call into accesses, values and placement.
class call_arguments {
 public:
  template <class T, access_mode Mode>
  static access_description describe(const access<T, Mode>& token) {
    return {token.session, token.datum, Mode, token.where, token.synchronous};
  }
  static void note(placement& at, place& where, const on_argument& argument) {
    at = {placement::kind::on_rank, argument.where_to_run.value, 0};
    where = argument.where;
  }
  static void note(placement& at, place& where, const on_owner_argument& argument) {
    at = {placement::kind::on_owner_of, 0, argument.datum};
    where = argument.where;
  }
  static void note(placement& at, place& where, const choose_by_argument& argument) {
    at = {placement::kind::by_policy, 0, 0, &argument.policy};
    where = argument.where;
  }
  static void note(placement& at, place& where, const on_each& argument) {
    at = {placement::kind::on_each, 0, 0, nullptr, argument.ranks()};
    where = argument.where();
  }
  template <class T, access_mode Mode>
  static void note(placement&, place& where, const access<T, Mode>& token) {
    where = token.where;
  }
  template <class T, access_mode Mode>
  static void note(placement&, place& where, const access_list<T, Mode>& list) {
    where = list.where;
  }
  template <class View>
  static void note(placement&, place& where, const scratch_argument<View>& asked) {
    where = asked.where;
  }
  /// Values, and what comes before and after.
  template <class T>
  static void note(placement&, place&, const T&) {}
};

/// The next of a vector, which grows, or of an array of the right length.
template <class List>
access_description& next_access(List& all, std::size_t& next) {
  if constexpr (requires { all.emplace_back(); }) {
    return all.emplace_back();
  } else {
    return all[next++];
  }
}

/// The accesses that a call names; lists spread out. Each member is written to its place: the copy
/// of a description that was just made would wait for what it is made of.
template <class... Arguments>
auto accesses_of(const Arguments&... arguments) {
  constexpr std::size_t count = (std::size_t{0} + ... + ownership::is_access<Arguments>::value);
  constexpr bool lists = (ownership::is_access_list<Arguments>::value || ...);
  std::conditional_t<lists, std::vector<access_description>, std::array<access_description, count>>
      all;
  std::size_t next = 0;
  const auto put = [&]<class Argument>(const Argument& argument, ownership::slot datum) {
    access_description& one = next_access(all, next);
    one.session = argument.session;
    one.datum = datum;
    one.mode = Argument::mode;
    one.where = argument.where;
    if constexpr (ownership::is_access<Argument>::value) one.synchronous = argument.synchronous;
  };
  const auto add = [&]<class Argument>(const Argument& argument) {
    if constexpr (ownership::is_access<Argument>::value) {
      put(argument, argument.datum);
    } else if constexpr (ownership::is_access_list<Argument>::value) {
      for (const ownership::slot datum : argument.data) put(argument, datum);
    }
  };
  (add(arguments), ...);
  return all;
}

/// What a task computes, if one of its arguments says so.
template <class... Arguments>
std::uint64_t flops_of(const Arguments&... arguments) {
  const auto of = [](const auto& argument) -> std::uint64_t {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(argument)>, flops>) {
      return argument.count;
    } else {
      return 0;
    }
  };
  return (std::uint64_t{0} + ... + of(arguments));
}

/// How urgent a task is, if one of its arguments says so.
template <class... Arguments>
int priority_of(const Arguments&... arguments) {
  const auto of = [](const auto& argument) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(argument)>, priority>) {
      return argument.value;
    } else {
      return 0;
    }
  };
  return (0 + ... + of(arguments));
}

/// Refuses arguments that are nothing a task can be given.
template <class... Arguments>
struct known_arguments {
  static constexpr bool all = (is_known_argument<Arguments> && ...);
  static constexpr std::size_t accesses =
      (std::size_t{0} + ... +
       (ownership::is_access<Arguments>::value || ownership::is_access_list<Arguments>::value
            ? 1u
            : 0u));
  static constexpr std::size_t placements =
      (std::size_t{0} + ... + (is_placement<Arguments>::value ? 1u : 0u));
  static_assert(all,
                "deed[D202] an argument of the task is no access token, no `deed::value(x)` and no "
                "option; wrap it in `deed::read(h)`, `deed::write(h)` or `deed::value(x)`");
  static_assert(!all || accesses + placements > 0,
                "deed[D411] nothing says who runs this task; add `deed::on(deed::rank{0})`");
  static_assert(placements <= 1,
                "deed[D410] a task runs on one rank, or on each of some; keep one of `on`, "
                "`on_owner_of`, `choose_by` and `on_each`");
  static_assert(accesses <= 64, "deed[D909] a task names too many data; pass them as a list");
};

}  // namespace deed::runtime
