"""What was written before it was known to be a secret or a name is mended afterwards."""

from __future__ import annotations

import io
import json

import pytest

from pytest_agentv import Message, Source, ToolCall, Transcript
from pytest_agentv.importing import Redacted
from pytest_agentv.redact import Redactor
from pytest_agentv.transcript.stream import TranscriptStream
from pytest_agentv.transcript.writing import dumps

PROFILES = ("research", "strict")
HOMES = "/home"


def _written(profile: str, *texts: str, cwd: str = f"{HOMES}/caroline/shop") -> tuple[int, str]:
    """How often a session was read, and what came of it."""
    transcript = Transcript(
        source=Source(provider="claude-cli", cwd=cwd),
        output=tuple(Message(role="assistant", content=text) for text in texts),
    )
    reads: list[TranscriptStream] = []

    def read() -> TranscriptStream:
        reads.append(TranscriptStream(transcript))
        return reads[-1]

    file = io.BytesIO()
    Redacted(read, Redactor(profile, key=bytes(32))).write_to(file)
    return len(reads), file.getvalue().decode()


@pytest.mark.parametrize("profile", PROFILES)
def test_who_is_named_by_the_folder_is_known_in_time(profile: str) -> None:
    _, text = _written(profile, "caroline asked for it", f"see {HOMES}/caroline/shop/a.py")
    assert "caroline" not in text


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("cwd", [f"{HOMES}/caroline/shop", ""])
def test_who_is_named_late_is_replaced_in_what_was_said_before(profile: str, cwd: str) -> None:
    texts = ("ask Roberta\nroberta knows", f"ls {HOMES}/roberta/notes", "robertas are others")
    reads, text = _written(profile, *texts, cwd=cwd)
    assert reads == 1
    assert "roberta" not in text.lower().replace("robertas", "")
    assert "robertas" in text


@pytest.mark.parametrize("profile", PROFILES)
def test_a_secret_that_is_named_late_is_replaced_in_what_was_said_before(profile: str) -> None:
    reads, text = _written(profile, "try Tr0ub4dor&3x9", 'password = "Tr0ub4dor&3x9"')
    assert reads == 1
    assert "Tr0ub4dor" not in text


@pytest.mark.parametrize("profile", PROFILES)
def test_a_secret_of_which_a_part_is_a_name_is_replaced_whole(profile: str) -> None:
    made_up = "k7-caroline-Qz81pLw"
    reads, text = _written(profile, f"try {made_up}", f'password = "{made_up}"')
    assert reads == 2
    assert "Qz81pLw" not in text


def test_of_a_secret_that_was_cut_before_it_was_known_nothing_is_left() -> None:
    call = ToolCall(id="1", tool="Bash", kind="shell", output="x" * 1990 + " Zk7-vQ93xw-Lm2 and on")
    messages = (
        Message(role="assistant", tool_calls=(call,)),
        Message(role="assistant", content="password = Zk7-vQ93xw-Lm2"),
    )
    transcript = Transcript(source=Source(provider="claude-cli"), output=messages)
    file = io.BytesIO()
    Redacted(lambda: TranscriptStream(transcript), Redactor("research")).write_to(file)
    assert b"Zk7" not in file.getvalue()
    assert b"tool-output-truncated" in file.getvalue()


def test_a_text_that_was_cut_is_as_long_as_any_other_after_mending() -> None:
    call = ToolCall(id="1", tool="Bash", kind="shell", output="rosalind " * 300)
    messages = (
        Message(role="assistant", tool_calls=(call,)),
        Message(role="assistant", content=f"ls {HOMES}/rosalind/notes"),
    )
    transcript = Transcript(source=Source(provider="claude-cli"), output=messages)
    file = io.BytesIO()
    redactor = Redactor("research", key=bytes(32))
    Redacted(lambda: TranscriptStream(transcript), redactor).write_to(file)
    mended = json.loads(file.getvalue())["output"][0]
    all_known = redactor.fresh().transcript(transcript).output[0].tool_calls[0].output
    assert mended["tool_calls"][0]["output"] == all_known


@pytest.mark.parametrize("profile", ["secrets", *PROFILES])
@pytest.mark.parametrize("count", [1, 40])
def test_a_mended_session_is_the_same_as_one_of_which_all_was_known(
    profile: str, count: int
) -> None:
    given = [f"q{number}Zk7-vQ93xw-Lm{number}" for number in range(count)]
    call = ToolCall(
        id="1",
        tool="Write",
        kind="write",
        input={"file_path": "a.py", given[0]: ["x", f"say\n{given[-1]}"], "note": "rosalind"},
        args={"path": "a.py"},
        # What strict takes away is not looked at again, so that it is not counted either.
        output="done" if profile == "strict" else f"rosalind\n{given[0]}",
    )
    messages = (
        *(Message(role="user", content=f"rosalind has {one}") for one in given),
        Message(role="assistant", content="nothing here", tool_calls=(call,)),
        Message(role="assistant", content="\n".join(f"password = {one}" for one in given)),
        Message(role="assistant", content=f"ls {HOMES}/rosalind/notes"),
    )
    transcript = Transcript(
        source=Source(provider="claude-cli", title=f"about {given[0]}"),
        input=f"rosalind has {given[0]}",
        output=messages,
        drift={"rosalind": 2},
    )
    file = io.BytesIO(b"another session\n")
    file.seek(0, 2)
    redactor = Redactor(profile, key=bytes(32))
    written = Redacted(lambda: TranscriptStream(transcript), redactor).write_to(file)
    assert file.getvalue() == b"another session\n" + dumps(redactor.fresh().transcript(transcript))
    assert written == (len(messages), 1)
    assert not any(one.encode() in file.getvalue() for one in given)
