// SPDX-License-Identifier: MIT
#include "gui/theme.hpp"

#include <deed/trace/events.hpp>

#include <algorithm>
#include <array>
#include <cmath>

using namespace deed::viewer;

namespace {

/// Of codelets. Without vermilion, which is what was sent in vain.
constexpr std::array<QRgb, Theme::codeletColours> okabeIto{
    0xffe69f00, 0xff56b4e9, 0xff009e73, 0xffcc79a7, 0xff0072b2, 0xfff0e442, 0xff555555};

std::size_t looksOf(const Theme &theme, std::size_t codelet)
{
    return codelet < theme.codeletLooks.size() ? theme.codeletLooks[codelet] : codelet;
}

} // namespace

Theme::Theme(Name name)
    : dark(name != Light)
    , contrast(name == Contrast)
{
    base = dark ? (contrast ? QColor(0, 0, 0) : QColor(0x1b1e23)) : QColor(0xffffff);
    panel = dark ? (contrast ? QColor(0, 0, 0) : QColor(0x25292f)) : QColor(0xf3f4f6);
    text = dark ? (contrast ? QColor(255, 255, 255) : QColor(0xe6e8eb)) : QColor(0x1c1f23);
    dim = dark ? (contrast ? QColor(0xdddddd) : QColor(0xa7adb5)) : QColor(0x5b626b);
    grid = dark ? (contrast ? QColor(0x888888) : QColor(0x3a4048)) : QColor(0xd9dce1);
    accent = dark ? QColor(0x6cb6ff) : QColor(0x0b5cad);
    playhead = dark ? QColor(0xffffff) : QColor(0x101010);
    error = dark ? QColor(0xff8fa0) : QColor(0xb00020);
    stop = text; // As far from red as from all work.
    redundant = QColor(0xd55e00);
    owner = QColor(0x0072b2);
    shared = QColor(0x56b4e9);
    pending = QColor(0xf0e442);
    stale = dark ? (contrast ? QColor(0x6b717b) : QColor(0x4a4f57)) : QColor(0xc9ced6);
    unknown = blend(base, dim, 0.8); // Far from all that a thread is known to have done.
    notStarted = blend(base, dim, 0.45);
    // No codelet has these: the network is no work.
    send = dark ? QColor(0x6d84a3) : QColor(0x47607f);
    receive = dark ? QColor(0xb3c2d6) : QColor(0x9fb1c8);
    wait = dark ? (contrast ? QColor(0x918b36) : QColor(0x78763c)) : QColor(0x8ab59e);
}

bool Theme::isName(const QString &name)
{
    return name == QLatin1String("light") || name == QLatin1String("dark") ||
           name == QLatin1String("contrast");
}

Theme Theme::named(const QString &name)
{
    if (name == QLatin1String("dark"))
        return Theme(Dark);
    return Theme(name == QLatin1String("contrast") ? Contrast : Light);
}

QPalette Theme::palette() const
{
    QPalette p;
    p.setColor(QPalette::Window, panel);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, base);
    p.setColor(QPalette::AlternateBase, blend(base, panel, 0.6));
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::PlaceholderText, dim);
    // On black, sliders and scroll bars would have neither a face nor an edge.
    p.setColor(QPalette::Button, contrast ? QColor(0x5c5c5c) : panel);
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::Highlight, accent);
    p.setColor(QPalette::HighlightedText, textOn(accent));
    p.setColor(QPalette::ToolTipBase, panel);
    p.setColor(QPalette::ToolTipText, text);
    p.setColor(QPalette::Link, accent);
    p.setColor(QPalette::LinkVisited, accent);
    p.setColor(QPalette::Light, blend(panel, QColor(255, 255, 255), 0.3));
    p.setColor(QPalette::Midlight, blend(panel, QColor(255, 255, 255), 0.15));
    p.setColor(QPalette::Mid, grid);
    p.setColor(QPalette::Dark, blend(panel, QColor(0, 0, 0), 0.4));
    p.setColor(QPalette::Shadow, QColor(0, 0, 0));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, blend(panel, text, 0.5));
    return p;
}

QColor Theme::codelet(std::size_t index) const
{
    const std::size_t colour = looksOf(*this, index) % codeletColours;
    // On black the grey needs more light.
    return QColor(contrast && colour == 6 ? 0xff757575 : okabeIto[colour]);
}

