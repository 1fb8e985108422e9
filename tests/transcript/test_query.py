"""The questions that graders and test authors ask a transcript."""

from __future__ import annotations

import copy

import pytest

from pytest_agentv import Message, Source, ToolCall, Transcript

LIST = ToolCall(
    id="t-1", tool="Bash", kind="shell", args={"command": "ls -l src/"}, status="ok", output="a"
)
READ = ToolCall(
    id="t-2", tool="Read", kind="read", args={"path": "/app/src/auth.ts"}, status="ok", output=""
)
TEST = ToolCall(
    id="t-3", tool="Bash", kind="shell", args={"command": "npm test"}, status="error", exit_code=1
)
MOVE = ToolCall(
    id="t-4",
    tool="mcp__files__move",
    kind="mcp",
    args={"path": "/app/a", "paths": ["/app/b", "/app/a", "/app/c"]},
    status="denied",
)
DELEGATE = ToolCall(id="t-5", tool="Task", kind="task", args={"content": "look"}, status="unknown")
INNER = ToolCall(
    id="t-6", tool="Grep", kind="search", args={"pattern": "x", "path": "/app"}, status="ok"
)

CONTEXT = Message(role="user", origin="injected", content="the rules")
PROMPT = Message(role="user", origin="human", content="Add JWT")
LOOKS = Message(role="assistant", content="I look.", tool_calls=(LIST, READ))
STEERING = Message(role="user", origin="human", content="Use RS256")
ECHO = Message(role="user", origin="command", content="/clear")
WORKS = Message(role="assistant", content="", tool_calls=(TEST, MOVE, DELEGATE))
TASK = Message(role="user", origin="injected", content="look", agent_id="a-1")
HELPER = Message(role="assistant", content="I am the helper", tool_calls=(INNER,), agent_id="a-1")
ANSWER = Message(role="assistant", content="Done.")
SILENT = Message(role="assistant", content="")
NOTICE = Message(role="system", content="compacted")
HELPER_ENDS = Message(role="assistant", content="The helper ends", agent_id="a-1")

OUTPUT = (
    CONTEXT, PROMPT, LOOKS, STEERING, ECHO, WORKS, TASK, HELPER, ANSWER, SILENT, NOTICE,
    HELPER_ENDS,
)  # fmt: skip
TRANSCRIPT = Transcript(source=Source(provider="x"), input="Add JWT", output=OUTPUT)
EMPTY = Transcript(source=Source(provider="x"), output=())


def _of(*output: Message) -> Transcript:
    return Transcript(source=Source(provider="x"), output=output)


def test_all_calls_come_in_order_with_those_of_sub_agents() -> None:
    assert TRANSCRIPT.tool_calls() == (LIST, READ, TEST, MOVE, DELEGATE, INNER)
    assert EMPTY.tool_calls() == ()


@pytest.mark.parametrize(
    ("name", "calls"),
    [
        ("Bash", (LIST, TEST)),
        ("shell", (LIST, TEST)),
        ("bash", ()),
        ("SHELL", ()),
        ("mcp__*", (MOVE,)),
        ("mcp", (MOVE,)),
        ("[BR]*", (LIST, READ, TEST)),
        ("?????h", (INNER,)),
        ("*", (LIST, READ, TEST, MOVE, DELEGATE, INNER)),
        ("", ()),
        ("Ba", ()),
    ],
)
def test_calls_by_name_kind_or_glob(name: str, calls: tuple[ToolCall, ...]) -> None:
    assert TRANSCRIPT.tool_calls(name) == calls
    assert tuple(one for one in TRANSCRIPT.tool_calls() if one.is_tool(name)) == calls


@pytest.mark.parametrize(
    ("kind", "calls"), [("shell", (LIST, TEST)), ("Bash", ()), ("s*", ()), ("search", (INNER,))]
)
def test_calls_by_kind_exactly(kind: str, calls: tuple[ToolCall, ...]) -> None:
    assert TRANSCRIPT.tool_calls(kind=kind) == calls


@pytest.mark.parametrize(
    ("status", "calls"),
    [
        ("ok", (LIST, READ, INNER)),
        ("error", (TEST,)),
        ("denied", (MOVE,)),
        ("unknown", (DELEGATE,)),
        ("o*", ()),
    ],
)
def test_calls_by_status_exactly(status: str, calls: tuple[ToolCall, ...]) -> None:
    assert TRANSCRIPT.tool_calls(status=status) == calls


