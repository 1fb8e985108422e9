"""Copilot's own traps, sprung on purpose: calls that appear in any order, runs, files beside."""

from __future__ import annotations

import itertools
import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from copilot_sessions import SESSION_ID, Session, old_document, plain, request, tokens
from hostile_sessions import agentv, kept, line, lines
from hostile_vendors import COPILOT

from pytest_agentv.errors import SessionError

if TYPE_CHECKING:
    from pathlib import Path

    from hostile_sessions import Ended

    from pytest_agentv import ToolCall, Transcript

MEMORY = 200 << 20
NO_COUNTS = [2**70, 2**53 + 1, -1, 1.5, "5", True, [], {}]
posix_only = pytest.mark.skipif(os.name != "posix", reason="needs POSIX files")


def _import(session: Session, path: Path, output: Path, *options: str) -> Ended:
    session.write(path)
    return agentv("import", "copilot", "--file", path, "-o", output, *options, cwd=path.parent)


def _read(session: Session, **options: Any) -> Transcript:
    return COPILOT.imported(lines(session.events), **options)


def _calls(transcript: Transcript) -> dict[str | None, ToolCall]:
    return {call.id: call for message in transcript.output for call in message.tool_calls}


def _asked() -> Session:
    session = Session()
    session.start()
    session.user("Go")
    return session


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))], ids=str)
def test_a_call_is_one_call_in_whatever_order_it_appears(order: tuple[int, ...]) -> None:
    session = _asked()
    session.call("call_1", "bash", {"command": "make"}, "made")
    appearances = session.events[2:]
    session.events[2:] = [appearances[number] for number in order]
    session.assistant("Done.")
    transcript = _read(session)
    assert [message.content for message in transcript.output][-1] == "Done."
    assert sum(len(message.tool_calls) for message in transcript.output) == 1
    call = _calls(transcript)["call_1"]
    if order[0] == 2:  # a result that nothing tells the call of, so far
        assert call.output == "made" or transcript.drift == {"tool result without a call": 1}
    else:
        assert (call.tool, call.args, call.status) == ("bash", {"command": "make"}, "ok")
        assert (call.output, transcript.drift) == ("made", {})


def test_starts_that_nobody_requested_are_calls_and_memory_stays_flat(
    session_file: Path, output: Path
) -> None:
    session = _asked()
    count = 20_000
    for number in range(count):
        session.tool_start(f"call_{number}", "bash", {"command": "make " + "x" * 3000})
    ended = _import(session, session_file, output)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.endswith(f" {count} tool calls\n")
    assert ended.memory < MEMORY


@pytest.mark.parametrize("type_", ["assistant.reasoning", "assistant.message"])
def test_a_response_that_never_ends_is_told_in_parts(
    session_file: Path, output: Path, type_: str
) -> None:
    session = _asked()
    for number in range(1, 25_000):
        data = {"messageId": "one", "chunkIndex": number, "content": "x" * 4000}
        session.event(type_, data)
    ended = _import(session, session_file, output)
    assert (ended.code, ended.err) == (0, "")
    assert output.stat().st_size > 25_000 * 4000 * 0.99
    assert ended.memory < MEMORY


@pytest.mark.parametrize("options", [(), ("--include-subagents",)], ids=["without", "with"])
def test_100000_events_of_a_sub_agent_inside_one_call_stay_cheap(
    session_file: Path, output: Path, options: tuple[str, ...]
) -> None:
    session = _asked()
    session.assistant("", request("task_1", "task", {"prompt": "Look"}))
    session.tool_start("task_1", "task", {"prompt": "Look"})
    session.agent_id = "task_1"
    for number in range(33_000):
        session.call(f"call_{number}", "bash", {"command": "make"}, "x" * 300)
    session.agent_id = None
    session.tool_complete("task_1", "Looked")
    session.assistant("Done.")
    ended = _import(session, session_file, output, *options)
    assert (ended.code, ended.err) == (0, "")
    calls = 33_001 if options else 1
    assert ended.out.endswith(f" {calls} tool call{'s' if options else ''}\n")
    assert ended.memory < MEMORY


def test_images_returned_by_the_calls_of_one_giant_response_stay_cheap(
    session_file: Path, output: Path
) -> None:
    session = _asked()
    count = 30_000
    session.assistant("", *(request(f"call_{number}", "view", {}) for number in range(count)))
    images = [{"type": "image", "mimeType": "image/png", "data": "QQ=="}]
    for number in reversed(range(count)):
        result = {"content": "an image", "binaryResultsForLlm": images}
        session.tool_complete(f"call_{number}", None, result=result)
    ended = _import(session, session_file, output)
    assert (ended.code, ended.err) == (0, "")
    (response,) = json.loads(output.read_bytes())["output"][1:]
    assert len(response["attachments"]) == count


