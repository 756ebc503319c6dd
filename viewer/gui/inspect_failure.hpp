// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"
#include "analysis/say/answer.hpp"

#include <cstdint>

/// What ends a run, or is why it ends so: an error, a signal, a stop on purpose.
[[nodiscard]] constexpr bool endsRun(deed::viewer::record what)
{
    using enum deed::viewer::record;
    return what == error || what == fatal_signal || what == stop_run;
}

/// An error, a signal or a stop, as somebody asks who has just been thrown there: what happened, in
/// which task, to which data, what to do; behind that what the record holds.
deed::viewer::answer inspectFailure(const deed::viewer::model &of, std::uint32_t event);
