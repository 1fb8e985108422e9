"""``agentv read --follow``: a session that grows while somebody looks."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from claude_sessions import Session, text, thinking, tool_use
from following import Following, append
from hostile_sessions import line, lines
from hostile_vendors import VENDORS, Vendor
from planted import github_token

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from agentv_command import ClaudeHome

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is no signal there")

CLIENTS = {vendor.name: vendor for vendor in VENDORS}
CONVERSATION = [
    ("user", "Build the shop"),
    ("tool_call", "make"),
    ("tool_result", "built"),
    ("assistant", "The shop is built."),
]


@pytest.fixture
def session(work: Path, home: ClaudeHome) -> Path:
    """Where the session lies; nothing is there yet."""
    del home
    return work / "5e550000-0000-4000-8000-000000000001.jsonl"


def following(path: Path, *arguments: str) -> Following:
    return Following(path, *arguments, "--format", "json", cwd=path.parent)


@pytest.mark.parametrize("vendor", VENDORS, ids=str)
def test_what_a_client_appends_is_shown_once_and_in_order(vendor: Vendor, session: Path) -> None:
    records = vendor.conversation()
    session.write_bytes(lines(records[:2]))

    with following(session) as seen:
        assert seen.said(2) == CONVERSATION[:2]
        append(session, line(records[2]))
        assert seen.said(1) == CONVERSATION[2:3]
        append(session, line(records[3]))
        assert seen.said(1) == CONVERSATION[3:]
        append(session, line(vendor.prompt("Now test it")))
        assert seen.said(1) == [("user", "Now test it")]
        assert seen.interrupt() == 130
        assert seen.out.rest() == []
        assert seen.err.rest() == [f"agentv: following {session}"]


@pytest.mark.parametrize("vendor", VENDORS, ids=str)
def test_a_line_that_is_torn_waits_for_its_end(vendor: Vendor, session: Path) -> None:
    session.write_bytes(lines(vendor.conversation()))
    further = line(vendor.prompt("Now test it"))

    with following(session) as seen:
        assert seen.said(4) == CONVERSATION
        append(session, further[:100])
        append(session, further[100:-1])
        append(session, further[-1:], line(vendor.prompt("And again", 2)))
        assert seen.said(2) == [("user", "Now test it"), ("user", "And again")]
        assert seen.interrupt() == 130
        assert seen.out.rest() == []


def _replaced(path: Path, content: bytes) -> None:
    other = path.with_suffix(".new")
    other.write_bytes(content)
    os.replace(other, path)  # noqa: PTH105 (as clients do it)


def _rotated(path: Path, content: bytes) -> None:
    path.rename(path.with_suffix(".old"))
    path.write_bytes(content)


def _rewritten(path: Path, content: bytes) -> None:
    path.write_bytes(b"")
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("vendor", "change"),
    [*zip(VENDORS, [_replaced, _rotated, _rewritten], strict=True)],
    ids=["replaced", "rotated", "rewritten"],
)
def test_a_file_that_is_replaced_goes_on_with_what_is_new(
    vendor: Vendor, change: Callable[[Path, bytes], None], session: Path
) -> None:
    session.write_bytes(lines(vendor.conversation()))

    with following(session) as seen:
        assert seen.said(4) == CONVERSATION
        change(session, lines([*vendor.conversation(), vendor.prompt("Now test it")]))
        assert seen.said(1) == [("user", "Now test it")]
        change(session, lines([vendor.prompt("From the beginning", 7)]))
        assert seen.said(1) == [("user", "From the beginning")]
        assert seen.interrupt() == 130
        assert seen.out.rest() == []


def test_a_file_that_is_gone_and_comes_back_is_followed_on(session: Path) -> None:
    vendor = CLIENTS["claude"]
    session.write_bytes(lines(vendor.conversation()))

    with following(session) as seen:
        assert seen.said(4) == CONVERSATION
        session.rename(session.with_suffix(".away"))
        session.with_suffix(".away").rename(session)
        append(session, line(vendor.prompt("Now test it")))
        assert seen.said(1) == [("user", "Now test it")]


def test_a_response_that_is_written_piece_by_piece_is_shown_when_complete(session: Path) -> None:
    writing = Session()
    writing.prompt("Fix it")
    writing.response("msg_1", thinking("Where is it?"), text("I look."), stop_reason=None)
    writing.response("msg_1", tool_use("toolu_1", "Bash", {"command": "make"}))
    writing.response("msg_1", text("And on."))
    writing.tool_result("toolu_1", "made")
    writing.response("msg_2", text("Done."))
    session.write_bytes(lines(writing.records[:1]))

    with following(session) as seen:
        assert seen.said(1) == [("user", "Fix it")]
        for record in writing.records[1:]:
            append(session, line(record))
        assert seen.said(4) == [
            ("assistant", "I look.\n\nAnd on."),
            ("tool_call", "make"),
            ("tool_result", "made"),
            ("assistant", "Done."),
        ]
        assert seen.interrupt() == 130
        assert seen.out.rest() == []


def test_a_response_that_goes_on_after_a_while_is_shown_by_what_it_has_more(session: Path) -> None:
    writing = Session()
    writing.prompt("Fix it")
    writing.response("msg_1", thinking("Where is it?"), stop_reason=None)
    writing.response("msg_1", text("I look."), stop_reason=None)
    writing.response("msg_1", text("I found it."))
    session.write_bytes(lines(writing.records[:2]))

    with following(session) as seen:
        assert seen.said(1) == [("user", "Fix it")]
        first = seen.entry()
        assert (first["text"], first["thinking"]) == ("", "Where is it?")
        append(session, line(writing.records[2]))
        second = seen.entry()
        assert (second["text"], "thinking" in second, "usage" in second) == (
            "I look.", False, False,
        )  # fmt: skip
        append(session, line(writing.records[3]))
        assert seen.entry()["text"].strip() == "I found it."
        assert seen.interrupt() == 130
        assert seen.out.rest() == []


def test_roles_hold_for_all_and_last_for_what_is_there_at_first(session: Path) -> None:
    vendor = CLIENTS["codex"]
    session.write_bytes(lines([*vendor.conversation(), vendor.prompt("One more", 1)]))
    os.utime(session, (1_774_000_000, 1_774_000_000))

    with following(session, "--roles", "user", "--last", "1") as seen:
        assert seen.said(1) == [("user", "One more")]
        append(session, line(vendor.call("toolu_5", {"cmd": "ls"})))
        append(session, line(vendor.prompt("And two more", 2)), line(vendor.prompt("Now", 3)))
        assert seen.said(2) == [("user", "And two more"), ("user", "Now")]


def test_a_session_without_a_line_is_waited_for(session: Path) -> None:
    vendor = CLIENTS["copilot"]
    records = lines(vendor.conversation())
    session.write_bytes(records[:20])

    with following(session) as seen:
        assert "has no whole line yet; waiting" in seen.err.next()
        append(session, records[20:])
        assert seen.said(4) == CONVERSATION


def test_a_session_in_which_nothing_was_said_yet_is_waited_for(
    home: ClaudeHome, work: Path
) -> None:
    young = Session()
    young.system("informational", content="hello")
    path = home.add(young)

    with Following(f"claude:{young.session_id}", "--format", "json", cwd=work) as seen:
        assert seen.err.next() == f"agentv: following {path}"
        assert seen.err.next().endswith("; waiting")
        young.prompt("Fix it")
        append(path, line(young.records[-1]))
        assert seen.said(1) == [("user", "Fix it")]


def test_what_sub_agents_do_is_followed_too(home: ClaudeHome, work: Path) -> None:
    main = Session()
    main.prompt("Fix it")
    main.response("msg_1", tool_use("toolu_1", "Task", {"prompt": "Look around"}))
    path = home.add(main)
    agent = main.agent("a1")
    agent.prompt("Look around")

    with Following(path, "--include-subagents", "--format", "json", cwd=work) as seen:
        assert [seen.entry()["role"] for _ in range(2)] == ["user", "tool_call"]
        agent.write_agent(path)
        asked = seen.entry()
        assert (asked["text"], asked["agentId"]) == ("Look around", "a1")


def test_the_file_is_neither_changed_nor_kept_open(session: Path) -> None:
    vendor = CLIENTS["claude"]
    content = lines(vendor.conversation())
    session.write_bytes(content)
    os.utime(session, (1_774_000_000, 1_774_000_000))

    with following(session) as seen:
        assert seen.said(4) == CONVERSATION
        assert seen.interrupt() == 130
    assert session.read_bytes() == content
    assert session.stat().st_mtime == 1_774_000_000
    assert [one.name for one in session.parent.iterdir()] == [session.name]


def test_what_somebody_reads_is_written_at_once_and_is_harmless(session: Path) -> None:
    vendor = CLIENTS["claude"]
    session.write_bytes(lines(vendor.conversation(prompt="\x1b]52;c;aGk=\x07::error::no")))

    with Following(session, "--roles", "user", cwd=session.parent) as seen:
        assert seen.out.next().startswith("user  ")
        assert seen.out.next() == r"  \x1b]52;c;aGk=\x07::error::no"


def test_records_are_followed_byte_by_byte(session: Path) -> None:
    vendor = CLIENTS["claude"]
    first, second, third, fourth = (line(one) for one in vendor.conversation())
    session.write_bytes(first + second + third[:50])

    with Following(session, "--raw", "--last", "1", cwd=session.parent) as seen:
        assert seen.out.next().encode() + b"\n" == second
        append(session, third[50:], fourth[:20])
        assert seen.out.next().encode() + b"\n" == third
        # The same beginning in another file: what follows it is new.
        _replaced(session, first + second + third + fourth)
        assert seen.out.next().encode() + b"\n" == fourth
        _replaced(session, second + first)
        assert [seen.out.next().encode() + b"\n" for _ in range(2)] == [second, first]
        assert seen.interrupt() == 130
        assert seen.out.rest() == []
        assert seen.err.rest() == [
            f"agentv: following {session}",
            f"agentv: {session}: was cut off or replaced; here is all of it",
        ]


def test_what_is_added_is_redacted_before_it_is_shown(session: Path) -> None:
    claude = CLIENTS["claude"]
    records = claude.conversation(prompt="log in with password = c0rrect-h0rse-9")
    session.write_bytes(line(records[0]))

    with following(session, "--redact", "secrets") as seen:
        assert seen.said(1) == [("user", "log in with password = [REDACTED:password]")]
        append(session, line(claude.prompt(f"c0rrect-h0rse-9 or {github_token()}?")))
        assert seen.said(1) == [("user", "[REDACTED:password] or [REDACTED:github-pat]?")]
        assert seen.interrupt() == 130
