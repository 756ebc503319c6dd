// SPDX-License-Identifier: MIT
#pragma once

/// One style. With `testing` also one font that comes along, so that a picture is the same on every
/// machine; set QT_FONT_DPI to 96 before the application is made.
void useFixedLooks(bool testing);

/// Without a display nobody can do anything about what Qt's offscreen platform lacks: that is not
/// said. All else that Qt says is.
void silenceOffscreen();
