"""``agentv search … --import``: what was found becomes transcripts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from pytest_agentv.adapters.base import ReadOptions, SessionRef
from pytest_agentv.cli.console import put, put_json, say
from pytest_agentv.cli.imported import DEFAULT_FOLDER, as_json, sentence, warn_of_drift
from pytest_agentv.errors import AgentvError, Location, OutputError
from pytest_agentv.importing import import_session
from pytest_agentv.plugins import registry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentv.cli.search import Request
    from pytest_agentv.redact import Redactor
    from pytest_agentv.search.searching import Hit


def import_found(found: Sequence[Hit], request: Request, redactor: Redactor | None) -> None:
    """Import each session on its own, and say what became of it; exit 1 if any failed."""
    folder = request.output or DEFAULT_FOLDER
    if os.path.lexists(folder) and not folder.is_dir():
        raise OutputError(
            "is no folder; --import writes a file for each session", at=Location(folder)
        )
    known = registry()
    imported, failures = [], []
    for hit in found:
        try:
            one = import_session(
                known.adapter(hit.adapter),
                SessionRef(hit.ref, hit.path, row=hit.row),
                ReadOptions(),
                output=folder,
                is_folder=True,
                overwrite=request.force,
                redactor=redactor,
            )
        except AgentvError as exc:
            failures.append(str(exc))
            continue
        except OSError as exc:
            failures.append(f"{hit.path}: cannot be read: {exc.strerror or exc}")
            continue
        imported.append(one)
        if not request.as_json:
            put(sentence(one))
        warn_of_drift(one.session, one)
    for failure in failures:
        say(f"agentv: {failure}")
    if request.as_json:
        put_json({"imported": [as_json(one) for one in imported], "failed": failures})
    if failures:
        raise click.exceptions.Exit(1)