def test_a_giant_call_that_starts_again_and_again_stays_cheap(
    session_file: Path, output: Path
) -> None:
    session = _asked()
    patch = "*** Begin Patch\n" + "*** Add File: a\n+x\n" * 100_000
    session.assistant("", request("call_1", "apply_patch", {"patch": patch}))
    for _ in range(20_000):
        session.tool_start("call_1", "apply_patch", None, mcpServerName="server")
    session.tool_complete("call_1", "Done")
    ended = _import(session, session_file, output)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"{output}: 2 messages, 1 tool call\n"


def test_answers_to_questions_that_nobody_asked_change_nothing() -> None:
    session = _asked()
    session.assistant("", request("call_1", "bash", {"command": "make"}))
    session.tool_start("call_1", "bash", {"command": "make"})
    results: list[Any] = [None, 5, {}, {"kind": 5}, {"kind": None}, [], "approved"]
    for result in results:
        for call_id in ("call_1", "call_2", None, 5):
            data = {"requestId": "nobody's", "toolCallId": call_id, "result": result}
            session.event("permission.completed", data)
    session.tool_complete("call_1", "made")
    transcript = _read(session)
    call = _calls(transcript)["call_1"]
    assert (call.status, call.output) == ("ok", "made")
    assert call.duration_ms == 29_000


def test_questions_by_the_thousand_that_nobody_answers_stay_cheap(
    session_file: Path, output: Path
) -> None:
    session = _asked()
    for number in range(60_000):
        data = {"requestId": f"{number}", "permissionRequest": {"toolCallId": "x"}}
        session.event("permission.requested", data)
    ended = _import(session, session_file, output)
    assert (ended.code, ended.err) == (0, "")
    assert ended.memory < MEMORY


@pytest.mark.parametrize(
    "metrics",
    [
        None, 5, "x", [], {}, {"m": None}, {"m": 5}, {"m": []}, {"m": {}}, {"m": {"usage": None}},
        {"m": {"usage": []}}, {"m": {"usage": {}}}, {"": {"usage": {"inputTokens": []}}},
    ],
)  # fmt: skip
def test_an_end_that_says_nothing_of_tokens_leaves_them_unknown(metrics: Any) -> None:
    session = _asked()
    session.assistant("Done.")
    session.shutdown()
    data = session.events[-1]
    assert isinstance(data, dict)
    data["data"]["modelMetrics"] = metrics
    usage = _read(session).token_usage
    assert usage is None or usage.input is None
    assert usage is None or usage.output in (None, 50)


@pytest.mark.parametrize("value", NO_COUNTS, ids=str)
@pytest.mark.parametrize("figure", ["inputTokens", "outputTokens", "cacheReadTokens"])
def test_a_figure_that_is_no_count_is_unknown_in_the_sum_of_all_runs(
    figure: str, value: Any
) -> None:
    session = _asked()
    session.assistant("Done.")
    session.shutdown({"m": tokens(5000, 50, cached=4000)})
    session.resume()
    session.assistant("More.")
    session.shutdown({"m": tokens(5000, 50, cached=4000, **{figure: value})})
    usage = _read(session).token_usage
    assert usage is not None
    expected = {"inputTokens": 10_000, "outputTokens": 100, "cacheReadTokens": 8000, figure: None}
    assert (usage.input, usage.output, usage.cached) == tuple(expected.values())


def test_enormous_figures_add_up_to_something_that_can_be_read_again() -> None:
    session = _asked()
    for number in range(3000):
        session.assistant(f"{number}", outputTokens=2**53)
        session.shutdown({"m": tokens(2**53, 2**53, cached=2**53)})
        session.resume()
    usage = _read(session).token_usage
    assert usage is not None
    assert usage.output == 3000 * 2**53


def test_a_tail_of_nul_bytes_is_one_counted_skip() -> None:
    content = lines(plain().events) + b"\0" * 70_000
    transcript = COPILOT.imported(content)
    assert [message.content for message in transcript.output] == ["Add a login page", "Done."]
    assert transcript.drift == {"unfinished last line": 1}


@pytest.mark.parametrize("breaks", [1, 2, 50])
def test_line_breaks_inside_a_text_are_text(breaks: int) -> None:
    session = _asked()
    session.assistant("one" + "BREAKtwo" * breaks)
    session.assistant("Done.")
    transcript = COPILOT.imported(lines(session.events).replace(b"BREAK", b"\n"))
    assert transcript.output[1].content == "one" + "\ntwo" * breaks
    assert kept(transcript)[-1] == ("assistant", "Done.", [])


