// SPDX-License-Identifier: MIT
#pragma once

#include <QColor>
#include <QImage>
#include <QRect>
#include <cstdlib>

namespace deed::viewer {

/// How many pixels of a part of a picture have a colour. Edges of letters are paler.
inline int count_pixels(const QImage &in, const QRect &part, const QColor &colour,
                        int tolerance = 0) {
  int found = 0;
  for (int y = part.top(); y <= part.bottom(); ++y)
    for (int x = part.left(); x <= part.right(); ++x) {
      const QColor here = in.pixelColor(x, y);
      found += std::abs(here.red() - colour.red()) <= tolerance &&
               std::abs(here.green() - colour.green()) <= tolerance &&
               std::abs(here.blue() - colour.blue()) <= tolerance;
    }
  return found;
}

}  // namespace deed::viewer
