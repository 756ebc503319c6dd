// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/ownership/handle.hpp>

#include <string>

namespace deed::ownership {

void refuse_split(const split& whole, place used) {
  throw error(error_code::partitioned_handle,
              "`" + whole.name + "` is used while it is partitioned",
              {{"used", to_string(used)},
               {"partitioned",
                to_string(whole.where) + ", into " + std::to_string(whole.parts) + " parts"}},
              "write the parts, or `session.unite(…)` first");
}

untyped_handle::~untyped_handle() {
  if (state_ == state::live && session_->open()) session_->end(datum_, place{});
  session_->drop();
}

void untyped_handle::unregister(place where) {
  const slot ending = datum(where);
  session_->end(ending, where);
  state_ = state::ended;
}

void untyped_handle::refuse(place wanted) const {
  if (!session_->open()) {
    throw error(error_code::session_closed, "the session of this handle has ended",
                {{"wanted", to_string(wanted)}}, "keep the session until its last handle is used");
  }
  const bool moved = state_ == state::moved;
  // Its parts have it, and the whole waits among them.
  if (const split* const whole = session_->split_of(datum_, registered_); moved && whole != nullptr)
    refuse_split(*whole, wanted);
  throw error(moved ? error_code::moved_handle : error_code::unregistered_handle,
              std::string(moved ? "use of moved handle `" : "use of unregistered handle `") +
                  std::string(registered_.name) + "`",
              {{"wanted", to_string(wanted)}, {"registered", to_string(registered_.where)}},
              moved ? "use the handle it was moved into, or do this before the move"
                    : "do this before the handle is unregistered; the end of its scope is enough");
}

}  // namespace deed::ownership
