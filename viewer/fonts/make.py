#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the fonts of pictures that are the same on every machine, from DejaVu Sans 2.37: make.py [FOLDER OF DEJAVU].

The letters that the window uses, without hints; and the same measures without ink, for pictures that are compared pixel by
pixel. Needs python3-fonttools. DejaVu's licence asks for another name."""
import pathlib
import sys

from fontTools import subset, ttLib
from fontTools.ttLib.tables import _g_l_y_f

HERE = pathlib.Path(__file__).parent
FROM = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/fonts/truetype/dejavu")
LETTERS = [*range(0x20, 0x7F), *range(0xA0, 0x100), 0x3BC, *range(0x2010, 0x2027), *range(0x2190, 0x2194), 0x2212, 0x2264, 0x2265,
           *range(0x25A0, 0x2600), *range(0x2713, 0x2718), *range(0x2758, 0x275B)]


def make(source, name, bold, ink):
    font = ttLib.TTFont(FROM / source, recalcTimestamp=False)
    wanted = subset.Options(hinting=False, layout_features=[], name_IDs=[0, 1, 2, 13], notdef_outline=True)
    cut = subset.Subsetter(wanted)
    cut.populate(unicodes=LETTERS)
    cut.subset(font)
    for record in font["name"].names:
        if record.nameID == 1:
            record.string = name
        elif record.nameID == 2:
            record.string = "Bold" if bold else "Book"
    if not ink:
        for glyph in font.getGlyphOrder():
            font["glyf"][glyph] = _g_l_y_f.Glyph()
    font.save(HERE / f"{name.lower().replace(' ', '_')}{'_bold' if bold else ''}.ttf")


for bold in (False, True):
    for name, ink in (("Deed Testing", True), ("Deed Blank", False)):
        make("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf", name, bold, ink)
