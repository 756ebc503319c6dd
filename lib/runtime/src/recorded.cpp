// SPDX-License-Identifier: MIT
#include <deed/runtime/recorded.hpp>

#include "core.hpp"

#include <cstdint>
#include <string_view>

namespace deed {

phase::phase(session& of, std::string_view name, std::int64_t index, place where)
    : home_(of.untyped().records() ? &of.untyped() : nullptr), index_(index) {
  if (home_ != nullptr) name_ = home_->begin_phase(name, index, where);
}

phase::~phase() {
  if (home_ != nullptr) home_->end_phase(name_, index_);
}

void record_value(session& of, std::string_view name, std::int64_t value, place where) {
  if (of.untyped().records()) of.untyped().record_value(name, value, where);
}

namespace runtime {

std::uint32_t core::begin_phase(std::string_view name, std::int64_t index, place where) {
  static_cast<void>(caller(call_kind::submits, where));
  const std::uint32_t number = recorder_->text(name);
  app().phase_push(number, index);
  registrar::keep();
  return number;
}

/// Behind the session's end nothing is recorded any more.
void core::end_phase(std::uint32_t name, std::int64_t index) noexcept {
  if (life_ == life::open && recorder_ != nullptr) app().phase_pop(name, index);
  drop();
}

void core::record_value(std::string_view name, std::int64_t value, place where) {
  static_cast<void>(caller(call_kind::submits, where));
  app().counter(static_cast<std::uint16_t>(recorder_->text(name)), value);
}

}  // namespace runtime
}  // namespace deed
