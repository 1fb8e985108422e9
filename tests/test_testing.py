"""``pytest_agentv.testing``: every promise of an adapter that is broken is said in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from fake_adapters import SESSION, Changed, FakeAdapter, FakeStream

from pytest_agentv import (
    Attachment,
    Head,
    Message,
    ReadOptions,
    SessionRef,
    Source,
    Tail,
    TokenUsage,
    dumps,
)
from pytest_agentv.adapters.claude.adapter import ClaudeAdapter
from pytest_agentv.testing import check_adapter

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_bytes(SESSION)
    return path


def _complaint(adapter: Any, session: Path) -> str:
    """What is said about an adapter, without the values that pytest may add to an assert."""
    with pytest.raises(AssertionError) as caught:
        check_adapter(adapter, session)
    return f"\n{caught.value}".partition("\nassert ")[0].strip()


def test_an_adapter_that_keeps_its_contract_gets_its_transcript(session: Path) -> None:
    transcript = check_adapter(FakeAdapter(), session)
    assert transcript.source == Source(provider="fake-cli")
    assert transcript.input == "List the files"
    assert transcript.final_answer == "a.txt is there"
    assert [call.command for call in transcript.tool_calls()] == ["ls"]
    assert session.read_bytes() == SESSION


def test_our_own_adapter_keeps_the_contract(tmp_path: Path) -> None:
    session = tmp_path / "0763061e-9c91-4dee-9373-3bd69c817fd4.jsonl"
    records = [
        {
            "type": "user",
            "uuid": "u-1",
            "parentUuid": None,
            "sessionId": session.stem,
            "timestamp": "2026-03-29T21:10:11.969Z",
            "isSidechain": False,
            "message": {"role": "user", "content": "List the files"},
        },
        {
            "type": "assistant",
            "uuid": "u-2",
            "parentUuid": "u-1",
            "sessionId": session.stem,
            "timestamp": "2026-03-29T21:10:14.000Z",
            "isSidechain": False,
            "message": {
                "id": "msg_1",
                "role": "assistant",
                "model": "claude-opus-4-6",
                "stop_reason": "end_turn",
                "content": [{"type": "text", "text": "There are none."}],
                "usage": {"input_tokens": 5, "output_tokens": 7},
            },
        },
    ]
    lines = [json.dumps(record).encode() + b"\n" for record in records]
    session.write_bytes(b"".join(lines))
    assert check_adapter(ClaudeAdapter(), session).final_answer == "There are none."


def test_what_lacks_a_part_of_the_protocol_is_no_adapter(session: Path) -> None:
    assert "is no adapter: it lacks `name`, `provider`" in _complaint(object(), session)


def test_an_adapter_must_claim_its_own_session(session: Path) -> None:
    assert _complaint(FakeAdapter(marker="other"), session) == f"fake does not claim {session}"


class NeverTheSame(FakeAdapter):
    """Counts how often it was asked."""

    asked = 0

    def message(self, record: dict[str, Any]) -> Message:
        self.asked += 1
        message = super().message(record)
        return Message(role=message.role, origin=message.origin, content=f"{self.asked}")


def test_the_same_session_must_give_the_same_bytes(session: Path) -> None:
    assert _complaint(NeverTheSame(), session) == "the same session must give the same bytes"


class SaysAnotherProvider(FakeAdapter):
    """Its transcripts come from somebody else."""

    def read(self, ref: SessionRef, options: ReadOptions) -> FakeStream:
        stream = super().read(ref, options)
        return FakeStream(
            Head(source=Source(provider="other-cli"), input=stream.head.input), stream.conversation
        )


def test_a_transcript_must_say_the_adapters_provider(session: Path) -> None:
    complaint = _complaint(SaysAnotherProvider(), session)
    assert "other-cli" in complaint
    assert "fake-cli" in complaint


@pytest.mark.parametrize(
    ("adapter", "complaint"),
    [
        (Changed(message={"role": "robot"}), "unknown role 'robot'"),
        (Changed(message={"origin": "human"}), "only user messages have an origin"),
        (Changed(call={"kind": "Bash"}), "unknown kind 'Bash'"),
        (Changed(call={"status": "fine"}), "unknown status 'fine'"),
        (
            Changed(call={"args": {"cmd": "ls"}}),
            "arguments that are not canonical: {'cmd': 'ls'}",
        ),
        (Changed(call={"exit_code": 1}), "a non-zero exit code is never ok"),
        (Changed(call={"output": None}), "without an answer the outcome is unknown"),
    ],
)
def test_a_law_of_transcripts_that_is_broken_is_named(
    session: Path, adapter: FakeAdapter, complaint: str
) -> None:
    assert _complaint(adapter, session) == complaint


class UnknownOrigin(FakeAdapter):
    """Its user messages come from nowhere."""

    def message(self, record: dict[str, Any]) -> Message:
        message = super().message(record)
        if message.role == "user":
            return Message(role="user", origin="space", content=message.content)
        return message


def test_an_unknown_origin_is_named(session: Path) -> None:
    assert "'space'" in _complaint(UnknownOrigin(), session)


@pytest.mark.parametrize(
    "call",
    [
        {"status": "error", "exit_code": 1},
        {"output": None, "status": "unknown", "exit_code": None},
        {"output": None, "status": "denied", "exit_code": None},
        {"args": {}, "kind": "other"},
        {"args": {"path": "/a", "paths": ["/a"], "query": "q", "url": "u", "pattern": "p"}},
    ],
)
def test_what_the_laws_allow_is_not_complained_about(session: Path, call: dict[str, Any]) -> None:
    message = {"attachments": (Attachment(kind="image"),)}
    transcript = check_adapter(Changed(call=call, message=message), session)
    (made,) = transcript.tool_calls()
    assert made.status == call.get("status", "ok")


class WrongHeadOrTail(FakeAdapter):
    """What stands around its messages is what a test puts there."""

    def __init__(self, *, prompt: str | None = "List the files", tail: Tail | None = None) -> None:
        super().__init__()
        self._prompt = prompt
        self._tail = tail or Tail()

    def read(self, ref: SessionRef, options: ReadOptions) -> FakeStream:
        stream = super().read(ref, options)
        head = Head(source=stream.head.source, input=self._prompt)
        return FakeStream(head, stream.conversation, self._tail)


@pytest.mark.parametrize("prompt", [None, "a.txt is there", ""])
def test_the_input_must_be_the_first_prompt(session: Path, prompt: str | None) -> None:
    complaint = _complaint(WrongHeadOrTail(prompt=prompt), session)
    assert complaint == "input must be the first prompt a person typed"


def test_cached_tokens_must_be_part_of_the_input(session: Path) -> None:
    usage = TokenUsage(input=10, cached=6, cache_write=5)
    complaint = _complaint(WrongHeadOrTail(tail=Tail(token_usage=usage)), session)
    assert complaint == "input includes what was read from the cache and written to it"


class ReadsNothing(FakeAdapter):
    """Takes a session without messages for a session."""

    def read(self, ref: SessionRef, options: ReadOptions) -> FakeStream:
        del ref, options
        return FakeStream(Head(source=Source(provider=self.provider)), ())


def test_a_session_without_messages_must_be_an_error(session: Path) -> None:
    complaint = _complaint(ReadsNothing(), session)
    assert complaint == "a session without messages must be a SessionError"


class AcceptsEmptyFiles(FakeAdapter):
    """Reads the good session well, and a file without messages as if there were a session."""

    def read(self, ref: SessionRef, options: ReadOptions) -> FakeStream:
        if self.claims(ref.path):
            return super().read(ref, options)
        return FakeStream(Head(source=Source(provider=self.provider)), ())


def test_a_broken_file_without_messages_must_be_an_error_too(session: Path) -> None:
    complaint = _complaint(AcceptsEmptyFiles(), session)
    assert complaint == "a session without messages must be a SessionError"


class RaisesWhenRead(FakeAdapter):
    """Is sure that every line is JSON."""

    def read(self, ref: SessionRef, options: ReadOptions) -> FakeStream:
        for line in ref.path.read_bytes().splitlines():
            json.loads(line)
        return super().read(ref, options)


def test_broken_input_must_raise_nothing_but_a_session_error(session: Path) -> None:
    assert "SessionError" in _complaint(RaisesWhenRead(), session)


class RaisesWhenAsked(FakeAdapter):
    """Is sure that every file is text."""

    def claims(self, path: Path) -> bool:
        path.read_text(encoding="utf-8")
        return super().claims(path)


def test_claiming_must_not_raise(session: Path) -> None:
    assert "claim" in _complaint(RaisesWhenAsked(), session)


class Touches(FakeAdapter):
    """Leaves its mark in the session."""

    def read(self, ref: SessionRef, options: ReadOptions) -> FakeStream:
        stream = super().read(ref, options)
        with ref.path.open("ab") as file:
            file.write(b"\n")
        return stream


def test_reading_must_not_change_the_session(session: Path) -> None:
    assert _complaint(Touches(), session) == "reading a session must not change it"


class WantsSubagents(FakeAdapter):
    """Says whether it was asked for sub-agents."""

    def read(self, ref: SessionRef, options: ReadOptions) -> FakeStream:
        stream = super().read(ref, options)
        helper = Message(role="assistant", content="help", agent_id="a-1")
        more = (helper,) if options.include_subagents else ()
        return FakeStream(stream.head, (*stream.conversation, *more))


def test_sub_agents_are_read_on_request(session: Path) -> None:
    assert check_adapter(WantsSubagents(), session).messages(agent_id="a-1") == ()
    with_them = check_adapter(WantsSubagents(), session, include_subagents=True)
    assert [one.content for one in with_them.messages(agent_id="a-1")] == ["help"]


def test_a_golden_file_is_readable_json_of_the_transcript(session: Path, tmp_path: Path) -> None:
    golden = tmp_path / "golden.json"
    transcript = check_adapter(FakeAdapter(), session, golden=golden, update_golden=True)
    text = golden.read_text(encoding="utf-8")
    assert text.startswith('{\n  "schema_version": "1.0",\n')
    assert text.endswith("}\n")
    assert json.loads(text) == json.loads(dumps(transcript))
    assert check_adapter(FakeAdapter(), session, golden=golden) == transcript


def test_a_missing_golden_file_is_a_failure_that_names_the_option(
    session: Path, tmp_path: Path
) -> None:
    golden = tmp_path / "golden.json"
    with pytest.raises(AssertionError) as caught:
        check_adapter(FakeAdapter(), session, golden=golden)
    assert f"{golden} is missing; --agentv-update-golden writes it" in str(caught.value)
    assert not golden.exists()


def test_another_transcript_than_the_golden_one_is_a_failure_that_names_the_option(
    session: Path, tmp_path: Path
) -> None:
    golden = tmp_path / "golden.json"
    check_adapter(FakeAdapter(), session, golden=golden, update_golden=True)
    before = golden.read_bytes()
    call = {"output": "b.txt"}
    with pytest.raises(AssertionError) as caught:
        check_adapter(Changed(call=call), session, golden=golden)
    assert f"the transcript differs from {golden}" in str(caught.value)
    assert "--agentv-update-golden accepts it" in str(caught.value)
    assert golden.read_bytes() == before


def test_a_broken_contract_never_becomes_golden(session: Path, tmp_path: Path) -> None:
    golden = tmp_path / "golden.json"
    with pytest.raises(AssertionError, match="unknown kind"):
        check_adapter(Changed(call={"kind": "x"}), session, golden=golden, update_golden=True)
    assert not golden.exists()


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project of a plugin author, with one golden test."""
    # Other people's plugins only cost time here.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p pytest_agentv.pytest_plugin")
    (pytester.path / "session.jsonl").write_bytes(SESSION)
    pytester.makepyfile(
        """
        from pathlib import Path
        from fake_adapters import FakeAdapter

        HERE = Path(__file__).parent

        def test_session(agentv_check_adapter):
            transcript = agentv_check_adapter(
                FakeAdapter(), HERE / "session.jsonl", golden=HERE / "golden.json"
            )
            assert transcript.prompts == ("List the files",)
        """
    )
    return pytester


def test_the_option_writes_the_golden_file_and_the_next_run_compares_with_it(
    project: pytest.Pytester,
) -> None:
    golden = project.path / "golden.json"
    missing = project.runpytest_inprocess()
    missing.assert_outcomes(failed=1)
    missing.stdout.fnmatch_lines(["*golden.json is missing; --agentv-update-golden writes it*"])
    project.runpytest_inprocess("--agentv-update-golden").assert_outcomes(passed=1)
    assert json.loads(golden.read_bytes())["input"] == "List the files"
    project.runpytest_inprocess().assert_outcomes(passed=1)


def test_a_changed_session_fails_until_it_is_accepted(project: pytest.Pytester) -> None:
    project.runpytest_inprocess("--agentv-update-golden").assert_outcomes(passed=1)
    with (project.path / "session.jsonl").open("ab") as file:
        file.write(b'{"fake": "assistant", "text": "and b.txt"}\n')
    differs = project.runpytest_inprocess()
    differs.assert_outcomes(failed=1)
    differs.stdout.fnmatch_lines(["*the transcript differs from *golden.json*"])
    project.runpytest_inprocess("--agentv-update-golden").assert_outcomes(passed=1)
    project.runpytest_inprocess().assert_outcomes(passed=1)
