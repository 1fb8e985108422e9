"""What of a session becomes a document, and of which role."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from agentv_command import full_id
from claude_sessions import Session, text, thinking

from pytest_agentv import Head, Message, Source, Tail, ToolCall
from pytest_agentv.search.documents import MAX_TEXT, Document, cut_off, documents_of, seconds
from pytest_agentv.search.indexing import rebuild
from pytest_agentv.search.modes import ranking
from pytest_agentv.search.query import parse_query
from pytest_agentv.search.schema import open_index
from pytest_agentv.search.searching import search
from pytest_agentv.search.settings import Choices

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from search_index import Index

    from pytest_agentv.search.modes import Ranked
    from pytest_agentv.search.query import Query
    from pytest_agentv.search.settings import VectorSettings


class _Stream:
    tail = Tail()

    def __init__(self, *messages: Message, title: str | None = None) -> None:
        self._messages = messages
        self.head = Head(source=Source(provider="x", title=title, timestamp="2026-03-02T09:00:00Z"))

    def messages(self) -> Iterator[Message]:
        return iter(self._messages)


def _documents(*messages: Message, title: str | None = None, **choices: Any) -> list[Document]:
    return list(documents_of(_Stream(*messages, title=title), Choices(**choices)))


def _call(**fields: Any) -> ToolCall:
    return ToolCall(**{"tool": "Bash", "kind": "shell", **fields})


def test_roles_say_who_said_it() -> None:
    found = _documents(
        Message(role="user", origin="human", content="a"),
        Message(role="user", origin="injected", content="b"),
        Message(role="user", origin="command", content="c"),
        Message(role="user", content="d", agent_id="agent-1"),
        Message(role="assistant", content="e", tool_calls=(_call(input={"command": "f"}),)),
        Message(role="system", content="g"),
        Message(role="developer", content="h"),
        Message(role="user", origin="human", content="  \n"),
        title="t",
    )

    assert [(one.role, one.text) for one in found] == [
        ("title", "t"), ("user", "a"), ("system", "b"), ("user", "c"), ("system", "d"),
        ("assistant", "e"), ("tool", "f"), ("system", "g"), ("system", "h"),
    ]  # fmt: skip
    assert [one.thread for one in found if one.text == "d"] == ["agent-1"]


def test_thinking_output_and_sub_agents_are_there_by_choice() -> None:
    messages = (
        Message(
            role="assistant",
            content="a",
            thinking="hm",
            tool_calls=(_call(input="ls", output="file.txt"), _call(input="rm", output=" ")),
        ),
        Message(role="assistant", content="b", agent_id="agent-1"),
    )

    def roles(**choices: Any) -> list[str]:
        return [one.role for one in _documents(*messages, **choices)]

    assert roles() == ["assistant", "tool", "tool", "assistant"]
    assert roles(thinking=True)[:2] == ["thinking", "assistant"]
    assert roles(tool_output=True)[:3] == ["assistant", "tool", "output"]
    assert roles(subagents=False) == ["assistant", "tool", "tool"]


def test_a_call_is_the_texts_of_its_arguments_in_their_order() -> None:
    arguments = {"a": "one", "edits": [{"old": "two", "new": "three"}, 4, None], "z": "five"}
    (found,) = _documents(
        Message(
            role="assistant",
            tool_calls=(_call(input=arguments, args={"path": "x/y.py", "paths": ["z.py"]}),),
        )
    )

    assert found.text == "one\ntwo\nthree\nfive"
    assert found.paths == "x/y.py\nz.py"
    assert (found.tool, found.kind) == ("Bash", "shell")


def test_arguments_without_an_end_are_not_read_to_it() -> None:
    deep: Any = "deep"
    for _ in range(5_000):
        deep = [deep]
    (found,) = _documents(Message(role="assistant", tool_calls=(_call(input=deep),)))

    assert found.text == ""


def test_a_call_without_a_line_stands_on_that_of_its_message() -> None:
    calls = (_call(line=8), _call(), _call(line=9))
    found = _documents(Message(role="assistant", content="a", line=7, tool_calls=calls))
    assert [one.line for one in found] == [7, 8, 7, 9]


def test_what_says_no_time_is_as_old_as_what_comes_before() -> None:
    found = _documents(
        Message(role="user", content="a"),
        Message(role="user", content="b", timestamp="2026-03-02T10:00:00Z"),
        Message(role="user", content="c", timestamp="nonsense"),
        Message(
            role="assistant",
            content="d",
            timestamp="2026-03-02T11:00:00Z",
            tool_calls=(_call(timestamp="2026-03-02T12:00:00Z"), _call()),
        ),
    )
    hours = [9, 10, 10, 11, 12, 11]

    assert [one.time for one in found] == [
        seconds(f"2026-03-02T{hour:02}:00:00Z") for hour in hours
    ]
    assert seconds("2026-03-02T09:00:00") is None  # it could be anywhere


def test_a_long_text_is_cut_where_a_word_ends() -> None:
    (found,) = _documents(Message(role="user", content="word " * 20_000))

    assert found.is_cut
    assert MAX_TEXT - 5 <= len(found.text) <= MAX_TEXT
    assert found.text.endswith("word")
    assert cut_off("a secretsecret", 8) == "a"
    assert cut_off("secretsecret", 8) == "secretse"
    assert cut_off("short", 8) == "short"


def test_surrogates_are_replaced() -> None:
    (found,) = _documents(
        Message(role="assistant", tool_calls=(_call(tool="\ud800x", input="a\udfffb"),))
    )

    assert (found.tool, found.text) == ("�x", "a�b")


def test_what_was_thought_is_found_if_it_is_indexed(index: Index) -> None:
    session = Session(full_id("aaaaaaaa"))
    session.prompt("Fix the login")
    session.response("msg_1", thinking("perhaps the cookie"), text("Done."))
    index.home.add(session)
    index.update()
    assert index.found("cookie") == []

    index.update(thinking=True)
    assert index.found("cookie role:thinking") == ["aaaaaaaa"]


def test_one_session_with_many_matches_does_not_hide_others(index: Index) -> None:
    session = Session(full_id("aaaaaaaa"))
    for number in range(60):
        session.prompt(f"login {number}")
    index.home.add(session)
    index.home.session("bbbbbbbb", "Why is it that after all these years the login page is slow")
    index.update()
    hits = index.search("login", limit=2)

    assert [(hit.session[:8], len(hit.matches)) for hit in hits] == [
        ("aaaaaaaa", 3),
        ("bbbbbbbb", 1),
    ]
    with index.opened() as db:
        assert len(search(db, parse_query("login"), limit=5, per_session=50)[0].matches) == 50


def test_a_search_sees_one_state_of_the_index_whoever_writes_meanwhile(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.home.session("aaaaaaaa", "Fix the login")
    index.update()

    def interrupted(mode: str, settings: VectorSettings) -> Ranked:
        ranked = ranking(mode, settings)

        def rank(db: sqlite3.Connection, query: Query, wanted: int) -> list[tuple[int, float]]:
            found = ranked(db, query, wanted)
            with closing(open_index(index.path)) as other:
                rebuild(other)
            return found

        return rank

    monkeypatch.setattr("pytest_agentv.search.searching.ranking", interrupted)
    assert index.found("login") == ["aaaaaaaa"]
    assert index.found("login") == []


@pytest.mark.parametrize("query", ["role:user", "since:2026-01-01", "-nothing role:assistant"])
def test_filters_alone_show_the_newest_sessions(index: Index, query: str) -> None:
    for number in range(4):
        session = Session(full_id(f"{number:08x}"))
        session.wait(3600 * number)
        session.prompt("Hello")
        session.response("msg_1", text("Hi"))
        index.home.add(session)
    index.update()

    assert index.found(query, limit=3) == ["00000003", "00000002", "00000001"]
