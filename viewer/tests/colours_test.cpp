// SPDX-License-Identifier: MIT
#include <deed/trace/events.hpp>

#include "gui/codelet_colours.hpp"
#include "gui/theme.hpp"
#include "gui/transfer_kinds.hpp"
#include <gtest/gtest.h>

#include <QImage>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <tuple>
#include <vector>

/// @file
/// Colours that mean different things are told apart also by people who see fewer colours: by
/// CIEDE2000 of what they see, as Machado, Oliveira and Fernandes simulate it (IEEE TVCG 15(6),
/// 2009, severity 1).

namespace {

using triple = std::array<double, 3>;
using matrix = std::array<triple, 3>;

constexpr std::array<matrix, 4> visions{{{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                         {{{0.152286, 1.052583, -0.204868},
                                           {0.114503, 0.786281, 0.099216},
                                           {-0.003882, -0.048116, 1.051998}}},
                                         {{{0.367322, 0.860646, -0.227968},
                                           {0.280085, 0.672501, 0.047413},
                                           {-0.011820, 0.042940, 0.968881}}},
                                         {{{1.255528, -0.076749, -0.178779},
                                           {-0.078411, 0.930809, 0.147602},
                                           {0.004733, 0.691367, 0.303900}}}}};
constexpr std::array vision_names{"all colours", "protanopia", "deuteranopia", "tritanopia"};

double linear(double part) {
  return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
}

triple linear_of(const QColor &colour) {
  return {linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())};
}

triple seen(const QColor &colour, const matrix &by) {
  const triple from = linear_of(colour);
  triple to{};
  for (std::size_t i = 0; i < 3; ++i)
    to[i] = std::clamp(by[i][0] * from[0] + by[i][1] * from[1] + by[i][2] * from[2], 0.0, 1.0);
  return to;
}

/// CIE L*a*b* under D65.
triple lab(const triple &rgb) {
  const auto bend = [](double t) {
    return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  };
  const double x = bend((0.4124564 * rgb[0] + 0.3575761 * rgb[1] + 0.1804375 * rgb[2]) / 0.95047);
  const double y = bend(0.2126729 * rgb[0] + 0.7151522 * rgb[1] + 0.0721750 * rgb[2]);
  const double z = bend((0.0193339 * rgb[0] + 0.1191920 * rgb[1] + 0.9503041 * rgb[2]) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double degrees(double radians) { return radians * 180 / std::numbers::pi; }
double radians(double degrees) { return degrees * std::numbers::pi / 180; }

/// Sharma, Wu and Dalal, Color Research and Application 30(1), 2005.
double ciede2000(const triple &one, const triple &two) {
  const auto seventh = [](double c) {
    return std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25.0, 7)));
  };
  const double mean = (std::hypot(one[1], one[2]) + std::hypot(two[1], two[2])) / 2;
  const double stretch = 1 + 0.5 * (1 - seventh(mean));
  const double a1 = stretch * one[1], a2 = stretch * two[1];
  const double c1 = std::hypot(a1, one[2]), c2 = std::hypot(a2, two[2]);
  const auto hue = [](double a, double b) {
    return a == 0 && b == 0 ? 0.0 : std::fmod(degrees(std::atan2(b, a)) + 360, 360);
  };
  const double h1 = hue(a1, one[2]), h2 = hue(a2, two[2]);
  const bool grey = c1 * c2 == 0;
  const double turn = grey ? 0 : std::fmod(h2 - h1 + 540, 360) - 180;
  const double lightness = two[0] - one[0], chroma = c2 - c1,
               shade = 2 * std::sqrt(c1 * c2) * std::sin(radians(turn / 2));
  const double l = (one[0] + two[0]) / 2, c = (c1 + c2) / 2;
  double h = h1 + h2;
  if (!grey) h = std::abs(h1 - h2) <= 180 ? h / 2 : h < 360 ? (h + 360) / 2 : (h - 360) / 2;
  const double t = 1 - 0.17 * std::cos(radians(h - 30)) + 0.24 * std::cos(radians(2 * h)) +
                   0.32 * std::cos(radians(3 * h + 6)) - 0.2 * std::cos(radians(4 * h - 63));
  const double sl = 1 + 0.015 * (l - 50) * (l - 50) / std::sqrt(20 + (l - 50) * (l - 50));
  const double sc = 1 + 0.045 * c, sh = 1 + 0.015 * c * t;
  const double around = 30 * std::exp(-std::pow((h - 275) / 25, 2));
  const double together = -std::sin(radians(2 * around)) * 2 * seventh(c);
  return std::sqrt(std::pow(lightness / sl, 2) + std::pow(chroma / sc, 2) +
                   std::pow(shade / sh, 2) + together * chroma / sc * shade / sh);
}

