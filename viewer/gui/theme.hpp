// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/lod/track.hpp"

#include <QColor>
#include <QPalette>
#include <QString>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// Colours of the window. Codelets come from Okabe and Ito's palette, with a darker grey. People
/// with any kind of colour vision can tell them apart, and states, copies and transfers, too;
/// meaning is always also a letter, a word or a pattern.
class Theme
{
public:
    enum Name { Light, Dark, Contrast };

    explicit Theme(Name name = Light);
    static bool isName(const QString &name);
    /// Light, if it is no name.
    static Theme named(const QString &name);

    QPalette palette() const;
    QColor codelet(std::size_t index) const;
    /// Over its colour, from 1 on; 0: it is plain.
    std::size_t hatchOf(std::size_t codelet) const;
    /// Where many codelets are one.
    QColor anyCodelet() const;
    /// The colour for codelets that one in a recording stands for, if one does.
    static std::optional<std::size_t> recordedColour(std::uint32_t rgb);
    QColor state(std::size_t index) const;
    /// Of a `trace::wait_kind`: where a program waits, and the threads that have no task meanwhile.
    QColor stay(std::size_t kind) const;
    /// Greys: what a phase is called stands in it.
    QColor phase(std::size_t index) const;
    QColor spanColour(const deed::viewer::track_span &span) const;
    /// Black or white, whichever can be read on `background`.
    static QColor textOn(const QColor &background);
    /// `part` of 0..1 of `front` over `back`.
    static QColor blend(const QColor &back, const QColor &front, double part);

    static constexpr std::size_t codeletColours = 7;
    /// Of each codelet the colour and `codeletColours` times the hatch; none: as they come.
    std::vector<std::size_t> codeletLooks;
    bool dark = false;
    bool contrast = false; ///< Whatever is seen has 3:1 to the ground, and states have an outline.
    QColor base, panel, text, dim, grid, accent, playhead, error, redundant;
    QColor stop; ///< Where the program ended the run on purpose.
    QColor owner, shared, pending, stale, send, receive, wait;
    QColor notStarted; ///< Before the first state of a worker.
    QColor unknown;    ///< What a thread did while nothing of it was recorded.
};
