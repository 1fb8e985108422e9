"""A session is written once if all that is secret in it was known in time, and else again."""

from __future__ import annotations

import io
from functools import partial

import pytest

from pytest_agentv import Message, Source, Transcript
from pytest_agentv.importing import Redacted, holds_any
from pytest_agentv.redact import Redactor
from pytest_agentv.transcript.stream import TranscriptStream
from pytest_agentv.transcript.writing import write_stream

PROFILES = ("research", "strict")
HOMES = "/home"


def _written(profile: str, *texts: str, cwd: str = f"{HOMES}/caroline/shop") -> tuple[int, str]:
    """How often a session was written, and what came of it."""
    transcript = Transcript(
        source=Source(provider="claude-cli", cwd=cwd),
        output=tuple(Message(role="assistant", content=text) for text in texts),
    )
    written: list[io.BytesIO] = []
    file = io.BytesIO()

    def write(stream: object) -> None:
        file.seek(0)
        file.truncate()
        write_stream(file, stream)  # type: ignore[arg-type]
        written.append(file)

    redacted = Redacted(lambda: TranscriptStream(transcript), Redactor(profile, key=bytes(32)))
    redacted.write(write, partial(holds_any, file))
    return len(written), file.getvalue().decode()


@pytest.mark.parametrize("profile", PROFILES)
def test_who_is_named_by_the_folder_is_known_in_time(profile: str) -> None:
    times, text = _written(profile, "caroline asked for it", f"see {HOMES}/caroline/shop/a.py")
    assert times == 1
    assert "caroline" not in text


@pytest.mark.parametrize("profile", PROFILES)
def test_who_is_named_late_is_replaced_in_what_was_said_before(profile: str) -> None:
    times, text = _written(profile, "ask roberta", f"ls {HOMES}/roberta/notes")
    assert times == 2
    assert "roberta" not in text


@pytest.mark.parametrize("profile", PROFILES)
def test_a_secret_that_is_named_late_is_replaced_in_what_was_said_before(profile: str) -> None:
    times, text = _written(profile, "try Tr0ub4dor&3x9", 'password = "Tr0ub4dor&3x9"')
    assert times == 2
    assert "Tr0ub4dor" not in text


@pytest.mark.parametrize("profile", PROFILES)
def test_a_secret_of_which_a_part_is_a_name_is_replaced_whole(profile: str) -> None:
    made_up = "k7-caroline-Qz81pLw"
    times, text = _written(profile, f"try {made_up}", f'password = "{made_up}"')
    assert times == 2
    assert "Qz81pLw" not in text


def test_without_a_folder_a_name_is_late_as_well() -> None:
    times, text = _written("research", "ask roberta", f"ls {HOMES}/roberta/notes", cwd="")
    assert times == 2
    assert "roberta" not in text
