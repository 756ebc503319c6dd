// SPDX-License-Identifier: MIT
#pragma once

#include <deed/data/tile.hpp>
#include <deed/gpu/kernel.hpp>
#include <deed/ownership/contract.hpp>
#include <deed/runtime/task_description.hpp>

#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// The contract of a body for devices, and how it gets its views: `gpu::enqueue&` first, then
/// `gpu::device_span<const T>` for what it reads and `gpu::device_span<T>` for what it writes.

namespace deed::runtime {

/// Of what a datum's bytes on a device are the elements; `void` where its values have no such form.
template <class T>
struct device_element {
  using type = std::conditional_t<std::is_trivially_copyable_v<T>, T, void>;
};
template <class E>
struct device_element<tile<E>> {
  using type = E;
};
template <class E>
struct device_element<std::span<E>> {
  using type = E;
};
template <class E, class Allocator>
struct device_element<std::vector<E, Allocator>> {
  using type = std::conditional_t<std::is_trivially_copyable_v<E>, E, void>;
};

/// A parameter of a body for devices, made from where the datum lies there.
template <class Parameter>
struct device_view {
  using element = void;
};
template <class E>
struct device_view<gpu::device_ptr<E>> {
  using element = E;
  static gpu::device_ptr<E> of(const device_operand& there) noexcept {
    return gpu::device_ptr<E>(reinterpret_cast<E*>(there.address));
  }
};
template <class E>
struct device_view<gpu::device_span<E>> {
  using element = E;
  static gpu::device_span<E> of(const device_operand& there) noexcept {
    return {device_view<gpu::device_ptr<E>>::of(there), there.bytes / sizeof(E)};
  }
};
template <class E>
struct device_view<gpu::device_tile<E>> {
  using element = E;
  static gpu::device_tile<E> of(const device_operand& there) noexcept {
    return {device_view<gpu::device_ptr<E>>::of(there), there.shape.rows, there.shape.cols};
  }
};

template <class E, access_mode Mode>
using element_as = std::conditional_t<Mode == access_mode::read, const E, E>;

/// As `ownership::fits`, for a body on a device.
template <class Argument, class Parameter>
struct fits_device : ownership::fits<Argument, Parameter> {};
template <class T, access_mode Mode, class Parameter>
struct fits_device<access<T, Mode>, Parameter>
    : std::bool_constant<!std::is_void_v<typename device_element<T>::type> &&
                         std::is_same_v<element_as<typename device_element<T>::type, Mode>,
                                        typename device_view<Parameter>::element>> {};

/// The compiler prints its template arguments beside the text: the position, what the task gives,
/// what the body asks for.
template <std::size_t Position, class Given, class Parameter>
struct device_argument {
  static constexpr bool fits = fits_device<Given, Parameter>::value;
  static_assert(
      fits,
      "deed[D202] an argument is not what the device body's parameter asks for; `read(h)` "
      "gives `device_span<const T>`, `write(h)` and `read_write(h)` give "
      "`device_span<T>`, `value(x)` a copy");
};

template <class Parameters, class Arguments>
struct device_contract_of {
  static constexpr bool holds = false;
  static_assert(sizeof(Parameters) == 0,
                "deed[D202] a body for devices takes `deed::gpu::enqueue&` first; add it");
};
template <class... Parameters, class... Arguments>
struct device_contract_of<std::tuple<gpu::enqueue&, Parameters...>, std::tuple<Arguments...>> {
  static constexpr bool counts_agree = sizeof...(Parameters) == sizeof...(Arguments);
  static_assert(counts_agree,
                "deed[D202] the device body does not take as many arguments as are given; it takes "
                "one for each access and value, behind `deed::gpu::enqueue&`");
  template <std::size_t... I>
  static consteval bool all_fit(std::index_sequence<I...>) {
    return (device_argument<I + 1, Arguments, Parameters>::fits && ...);
  }
  static consteval bool fit() {
    if constexpr (counts_agree) {
      return all_fit(std::index_sequence_for<Arguments...>{});
    } else {
      return false;
    }
  }
  static constexpr bool holds = fit();
};

/// The contract of a body for devices: its parameter types have to be spelled out.
template <class Function, class Arguments, bool known = ownership::parameters<Function>::known>
struct device_contract
    : device_contract_of<typename ownership::parameters<Function>::list, Arguments> {};
template <class Function, class Arguments>
struct device_contract<Function, Arguments, false> : ownership::contract<Function, Arguments> {};

/// The contract of one body of a codelet.
template <class Body, class Arguments>
struct body_contract : device_contract<typename Body::function, Arguments> {};
template <class Function, class Arguments>
struct body_contract<cpu<Function>, Arguments> : ownership::contract<Function, Arguments> {};

}  // namespace deed::runtime
