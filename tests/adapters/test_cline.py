"""Tasks of Cline: texts of the old eras taken apart, statuses out of words, files beside."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from runaway import no_runaway

from pytest_agentv import ReadOptions, Transcript, load
from pytest_agentv.adapters.base import refs_of
from pytest_agentv.adapters.cline.adapter import ClineAdapter
from pytest_agentv.adapters.cline.markup import spoken
from pytest_agentv.adapters.cline.results import outcome_of
from pytest_agentv.adapters.discovery import find_sessions

DATA = Path(__file__).parents[1] / "data" / "cline"


def _read(path: Path) -> Transcript:
    (ref,) = refs_of(ClineAdapter(), path)
    return load(ClineAdapter().read(ref, ReadOptions()))


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("<read_file>\n<path>a.js</path>\n</read_file>", [("read_file", {"path": "a.js"})]),
        ("The tag <read_file> reads a file.", []),
        (
            (
                "<write_to_file>\n<path>a.html</path>\n<content>\n<content>x</content>\n</content>\n"
                "</write_to_file>"
            ),
            [("write_to_file", {"path": "a.html", "content": "<content>x</content>"})],
        ),
        (
            "<read_file><args><file><path>a</path></file><file><path>b</path></file></args></read_file>",
            [("read_file", {"args": {"file": [{"path": "a"}, {"path": "b"}]}})],
        ),
        (
            "<execute_command>\n<command>ls</command>\n\n[Response interrupted by user]",
            [("execute_command", {"command": "ls"})],
        ),
        (
            "<list_files><path>a</path></list_files> and <list_files><path>b</path></list_files>",
            [("list_files", {"path": "a"}), ("list_files", {"path": "b"})],
        ),
    ],
)
def test_calls_are_found_in_what_the_model_says(text: str, calls: list[Any]) -> None:
    assert spoken(text).calls == calls


@pytest.mark.parametrize(
    ("tool", "text", "status", "code"),
    [
        ("execute_command", "Command executed.\nOutput:\nexit code 3", "unknown", None),
        ("execute_command", "Command executed successfully (exit code 0).\nOutput:\n", "ok", 0),
        ("execute_command", "Command failed with exit code 127.\nOutput:\nx", "error", 127),
        ("execute_command", "Command executed in terminal . Exit code: 2\nOutput:\n", "error", 2),
        ("execute_command", "The command was terminated after exceeding a limit", "timeout", None),
        ("execute_command", "Command is still running in the terminal.", "unknown", None),
        ("read_file", "Exit code: 1 is what this file says", "ok", None),
        (
            "read_file",
            "Access to .env is blocked by the .clineignore file settings.",
            "error",
            None,
        ),
        ("apply_diff", '{"status":"error","message":"x"}', "error", None),
        ("apply_diff", '{"status":"approved","feedback":"x"}', "ok", None),
        ("read_file", '{"status":"error"', "ok", None),
        ("write_to_file", "The user denied this operation.", "denied", None),
    ],
)
def test_words_of_a_result_say_how_it_went(
    tool: str, text: str, status: str, code: int | None
) -> None:
    assert outcome_of(tool, text)[1:] == (status, code)


def test_tokens_and_cost_come_from_the_screen_where_the_conversation_has_none() -> None:
    found = _read(DATA / "roo")
    usage = found.token_usage
    assert usage is not None
    assert (usage.input, usage.cached, usage.cache_write, usage.output) == (3210, 2000, 10, 90)
    assert found.cost_usd == pytest.approx(0.02)
    assert found.source.cwd == "/home/dev/projects/shop-api"


def test_what_a_person_says_of_a_call_is_a_prompt() -> None:
    found = _read(DATA / "trouble.json")
    assert found.prompts[:3] == (
        "Clean up the build folder, please.", "Keep build/cache.", "Yes, do that.",
    )  # fmt: skip
    assert found.tool_calls("execute_command")[0].status == "denied"


def test_a_conversation_may_be_named_by_the_notes_on_it() -> None:
    folder = DATA / "1784110360000_shopx"
    notes = folder / f"{folder.name}.json"
    assert ClineAdapter().claims(notes)
    assert _read(notes) == _read(folder) == _read(folder / f"{folder.name}.messages.json")
    assert _read(notes).source.title == "Limit logins"


def test_notes_without_a_conversation_are_nobodys(tmp_path: Path) -> None:
    shutil.copy(DATA / "1784110360000_shopx" / "1784110360000_shopx.json", tmp_path / "a.json")
    assert not ClineAdapter().claims(tmp_path / "a.json")


def test_tasks_of_one_project_are_told_from_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLINE_DIR", str(tmp_path))
    tasks = tmp_path / "data" / "tasks"
    shutil.copytree(DATA / "roo", tasks / "1")
    shutil.copytree(DATA / "login-limit", tasks / "2")
    other = {"id": "3", "workspace": "/elsewhere"}
    shutil.copytree(DATA / "tags", tasks / "3")
    (tasks / "3" / "history_item.json").write_text(json.dumps(other), encoding="utf-8")
    project = Path("/home/dev/projects/shop-api")
    found = find_sessions(ClineAdapter(), os.environ, project=project)
    assert sorted(ref.session_id for ref in found) == ["1", "2"]


def test_chat_messages_of_others_are_not_claimed(tmp_path: Path) -> None:
    path = tmp_path / "messages.json"
    path.write_text('[{"role": "user", "content": "<html>"}]', encoding="utf-8")
    assert not ClineAdapter().claims(path)


def test_totals_are_the_same_whichever_file_of_a_task_is_left(tmp_path: Path) -> None:
    spent = {"tokensIn": 40, "tokensOut": 10, "cacheWrites": 5, "cacheReads": 60, "cost": 0.25}
    deleted = {"tokensIn": 7, "tokensOut": 3, "cacheWrites": 0, "cacheReads": 0, "cost": 0.5}
    task = tmp_path / "tasks" / "1767225600000"
    task.mkdir(parents=True)
    (task / "ui_messages.json").write_text(
        json.dumps([
            {"ts": 1767225600000, "type": "say", "say": "task", "text": "Fix it."},
            {"ts": 1767225601000, "type": "say", "say": "api_req_started",
             "text": json.dumps(spent)},
            {"ts": 1767225602000, "type": "say", "say": "text", "text": "Done."},
            {"ts": 1767225603000, "type": "say", "say": "deleted_api_reqs",
             "text": json.dumps(deleted)},
            {"ts": 1767225604000, "type": "say", "say": "condense_context", "text": "",
             "contextCondense": {"cost": 0.125, "summary": "s"}},
        ])
    )  # fmt: skip
    screen = _read(task)
    said = [
        {"role": "user", "content": [{"type": "text", "text": "<task>\nFix it.\n</task>"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
    ]
    (task / "api_conversation_history.json").write_text(json.dumps(said))
    both = _read(task)
    assert screen.token_usage is not None
    assert (screen.token_usage.input, screen.token_usage.output) == (112, 13)
    assert screen.cost_usd == 0.875
    assert (both.token_usage, both.cost_usd) == (screen.token_usage, screen.cost_usd)


def test_a_response_may_be_shown_in_any_number_of_texts(tmp_path: Path) -> None:
    begun = {"ts": 1767225601000, "type": "say", "say": "api_req_started", "text": "{}"}
    shown: list[dict[str, Any]] = [
        {"ts": 1767225600000, "type": "say", "say": "task", "text": "Fix it."},
        begun,
        *({**begun, "say": "text", "text": f"{number:06}"} for number in range(100_000)),
        {**begun, "say": "text", "text": "000000"},
        *({**begun, "say": "reasoning", "text": "x"} for _ in range(100_000)),
    ]
    (tmp_path / "ui_messages.json").write_text(json.dumps(shown), encoding="utf-8")
    with no_runaway():  # what is quadratic takes minutes
        transcript = _read(tmp_path)
    _, response = transcript.output
    assert response.content.count("\n\n") == 99_999
    assert (response.thinking or "").count("x") == 100_000


def test_a_response_may_hold_any_number_of_thoughts(tmp_path: Path) -> None:
    thoughts = [{"type": "thinking", "thinking": f"{number:06}"} for number in range(100_000)]
    said = [
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": [*thoughts, *thoughts[:1]]},
    ]
    path = tmp_path / "api_conversation_history.json"
    path.write_text(json.dumps(said), encoding="utf-8")
    with no_runaway():  # what is quadratic takes minutes
        transcript = _read(tmp_path)
    assert (transcript.output[-1].thinking or "").count("\n\n") == 99_999


def test_any_number_of_results_may_be_told_by_name(tmp_path: Path) -> None:
    calls = "".join(f"<read_file><path>{number}</path></read_file>" for number in range(60_000))
    results = [{"type": "text", "text": f"[read_file] Result:\n{n}"} for n in range(60_000)]
    said = [
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": [{"type": "text", "text": calls}]},
        {"role": "user", "content": results},
    ]
    path = tmp_path / "api_conversation_history.json"
    path.write_text(json.dumps(said), encoding="utf-8")
    with no_runaway():  # what is quadratic takes minutes
        transcript = _read(tmp_path)
    assert all(call.args["path"] == call.output for call in transcript.tool_calls())


def test_the_model_may_change_with_every_response(tmp_path: Path) -> None:
    times = range(1767225600001, 1767225640001)
    said = [
        {"role": "user", "content": "Fix it.", "ts": 1767225600000},
        *({"role": "assistant", "content": "Done.", "ts": time} for time in times),
    ]
    (tmp_path / "api_conversation_history.json").write_text(json.dumps(said), encoding="utf-8")
    used = [{"ts": time, "model_id": f"m-{time}"} for time in times]
    metadata = json.dumps({"model_usage": used})
    (tmp_path / "task_metadata.json").write_text(metadata, encoding="utf-8")
    with no_runaway():  # what is quadratic takes minutes
        transcript = _read(tmp_path)
    models = [message.model for message in transcript.messages(role="assistant")]
    assert models == [f"m-{time}" for time in times]