/// 1 to 21, as WCAG 2 counts.
double contrast(const QColor &one, const QColor &two) {
  const auto light = [](const QColor &colour) {
    const triple rgb = linear_of(colour);
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2] + 0.05;
  };
  const double a = light(one), b = light(two);
  return std::max(a, b) / std::min(a, b);
}

void expect_apart(const char *what, const std::vector<QColor> &colours, double least = 10) {
  for (std::size_t vision = 0; vision < visions.size(); ++vision)
    for (std::size_t i = 0; i < colours.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_GE(ciede2000(lab(seen(colours[i], visions[vision])),
                            lab(seen(colours[j], visions[vision]))),
                  least)
            << what << ", " << vision_names[vision] << ": " << qPrintable(colours[i].name())
            << " and " << qPrintable(colours[j].name());
}

std::vector<Theme> themes() {
  return {Theme(Theme::Light), Theme(Theme::Dark), Theme(Theme::Contrast)};
}

std::vector<QColor> codelets(const Theme &theme) {
  std::vector<QColor> all;
  for (std::size_t i = 0; i < 7; ++i) all.push_back(theme.codelet(i));
  return all;
}

std::vector<QColor> states(const Theme &theme) {
  std::vector<QColor> all{theme.wait};
  for (std::size_t i = 0; i < 6; ++i) all.push_back(theme.state(i));
  return all;
}

/// In a collective call, in the wait for a request, and in `borrow`.
std::vector<QColor> stays(const Theme &theme) {
  using deed::trace::wait_kind;
  return {theme.stay(static_cast<std::size_t>(wait_kind::collective)),
          theme.stay(static_cast<std::size_t>(wait_kind::request)),
          theme.stay(static_cast<std::size_t>(wait_kind::handle))};
}

std::vector<QColor> phases(const Theme &theme) {
  return {theme.phase(0), theme.phase(1), theme.phase(2)};
}

TEST(colours, are_measured_as_the_literature_does) {
  // Pairs 1, 7, 17 and 25 of Sharma's table.
  EXPECT_NEAR(ciede2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}), 2.0425, 1e-4);
  EXPECT_NEAR(ciede2000({50, 0, 0}, {50, -1, 2}), 2.3669, 1e-4);
  EXPECT_NEAR(ciede2000({50, 2.5, 0}, {73, 25, -18}), 27.1492, 1e-4);
  EXPECT_NEAR(ciede2000({60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}), 1.2644, 1e-4);
  EXPECT_NEAR(contrast(QColor(0, 0, 0), QColor(255, 255, 255)), 21, 1e-9);
}

TEST(colours, are_told_apart_by_everybody) {
  for (const Theme &theme : themes()) {
    expect_apart("codelets", codelets(theme));
    expect_apart("states", states(theme));
    std::vector<QColor> waits = stays(theme);
    for (const QColor &state : states(theme))
      for (const QColor &stay : stays(theme)) expect_apart("a state and a wait", {state, stay}, 8);
    const QColor clocks = theme.stay(static_cast<std::size_t>(deed::trace::wait_kind::clocks));
    std::vector<QColor> not_clocks = states(theme);
    for (const QColor &each :
         {theme.base, theme.notStarted, theme.unknown, waits[0], waits[1], waits[2]})
      not_clocks.push_back(each);
    for (const QColor &each : not_clocks) expect_apart("clocks are compared", {clocks, each}, 9.5);
    expect_apart("idle without a task", {theme.state(2), theme.base}, theme.dark ? 15 : 5);
    expect_apart("a barrier and a collective call", {theme.wait, waits[0]}, 15);
    expect_apart("a barrier and borrow", {theme.wait, waits[2]}, 15);
    waits.push_back(theme.unknown);
    expect_apart("waits", waits, 8);
    expect_apart("phases", phases(theme));
    expect_apart("copies", {theme.owner, theme.shared, theme.pending, theme.stale, theme.base});
    expect_apart("transfers", {theme.send, theme.receive, theme.redundant, theme.error});
    for (const QColor &known : states(theme)) expect_apart("unknown", {theme.unknown, known});
  }
}

