// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/literal.hpp>
#include <deed/base/place.hpp>

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

/// @file
/// `deed::codelet`: a named task body, one stateless function per architecture.

namespace deed {

/// A body that runs on a processor core.
template <class Function>
struct cpu {
  using function = Function;
  Function body;
};
template <class Function>
cpu(Function) -> cpu<Function>;

/// A body for NVIDIA devices: takes `gpu::enqueue&` and device views, enqueues its work, returns.
template <class Function>
struct cuda {
  using function = Function;
  Function body;
};
template <class Function>
cuda(Function) -> cuda<Function>;

/// As `cuda`, for AMD devices.
template <class Function>
struct hip {
  using function = Function;
  Function body;
};
template <class Function>
hip(Function) -> hip<Function>;

namespace ownership {

/// The name of a codelet, and the line that made it.
struct codelet_name {
  template <std::size_t N>
  consteval codelet_name(const char (&literal_text)[N], place here = place::current())
      : text(literal_text), where(here) {}
  template <std::convertible_to<std::string_view> T>
  codelet_name(const T& not_a_literal) : text(not_a_literal), where() {}
  literal text;
  place where;
};

/// What the library keeps of a codelet while its tasks wait.
struct codelet_info {
  std::string_view name;
  place where;
};

template <class Body>
struct as_body {
  using type = cpu<Body>;
};
template <class Function>
struct as_body<cpu<Function>> {
  using type = cpu<Function>;
};
template <class Function>
struct as_body<cuda<Function>> {
  using type = cuda<Function>;
};
template <class Function>
struct as_body<hip<Function>> {
  using type = hip<Function>;
};

/// Whether a body is one of an architecture.
template <template <class> class Architecture, class Body>
inline constexpr bool is_body_for = false;
template <template <class> class Architecture, class Function>
inline constexpr bool is_body_for<Architecture, Architecture<Function>> = true;

/// How many of the bodies are for an architecture.
template <template <class> class Architecture, class... Bodies>
inline constexpr int bodies_for = (0 + ... + (is_body_for<Architecture, Bodies> ? 1 : 0));

/// A function pointer, or a closure that holds nothing.
template <class Function>
inline constexpr bool is_stateless =
    (std::is_pointer_v<Function> && std::is_function_v<std::remove_pointer_t<Function>>) ||
    (std::is_empty_v<Function> && std::is_default_constructible_v<Function>);

/// Its parameter types, if it has one spelling of them: no template, no overloads.
template <class Function, class = void>
struct parameters {
  static constexpr bool known = false;
};
template <class Result, class... Parameters>
struct parameters<Result (*)(Parameters...)> {
  static constexpr bool known = true;
  using list = std::tuple<Parameters...>;
};
template <class Result, class... Parameters>
struct parameters<Result (*)(Parameters...) noexcept> : parameters<Result (*)(Parameters...)> {};
template <class Result, class Class, class... Parameters>
struct parameters<Result (Class::*)(Parameters...) const> : parameters<Result (*)(Parameters...)> {
};
template <class Result, class Class, class... Parameters>
struct parameters<Result (Class::*)(Parameters...) const noexcept>
    : parameters<Result (*)(Parameters...)> {};
template <class Function>
struct parameters<Function, std::void_t<decltype(&Function::operator())>>
    : parameters<decltype(&Function::operator())> {};

}  // namespace ownership

/// A named task body. Its parameter types are its contract: `const T&` for what it reads, `T&` for
/// what it writes, a plain `T` for a value; a view such as `tile<T>` stands for a reference.
/// Not for closures: what a body needs beside its data comes as `deed::value(x)`.
///
/// Several bodies, `deed::cpu{…}`, `deed::cuda{…}`, `deed::hip{…}`, are the same task on different
/// workers: the library chooses. Those for devices take `gpu::enqueue&` first, then
/// `gpu::device_span<const T>` for what they read and `gpu::device_span<T>` for what they write.
///
/// Keeps: nothing; the name is a literal, the bodies are stateless.
///
/// @code{.cpp}
/// constexpr deed::codelet increment{"increment", [](int& token) { ++token; }};
/// @endcode
template <class... Bodies>
class DEED_MODEL("type", "codelet") codelet {
 public:
  using body_list = std::tuple<typename ownership::as_body<Bodies>::type...>;
  static_assert((ownership::is_stateless<typename ownership::as_body<Bodies>::type::function> &&
                 ...),
                "deed[D301] a codelet must not capture; pass what it needs with `deed::value(x)`");
  static_assert(sizeof...(Bodies) > 0, "a codelet needs a body; give it a function");
  template <template <class> class Architecture>
  static constexpr bool at_most_one =
      ownership::bodies_for<Architecture, typename ownership::as_body<Bodies>::type...> <= 1;
  static_assert(at_most_one<cpu> && at_most_one<cuda> && at_most_one<hip>,
                "a codelet has one body per architecture; remove the other");

  constexpr codelet(ownership::codelet_name name, Bodies... bodies)
      : name_(name), bodies_{typename ownership::as_body<Bodies>::type{std::move(bodies)}...} {}

  [[nodiscard]] constexpr std::string_view name() const noexcept { return name_.text.view(); }
  /// For the library: what is kept while tasks wait, and the bodies.
  [[nodiscard]] constexpr ownership::codelet_info info() const noexcept {
    return {name(), name_.where};
  }
  [[nodiscard]] constexpr const body_list& bodies() const noexcept { return bodies_; }

 private:
  ownership::codelet_name name_;
  body_list bodies_;
};
template <class... Bodies>
codelet(ownership::codelet_name, Bodies...) -> codelet<Bodies...>;

}  // namespace deed
