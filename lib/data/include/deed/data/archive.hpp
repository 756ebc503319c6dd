// SPDX-License-Identifier: MIT
#pragma once

#include <deed/data/detail/payload.hpp>
#include <deed/data/detail/travel.hpp>
#include <deed/data/packed_buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

/// @file
/// The archive: values to bytes and back, for messages and checkpoints.
///
/// It has the interface that Boost.Serialization asks of an archive (`&`, `<<`, `>>`,
/// `is_saving`, `save_binary`, …), so a `serialize()` written for Boost works unchanged, but it
/// uses none of Boost's code: including that costs 280 ms per file, and its readers trust their
/// input.

namespace deed::data {

/// Values that contain values that contain … are refused beyond this.
inline constexpr unsigned deepest_nesting = 256;

/// Writes values behind each other into a buffer. No header, no class information: both ends run
/// the same program.
/// Keeps: nothing; `to` is the caller's.
class oarchive {
 public:
  using is_saving = std::true_type;
  using is_loading = std::false_type;

  explicit oarchive(packed_buffer& to) noexcept : to_(to) {}

  template <class T>
  oarchive& operator<<(const T& x) {
    if constexpr (!travels<T>) {
      detail::require_travels<T>();
    } else {
      save<T>(x);
    }
    return *this;
  }
  template <class T>
  oarchive& operator&(const T& x) {
    return *this << x;
  }

  // What Boost's own functions for types ask of an archive.
  void save_binary(const void* from, std::size_t bytes) { to_.append(from, bytes); }
  template <class Array>
  void save_array(const Array& array, unsigned) {
    save_elements(array.address(), array.count());
  }
  template <class Version = boost::serialization::library_version_type>
  [[nodiscard]] Version get_library_version() const {
    return Version(detail::library_version);
  }
  template <class T>
  const void* register_type(const T* = nullptr) const noexcept {
    return nullptr;  // Objects of derived classes behind pointers do not travel.
  }
  [[nodiscard]] unsigned get_flags() const noexcept { return 0; }

 private:
  template <class T>
  void save(const T& x);
  template <class T>
  void save_elements(const T* x, std::size_t count);
  template <class Range>
  void save_range(const Range& x, std::size_t count);
  template <class Variant>
  void save_variant(const Variant& x);
  template <class T>
  void save_for_mpi(const T& x);
  void save_count(std::size_t count) {
    const std::uint64_t n = count;
    to_.append(&n, sizeof n);
  }
  void fill_up(std::size_t start, std::size_t least);
  void save_sealed(const void* from, std::size_t bytes);
  [[noreturn]] static void refuse_depth();

  packed_buffer& to_;
  unsigned depth_ = 0;
};

/// Where bytes come from: what is reported if they are damaged.
enum class input : std::uint8_t {
  message,  ///< D004
  file,     ///< D005
};

namespace detail {

/// Runs `load(value, archive)` and sees that all is read and that only `deed::error` leaves it.
void unpack_all(void* value, std::span<const std::byte> from, input source,
                void (*load)(void* value, iarchive& archive));

}  // namespace detail

/// Reads what `oarchive` wrote, and believes nothing: every count is compared with what is left
/// before memory is asked for, and containers grow with what was really read.
///
/// @throws deed::error D004 where the bytes cannot be what was written. The value is then partly
///   read: drop it.
/// Keeps: nothing; `from` is the caller's and outlives the archive.
class iarchive {
 public:
  using is_saving = std::false_type;
  using is_loading = std::true_type;

  explicit iarchive(std::span<const std::byte> from, input source = input::message) noexcept
      : next_(from.data()), end_(from.data() + from.size()), size_(from.size()), source_(source) {}

  template <class T>
  iarchive& operator>>(T&& x) {
    using value = std::remove_cvref_t<T>;
    // Boost's wrappers come as constant temporaries, and say where the value is.
    constexpr bool wrapper = detail::is_boost_wrapper<value> ||
                             std::is_same_v<value, boost::serialization::binary_object>;
    static_assert(wrapper || !std::is_const_v<std::remove_reference_t<T>>,
                  "deed[D902] a constant is saved but cannot be loaded; make the member variable");
    static_assert(wrapper || std::is_lvalue_reference_v<T>,
                  "deed[D902] what is loaded into a temporary is lost; load into a variable");
    if constexpr (!travels<value>) {
      detail::require_travels<value>();
    } else {
      load(const_cast<value&>(x));
    }
    return *this;
  }
  template <class T>
  iarchive& operator&(T&& x) {
    return *this >> std::forward<T>(x);
  }