/// 1.4.11 of WCAG 2.2 wants 3; the other themes are calmer, where there is no task most of all.
TEST(colours, stand_out_from_the_ground) {
  const auto expect = [](const Theme &theme, const std::vector<QColor> &colours, double least) {
    for (const QColor &each : colours)
      EXPECT_GE(contrast(each, theme.base), least) << qPrintable(each.name());
  };
  const Theme strong(Theme::Contrast);
  expect(strong, codelets(strong), 3);
  expect(strong, states(strong), 3);
  for (std::size_t kind = 0; kind < 10; ++kind) expect(strong, {strong.stay(kind)}, 3);
  expect(strong, phases(strong), 3);
  expect(strong,
         {strong.owner, strong.shared, strong.pending, strong.stale, strong.send, strong.receive,
          strong.redundant, strong.error, strong.palette().color(QPalette::Button)},
         3);
  constexpr std::size_t no_task = 2;
  for (const auto &[name, least, idle] :
       {std::tuple{Theme::Dark, 2.0, 1.7}, std::tuple{Theme::Light, 1.5, 1.25}}) {
    const Theme theme(name);
    expect(theme, {theme.state(no_task)}, idle);
    expect(theme, phases(theme), idle);
    for (std::size_t i = 0; i < 6; ++i)
      if (i != no_task) expect(theme, {theme.state(i)}, least);
  }
}

TEST(colours, of_patterns_stand_out_from_their_bar) {
  using deed::trace::transfer_reason;
  for (const Theme &theme : themes())
    for (const QColor &bar : {theme.send, theme.receive, theme.redundant}) {
      EXPECT_EQ(patternOf(TransferKind::ForTask, bar).style(), Qt::NoBrush);
      std::vector<QImage> seen;
      for (const auto reason :
           {transfer_reason::fetch, transfer_reason::write_back, transfer_reason::migrate,
            transfer_reason::user, transfer_reason::reduce}) {
        const TransferKind kind = kindOfTransfer(static_cast<std::uint16_t>(reason));
        const QImage pattern = patternOf(kind, bar).textureImage();
        EXPECT_FALSE(std::ranges::find(seen, pattern) != seen.end())
            << qPrintable(nameOfKind(kind));
        seen.push_back(pattern);
        for (int y = 0; y < pattern.height(); ++y)
          for (int x = 0; x < pattern.width(); ++x)
            if (const QColor mark = pattern.pixelColor(x, y); mark.alpha() != 0) {
              EXPECT_GE(contrast(mark, bar), 3) << qPrintable(bar.name());
            }
      }
    }
}

TEST(colours, of_hatched_codelets_show_their_pattern) {
  for (const Theme &theme : themes())
    for (const QColor &bar : codelets(theme)) {
      EXPECT_EQ(patternOf(std::size_t{0}, bar).style(), Qt::NoBrush);
      for (std::size_t hatch = 1; hatch <= 5; ++hatch) {
        const QImage pattern = patternOf(hatch, bar).textureImage();
        for (std::size_t other = 1; other < hatch; ++other)
          EXPECT_NE(pattern, patternOf(other, bar).textureImage());
        for (int y = 0; y < pattern.height(); ++y)
          for (int x = 0; x < pattern.width(); ++x)
            if (const QColor mark = pattern.pixelColor(x, y); mark.alpha() != 0) {
              EXPECT_GE(contrast(mark, bar), 3) << qPrintable(bar.name());
            }
      }
    }
}

