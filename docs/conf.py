"""How the site is made: `sphinx-build -c docs . site` in the project's root, or `nox -s docs`.

The pages are plain Markdown that reads as well in a repository, so the source is the root:
a link to the README or to the examples leads to the same file in both.
"""

from __future__ import annotations

from importlib.metadata import version as installed

project = "pytest-agentv"
author = "The pytest-agentv developers"
release = installed(project)
version = release.split("+")[0]

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
include_patterns = [
    "*.md",
    "docs/*.md",
    "examples/README.md",
    "benchmarks/README.md",
    "changelog.d/README.md",
]
root_doc = "docs/index"
# Headings can be linked to as GitHub does it.
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_block"]
nitpicky = True

html_theme = "furo"
html_title = project
html_copy_source = False
html_show_sphinx = False
