// SPDX-License-Identifier: MIT
#pragma once

#include <deed/ownership/access_list.hpp>
#include <deed/runtime/collective_call.hpp>
#include <deed/runtime/insert.hpp>
#include <deed/runtime/session.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// The forms of `session.gather`, `scatter`, `broadcast`, `reduce`, `all_gather`, `all_reduce` and
/// `all_to_all`: on data, on lists of data, on values and on spans.

namespace deed {
namespace runtime {

template <class T, access_mode Mode>
collective_side side_of(const access<T, Mode>& token) {
  return {.datum = call_arguments::describe(token), .storage = nullptr, .keeper = nullptr};
}
/// Memory of the program, by its storage; kept by the call, too.
template <class Storage>
collective_side side_of(std::shared_ptr<Storage> storage) {
  void* const at = storage.get();
  return {.datum = std::nullopt, .storage = at, .keeper = std::move(storage)};
}

inline collective_description description_of(collective_kind kind, const part_operations& parts,
                                             int root, collective_side give, collective_side take,
                                             place where) {
  return {.kind = kind,
          .root = root,
          .give = std::move(give),
          .take = std::move(take),
          .parts = &parts,
          .combine = nullptr,
          .keeps_own = false,
          .root_apart = false,
          .places = {},
          .where = where};
}

template <class T, class Operation>
collective_description reduction_of(collective_kind kind, int root, collective_side give,
                                    collective_side take, Operation operation, place where) {
  auto made = description_of(kind, part_alone<T>, root, std::move(give), std::move(take), where);
  made.combine = [operation = std::move(operation)](void* into, const void* from) {
    combination<T, Operation>::all(operation, into, from);
  };
  return made;
}

/// The options of a collective; `placed` belongs to the parts.
template <class Option>
void note_option(collective_description& what, message_options& all, Option&& option) {
  if constexpr (std::is_same_v<std::remove_cvref_t<Option>, placed>) {
    what.places = places_of(option, what.parts->element_bytes, what.where);
  } else if constexpr (std::is_same_v<std::remove_cvref_t<Option>, among_argument>) {
    all.among = std::forward<Option>(option).what;
  } else {
    static_assert(is_message_option<std::remove_cvref_t<Option>>,
                  "deed[D202] an option of the collective is none; the options are "
                  "`when_done(f)`, `within(group)`, `among(group)`, `behind(gate)`, `opens(gate)` "
                  "and, for gather "
                  "and scatter, `placed{counts, displacements}`");
    all.note(std::forward<Option>(option));
  }
}
template <class Start, class... Options>
typename Start::result start(core& home, collective_description&& what, Options&&... options) {
  message_options all;
  (note_option(what, all, std::forward<Options>(options)), ...);
  return Start::start(home, std::move(what), std::move(all));
}

// ---- on per-rank data, and one datum at the root

template <class Start, class P, class W, class... Options>
typename Start::result begin_gather(Start, core& home, const access<P, access_mode::read>& mine,
                                    const access<W, access_mode::write>& all, to root,
                                    Options&&... options) {
  return start<Start>(home,
                      description_of(collective_kind::gather, part_of<P, W>::object, root.value,
                                     side_of(mine), side_of(all), mine.where),
                      std::forward<Options>(options)...);
}
template <class Start, class W, class... Options>
typename Start::result begin_gather(Start, core& home, keep_own_part_t,
                                    const access<W, access_mode::read_write>& all, to root,
                                    Options&&... options) {
  auto made = description_of(collective_kind::gather, part_of<element_of_t<W>, W>::object,
                             root.value, {}, side_of(all), all.where);
  made.keeps_own = true;
  return start<Start>(home, std::move(made), std::forward<Options>(options)...);
}
template <class Start, class P, class W, class... Options>
typename Start::result begin_scatter(Start, core& home, const access<W, access_mode::read>& all,
                                     const access<P, access_mode::write>& mine, from root,
                                     Options&&... options) {
  return start<Start>(home,
                      description_of(collective_kind::scatter, part_of<P, W>::object, root.value,
                                     side_of(all), side_of(mine), mine.where),
                      std::forward<Options>(options)...);
}
template <class Start, class P, class W, class... Options>
typename Start::result begin_all_gather(Start, core& home, const access<P, access_mode::read>& mine,
                                        const access<W, access_mode::write>& all,
                                        Options&&... options) {
  return start<Start>(home,
                      description_of(collective_kind::all_gather, part_of<P, W>::object, 0,
                                     side_of(mine), side_of(all), mine.where),
                      std::forward<Options>(options)...);
}
template <class Start, class P, class W, class... Options>
typename Start::result begin_all_to_all(Start, core& home, const access<P, access_mode::read>& mine,
                                        const access<W, access_mode::write>& theirs,
                                        Options&&... options) {
  return start<Start>(
      home,
      description_of(collective_kind::all_to_all, part_of<element_of_t<P>, W>::object, 0,
                     side_of(mine), side_of(theirs), mine.where),
      std::forward<Options>(options)...);
}
template <class Start, class T, class... Options>
typename Start::result begin_broadcast(Start, core& home,
                                       const access<T, access_mode::read_write>& mine, from root,
                                       Options&&... options) {
  return start<Start>(home,
                      description_of(collective_kind::broadcast, part_alone<T>, root.value,
                                     side_of(mine), side_of(mine), mine.where),
                      std::forward<Options>(options)...);
}
template <class Start, class T, class Operation, class... Options>
typename Start::result begin_reduce(Start, core& home, const access<T, access_mode::read>& mine,
                                    const access<T, access_mode::write>& result, to root,
                                    Operation operation, Options&&... options) {
  return start<Start>(home,
                      reduction_of<T>(collective_kind::reduce, root.value, side_of(mine),
                                      side_of(result), std::move(operation), mine.where),
                      std::forward<Options>(options)...);
}
template <class Start, class T, class Operation, class... Options>
typename Start::result begin_all_reduce(Start, core& home, const access<T, access_mode::read>& mine,
                                        const access<T, access_mode::write>& result,
                                        Operation operation, Options&&... options) {
  return start<Start>(home,
                      reduction_of<T>(collective_kind::all_reduce, 0, side_of(mine),
                                      side_of(result), std::move(operation), mine.where),
                      std::forward<Options>(options)...);
}

}  // namespace runtime

// ---- on values: blocking

template <class T>
std::vector<T> session::gather(value_argument<T> mine, to root, place where) {
  auto all = std::make_shared<std::vector<T>>();
  runtime::start_collective(
      *core_,
      runtime::description_of(runtime::collective_kind::gather,
                              runtime::part_of<T, std::vector<T>>::object, root.value,
                              runtime::side_of(std::make_shared<T>(std::move(mine.content))),
                              runtime::side_of(all), where),
      {})
      .wait(where);
  return std::move(*all);
}
template <class T>
std::vector<T> session::all_gather(value_argument<T> mine, place where) {
  auto all = std::make_shared<std::vector<T>>();
  runtime::start_collective(
      *core_,
      runtime::description_of(runtime::collective_kind::all_gather,
                              runtime::part_of<T, std::vector<T>>::object, 0,
                              runtime::side_of(std::make_shared<T>(std::move(mine.content))),
                              runtime::side_of(all), where),
      {})
      .wait(where);
  return std::move(*all);
}
template <class T>
T session::broadcast(value_argument<T> mine, from root, place where) {
  const auto value = std::make_shared<T>(std::move(mine.content));
  runtime::start_collective(
      *core_,
      runtime::description_of(runtime::collective_kind::broadcast, runtime::part_alone<T>,
                              root.value, runtime::side_of(value), runtime::side_of(value), where),
      {})
      .wait(where);
  return std::move(*value);
}
template <class T>
T session::scatter(const std::vector<T>& values, from root, place where) {
  const auto mine = std::make_shared<T>();
  runtime::start_collective(
      *core_,
      runtime::description_of(runtime::collective_kind::scatter,
                              runtime::part_of<T, std::vector<T>>::object, root.value,
                              runtime::side_of(std::make_shared<std::vector<T>>(values)),
                              runtime::side_of(mine), where),
      {})
      .wait(where);
  return std::move(*mine);
}
template <class T>
std::vector<T> session::all_to_all(value_argument<std::vector<T>> mine, place where) {
  auto theirs = std::make_shared<std::vector<T>>();
  runtime::start_collective(
      *core_,
      runtime::description_of(
          runtime::collective_kind::all_to_all, runtime::part_of<T, std::vector<T>>::object, 0,
          runtime::side_of(std::make_shared<std::vector<T>>(std::move(mine.content))),
          runtime::side_of(theirs), where),
      {})
      .wait(where);
  return std::move(*theirs);
}
template <class T, class Operation>
std::optional<T> session::reduce(value_argument<T> mine, to root, Operation operation,
                                 place where) {
  const auto result = std::make_shared<T>();
  runtime::start_collective(
      *core_,
      runtime::reduction_of<T>(runtime::collective_kind::reduce, root.value,
                               runtime::side_of(std::make_shared<T>(std::move(mine.content))),
                               runtime::side_of(result), std::move(operation), where),
      {})
      .wait(where);
  return rank() == root.value ? std::optional<T>(std::move(*result)) : std::nullopt;
}
template <class T, class Operation>
T session::all_reduce(value_argument<T> mine, Operation operation, place where) {
  const auto result = std::make_shared<T>();
  runtime::start_collective(
      *core_,
      runtime::reduction_of<T>(runtime::collective_kind::all_reduce, 0,
                               runtime::side_of(std::make_shared<T>(std::move(mine.content))),
                               runtime::side_of(result), std::move(operation), where),
      {})
      .wait(where);
  return std::move(*result);
}

// ---- on spans: in the program's memory

namespace runtime {

template <class E>
collective_side side_of_span(std::span<E> memory) {
  using element = std::remove_const_t<E>;
  // What is given is only read.
  return side_of(std::make_shared<data::span_block<element>>(
      std::span<element>(const_cast<element*>(memory.data()), memory.size())));
}

}  // namespace runtime

template <class E>
request session::igather(std::span<const E> mine, std::span<E> all, to root, place where) {
  return runtime::start_collective(
      *core_,
      runtime::description_of(runtime::collective_kind::gather,
                              runtime::part_of<std::span<E>, std::span<E>>::object, root.value,
                              runtime::side_of_span(mine), runtime::side_of_span(all), where),
      {});
}
template <class E>
request session::igather(keep_own_part_t, std::span<E> all, to root, place where) {
  auto made = runtime::description_of(runtime::collective_kind::gather,
                                      runtime::part_of<std::span<E>, std::span<E>>::object,
                                      root.value, {}, runtime::side_of_span(all), where);
  made.keeps_own = true;
  return runtime::start_collective(*core_, std::move(made), {});
}
template <class E>
request session::iscatter(std::span<const E> all, std::span<E> mine, from root, place where) {
  return runtime::start_collective(
      *core_,
      runtime::description_of(runtime::collective_kind::scatter,
                              runtime::part_of<std::span<E>, std::span<E>>::object, root.value,
                              runtime::side_of_span(all), runtime::side_of_span(mine), where),
      {});
}
template <class E>
request session::iall_gather(std::span<const E> mine, std::span<E> all, place where) {
  return runtime::start_collective(
      *core_,
      runtime::description_of(runtime::collective_kind::all_gather,
                              runtime::part_of<std::span<E>, std::span<E>>::object, 0,
                              runtime::side_of_span(mine), runtime::side_of_span(all), where),
      {});
}

// ---- on lists of data, by their owners

namespace runtime {

/// What a local node of a list does at the root, for each datum: between its storage and the
/// program's values.
using storage_visitor = std::function<void(void* const* storages)>;

void start_list(detached, core& home, std::span<const access_description> blocks, int root,
                storage_visitor&& visit, message_options&& options);
[[nodiscard]] request start_list(requested, core& home, std::span<const access_description> blocks,
                                 int root, storage_visitor&& visit, message_options&& options);
/// What the root has for a scatter: one value per block, or elements one block behind the other.
struct scattered_values {
  std::size_t count = 0;
  bool elements = false;
  /// Fills a block from its values, of which `first` is the number of the first.
  std::function<void(std::size_t first, void* storage)> fill;
};
/// @throws deed::error D509 at the root if `values` has another length than the blocks.
void start_list(detached, core& home, std::span<const access_description> blocks, int root,
                scattered_values&& values, message_options&& options);
[[nodiscard]] request start_list(requested, core& home, std::span<const access_description> blocks,
                                 int root, scattered_values&& values, message_options&& options);

/// Elements of a view from a range, one block behind the other; else one value per block.
template <class T>
inline constexpr bool has_elements =
    !std::is_same_v<T, element_of_t<T>> &&
    data::detail::is_block<typename data::datum_traits<T>::storage>;

template <class View>
std::size_t count_of(const View& view) {
  if constexpr (requires { view.rows(); }) {
    return view.rows() * view.cols();
  } else {
    return view.size();
  }
}
/// Calls `each(element of the view)` row by row.
template <class View, class Each>
void visit_elements(View&& view, Each&& each) {
  if constexpr (requires { view.rows(); }) {
    for (auto row : view) {
      for (auto& element : row) each(element);
    }
  } else {
    for (auto& element : view) each(element);
  }
}

/// By owners, to the root: values, or elements one block behind the other.
template <class Start, class T, class... Options>
  requires(is_message_option<std::remove_cvref_t<Options>> && ...)
typename Start::result begin_gather(Start how, core& home,
                                    const access_list<T, access_mode::read>& blocks, to root,
                                    Options&&... options) {
  return start_list(how, home, accesses_of(blocks), root.value, storage_visitor{},
                    options_of<false>(std::forward<Options>(options)...));
}
template <class Start, class T, std::ranges::random_access_range Values, class... Options>
  requires(is_message_option<std::remove_cvref_t<Options>> && ...)
typename Start::result begin_gather(Start how, core& home,
                                    const access_list<T, access_mode::read>& blocks, to root,
                                    Values& values, Options&&... options) {
  using traits = data::datum_traits<T>;
  const std::size_t count = blocks.data.size();
  return start_list(
      how, home, accesses_of(blocks), root.value,
      storage_visitor{[&values, count](void* const* storages) {
        if constexpr (requires { values.resize(count); }) {
          std::size_t wanted = has_elements<T> ? 0 : count;
          if constexpr (has_elements<T>) {
            for (std::size_t i = 0; i < count; ++i)
              wanted += count_of(
                  traits::read_view(*static_cast<const typename traits::storage*>(storages[i])));
          }
          values.resize(wanted);
        }
        auto at = std::ranges::begin(values);
        for (std::size_t i = 0; i < count; ++i) {
          const auto& block = *static_cast<const typename traits::storage*>(storages[i]);
          if constexpr (has_elements<T>) {
            visit_elements(traits::read_view(block), [&](const auto& element) { *at++ = element; });
          } else {
            *at++ = traits::read_view(block);
          }
        }
      }},
      options_of<false>(std::forward<Options>(options)...));
}
template <class Start, class T, class... Options>
  requires(is_message_option<std::remove_cvref_t<Options>> && ...)
typename Start::result begin_scatter(Start how, core& home,
                                     const access_list<T, access_mode::write>& blocks, from root,
                                     Options&&... options) {
  return start_list(how, home, accesses_of(blocks), root.value, scattered_values{},
                    options_of<false>(std::forward<Options>(options)...));
}
template <class Start, class T, std::ranges::random_access_range Values, class... Options>
  requires(is_message_option<std::remove_cvref_t<Options>> && ...)
typename Start::result begin_scatter(Start how, core& home,
                                     const access_list<T, access_mode::write>& blocks, from root,
                                     const Values& values, Options&&... options) {
  using traits = data::datum_traits<T>;
  // Significant at the root alone, and copied there: the program may go on with its own.
  auto kept = std::make_shared<std::vector<std::ranges::range_value_t<Values>>>();
  if (is_rank(home, root.value)) kept->assign(std::ranges::begin(values), std::ranges::end(values));
  return start_list(
      how, home, accesses_of(blocks), root.value,
      scattered_values{.count = kept->size(),
                       .elements = has_elements<T>,
                       .fill =
                           [kept](std::size_t first, void* storage) {
                             auto& block = *static_cast<typename traits::storage*>(storage);
                             auto at = kept->begin() + static_cast<std::ptrdiff_t>(first);
                             if constexpr (has_elements<T>) {
                               visit_elements(traits::write_view(block),
                                              [&](auto& element) { element = *at++; });
                             } else {
                               traits::write_view(block) = *at;
                             }
                           }},
      options_of<false>(std::forward<Options>(options)...));
}

template <class Start, class T, class... Options>
typename Start::result begin_fetch(Start how, core& home, const access<T, access_mode::read>& datum,
                                   to target, Options&&... options) {
  const access_description described[] = {call_arguments::describe(datum)};
  return start_list(how, home, described, target.value, storage_visitor{},
                    options_of<false>(std::forward<Options>(options)...));
}

}  // namespace runtime
}  // namespace deed
