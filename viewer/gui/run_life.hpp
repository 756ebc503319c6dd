// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/read/run.hpp"

#include <QSet>

/// What became of the ranks that have not ended their recording.
struct RunLife {
    QSet<int> going;  ///< Their process lived, or is on a machine that cannot be asked.
    QSet<int> killed; ///< Their process did not exist any more when the run was opened.
};

RunLife lifeOf(const deed::viewer::run &of);
