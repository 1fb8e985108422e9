"""What ``agentv search`` found, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pytest_agentv.cli.console import put
from pytest_agentv.cli.screen import is_plain
from pytest_agentv.cli.times import local_text, utc_text
from pytest_agentv.report.clean import clean as cleaned
from pytest_agentv.report.clean import is_text, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_agentv.registry import Registry
    from pytest_agentv.search.searching import Hit, Match, Said

    Clean = Callable[[str], str] | None

_HEADING = 160


def name_of(hit: Hit, known: Registry) -> str:
    """What other commands know a session by: its file, or its agent and id if that is not enough.

    A file may hold several sessions, be of a form that two agents have, or have a name with
    characters that no line can have.
    """
    path = str(hit.path)
    if hit.row is None and is_text(path) and path.isprintable():
        claimants = known.claims(hit.path)
        if [one.name for one in claimants] == [hit.adapter]:
            return path
    return f"{hit.adapter}:{hit.ref}"


def as_json(hit: Hit, clean: Clean, known: Registry) -> dict[str, Any]:
    """A session that was found, for programs."""
    return {
        "agent": hit.adapter,
        "session_id": _text(hit.session, clean),
        "name": _text(name_of(hit, known), clean),
        "path": _text(str(hit.path), clean),
        "project": _text(hit.project, clean),
        "branch": _text(hit.branch, clean),
        "model": hit.model,
        "title": _text(hit.title, clean),
        "first_prompt": _text(hit.prompt, clean),
        "started": utc_text(hit.started),
        "ended": utc_text(hit.ended),
        "score": round(hit.score, 6),
        "matches": [_match(one) for one in hit.matches],
    }


def put_hits(hits: Sequence[Hit], clean: Clean) -> None:
    """Print sessions, each with what was found in it."""
    for number, hit in enumerate(hits):
        if number:
            put("")
        when = local_text(hit.ended or hit.started)
        branch = None if hit.branch is None else f"({_text(hit.branch, clean)})"
        about = [hit.adapter, _text(hit.session, clean), when, _text(hit.project, clean), branch]
        line = "  ".join(one_line(one) for one in about if one)
        click.echo(line if is_plain() else click.style(line, bold=True))
        heading = hit.title or hit.prompt
        if heading:
            put(f"  {one_line(_text(heading, clean) or '', limit=_HEADING)}")
        put(f"  {one_line(_text(str(hit.path), clean) or '')}")
        for match in hit.matches:
            _put_match(match)


def _put_match(match: Match) -> None:
    for said in match.before:
        _put_said(said, is_match=False)
    _put_said(match.said, is_match=True)
    for said in match.after:
        _put_said(said, is_match=False)


def _put_said(said: Said, *, is_match: bool) -> None:
    who = said.role if said.tool is None else f"{said.role} {said.tool}"
    place = "" if said.line is None else f":{said.line}"
    lead = f"  {'>' if is_match else ' '} {one_line(who)}{place}: "
    if is_plain() or not is_match:
        put(f"{lead}{said.snippet.text}")
        return
    pieces: list[str] = []
    end = 0
    for start, until in said.snippet.marks:
        pieces += [said.snippet.text[end:start], said.snippet.text[start:until]]
        end = until
    pieces = [cleaned(one) for one in (*pieces, said.snippet.text[end:])]
    whole = "".join(pieces)
    if cleaned(whole) != whole:  # two pieces are together what none of them is
        pieces = [one.replace("##", "# #").replace("::", ": :") for one in pieces]
    pieces[1::2] = [click.style(one, bold=True, fg="yellow") for one in pieces[1::2]]
    click.echo(cleaned(lead) + "".join(pieces))


def _match(match: Match) -> dict[str, Any]:
    return {
        **_said(match.said),
        "score": round(match.score, 6),
        "before": [_said(one) for one in match.before],
        "after": [_said(one) for one in match.after],
    }


def _said(said: Said) -> dict[str, Any]:
    return {
        "role": said.role,
        "tool": said.tool,
        "time": utc_text(said.time),
        "line": said.line,
        "agent_id": said.thread,
        "text": said.snippet.text,
        # Where in the text a match begins and ends, in characters.
        "marks": [list(one) for one in said.snippet.marks],
    }


def _text(text: str | None, clean: Clean) -> str | None:
    return text if text is None or clean is None else clean(text)
