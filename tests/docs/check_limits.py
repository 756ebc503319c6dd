# SPDX-License-Identifier: MIT
"""Every test of a build has a time limit, so that none can hang.

Usage: python3 tests/docs/check_limits.py CTEST BUILD_FOLDER
Prints one line per test without a limit; exits with 1 if there is any.
"""
import json
import subprocess
import sys


def main() -> int:
    ctest, folder = sys.argv[1:]
    shown = subprocess.run([ctest, "--test-dir", folder, "--show-only=json-v1"],
                           capture_output=True, text=True, check=True)
    tests = json.loads(shown.stdout)["tests"]
    without = [test["name"] for test in tests
               if not test["name"].endswith("_NOT_BUILT")
               and not any(p["name"] == "TIMEOUT" for p in test.get("properties", []))]
    for name in without:
        print(f"{name}: no TIMEOUT")
    print(f"limits: {len(tests)} tests, {len(without)} without one")
    return 1 if without or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