@pytest.mark.parametrize(
    ("command", "calls"),
    [
        ("npm test", (TEST,)),
        ("npm*", (TEST,)),
        ("*test*", (TEST,)),
        ("test", ()),
        ("ls*src/", (LIST,)),
        ("NPM*", ()),
        ("[ln]*", (LIST, TEST)),
    ],
)
def test_calls_by_their_whole_command_line(command: str, calls: tuple[ToolCall, ...]) -> None:
    assert TRANSCRIPT.tool_calls(command=command) == calls


@pytest.mark.parametrize(
    ("command", "calls"), [("*", (LIST, TEST)), ("**", (LIST, TEST)), ("", ())]
)
def test_calls_that_ran_no_command_fit_no_pattern_for_one(
    command: str, calls: tuple[ToolCall, ...]
) -> None:
    assert TRANSCRIPT.tool_calls(command=command) == calls


@pytest.mark.parametrize(
    ("path", "calls"),
    [
        ("/app/src/auth.ts", (READ,)),
        ("*.ts", (READ,)),
        ("**/auth.*", (READ,)),
        ("/app/*", (READ, MOVE)),
        ("/app/c", (MOVE,)),
        ("/app", (INNER,)),
        ("*", (READ, MOVE, INNER)),
        ("auth.ts", ()),
    ],
)
def test_calls_by_any_path_they_name(path: str, calls: tuple[ToolCall, ...]) -> None:
    assert TRANSCRIPT.tool_calls(path=path) == calls


def test_every_condition_must_hold() -> None:
    assert TRANSCRIPT.tool_calls("Bash", status="error") == (TEST,)
    assert TRANSCRIPT.tool_calls("Bash", kind="shell", command="ls*", status="ok") == (LIST,)
    assert TRANSCRIPT.tool_calls("Bash", path="*") == ()
    assert TRANSCRIPT.tool_calls("mcp", path="/app/b", status="ok") == ()


def test_what_a_call_ran() -> None:
    assert LIST.command == "ls -l src/"
    assert READ.command is None
    assert ToolCall(tool="x", args={"command": ["ls", "-l"]}).command is None


def test_what_a_call_names() -> None:
    assert READ.paths == ("/app/src/auth.ts",)
    assert MOVE.paths == ("/app/a", "/app/b", "/app/c")
    assert LIST.paths == ()
    assert ToolCall(tool="x", args={"path": 7, "paths": [None, "/b", 5]}).paths == ("/b",)


@pytest.mark.parametrize(
    ("status", "failed"),
    [
        ("ok", False),
        ("unknown", False),
        ("error", True),
        ("denied", True),
        ("cancelled", True),
        ("timeout", True),
    ],
)
def test_a_call_failed_if_its_answer_is_not_good(status: str, *, failed: bool) -> None:
    assert ToolCall(tool="x", status=status).failed is failed


def test_the_final_answer_is_the_last_text_of_the_main_thread() -> None:
    assert TRANSCRIPT.final_answer == "Done."
    assert _of(LOOKS, STEERING, SILENT).final_answer == "I look."


@pytest.mark.parametrize(
    "transcript", [EMPTY, _of(PROMPT), _of(SILENT), _of(HELPER), _of(NOTICE, WORKS)]
)
def test_there_is_no_final_answer_where_the_assistant_said_nothing(transcript: Transcript) -> None:
    assert transcript.final_answer is None


def test_prompts_are_what_a_person_typed() -> None:
    assert TRANSCRIPT.prompts == ("Add JWT", "Use RS256")
    assert EMPTY.prompts == ()


def test_messages_are_those_of_the_main_thread() -> None:
    main = (CONTEXT, PROMPT, LOOKS, STEERING, ECHO, WORKS, ANSWER, SILENT, NOTICE)
    assert TRANSCRIPT.messages() == main


