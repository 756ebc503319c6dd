// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/edit/edit.hpp"
#include "cli/options.hpp"

#include <string>

/// @file
/// Commands that need other programs: the ranks of other machines, and a report to send to
/// somebody.

namespace deed::viewer {

/// `collect FOLDER... --from HOST:FOLDER,... -o RUN`. Folders of other machines come through
/// `ssh HOST`, or through the command that `--ssh` names, as a tar file.
/// @throws usage_error, unreadable, unwritable
int collect_run(const options& given);

/// `slice --bundle`: a folder with a part of the run, packed, what deed-trace says about it as
/// text, and a picture if deed-view is here. @throws unwritable
int bundle(const run& from, const options& given, const slice_options& wanted);

}  // namespace deed::viewer