std::size_t Theme::hatchOf(std::size_t codelet) const
{
    return looksOf(*this, codelet) / codeletColours;
}

QColor Theme::anyCodelet() const
{
    return QColor(okabeIto[2]);
}

std::optional<std::size_t> Theme::recordedColour(std::uint32_t rgb)
{
    const auto *const at = std::ranges::find(okabeIto, 0xff000000 | rgb);
    if (at == okabeIto.end())
        return {};
    return static_cast<std::size_t>(at - okabeIto.begin());
}

QColor Theme::state(std::size_t index) const
{
    // Not computing: pale, so that work stands out, and palest where there is no task, which is no
    // loss of its own. Chosen by search: as far from each other and from `wait` as pale colours can
    // be, for every kind of colour vision; with `contrast` 3:1 to the ground, as WCAG 2.2, 1.4.11
    // wants it (colours_test).
    static constexpr std::array<QRgb, 6> light{0xffe5c8f6, 0xffd8be85, 0xffe8e4ec,
                                               0xffc0daba, 0xffada7ee, 0xffea9dc3};
    static constexpr std::array<QRgb, 6> night{0xff643d81, 0xff8d3b14, 0xff384e3a,
                                               0xff626f5d, 0xff3d6eb1, 0xff7d4665};
    static constexpr std::array<QRgb, 6> strong{0xff9777bd, 0xff9c582a, 0xff67766b,
                                                0xff90a389, 0xff3666a4, 0xffb0678e};
    const auto &colours = contrast ? strong : dark ? night : light;
    return QColor(colours[index % colours.size()]);
}

QColor Theme::stay(std::size_t kind) const
{
    using deed::trace::wait_kind;
    // As a barrier, and much darker or lighter than it towards the letters: paler ones are states.
    switch (static_cast<wait_kind>(kind)) {
    case wait_kind::collective:
        return blend(wait, text, 0.42);
    case wait_kind::request:
        return blend(wait, text, 0.72);
    // For no other program, as the others are: of other hues, found by search.
    case wait_kind::handle:
        return QColor(contrast ? 0x805078 : dark ? 0x986088 : 0x806088);
    case wait_kind::clocks:
        return QColor(contrast ? 0xbce9e5 : dark ? 0x648fd7 : 0x9c6a29);
    default:
        return wait;
    }
}

QColor Theme::phase(std::size_t index) const
{
    // Of `text` on `base`; with `contrast` the first has 3:1 to it, and none is near the middle,
    // where neither black nor white letters stand out much.
    static constexpr std::array<double, 3> parts{0.20, 0.38, 0.56}, strong{0.36, 0.62, 0.82};
    return blend(base, text, (contrast ? strong : parts)[index % parts.size()]);
}

QColor Theme::spanColour(const track_span &span) const
{
    if (span.flags & flag_error)
        return error;
    if (span.flags & flag_stop)
        return stop;
    switch (span.type) {
    case span_type::task:
        return codelet(span.kind);
    case span_type::state:
        return span.kind < first_stay ? state(span.kind) : stay(span.kind - first_stay);
    case span_type::send:
        return span.flags & flag_redundant ? redundant : send;
    case span_type::receive:
        return span.flags & flag_redundant ? redundant : receive;
    case span_type::wait:
        return span.kind < first_stay ? wait : stay(span.kind - first_stay);
    case span_type::phase:
        return phase(span.kind);
    case span_type::copy: // As what leaves the rank, or comes to it.
        return span.kind == copy_to_device ? receive : send;
    case span_type::value:
        return accent;
    }
    return dim;
}

QColor Theme::textOn(const QColor &background)
{
    const auto linear = [](double part) {
        return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    // From this luminance on, dark letters have more contrast (WCAG 2) than white ones.
    constexpr double middle = 0.19;
    const double light = 0.2126 * linear(background.redF()) + 0.7152 * linear(background.greenF()) +
                         0.0722 * linear(background.blueF());
    return light > middle ? QColor(0x101214) : QColor(0xffffff);
}

QColor Theme::blend(const QColor &back, const QColor &front, double part)
{
    const auto mix = [part](int a, int b) { return static_cast<int>(a + (b - a) * part); };
    return QColor(mix(back.red(), front.red()), mix(back.green(), front.green()),
                  mix(back.blue(), front.blue()));
}
