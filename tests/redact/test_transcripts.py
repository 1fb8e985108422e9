"""Whole sessions: messages, streams, the content policy, receipts, and what is left."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from planted import KEY, github_token, opaque

from pytest_agentv.redact import PROFILES, ContentPolicy, Profile, Redactor, findings
from pytest_agentv.redact.layers import views
from pytest_agentv.transcript.model import Attachment, Message, Source, ToolCall, Transcript
from pytest_agentv.transcript.stream import TranscriptStream, load

TOKEN = github_token()


def session(**call: Any) -> Transcript:
    given = {
        "id": "toolu_1",
        "line": 8,
        "tool": "Read",
        "kind": "read",
        "input": {"file_path": "/home/somebody/app/a.py"},
        "args": {"path": "/home/somebody/app/a.py"},
        "output": f"token: {TOKEN}",
        "status": "ok",
        **call,
    }
    return Transcript(
        source=Source(provider="claude-cli", session_id="s-1", cwd="/home/somebody/app"),
        input=f"use {TOKEN}",
        output=(
            Message(id="u-1", line=4, role="user", origin="human", content=f"use {TOKEN}"),
            Message(
                role="assistant",
                content="done",
                thinking=f"the token {TOKEN}",
                tool_calls=(ToolCall(**given),),
                attachments=(Attachment(kind="image", name=f"{TOKEN}.png"),),
            ),
        ),
        drift={f"record {TOKEN}": 1},
    )


def test_no_field_of_a_transcript_keeps_a_secret() -> None:
    clean = Redactor("secrets").transcript(session())
    assert TOKEN not in msgspec.json.encode(clean).decode()
    assert clean.source.cwd == "/home/somebody/app"
    assert clean.output[1].tool_calls[0].args == {"path": "/home/somebody/app/a.py"}


def test_a_stream_gives_what_a_transcript_gives() -> None:
    streamed = load(Redactor("secrets").stream(TranscriptStream(session())))
    assert streamed == Redactor("secrets").transcript(session())


def test_the_receipt_says_what_was_done_and_never_what_it_was() -> None:
    receipt = Redactor("research", key=KEY).transcript(session()).privacy
    assert receipt is not None
    assert receipt["profile"] == "research"
    assert receipt["redactionApplied"] is True
    assert receipt["anonymizationApplied"] is True
    assert {"file-contents", "github-pat", "user"} <= set(receipt["rulesApplied"])
    assert receipt["redactionCount"] == sum(receipt["rules"].values())
    assert receipt["contentPolicy"]["toolOutput"] == "truncated"
    assert receipt["contentPolicy"]["includeFileContents"] is False
    assert TOKEN not in str(receipt)


def test_redacting_a_transcript_again_adds_nothing_to_it() -> None:
    for profile in ("secrets", "research", "strict"):
        once = Redactor(profile, key=KEY).transcript(session())
        assert Redactor(profile, key=KEY).transcript(once) == once


def test_receipts_of_two_profiles_are_joined() -> None:
    once = Redactor("secrets").transcript(session())
    twice = Redactor("strict", key=KEY).transcript(once)
    assert twice.privacy is not None
    assert twice.privacy["profile"] == "strict"
    assert twice.privacy["rules"]["github-pat"] == (once.privacy or {})["rules"]["github-pat"]


def test_none_changes_nothing() -> None:
    redactor = Redactor("none")
    one = session()
    stream = TranscriptStream(one)
    assert redactor.transcript(one) is one
    assert redactor.stream(stream) is stream
    assert redactor.head(stream.head) == stream.head
    assert redactor.tail(stream.tail) == stream.tail
    assert redactor.message(one.output[0]) is one.output[0]
    assert redactor.value({"password": "hunter2!"}) == {"password": "hunter2!"}
    redactor.learn(one)
    assert redactor.receipt()["redactionApplied"] is False


def test_each_find_is_told_with_its_field() -> None:
    redactor = Redactor("secrets")
    redactor.message(session().output[1])
    told = [one.as_json() for one in redactor.take()]
    assert {
        "field": "tool.output",
        "ruleId": "github-pat",
        "type": "secret",
        "placeholder": "[REDACTED:github-pat]",
    } in told
    assert redactor.take() == []


def shell_output(policy: ContentPolicy, output: str | None = "x" * 50) -> str | None:
    profile = Profile(name="own", policy=policy)
    call = session(kind="shell", tool="Bash", output=output)
    return Redactor(profile, key=KEY).transcript(call).output[1].tool_calls[0].output


def test_the_content_policy_takes_outputs_away() -> None:
    assert shell_output(ContentPolicy(tool_output="full")) == "x" * 50
    assert shell_output(ContentPolicy(tool_output="none")) == "[REDACTED:tool-output]"
    assert shell_output(ContentPolicy(tool_output="none"), None) is None
    metadata = shell_output(ContentPolicy(tool_output="metadata-only"))
    assert metadata == "[REDACTED:tool-output, 50 characters, 1 lines]"
    cut = shell_output(ContentPolicy(tool_output="truncated", output_limit=10))
    assert cut == "x" * 10 + "… [REDACTED:tool-output-truncated]"
    assert shell_output(ContentPolicy(tool_output="truncated", output_limit=50)) == "x" * 50


def test_a_secret_is_redacted_before_an_output_is_cut() -> None:
    policy = ContentPolicy(tool_output="truncated", output_limit=20)
    cut = shell_output(policy, f"0123456789 {TOKEN}")
    assert cut is not None
    assert TOKEN[:9] not in cut


def test_file_contents_are_taken_out_of_inputs_and_outputs() -> None:
    policy = ContentPolicy(include_file_contents=False)
    profile = Profile(name="own", policy=policy)
    written = session(
        kind="write", input={"file_path": "a", "content": "text"}, args={"content": "text"}
    )
    call = Redactor(profile).transcript(written).output[1].tool_calls[0]
    assert call.input == {"file_path": "a", "content": "[REDACTED:file-contents]"}
    assert call.args == {"content": "[REDACTED:file-contents]"}
    read = Redactor(profile).transcript(session()).output[1].tool_calls[0]
    assert (read.output or "").startswith("[REDACTED:file-contents, ")
    patched = Redactor(profile).transcript(session(kind="edit", input="*** patch", output=None))
    assert patched.output[1].tool_calls[0].input == "[REDACTED:file-contents]"
    odd = Redactor(profile).transcript(session(kind="edit", input=[1], output=None))
    assert odd.output[1].tool_calls[0].input == [1]


def test_strict_drops_thinking() -> None:
    assert Redactor("strict", key=KEY).transcript(session()).output[1].thinking is None


def test_a_secret_that_is_named_late_is_found_early() -> None:
    secret = opaque(12)
    late = session(output=f"password = {secret!r}")
    early = msgspec.structs.replace(late, input=f"say {secret}")
    assert Redactor("secrets").transcript(early).input == "say [REDACTED:password]"


@pytest.mark.parametrize("place", range(3))
def test_one_call_of_several_that_holds_a_secret_is_cleaned(place: int) -> None:
    outputs = ["a", "b", "c"]
    outputs[place] = f"token: {TOKEN}"
    calls = tuple(ToolCall(tool="Bash", output=output) for output in outputs)
    clean = Redactor("secrets").message(Message(role="assistant", tool_calls=calls))
    outputs[place] = "token: [REDACTED:github-pat]"
    assert [call.output for call in clean.tool_calls] == outputs


def test_what_any_part_names_is_known_in_any_other() -> None:
    secret = opaque(12)
    named = f"password = {secret!r}"
    for part in (
        named,
        {"a": [named]},
        Message(role="user", content=named),
        Transcript(source=Source(provider="x", title=named), output=()),
        Transcript(source=Source(provider="x"), output=(Message(role="user", content=named),)),
    ):
        redactor = Redactor("secrets")
        assert redactor.text(f"say {secret}") == f"say {secret}"
        redactor.learn(part)
        assert redactor.text(f"say {secret}") == "say [REDACTED:password]"


def test_names_can_be_redacted_without_secrets() -> None:
    redactor = Redactor(Profile(name="own", secrets=False, pseudonyms=True), key=KEY)
    text = redactor.text(f"/home/somebody/x {TOKEN}")
    assert "somebody" not in text
    assert TOKEN in text


def test_below_the_folder_of_a_session_paths_keep_their_names() -> None:
    said = Message(role="user", content="see /srv/shop/src/a.py")
    below, nowhere = "/src/a.py", "/a.py"
    folders = {"/srv/shop": below, "/srv/shop/": below, "/": nowhere, "": nowhere, None: nowhere}
    for folder, kept in folders.items():
        one = Transcript(source=Source(provider="x", cwd=folder), output=(said,))
        clean = Redactor("research", key=KEY).transcript(one).output[0].content or ""
        assert re.fullmatch(rf"see /path-[0-9a-f]{{12}}{kept}", clean), clean


def test_escapes_are_undone_a_few_times_and_not_without_end() -> None:
    assert [len(views("%" + "25" * deep + "41")) for deep in (0, 1, 3, 4, 1000)] == [1, 2, 4, 4, 4]
    assert views("plain") == []
    assert [one.text for one in views("%2541")] == ["%41", "A"]


def test_what_is_left_is_found_with_its_place() -> None:
    found = findings(session())
    assert ("github-pat", "secret", "output[0].content", 4) in [one[:4] for one in found]
    assert TOKEN not in str(found)
    assert findings(Redactor("secrets").transcript(session())) == []
    assert [one.field for one in findings(f"x {TOKEN}")] == ["text"]
    assert [one.field for one in findings({"a": TOKEN})] == ["value.a"]
    assert [one.rule for one in findings("/home/somebody/x", profile="research")] == ["user"]


def test_what_the_end_of_a_session_gives_away_is_found_at_its_beginning_once() -> None:
    secret = opaque(12)
    messages = [
        Message(role="user", content=f"say {secret}", line=4),
        Message(role="assistant", content=f"password = {secret!r}", line=5),
    ]
    given = f"say {secret} {TOKEN}"
    one = Transcript(source=Source(provider="x"), input=given, output=tuple(messages))
    assert [(found.field, found.rule, found.line) for found in findings(one)] == [
        ("input", "password", None),
        ("input", "github-pat", None),
        ("output[0].content", "password", 4),
        ("output[1].content", "password", 5),
    ]


def test_a_value_that_is_too_deep_is_taken_away() -> None:
    value: Any = "x"
    for _ in range(300):
        value = [value]
    assert Redactor("secrets").value(value) == "[REDACTED:too-deep]"


def test_a_fresh_redactor_knows_nothing() -> None:
    redactor = Redactor("secrets")
    redactor.text('password = "Kq82LmZp91Xa"')
    assert redactor.fresh().text("it is Kq82LmZp91Xa") == "it is Kq82LmZp91Xa"
    assert list(PROFILES) == ["none", "secrets", "research", "strict"]