/// The looks by name.
std::map<std::string, std::size_t> looks_of(const std::vector<deed::viewer::codelet> &codelets) {
  std::map<std::string, std::size_t> found;
  const auto looks = codeletLooks(codelets);
  for (std::size_t i = 0; i < codelets.size(); ++i) found[codelets[i].name] = looks[i];
  return found;
}

TEST(codelets, have_the_colour_of_their_name_in_every_run) {
  const std::size_t alone = looks_of({{"gemm", "", 0}})["gemm"];
  EXPECT_LT(alone, Theme::codeletColours);
  const auto three = looks_of({{"gemm", "", 0}, {"potrf", "", 0}, {"trsm", "", 0}}),
             turned = looks_of({{"trsm", "", 0}, {"gemm", "", 0}, {"potrf", "", 0}});
  EXPECT_EQ(three, turned) << "in whatever order the run names them";
}

TEST(codelets, have_the_colour_that_is_recorded) {
  const Theme theme;
  std::vector<deed::viewer::codelet> of{{"a", "", 0x0072b2}, {"b", "", 0x999999}};
  auto looks = looks_of(of);
  EXPECT_EQ(theme.codelet(looks["a"]), QColor(0x0072b2));
  EXPECT_NE(theme.codelet(looks["b"]), QColor(0x555555)) << "grey would look as if it did nothing";
  of.insert(of.begin(), {"z", "", 0x0072b2});
  looks = looks_of(of);
  EXPECT_EQ(theme.codelet(looks["a"]), QColor(0x0072b2)) << "the first by name has it";
  EXPECT_NE(theme.codelet(looks["z"]), QColor(0x0072b2));
  EXPECT_NE(looks["z"], looks["b"]);
}

TEST(codelets, have_looks_of_their_own_however_many_they_are) {
  std::vector<deed::viewer::codelet> many;
  std::set<std::size_t> different;
  for (std::size_t i = 0; i < 3 * Theme::codeletColours; ++i)
    many.push_back({"codelet " + std::to_string(i), "", 0});
  Theme theme;
  theme.codeletLooks = codeletLooks(many);
  for (std::size_t i = 0; i < many.size(); ++i) {
    different.insert(theme.codeletLooks[i]);
    EXPECT_LT(theme.hatchOf(i), 3u);
  }
  EXPECT_EQ(different.size(), many.size());
}

TEST(colours, carry_text_that_can_be_read) {
  constexpr double least = 4.5;
  for (const Theme &theme : themes()) {
    for (const QColor &ground : {theme.base, theme.panel}) {
      EXPECT_GE(contrast(theme.text, ground), least);
      EXPECT_GE(contrast(theme.dim, ground), least);
      EXPECT_GE(contrast(theme.accent, ground), least);
      EXPECT_GE(contrast(theme.error, ground), least);
    }
    std::vector<QColor> grounds = codelets(theme);
    for (const QColor &each : states(theme)) grounds.push_back(each);
    for (std::size_t kind = 0; kind < 10; ++kind) grounds.push_back(theme.stay(kind));
    for (const QColor &each : phases(theme)) grounds.push_back(each);
    for (const QColor &each : {theme.owner, theme.shared, theme.pending, theme.stale, theme.send,
                               theme.receive, theme.redundant, theme.error, theme.unknown})
      grounds.push_back(each);
    for (const QColor &ground : grounds)
      EXPECT_GE(contrast(Theme::textOn(ground), ground), least) << qPrintable(ground.name());
    EXPECT_GE(contrast(theme.palette().color(QPalette::ButtonText),
                       theme.palette().color(QPalette::Button)),
              least);
    if (!theme.contrast) continue;
    for (const QColor &each : phases(theme))
      for (const double wash : {0.0, 40 / 255.0}) {  // Of a range that is selected.
        const QColor ground = Theme::blend(each, theme.accent, wash);
        EXPECT_GE(contrast(Theme::textOn(ground), ground), 5.5) << qPrintable(ground.name());
      }
  }
}

}  // namespace