def test_texts_torn_apart_by_the_thousand_stay_cheap(session_file: Path, output: Path) -> None:
    torn = b'{"type":"user.message","data":{"content":"' + b"x" * 500
    end = b'y","timestamp":1,"parentId":{}}\n'
    content = b"".join(torn + b"\n" + end for _ in range(20_000))
    session_file.write_bytes(lines(plain().events) + content)
    ended = agentv("import", "copilot", "--file", session_file, "-o", output, cwd=output.parent)
    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err
    assert ended.memory < MEMORY


_BOMB = "a: &a [x,x,x,x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(20)
)


@pytest.mark.parametrize(
    "workspace",
    [
        pytest.param(_BOMB, id="bomb"),
        pytest.param("cwd: !!python/object/apply:os.system ['false']\n", id="tag"),
        pytest.param("cwd: " + "[" * 50_000, id="depth"),
        pytest.param("cwd: \0\x1b]52;c;x\x07\n", id="escapes"),
        pytest.param("{" * 50_000, id="no keys"),
        pytest.param("cwd: |\n" + "  x\n" * 10_000, id="long text"),
        pytest.param('name: "\\ud800"\n', id="surrogate"),
        pytest.param("cwd:\nname:\n- a\n", id="nothing"),
    ],
)
def test_a_hostile_file_beside_the_events_costs_nothing(tmp_path: Path, workspace: str) -> None:
    path = plain().write_in(tmp_path, workspace=workspace)
    transcript = COPILOT.imported(path)
    assert [message.content for message in transcript.output] == ["Add a login page", "Done."]
    assert transcript.source.cwd == "/home/dev/shop"


@posix_only
@pytest.mark.parametrize("kind", ["fifo", "directory", "loop", "huge", "no text"])
def test_a_file_beside_the_events_that_is_none_is_left_alone(tmp_path: Path, kind: str) -> None:
    path = plain().write_in(tmp_path)
    beside = path.with_name("workspace.yaml")
    if kind == "fifo":
        os.mkfifo(beside)
    elif kind == "directory":
        beside.mkdir()
    elif kind == "loop":
        beside.symlink_to(beside.name)
    elif kind == "huge":
        with beside.open("wb") as file:
            file.truncate(1 << 30)
    else:
        beside.write_bytes(bytes(range(256)) * 300)
    ended = agentv("import", "copilot", "--file", path, "-o", "out.jsonl", cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    assert ended.memory < MEMORY


def test_an_old_document_cut_anywhere_is_one_sentence(tmp_path: Path) -> None:
    whole = json.dumps(old_document()).encode()
    path = tmp_path / f"session_{SESSION_ID}_1.json"
    for cut in range(0, len(whole), 23):
        path.write_bytes(whole[:cut])
        with pytest.raises(SessionError, match=SESSION_ID):
            COPILOT.imported(path)


@pytest.mark.parametrize("key", ["chatMessages", "timeline", "sessionId", "startTime"])
@pytest.mark.parametrize(
    "value",
    [None, 5, "x", [], {}, [None], [5, []], [{}], [{"role": 5}], [{"role": "tool"}],
     [{"role": "assistant", "tool_calls": [None, {}, {"function": 5}, {"function": {}}]}],
     [{"type": "tool_call_completed"}], [{"type": "user", "text": []}], [{"type": {}}],
     [{"role": "user", "content": [{"text": 5}, 5, None]}]],
    ids=str,
)  # fmt: skip
def test_an_old_document_with_anything_anywhere_is_read_or_one_error(
    tmp_path: Path, key: str, value: Any
) -> None:
    path = tmp_path / f"session_{SESSION_ID}_1.json"
    path.write_bytes(line(old_document(**{key: value})))
    try:
        transcript = COPILOT.imported(path)
    except SessionError as exc:
        assert SESSION_ID in str(exc)  # noqa: PT017 (either way is right)
        return
    if key != "chatMessages":
        assert _calls(transcript)["call-1"].status in ("ok", "unknown")


def test_an_old_document_of_tens_of_thousands_of_entries_stays_cheap(
    tmp_path: Path, output: Path
) -> None:
    path = tmp_path / f"session_{SESSION_ID}_1.json"
    prompts = [{"type": "user", "text": f"Prompt {number}"} for number in range(20_000)]
    messages = [{"role": "user", "content": f"Prompt {number}"} for number in range(20_000)]
    errors = [{"type": "error", "text": "x"}] * 20_000
    path.write_bytes(line(old_document(chatMessages=messages[::-1], timeline=prompts + errors)))
    ended = agentv("import", "copilot", "--file", path, "-o", output, cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"{output}: 40000 messages, 0 tool calls\n"
