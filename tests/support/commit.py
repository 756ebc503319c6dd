# SPDX-License-Identifier: MIT
"""The commit, from whose hash tests draw which of many programs they take."""
import pathlib
import subprocess


def commit() -> str:
    """Its hash; the same word each time where the sources came without git, or it is not installed."""
    try:
        asked = subprocess.run(["git", "-C", str(pathlib.Path(__file__).parent), "rev-parse", "HEAD"],
                               capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return asked.stdout
