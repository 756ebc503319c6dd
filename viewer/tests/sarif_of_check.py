#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A log of `deed-trace check --sarif` is as the standard says, and has findings of these rules alone: sarif_of_check.py LOG RULE..."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "analyzer"))
import sarif_shape  # What deed-check's logs are held to.

log = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
for wrong in sarif_shape.findings(log):
    sys.exit(wrong)
[run] = log["runs"]
described = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
found = {result["ruleId"] for result in run["results"]}
if found != set(sys.argv[2:]) or not found <= described:
    sys.exit(f"found {sorted(found)} of {sorted(described)}")
for result in run["results"]:
    placed = [each["physicalLocation"] for each in result["locations"]]
    if result["ruleId"] != "no_deadlock" and [each["artifactLocation"]["uri"][-4:] for each in placed] != [".cpp"]:
        sys.exit(f"{result['ruleId']} is nowhere: {result}")
