# SPDX-License-Identifier: MIT
"""Checks the catalogue of errors for itself: numbers, names, texts, and how many codes each layer finds.

Usage: python3 docs/errors/check_catalogue.py
Prints one line per finding; exits with 1 if there is any.
"""
import json
import re
import sys

from generate import COLUMNS, HERE, LAYERS, SEVERITIES, counts, family, spelled

# Written by hand, unlike the table of README.md: whoever adds a code or a layer changes it here too.
EXPECTED = """
    D1   16  4  2 14  4 11  0  3  16  3
    D2   15  4  0 11  2  6  2  3  15  6
    D3    9  4  1  6  1  3  1  0   9  4
    D4   14  2  0  3 11 11  0  7  14  1
    D5   11  1  1  2  9  9  0  6  11  2
    D6   12  2  0  3  5  9  0  0  10  0
    D7    7  1  0  6  0  5  0  1   6  1
    D8   17  4  0 11  0 10  0  0  15  2
    D9   11  3  0  6  0  7  0  0   8  0
    all 112 25  4 62 32 71  3 20 104 19
"""
EXPECTED_SEVERITIES = {"E": 92, "W": 15, "P": 5, "fault": 11}
WITHOUT_STATIC_LAYER = {613, 615, 707, 812, 814, 908, 910, 912}  # Facts of the machine or of another rank.


def findings_in_code(catalogue: dict, code: dict):
    """Yields what is wrong with one code."""
    if not re.fullmatch(r"[a-z]+(_[a-z0-9]+)*", code["name"]):
        yield f"{code['name']} is no enumerator"
    if code["severity"] not in SEVERITIES:
        yield f"unknown severity {code['severity']}"
    if not code["layers"] or not set(code["layers"]) <= set(LAYERS):
        yield f"layers are one or more of {', '.join(LAYERS)}"
    if list(code["layers"]) != sorted(code["layers"], key=list(LAYERS).index):
        yield "layers stand in the order of their cost, the compiler first"
    if any(not note for note in code["layers"].values()):
        yield "every layer says how it finds the mistake"
    if not code["labels"] or any(label["mark"] not in "^-=" for label in code["labels"]):
        yield "labels are marked ^, - or ="
    if not code["help"] or code["help"].endswith((".", "!", "?")):
        yield "help is one thing to do, without a full stop"
    if code["title"].endswith((".", "!", "?")) or code["title"][0].isupper() and code["title"][:3] != "MPI":
        yield "a title is lower case, without a full stop"
    if bool(code["snippet"]) != (code["language"] in ("cpp", "sh")):
        yield "a snippet has a language"
    if (code["severity"] == "fault") != (family(catalogue, code)["digit"] == 0):
        yield "faults, and only faults, belong to D0"


def findings(catalogue: dict):
    """Yields one line of text per finding."""
    for code in catalogue["codes"]:
        for wrong in findings_in_code(catalogue, code):
            yield f"{spelled(code['number'])}: {wrong}"
    numbers = [c["number"] for part in ("codes", "retired", "merged") for c in catalogue[part]]
    active = {c["number"] for c in catalogue["codes"]}
    for number in sorted({n for n in numbers if numbers.count(n) > 1}):
        yield f"{spelled(number)}: stands twice"
    if len({c["name"] for c in catalogue["codes"]}) < len(active):
        yield "two codes have one name"
    for gone in catalogue["merged"]:
        if gone["into"] not in active:
            yield f"{spelled(gone['number'])}: merged into {spelled(gone['into'])}, which is not in use"
    for of in catalogue["families"]:
        members = sorted(n for n in numbers if n // 100 == of["digit"])
        first = of["digit"] * 100 + 1
        if members != list(range(first, first + len(members))):
            yield f"D{of['digit']}: a number is missing; a retired one stays, with its reason"
    expected = [line.split() for line in EXPECTED.strip().splitlines()]
    for wanted, row in zip(expected, counts(catalogue), strict=True):
        for heading, number, is_now in zip(COLUMNS, wanted[1:], row[1:], strict=True):
            if int(number) != is_now:
                yield f"{row[0]}, {heading}: {is_now} codes, {number} expected"
    for severity, number in EXPECTED_SEVERITIES.items():
        is_now = sum(c["severity"] == severity for c in catalogue["codes"])
        if is_now != number:
            yield f"{SEVERITIES[severity]}: {is_now} codes, {number} expected"
    late = {c["number"] for c in catalogue["codes"]
            if c["severity"] != "fault" and not COLUMNS["any static layer"](c)}
    for number in sorted(late ^ WITHOUT_STATIC_LAYER):
        yield f"{spelled(number)}: found before the run: {number not in late}; that is not as expected"


if __name__ == "__main__":
    found = list(findings(json.loads((HERE / "catalogue.json").read_text(encoding="utf-8"))))
    print("\n".join(found) if found else "catalogue: nothing wrong")
    sys.exit(bool(found))