  [[nodiscard]] std::size_t remaining() const noexcept {
    return static_cast<std::size_t>(end_ - next_);
  }
  /// @throws deed::error D004 if bytes are left over: then both ends disagree on the type.
  void finish() const {
    if (next_ != end_) refuse("bytes are left over");
  }

  // What Boost's own functions for types ask of an archive.
  void load_binary(void* to, std::size_t bytes) {
    if (bytes > remaining()) refuse("it ends too early");
    if (bytes != 0) std::memcpy(to, next_, bytes);
    next_ += bytes;
  }
  template <class Array>
  void load_array(const Array& array, unsigned) {
    load_elements(array.address(), array.count());
  }
  template <class Version = boost::serialization::library_version_type>
  [[nodiscard]] Version get_library_version() const {
    return Version(detail::library_version);
  }
  template <class T>
  const void* register_type(const T* = nullptr) const noexcept {
    return nullptr;
  }
  void reset_object_address(const void*, const void*) const noexcept {}
  [[nodiscard]] unsigned get_flags() const noexcept { return 0; }

 private:
  template <class T>
  void load(T& x);
  template <class T>
  void load_elements(T* x, std::size_t count);
  template <class Range>
  void load_range(Range& x);
  template <class Variant, std::size_t... I>
  void load_variant(Variant& x, std::index_sequence<I...>);
  template <class Variant, class... A>
  void load_boost_variant(Variant& x, std::type_identity<std::tuple<A...>>);
  template <class T>
  void load_for_mpi(T& x);
  std::span<const std::byte> load_sealed();
  /// A count of things that take at least `least` bytes each.
  std::size_t load_count(std::size_t least) {
    std::uint64_t count;
    load_binary(&count, sizeof count);
    if (count > remaining() / least) refuse("a count is larger than what follows");
    return static_cast<std::size_t>(count);
  }
  void skip_filling(const std::byte* start, std::size_t least);
  [[noreturn]] void refuse(std::string_view what) const;
  friend void detail::unpack_all(void*, std::span<const std::byte>, input,
                                 void (*)(void*, iarchive&));

