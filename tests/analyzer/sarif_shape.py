# SPDX-License-Identifier: MIT
"""What SARIF 2.1.0 asks of a log, for the parts that deed-check writes: names, types, ranges, references.

The schema itself (oasis-tcs/sarif-spec) is not part of this repository; `findings` checks by hand what it says of
every property that may appear, and refuses properties that it does not know.
"""

import re

TEXT, NUMBER, FLAG = str, int, bool
LEVELS = {"none", "note", "warning", "error"}
MESSAGE = {"text": (TEXT, True)}
REGION = {"startLine": (NUMBER, True), "startColumn": (NUMBER, False), "endLine": (NUMBER, False),
          "endColumn": (NUMBER, False)}
ARTIFACT_LOCATION = {"uri": (TEXT, True)}
PHYSICAL = {"artifactLocation": (ARTIFACT_LOCATION, True), "region": (REGION, True)}
LOCATION = {"physicalLocation": (PHYSICAL, True), "message": (MESSAGE, False)}
REPLACEMENT = {"deletedRegion": (REGION, True), "insertedContent": (MESSAGE, False)}
CHANGE = {"artifactLocation": (ARTIFACT_LOCATION, True), "replacements": ([REPLACEMENT], True)}
FIX = {"description": (MESSAGE, False), "artifactChanges": ([CHANGE], True)}
THREAD_FLOW = {"locations": ([{"location": (LOCATION, True)}], True)}
CODE_FLOW = {"threadFlows": ([THREAD_FLOW], True)}
RESULT = {"ruleId": (TEXT, True), "ruleIndex": (NUMBER, False), "level": (LEVELS, False), "message": (MESSAGE, True),
          "locations": ([LOCATION], True), "relatedLocations": ([LOCATION], False), "codeFlows": ([CODE_FLOW], False),
          "fixes": ([FIX], False), "partialFingerprints": ({"deedFingerprint/v1": (TEXT, True)}, True)}
URI = re.compile(r"[a-z][a-z0-9+.-]*:\S+")  # From its scheme on, as the standard asks of links.
SEMANTIC_VERSION = re.compile(r"\d+\.\d+\.\d+(-[\w.-]+)?(\+[\w.-]+)?")
RULE = {"id": (TEXT, True), "shortDescription": (MESSAGE, True), "fullDescription": (MESSAGE, True), "helpUri": (URI, False),
        "help": ({"text": (TEXT, True), "markdown": (TEXT, False)}, True)}
DRIVER = {"name": (TEXT, True), "version": (TEXT, True), "semanticVersion": (SEMANTIC_VERSION, True),
          "informationUri": (URI, False), "rules": ([RULE], True)}
RUN = {"tool": ({"driver": (DRIVER, True)}, True), "columnKind": ({"utf16CodeUnits", "unicodeCodePoints"}, False),
       "invocations": ([{"executionSuccessful": (FLAG, True)}], False), "results": ([RESULT], True)}
LOG = {"$schema": (TEXT, False), "version": ({"2.1.0"}, True), "runs": ([RUN], True)}


def findings(value, wanted=LOG, where="log"):
    """Yields one line for each thing that is not as the standard says."""
    if isinstance(wanted, dict):
        if not isinstance(value, dict):
            yield f"{where} is no object"
            return
        for name in value.keys() - wanted.keys():
            yield f"{where}.{name} is no property of the standard"
        for name, (inner, required) in wanted.items():
            if name in value:
                yield from findings(value[name], inner, f"{where}.{name}")
            elif required:
                yield f"{where}.{name} is missing"
        if wanted is REGION:
            yield from region_findings(value, where)
    elif isinstance(wanted, list):
        if not isinstance(value, list):
            yield f"{where} is no array"
            return
        for i, one in enumerate(value):
            yield from findings(one, wanted[0], f"{where}[{i}]")
    elif isinstance(wanted, re.Pattern):
        if not isinstance(value, str) or not wanted.fullmatch(value):
            yield f"{where} is not as {wanted.pattern}"
    elif isinstance(wanted, set):
        if value not in wanted:
            yield f"{where} is none of {sorted(wanted)}"
    elif not isinstance(value, wanted) or (wanted is NUMBER and isinstance(value, bool)):
        yield f"{where} is no {wanted.__name__}"


def region_findings(region: dict, where: str):
    """Lines and columns count from 1, and the end is not before the start."""
    if any(number < 1 for number in region.values() if isinstance(number, int)):
        yield f"{where} counts from 0"
    begin = (region.get("startLine", 1), region.get("startColumn", 1))
    if (region.get("endLine", begin[0]), region.get("endColumn", begin[1])) < begin:
        yield f"{where} ends before it starts"
