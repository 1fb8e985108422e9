"""``agentv redact --check``: what is left in files, by place and rule. A secret is never shown."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pytest_agentv.cli.console import count, put, put_json, say
from pytest_agentv.errors import Location
from pytest_agentv.files import open_regular
from pytest_agentv.plugins import registry
from pytest_agentv.redact import findings, findings_in
from pytest_agentv.sources import sessions_in
from pytest_agentv.transcript.reading import is_transcript_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pytest_agentv.redact import Redactor, RedactSettings

# A private key and the like are of several lines: a text is looked at in parts of so many
# characters that have a part in common.
_PART, _COMMON = 1 << 20, 1 << 14


class _Left(NamedTuple):
    """What a rule finds in a file."""

    at: Location
    field: str
    rule: str
    type: str


def check(
    paths: Sequence[Path], redactor: Redactor, *, settings: RedactSettings, as_json: bool
) -> None:
    """Say what is left in files; exit 1 if anything is."""
    profile = redactor.profile
    total = 0
    of_paths = []
    for path in paths:
        found = _left_in(path, profile=profile, settings=settings)
        if as_json:
            of_paths.append(_as_json(path, list(found), redactor))
            total += len(of_paths[-1]["findings"])
            continue
        for one in found:
            where = f"{one.field}: " if one.field else ""
            put(f"{redactor.text(str(one.at))}: {where}{one.rule} ({one.type})")
            total += 1
    if as_json:
        put_json(of_paths)
    else:
        places = count(total, "place") if total else "nothing"
        say(f"{places} left in {count(len(paths), 'file')} by profile {profile.name}")
    if total:
        raise click.exceptions.Exit(1)


def _as_json(path: Path, found: Sequence[_Left], redactor: Redactor) -> dict[str, Any]:
    return {
        "path": redactor.text(str(path)),
        "profile": redactor.profile.name,
        "findings": [
            {"line": one.at.line, "field": one.field, "rule": one.rule, "type": one.type}
            for one in found
        ],
    }


def _left_in(path: Path, **given: Any) -> Iterator[_Left]:
    """What is left in the sessions of a file, or in the lines of any other text."""
    named = findings(path.name, **given)
    yield from (_Left(Location(path), "file name", one.rule, one.type) for one in named)
    if not is_transcript_file(path) and not registry().claims(path):
        yield from dict.fromkeys(_left_in_text(path, **given))
        return
    for session in sessions_in(path, registry):
        found = findings_in(session.stream, **given)
        # What stands several times in one field is told once.
        for _, of_field in groupby(found, key=attrgetter("line", "field")):
            for rule, type_, field, line in dict.fromkeys(one[:4] for one in of_field):
                # A transcript has a line of its own in its file; a client's session has many.
                at = session.at if session.at.line else session.at._replace(line=line)
                yield _Left(at, field, rule, type_)


def _left_in_text(path: Path, **given: Any) -> Iterator[_Left]:
    number, text = 1, ""
    with open_regular(path) as file:
        while more := file.read(_PART).decode("utf-8", "replace"):
            text += more
            in_part = findings(text, **given)
            if in_part:
                lines = text.split("\n")
                in_lines = [
                    (place, one)
                    for place, line in enumerate(lines, number)
                    for one in findings(line, **given)
                ]
                yield from (_Left(Location(path, n), "", one.rule, one.type) for n, one in in_lines)
                known = {one.rule for _, one in in_lines}
                # What is of several lines is in no single one.
                several = (one for one in in_part if one.rule not in known)
                yield from (_Left(Location(path), "", one.rule, one.type) for one in several)
            kept = text[-_COMMON:]
            number += text.count("\n") - kept.count("\n")
            text = kept
