"""A session as a page shows it: its timeline, what is known of it, and what was left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_agentv.html.charts import Mix, mix_of
from pytest_agentv.html.selection import MOST_CALLS, selected
from pytest_agentv.html.texts import clock, cost, duration, line_of, plural, tokens
from pytest_agentv.html.timeline import Maker, Turn, anchor_of, turns_of
from pytest_agentv.transcript.times import moment

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from pytest_agentv.transcript.model import Message
    from pytest_agentv.transcript.stored import AnyTranscript

_MOST_REASONS = 20
_MOST_DECIDED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """A session."""

    name: str
    about: str
    facts: tuple[tuple[str, str], ...]
    mix: Mix
    turns: tuple[Turn, ...]
    not_shown: int
    notes: tuple[str, ...]
    # By number of the message from 1 and line of the session: where on the page it is.
    anchors: dict[tuple[int | None, int | None], str] = field(repr=False)


def session_view(
    transcript: AnyTranscript,
    *,
    name: str,
    room: int,
    places: Mapping[tuple[int | None, int | None], Collection[str]] | None = None,
) -> SessionView:
    """A session with the places that decided assertions; anchors begin with its name."""
    places = places or {}
    messages = transcript.output
    found = _found(messages, places)
    evidence = {message for message, _ in found.values()}
    shown = selected(messages, room=room, evidence=evidence)
    start = moment(transcript.source.timestamp) or _first_moment(messages)
    folder = transcript.source.cwd
    maker = Maker(name, start=start, folder=folder, deciding=_deciding(places, found))
    made = Counter((call.kind, call.failed) for one in messages for call in one.tool_calls)
    kinds: Counter[str] = Counter()
    for (kind, _), count in made.items():
        kinds[kind] += count
    about = [plural(len(messages), "message"), plural(made.total(), "tool call")]
    if failed := sum(count for (_, has_failed), count in made.items() if has_failed):
        about.append(f"{failed:,} failed")
    return SessionView(
        name=name,
        about=", ".join(about),
        facts=tuple(_facts(transcript)),
        mix=mix_of(kinds),
        turns=tuple(turns_of(messages, shown, maker)),
        not_shown=len(messages) - len(shown),
        notes=tuple(_notes(transcript)),
        anchors={
            place: anchor_of(name, *where) for place, where in found.items() if where[0] in shown
        },
    )


def _found(
    messages: Sequence[Message], places: Collection[tuple[int | None, int | None]]
) -> dict[tuple[int | None, int | None], tuple[int, int | None]]:
    """Which message and which call of it each place means; what means nothing is left out."""
    wanted = {line for _, line in places if line is not None}
    by_line: dict[int, tuple[int, int | None]] = {}
    in_message: dict[tuple[int, int], int] = {}
    for number, message in enumerate(messages) if wanted else ():
        if message.line in wanted:
            by_line.setdefault(message.line, (number, None))
        for place, call in enumerate(message.tool_calls[:MOST_CALLS]):
            if call.line in wanted:
                in_message.setdefault((number, call.line), place)
                by_line.setdefault(call.line, (number, place))
    found: dict[tuple[int | None, int | None], tuple[int, int | None]] = {}
    for number_from_1, line in places:
        if number_from_1 is not None and 1 <= number_from_1 <= len(messages):
            number = number_from_1 - 1
            call_place = None if line is None else in_message.get((number, line))
            found[number_from_1, line] = (number, call_place)
        elif number_from_1 is None and line in by_line:
            found[None, line] = by_line[line]
    return found


def _deciding(
    places: Mapping[tuple[int | None, int | None], Collection[str]],
    found: Mapping[tuple[int | None, int | None], tuple[int, int | None]],
) -> dict[tuple[int, int | None], str]:
    """The names of assertions, in short, by the message or call that decides them."""
    names: dict[tuple[int, int | None], dict[str, None]] = {}
    for place, where in found.items():
        names.setdefault(where, {}).update(dict.fromkeys(places[place]))
    return {where: _in_short(list(several)) for where, several in names.items()}


def _in_short(names: Sequence[str]) -> str:
    shown = ", ".join(line_of(name, 60) for name in names[:_MOST_DECIDED])
    more = len(names) - _MOST_DECIDED
    return f"{shown} and {plural(more, 'other')}" if more > 0 else shown


def _first_moment(messages: Sequence[Message]) -> datetime | None:
    return next((when for one in messages if (when := moment(one.timestamp))), None)


def _facts(transcript: AnyTranscript) -> Iterator[tuple[str, str]]:
    """What is known of a session as a whole."""
    source, used = transcript.source, transcript.token_usage
    known = {
        "Client": " ".join(one for one in (source.provider, source.version) if one),
        "Model": source.model,
        "Session": source.session_id,
        "Started": clock(source.timestamp) if source.timestamp else None,
        "Folder": source.cwd,
        "Branch": source.git_branch,
    }
    yield from ((name, line_of(value)) for name, value in known.items() if value)
    yield "Took", duration(transcript.duration_ms)
    if used is None:
        yield "Tokens", tokens(None)
    else:
        at_least = "" if used.output_complete is not False else " or more"
        cached = f" ({tokens(used.cached)} cached)" if used.cached else ""
        yield "Tokens", f"{tokens(used.input)} in{cached}, {tokens(used.output)} out{at_least}"
    yield "Cost", cost(transcript.cost_usd)


def _notes(transcript: AnyTranscript) -> Iterator[str]:
    """What was not understood in a session, and what was left out of it."""
    for said, counts in (
        ("Not understood in the session", transcript.drift),
        ("Left out of the conversation", transcript.left_out),
    ):
        reasons = [f"{line_of(reason, 80)} ({count:,})" for reason, count in counts.items()]
        more = f" and {len(reasons) - _MOST_REASONS:,} more" if len(reasons) > _MOST_REASONS else ""
        if reasons:
            yield f"{said}: {', '.join(reasons[:_MOST_REASONS])}{more}."
