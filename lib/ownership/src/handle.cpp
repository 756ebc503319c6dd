// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/ownership/handle.hpp>

#include <string>

namespace deed::ownership {

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
  throw error(moved ? error_code::moved_handle : error_code::unregistered_handle,
              std::string(moved ? "use of moved handle `" : "use of unregistered handle `") +
                  std::string(registered_.name) + "`",
              {{"wanted", to_string(wanted)}, {"registered", to_string(registered_.where)}},
              moved ? "use the handle it was moved into, or do this before the move"
                    : "do this before the handle is unregistered; the end of its scope is enough");
}

}  // namespace deed::ownership
