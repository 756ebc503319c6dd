// SPDX-License-Identifier: MIT
#include <deed/runtime/recorded.hpp>

#include "core.hpp"

#include <cstdint>
#include <string_view>

namespace deed {

phase::phase(session& of, std::string_view name, std::int64_t index, place where)
    : home_(of.untyped().records() ? &of.untyped() : nullptr), index_(index) {
  if (home_ == nullptr) return;
  to_ = &home_->begin_phase(name, where, name_);
  to_->phase_push(name_, index_);
}

phase::~phase() {
  if (home_ != nullptr) home_->end_phase(*to_, name_, index_);
}

void record_value(session& of, std::string_view name, std::int64_t value, place where) {
  if (of.untyped().records()) of.untyped().record_value(name, value, where);
}

namespace runtime {

trace::stream& core::begin_phase(std::string_view name, place where, std::uint32_t& number) {
  context& self = caller(call_kind::submits, where);
  number = recorder_->text(name);
  registrar::keep();
  return *self.events;
}

/// Behind the session's end nothing is recorded any more.
void core::end_phase(trace::stream& to, std::uint32_t name, std::int64_t index) noexcept {
  if (life_ == life::open && recorder_ != nullptr) to.phase_pop(name, index);
  drop();
}

void core::record_value(std::string_view name, std::int64_t value, place where) {
  context& self = caller(call_kind::submits, where);
  self.events->counter(static_cast<std::uint16_t>(recorder_->text(name)), value);
}

}  // namespace runtime
}  // namespace deed
