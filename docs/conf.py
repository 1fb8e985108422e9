"""How the site is made: `sphinx-build -c docs . site` in the project's root, or `nox -s docs`.

The pages are plain Markdown that reads as well in a repository, so the source is the root:
a link to the README or to the examples leads to the same file in both.
"""

from __future__ import annotations

from importlib.metadata import version as installed
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

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
html_show_copyright = False

# The first page is below docs/; who opens the site itself is led there.
_FIRST = "docs/index.html"
_LEAD = f"""<!doctype html>
<meta charset="utf-8">
<title>{project}</title>
<meta http-equiv="refresh" content="0; url={_FIRST}">
<a href="{_FIRST}">{project}</a>
"""


def setup(app: Sphinx) -> None:
    """Add the page that a web server shows first."""
    app.connect("build-finished", _lead)


def _lead(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        Path(app.outdir, "index.html").write_text(_LEAD, encoding="utf-8")