  const std::byte* next_;
  const std::byte* end_;
  std::size_t size_;
  unsigned depth_ = 0;
  input source_;
};

namespace detail {

/// Writes the alternative that a `boost::variant` holds.
struct boost_visitor {
  using result_type = void;
  oarchive& to;
  template <class T>
  void operator()(const T& value) const {
    to << value;
  }
};

template <class T>
constexpr void require_mpi_archives() {
  static_assert(complete<late<boost::mpi::packed_oarchive, T>> &&
                    complete<late<boost::mpi::packed_iarchive, T>> &&
                    complete<late<boost::mpi::communicator, T>>,
                "deed[D901] the serialize() of this type takes archives of Boost.MPI only; make it "
                "a template, or include <boost/mpi.hpp> before its first use");
}

/// Calls the `serialize` that the type brings, as Boost would find it.
template <class Archive, class T>
void call_serialize(Archive& ar, T& x) {
  constexpr unsigned version = version_of<T>();
  if constexpr (has_free_serialize<T, Archive>) {
    serialize(ar, x, version_argument{version});
  } else if constexpr (has_member_serialize<T, Archive>) {
    x.serialize(ar, version);
  } else if constexpr (has_save_and_load<T>) {
    if constexpr (Archive::is_saving::value) {
      std::as_const(x).save(ar, version);
    } else {
      x.load(ar, version);
    }
  } else {
    late<boost::serialization::access, T>::serialize(ar, x, version);
  }
}

}  // namespace detail

template <class T>
void oarchive::save(const T& x) {
  using detail::way;
  constexpr way w = detail::way_of<T>();
  if constexpr (w == way::boost_wrapper) {
    if constexpr (requires { x.const_value(); }) {
      *this << x.const_value();
    } else if constexpr (requires { x.address(); }) {
      save_elements(x.address(), x.count());
    } else {
      save_count(static_cast<std::size_t>(x));
    }
  } else if constexpr (w == way::layout) {
    save_count(detail::payload_bytes(x));
    detail::append_payload(x, to_);
  } else if constexpr (w == way::boolean) {
    const std::uint8_t byte = x ? 1 : 0;
    to_.append(&byte, 1);
  } else if constexpr (w == way::bytes) {
    std::memcpy(to_.extend(sizeof(T)), &x, sizeof(T));
  } else if constexpr (w == way::string_of_bytes) {
    save_count(x.size());
    to_.append(x.data(), x.size() * sizeof(typename T::value_type));
  } else if constexpr (w == way::elements) {
    save_range(x, x.size());
  } else if constexpr (w == way::forward_list) {
    save_range(x, static_cast<std::size_t>(std::distance(x.begin(), x.end())));
  } else if constexpr (w == way::valarray) {
    save_count(x.size());
    if (x.size() != 0) save_elements(&x[0], x.size());
  } else if constexpr (w == way::members_of_tuple) {
    std::apply([this](const auto&... member) { ((*this << member), ...); }, x);
  } else if constexpr (w == way::optional) {
    *this << x.has_value();
    if (x.has_value()) *this << *x;
  } else if constexpr (w == way::unique) {
    static_assert(!std::is_polymorphic_v<typename T::element_type>,
                  "deed[D903] an object of a derived class may hide behind this pointer; "
                  "send a std::variant of the classes");
    *this << static_cast<bool>(x);
    if (x) *this << *x;
  } else if constexpr (w == way::variant) {
    if constexpr (detail::is_boost_variant<T>) {
      *this << static_cast<std::uint32_t>(x.which());
      const detail::boost_visitor visitor{*this};
      x.apply_visitor(visitor);
    } else {
      save_variant(x);
    }
  } else if constexpr (w == way::array) {
    save_elements(std::data(x), std::size(x));
  } else {
    if (++depth_ > deepest_nesting) refuse_depth();
    if constexpr (w == way::serialize) {
      detail::call_serialize(*this, const_cast<T&>(x));  // As Boost: one function for both ways.
    } else if constexpr (w == way::members) {
      ownership::apply_to_members(x, [this](const auto&... member) { ((*this << member), ...); });
    } else if constexpr (w == way::mpi_archive) {
      save_for_mpi(x);
    }
    --depth_;
  }
}

template <class Variant>
void oarchive::save_variant(const Variant& x) {
  if (x.valueless_by_exception()) throw std::bad_variant_access();
  *this << static_cast<std::uint32_t>(x.index());
  std::visit([this](const auto& value) { *this << value; }, x);
}

template <class T>
void oarchive::save_elements(const T* x, std::size_t count) {
  if constexpr (detail::any_bytes_are_value<T>) {
    to_.append(x, count * sizeof(T));
  } else {
    for (std::size_t i = 0; i < count; ++i) *this << x[i];
  }
}

template <class Range>
void oarchive::save_range(const Range& x, std::size_t count) {
  using value = typename Range::value_type;
  save_count(count);
  const std::size_t start = to_.size();
  for (const auto& element : x) save<value>(element);
  if constexpr (detail::least_bytes<value>() == 0) fill_up(start, count);
}

template <class T>
void oarchive::save_for_mpi(const T& x) {
  detail::require_mpi_archives<T>();
  const detail::late<boost::mpi::communicator, T> none;
  detail::late<boost::mpi::packed_oarchive, T> inner(none);
  inner << x;
  save_sealed(inner.address(), inner.size());
}

template <class T>
void iarchive::load(T& x) {
  using detail::way;
  constexpr way w = detail::way_of<T>();
  if constexpr (w == way::boost_wrapper) {
    if constexpr (requires { x.const_value(); }) {
      *this >> x.value();
    } else if constexpr (requires { x.address(); }) {
      load_elements(x.address(), x.count());
    } else {
      x = T(load_count(1));
    }
  } else if constexpr (w == way::layout) {
    const std::size_t bytes = load_count(1);
    detail::spread_payload(x, {next_, bytes});
    next_ += bytes;
  } else if constexpr (w == way::boolean) {
    std::uint8_t byte;
    load_binary(&byte, 1);
    if (byte > 1) refuse("a bool is neither 0 nor 1");
    x = byte != 0;
  } else if constexpr (w == way::bytes) {
    load_binary(&x, sizeof(T));
  } else if constexpr (w == way::string_of_bytes) {
    using value = typename T::value_type;
    x.resize(load_count(sizeof(value)));
    load_binary(x.data(), x.size() * sizeof(value));
  } else if constexpr (w == way::elements) {
    load_range(x);
  } else if constexpr (w == way::forward_list) {
    load_range(x);
    x.reverse();  // Elements were put in front.
  } else if constexpr (w == way::valarray) {
    constexpr std::size_t least = detail::least_bytes<typename T::value_type>();
    x.resize(load_count(least == 0 ? 1 : least));
    if (x.size() != 0) load_elements(&x[0], x.size());
  } else if constexpr (w == way::members_of_tuple) {
    std::apply([this](auto&... member) { ((*this >> member), ...); }, x);
  } else if constexpr (w == way::optional || w == way::unique) {
    bool there;
    *this >> there;
    x.reset();
    if (!there) return;
    if constexpr (w == way::unique) {
      x.reset(new typename T::element_type());
      *this >> *x;
    } else {
      *this >> x.emplace();
    }
  } else if constexpr (w == way::variant) {
    if constexpr (detail::is_boost_variant<T>) {
      load_boost_variant(x, decltype(detail::arguments_of(&x)){});
    } else {
      load_variant(x, std::make_index_sequence<std::variant_size_v<T>>{});
    }
  } else if constexpr (w == way::array) {
    load_elements(std::data(x), std::size(x));
  } else {
    if (++depth_ > deepest_nesting) refuse("it nests deeper than 256 values");
    if constexpr (w == way::serialize) {
      detail::call_serialize(*this, x);
    } else if constexpr (w == way::members) {
      ownership::apply_to_members(x, [this](auto&... member) { ((*this >> member), ...); });
    } else if constexpr (w == way::mpi_archive) {
      load_for_mpi(x);
    }
    --depth_;
  }
}

template <class T>
void iarchive::load_elements(T* x, std::size_t count) {
  if constexpr (detail::any_bytes_are_value<T>) {
    if (count > remaining() / sizeof(T)) refuse("it ends too early");
    load_binary(x, count * sizeof(T));
  } else {
    for (std::size_t i = 0; i < count; ++i) *this >> x[i];
  }
}

template <class Range>
void iarchive::load_range(Range& x) {
  using value = detail::loose_value<Range>;  // A map's key is constant in its elements.
  static_assert(std::is_default_constructible_v<value>,
                "deed[D901] an element cannot be made before it is read; "
                "give its type a default constructor");
  constexpr std::size_t least = detail::least_bytes<value>();
  const std::size_t count = load_count(least == 0 ? 1 : least);
  const std::byte* const start = next_;
  x.clear();
  // No more is reserved than twice what is there to read; the rest comes with what is really read.
  if constexpr (requires { x.reserve(count); }) {
    const std::size_t affordable = 16 + 2 * remaining() / sizeof(value);
    x.reserve(count < affordable ? count : affordable);
  }
  for (std::size_t i = 0; i < count; ++i) {
    value element{};
    *this >> element;
    if constexpr (requires { x.push_back(std::move(element)); }) {
      x.push_back(std::move(element));
    } else if constexpr (requires { x.push_front(std::move(element)); }) {
      x.push_front(std::move(element));
    } else {
      x.insert(x.end(), std::move(element));  // The end is the right hint for what was sorted.
    }
  }
  if constexpr (least == 0) skip_filling(start, count);
}

template <class Variant, std::size_t... I>
void iarchive::load_variant(Variant& x, std::index_sequence<I...>) {
  std::uint32_t index;
  *this >> index;
  const bool found = ((index == I && (*this >> x.template emplace<I>(), true)) || ...);
  if (!found) refuse("a variant has no such alternative");
}

template <class Variant, class... A>
void iarchive::load_boost_variant(Variant& x, std::type_identity<std::tuple<A...>>) {
  std::uint32_t index, alternative = 0;
  *this >> index;
  const auto try_as = [&]<class T>(std::type_identity<T>) {
    if (index != alternative++) return false;
    T value{};
    *this >> value;
    x = std::move(value);
    return true;
  };
  if (!(try_as(std::type_identity<A>{}) || ...)) refuse("a variant has no such alternative");
}

template <class T>
void iarchive::load_for_mpi(T& x) {
  detail::require_mpi_archives<T>();
  const std::span<const std::byte> bytes = load_sealed();
  const detail::late<boost::mpi::communicator, T> none;
  detail::late<boost::mpi::packed_iarchive, T> inner(none, bytes.size());
  if (!bytes.empty()) std::memcpy(inner.address(), bytes.data(), bytes.size());
  inner >> x;
}

/// Appends the encoding of `x`. Cost: O(bytes), one pass.
template <class T>
void pack(const T& x, packed_buffer& to) {
  oarchive(to) << x;
}

/// Rebuilds what `pack` wrote, from all of `from`. What a `serialize` of the user throws becomes a
/// `deed::error`, too. The value is partly read then: drop it.
/// @throws deed::error D004 (a file: D005) if it is damaged or of another type, D008 if memory is
/// short.
template <class T>
void unpack(T& x, std::span<const std::byte> from, input source = input::message) {
  detail::unpack_all(&x, from, source,
                     [](void* value, iarchive& archive) { archive >> *static_cast<T*>(value); });
}

}  // namespace deed::data
