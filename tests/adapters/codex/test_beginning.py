"""What a session's first records tell: where it ran, and whether it is a person's own."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
from codex_homes import CodexHome, prompted, text, wrapped, write_records
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv import SessionRef
from pytest_agentv.adapters.codex import locate

APP = "/srv/app"
ONE = "11111111"
TWO = "22222222"
THREE = "33333333"
UUID = "019cc1e9-6537-70a3-a8cd-d2957e043dd4"
OTHER_UUID = "019cc1ea-0000-70a3-a8cd-d2957e043dd4"

TITLE_PROMPT = (
    "You are a helpful assistant. You will be presented with a user prompt.\n"
    "Generate a concise UI title (18-36 characters) for this task.\n"
    "Return only the title.\n\nUser prompt:\nFix the login"
)


@pytest.fixture
def home(tmp_path: Path) -> CodexHome:
    return CodexHome(tmp_path / "codex")


def found(home: CodexHome, project: str | None = None) -> list[str]:
    refs = locate.sessions(home.root, Path(project) if project else None, {})
    return sorted(ref.session_id[:8] for ref in refs)


def is_own(path: Path) -> bool:
    return locate.is_own_session(SessionRef(locate.session_id_of(path), path))


META = wrapped("session_meta", id=UUID, cwd=APP)
BARE = {"id": UUID, "timestamp": "2025-08-23T17:12:10.588Z", "instructions": None}
STATE = {"record_type": "state"}


def zstandard_frame(content: bytes) -> bytes:
    """A compressed file in which nothing is compressed: one raw block of known size."""
    magic, one_segment = b"\x28\xb5\x2f\xfd", b"\xa0"
    last_raw_block = (len(content) << 3 | 1).to_bytes(3, "little")
    return magic + one_segment + len(content).to_bytes(4, "little") + last_raw_block + content


def can_import(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


CAN_UNPACK = any(map(can_import, ("compression.zstd", "backports.zstd", "zstandard")))


def bare_message(words: str) -> dict[str, Any]:
    return {"type": "message", "role": "user", "content": [text(words)]}


def context(words: str) -> str:
    return f"<environment_context>\n{words}\n</environment_context>"


IN_TAGS = context(f"  <cwd>{APP}</cwd>\n  <shell>zsh</shell>")
IN_WORDS = context(f"Current working directory: {APP}\nApproval policy: never")
IN_PARTS = [text("# AGENTS.md instructions"), text(IN_TAGS)]


@pytest.mark.parametrize(
    "records",
    [
        [META, wrapped("session_meta", id=OTHER_UUID, cwd="/srv/parent")],
        [b"torn {", b"", b"[]", b"7", META],
        [wrapped("session_meta", id=UUID), wrapped("turn_context", cwd=APP)],
        [wrapped("session_meta", id=UUID, cwd=7), wrapped("turn_context", cwd=APP)],
        [BARE, STATE, bare_message(IN_TAGS)],
        [BARE, bare_message("Hi"), bare_message(IN_WORDS)],
        [wrapped("response_item", type="message", role="user", content=IN_PARTS)],
    ],
    ids=["meta", "after-bad-lines", "turn-context", "bad-field", "bare", "older-bare", "context"],
)
def test_the_first_records_tell_where_a_session_ran(
    home: CodexHome, records: list[dict[str, Any] | bytes]
) -> None:
    write_records(home.place(ONE), records)
    assert found(home, APP) == [ONE]


@pytest.mark.skipif(not CAN_UNPACK, reason="nothing is installed that reads Zstandard")
def test_a_compressed_session_tells_as_much(home: CodexHome) -> None:
    path = home.session(ONE, cwd=APP, source={"subagent": "review"})
    path.with_name(f"{path.name}.zst").write_bytes(zstandard_frame(path.read_bytes()))
    path.unlink()
    assert found(home, APP) == [ONE]
    (ref,) = locate.sessions(home.root, None, {})
    assert not locate.is_own_session(ref)


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 100, b"\xff\xfe{}", b'{"type":"session_meta"', b"[" * 100_000, b"{}\n" * 1000],
    ids=["empty", "zeros", "utf-16", "cut", "deep", "nothing-said"],
)
def test_a_file_that_tells_nothing_is_of_no_project(home: CodexHome, content: bytes) -> None:
    home.session(ONE, cwd=APP)
    home.session(TWO).write_bytes(content)
    assert found(home, APP) == [ONE]
    assert found(home) == [ONE, TWO]


@pytest.mark.parametrize(
    "source", ["cli", "vscode", "exec", "mcp", {"custom": "mine"}, None, 7, []]
)
def test_sessions_of_people_and_programs_are_their_own(home: CodexHome, source: object) -> None:
    assert is_own(home.session(ONE, source=source))
    assert is_own(home.session(TWO, source=source, thread_source="user"))
    assert is_own(home.session(THREE, source=source, forked_from_id=UUID))


@pytest.mark.parametrize(
    "meta",
    [
        {"source": {"subagent": "review"}},
        {"source": {"subagent": {"thread_spawn": {"parent_thread_id": UUID, "depth": 1}}}},
        {"source": {"subagent": {"other": "guardian"}}},
        {"source": {"subagent": None}},
        {"source": {"internal": "memory_consolidation"}},
        {"source": "subagent_review"},
        {"source": "cli", "thread_source": "subagent"},
        {"source": "cli", "thread_source": "memory_consolidation"},
    ],
)
def test_a_child_thread_is_listed_but_nobodys_own_session(
    home: CodexHome, meta: dict[str, Any]
) -> None:
    path = home.session(ONE, cwd=APP, **meta)
    assert not is_own(path)
    assert found(home) == found(home, APP) == [ONE]


def test_the_parents_record_in_a_fork_does_not_make_it_a_child(home: CodexHome) -> None:
    parent = wrapped("session_meta", id=OTHER_UUID, cwd=APP, source={"subagent": "review"})
    assert is_own(write_records(home.place(ONE), [META, parent, prompted("Go")]))


def test_a_thread_that_asks_for_a_title_is_nobodys_own_session(home: CodexHome) -> None:
    assert not is_own(home.session(ONE, source="vscode", prompt=TITLE_PROMPT))
    short = "Generate a concise UI title for: Fix the login"
    assert not is_own(home.session(TWO, source="exec", prompt=short))
    item = {"type": "UserMessage", "content": [text(TITLE_PROMPT, "text")]}
    completed = wrapped("event_msg", type="item_completed", item=item)
    assert not is_own(write_records(home.place(THREE), [META, completed]))


def test_a_prompt_about_titles_is_a_prompt(home: CodexHome) -> None:
    assert is_own(home.session(ONE, prompt="Generate a concise UI title for the settings page"))
    assert is_own(home.session(TWO, source="exec", prompt="Please: generate a concise UI title"))
    records = [META, prompted("Go"), prompted(TITLE_PROMPT)]
    assert is_own(write_records(home.place(THREE), records))


def test_what_cannot_be_read_is_taken_for_an_own_session(home: CodexHome, tmp_path: Path) -> None:
    assert is_own(tmp_path / "missing.jsonl")
    assert is_own(write_records(tmp_path / f"rollout-2026-03-05-{UUID}.jsonl.zst", [b"\x28\xb5"]))
    assert is_own(home.session(ONE, prompt=None))


@given(st.lists(st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["type", "payload", "role", "content", "cwd", "source", "item", "message"]),
        inner, max_size=4),
    max_leaves=12,
), max_size=6))  # fmt: skip
def test_records_of_any_shape_are_read_without_an_error(
    tmp_path_factory: pytest.TempPathFactory, values: list[Any]
) -> None:
    home = CodexHome(tmp_path_factory.getbasetemp() / "any")
    path = write_records(home.place(ONE), values)
    assert isinstance(is_own(path), bool)
    assert found(home) == [ONE]
    assert found(home, APP) in ([], [ONE])
