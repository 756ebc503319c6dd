# SPDX-License-Identifier: MIT
"""The documentation site: `docs/site/build OUT` makes it from docs/, the headers and the changelog."""
project = "deed"
extensions = ["myst_parser", "breathe"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
master_doc = "index"
html_theme = "sphinx_rtd_theme"
html_show_copyright = False
breathe_default_project = "deed"
breathe_show_include = False
cpp_id_attributes = ["DEED_LIFETIMEBOUND"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header"]  # An error page's title is its code; its sections start one deeper.
