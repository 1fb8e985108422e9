"""Writing pages: one file that holds all it needs, and may load nothing.

Every text is escaped by the templates, whatever it is and wherever it stands; should one get
through, the page's own policy forbids everything but the one style and the one script in it.
"""

from __future__ import annotations

import base64
import re
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup

from pytest_agentv.files import atomic_write
from pytest_agentv.html.charts import KINDS
from pytest_agentv.html.selection import ROOM_ALONE
from pytest_agentv.html.session import session_view
from pytest_agentv.html.texts import line_of
from pytest_agentv.html.view import run_view
from pytest_agentv.report.clean import visible

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.results.reading import Run
    from pytest_agentv.transcript.stored import AnyTranscript

# Pieces of the page that are written at once.
_PIECES = 200


def write_page(
    run: Run, path: Path, *, overwrite: bool = True, private: bool = False, kept: bool = True
) -> None:
    """Write the page of a run; of one that is not ``kept`` nothing is left but the page."""
    view = run_view(run, kept=kept)
    _write("run.html", path, overwrite=overwrite, private=private, run=view)


def write_session(
    transcript: AnyTranscript, path: Path, *, overwrite: bool = True, theme: str = "auto"
) -> None:
    """Write the page of one session: dark, light, or as the reader's system is."""
    source = transcript.source
    title = source.title or transcript.input or source.session_id or source.provider
    session = session_view(transcript, name="s1", room=ROOM_ALONE)
    values = {"title": line_of(title, 120), "session": session, "theme": theme}
    _write("session.html", path, overwrite=overwrite, private=False, **values)


def _write(template: str, path: Path, *, overwrite: bool, private: bool, **values: Any) -> None:
    style, script = _text("style.css"), _text("script.js")
    stream = (
        _environment()
        .get_template(template)
        .stream(
            **{"theme": "auto", **values},
            style=Markup(style),  # noqa: S704 (our own)
            script=Markup(script),  # noqa: S704 (our own)
            policy=_policy(style, script),
        )
    )
    stream.enable_buffering(_PIECES)
    with atomic_write(path, overwrite=overwrite, private=private) as file:
        for piece in stream:
            file.write(piece.encode())


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["kinds"] = KINDS
    return environment


def _template(name: str) -> str:
    """A template without its indentation and line ends between tags: to browsers each is a node."""
    text = re.sub(r"^ +", "", _text(f"templates/{name}"), flags=re.MULTILINE)
    return re.sub(r"(?<=>)\n(?=<|\{%)", "", text)


def _shown(value: Any) -> Any:
    """What the page holds of a value; of macros, whose values are markup, all of it."""
    return visible(value) if type(value) is str else value


@cache
def _text(name: str) -> str:
    return resources.files("pytest_agentv.html").joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """The page's policy: what it may do besides being read."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"