def test_messages_by_role_origin_and_agent() -> None:
    assert TRANSCRIPT.messages(role="assistant") == (LOOKS, WORKS, ANSWER, SILENT)
    assert TRANSCRIPT.messages(role="system") == (NOTICE,)
    assert TRANSCRIPT.messages(origin="human") == (PROMPT, STEERING)
    assert TRANSCRIPT.messages(role="user", origin="command") == (ECHO,)
    assert TRANSCRIPT.messages(role="assistant", origin="human") == ()
    assert TRANSCRIPT.messages(agent_id="a-1") == (TASK, HELPER, HELPER_ENDS)
    assert TRANSCRIPT.messages(role="assistant", agent_id="a-1") == (HELPER, HELPER_ENDS)
    assert TRANSCRIPT.messages(agent_id="a-2") == ()


def test_messages_and_calls_before_and_after_a_mark() -> None:
    assert TRANSCRIPT.before(READ) == (CONTEXT, PROMPT, LOOKS, LIST)
    assert TRANSCRIPT.before(CONTEXT) == ()
    assert TRANSCRIPT.after(ANSWER) == (SILENT, NOTICE, HELPER_ENDS)
    assert TRANSCRIPT.after(DELEGATE)[:3] == (TASK, HELPER, INNER)
    assert TRANSCRIPT.after(HELPER_ENDS) == ()


def test_messages_and_calls_between_two_marks() -> None:
    assert TRANSCRIPT.between(LIST, TEST) == (READ, STEERING, ECHO, WORKS)
    assert TRANSCRIPT.between(LIST, READ) == ()
    assert TRANSCRIPT.between(LIST, LIST) == ()
    assert TRANSCRIPT.between(TEST, LIST) == ()


def test_equal_calls_are_told_apart_by_identity() -> None:
    first, second = (ToolCall(tool="Bash", args={"command": "ls"}) for _ in range(2))
    one, two = (Message(role="assistant", tool_calls=(call,)) for call in (first, second))
    transcript = _of(one, PROMPT, two)
    assert first == second
    assert len(transcript.before(first)) == 1
    assert len(transcript.before(second)) == 4
    assert transcript.between(first, second) == (PROMPT, two)
    assert transcript.message_of(first) is one
    assert transcript.message_of(second) is two


def test_the_message_that_made_a_call() -> None:
    assert TRANSCRIPT.message_of(READ) is LOOKS
    assert TRANSCRIPT.message_of(INNER) is HELPER


def test_a_call_of_another_transcript_is_an_error_that_names_it() -> None:
    other = copy.deepcopy(READ)
    assert other == READ
    with pytest.raises(LookupError, match="made no such call: Read t-2"):
        TRANSCRIPT.message_of(other)


@pytest.mark.parametrize("mark", [copy.deepcopy(PROMPT), copy.deepcopy(LIST)])
def test_a_mark_of_another_transcript_is_an_error(mark: Message | ToolCall) -> None:
    problem = "the mark is not part of this transcript"
    with pytest.raises(LookupError, match=problem):
        TRANSCRIPT.before(mark)
    with pytest.raises(LookupError, match=problem):
        TRANSCRIPT.after(mark)
    with pytest.raises(LookupError, match=problem):
        TRANSCRIPT.between(mark, ANSWER)
    with pytest.raises(LookupError, match=problem):
        TRANSCRIPT.between(PROMPT, mark)


def test_a_transcript_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        TRANSCRIPT.input = "other"  # type: ignore[misc]  # that is what is tested


def test_folders_in_a_glob_may_be_none() -> None:
    calls = tuple(
        ToolCall(tool="Read", kind="read", args={"path": one}) for one in ("a.py", "b/a.py")
    )
    transcript = Transcript(
        source=Source(provider="x"), output=(Message(role="assistant", tool_calls=calls),)
    )
    assert transcript.tool_calls(path="**/a.py") == calls
    assert transcript.tool_calls(path="b/**/a.py") == calls[1:]


def test_no_text_of_a_session_makes_a_question_slow() -> None:
    # By backtracking this would take minutes.
    call = ToolCall(tool="a" * 1_000_000, kind="other", args={"command": "a" * 1_000_000})
    transcript = Transcript(
        source=Source(provider="x"), output=(Message(role="assistant", tool_calls=(call,)),)
    )
    pattern = "*" + "a*" * 900 + "b"
    assert transcript.tool_calls(pattern) == transcript.tool_calls(command=pattern) == ()
