"""A draft holds for its session, whatever that is, and says what the session did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from eval_files import EvalFolder
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from sample_transcripts import transcripts

from pytest_agentv import Message, Source, TokenUsage, ToolCall, Transcript
from pytest_agentv.drafting.draft import draft_test, eval_text
from pytest_agentv.engine.assertions import Context
from pytest_agentv.engine.compiling import compile_entry
from pytest_agentv.graders.base import CaseFacts
from pytest_agentv.plugins import assertion_types, plugin_manager
from pytest_agentv.report.clean import clean

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.evalfile.model import Case

TYPES = assertion_types(plugin_manager())
CWD = "/home/dev/shop"


@pytest.fixture
def evals(tmp_path: Path) -> EvalFolder:
    return EvalFolder(tmp_path)


def _call(kind: str, status: str = "ok", **args: Any) -> ToolCall:
    return ToolCall(tool=kind.title(), kind=kind, input=args, args=args, status=status)


def _session(*calls: ToolCall, answer: str = "Done.", **fields: Any) -> Transcript:
    fields.setdefault("input", "Fix the login page")
    return Transcript(
        source=Source(provider="claude-cli", cwd=CWD),
        output=(
            Message(role="user", origin="human", content="Fix the login page"),
            Message(role="assistant", content="", tool_calls=calls),
            Message(role="assistant", content=answer),
        ),
        **fields,
    )


def _text(transcript: Transcript) -> str:
    return eval_text([draft_test(transcript, TYPES, id_=None)])


def _case(transcript: Transcript, evals: EvalFolder) -> Case:
    [case] = evals.load(_text(transcript).encode()).cases
    return case


def _entries(transcript: Transcript, evals: EvalFolder, type_: str) -> list[dict[str, Any]]:
    return [dict(one.keys) for one in _case(transcript, evals).entries if one.type == type_]


odd_calls = st.builds(
    ToolCall,
    tool=st.sampled_from(["Bash", "Edit", "{{ x }}"]),
    kind=st.sampled_from(["shell", "edit", "write", "read", "[a"]),
    args=st.fixed_dictionaries(
        {},
        optional={
            "command": st.sampled_from(["npm test", "rm -rf x", "cd a && pytest 'b"]) | st.text(),
            "path": st.sampled_from(["/x/a", "a/[b]*.c", "/i/i", "no", "{{a"]) | st.text(),
            "paths": st.lists(st.text(max_size=9), max_size=3),
        },
    ),
    status=st.sampled_from(["ok", "error", "unknown", "denied"]),
)
odd_sessions = st.builds(
    lambda calls, answer, prompt: _session(*calls, answer=answer, input=prompt),
    st.lists(odd_calls, max_size=6),
    st.lists(st.text(max_size=9).map("`{}`".format), max_size=4).map(" ".join),
    st.text(max_size=60),
)


@settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(transcript=transcripts.filter(lambda one: bool(one.output)) | odd_sessions)
def test_any_session_passes_all_of_its_draft(transcript: Transcript, evals: EvalFolder) -> None:
    text = _text(transcript)

    assert clean(text) == text
    [case] = evals.load(text.encode()).cases
    context = Context(transcript, CaseFacts(id=case.id), {})
    outcomes = {
        str(dict(one.keys)): compile_entry(one, TYPES).grade(context).outcome
        for one in case.entries
    }
    assert outcomes
    assert set(outcomes.values()) == {"passed"}


def test_that_a_check_was_run_after_a_change_is_the_order_that_matters(evals: EvalFolder) -> None:
    transcript = _session(
        _call("shell", command="npm run lint"),
        _call("edit", path=f"{CWD}/src/a.js"),
        _call("shell", status="error", command="npm test"),
        _call("write", path=f"{CWD}/test/a.test.js"),
        _call("edit", path=f"{CWD}/src/a.js"),
        _call("shell", command="npm test"),
        _call("edit", status="error", path=f"{CWD}/never.js"),
        _call("edit", path=f"{CWD}/README.md"),
    )

    [trajectory] = _entries(transcript, evals, "tool-trajectory")
    [files] = _entries(transcript, evals, "files-changed")

    assert trajectory == {
        "mode": "in_order",
        "expected": [
            {"tool": "edit"},
            {"tool": "shell", "args": {"command": "*npm test*"}},
        ],
    }
    assert files["value"] == ["src/a.js", "test/a.test.js", "README.md"]


@pytest.mark.parametrize(
    "calls",
    [
        [_call("edit", path="a.py")],
        [_call("shell", command="pytest"), _call("edit", path="a.py")],
        [_call("read", path="a.py"), _call("shell", command="pytest")],
    ],
)
def test_without_a_check_after_a_change_there_is_no_order(
    calls: list[ToolCall], evals: EvalFolder
) -> None:
    assert _entries(_session(*calls), evals, "tool-trajectory") == []


def test_one_call_may_do_several_things(evals: EvalFolder) -> None:
    transcript = _session(
        _call("edit", paths=["a.py", "b.py"]),
        _call("shell", command="ruff check . && pytest"),
    )

    [trajectory] = _entries(transcript, evals, "tool-trajectory")
    [files] = _entries(transcript, evals, "files-changed")
    commands = _entries(transcript, evals, "command-run")

    assert trajectory["expected"][1] == {"tool": "shell", "args": {"command": "*pytest*"}}
    assert files["value"] == ["a.py", "b.py"]
    assert [one["value"] for one in commands] == ["ruff check*", "pytest*"]


def test_a_session_that_only_looked_is_held_to_the_kinds_of_its_tools(evals: EvalFolder) -> None:
    transcript = _session(_call("search", pattern="x"), _call("read", path="a"), _call("read"))

    [trajectory] = _entries(transcript, evals, "tool-trajectory")

    assert trajectory["mode"] == "superset"
    assert trajectory["expected"] == [{"tool": "search"}, {"tool": "read"}]


def test_budgets_leave_room_and_are_round(evals: EvalFolder) -> None:
    usage = TokenUsage(input=270_628, output=4_156, output_complete=True)
    transcript = _session(_call("read", path="a"), token_usage=usage, duration_ms=114_244)

    assert _entries(transcript, evals, "token-usage") == [{"max_total": 420_000}]
    assert _entries(transcript, evals, "latency") == [{"max_ms": 180_000}]
    assert _entries(transcript, evals, "execution-metrics") == [{"max_tool_calls": 10}]


def test_small_figures_have_a_budget_that_chance_does_not_break(evals: EvalFolder) -> None:
    [latency] = _entries(_session(duration_ms=900), evals, "latency")

    assert latency == {"max_ms": 60_000}


def test_the_time_that_people_took_is_no_budget(evals: EvalFolder) -> None:
    one = _session(duration_ms=9_000_000)
    again = Message(role="user", origin="human", content="And now?")
    two = replace(one, output=(*one.output, again, *one.output[1:]))

    assert _entries(two, evals, "latency") == []


def test_where_output_tokens_are_not_all_logged_the_input_has_the_budget(
    evals: EvalFolder,
) -> None:
    usage = TokenUsage(input=1_000, output=7, output_complete=False)

    assert _entries(_session(token_usage=usage), evals, "token-usage") == [{"max_input": 1_500}]


def test_of_what_a_session_does_not_say_there_is_no_budget(evals: EvalFolder) -> None:
    transcript = _session()

    assert _entries(transcript, evals, "token-usage") == []
    assert _entries(transcript, evals, "latency") == []


def test_a_dangerous_command_that_was_run_is_left_out_and_named(evals: EvalFolder) -> None:
    transcript = _session(_call("shell", command="cd x && rm -rf build"))

    test = draft_test(transcript, TYPES, id_=None)

    assert test.left_out == ['not-command-run: "rm -rf *"']
    [forbidden] = [one for one in _case(transcript, evals).entries if one.type == "assert-set"]
    assert forbidden.metric == "no-dangerous-commands"
    commands = [one.keys["value"] for one in forbidden.members or () if one.negated]
    assert "rm -rf *" not in commands
    assert "git push*--force*" in commands


def test_a_set_counts_as_the_one_assertion_that_it_is(evals: EvalFolder) -> None:
    transcript = _session(_call("read", path="a"))

    test = draft_test(transcript, TYPES, id_=None)

    assert test.count == len(_case(transcript, evals).entries)


def test_no_argument_of_a_command_is_repeated() -> None:
    text = _text(
        _session(
            _call("shell", command="API_TOKEN=hunter2 npm test -- --key=s3cret /home/dev/mine"),
            _call("shell", command="curl -H 'X: hunter2' https://example.com"),
        )
    )

    assert "npm test" in text
    for private in ("hunter2", "s3cret", "mine", "curl", "TOKEN"):
        assert private not in text


def test_a_secret_in_the_prompt_is_not_repeated() -> None:
    text = _text(_session(input="Log in with password=hunter2, then stop"))

    assert "hunter2" not in text
    assert "Log in with password=[…], then stop" in text


def test_a_prompt_does_not_tell_where_people_have_their_homes() -> None:
    text = _text(_session(input="Look at /Users/dev/x and C:\\Users\\dev\\y, not at /home"))

    assert r"Look at ~/x and ~\\y, not at /home" in text


def test_a_long_prompt_is_cut_off_between_words(evals: EvalFolder) -> None:
    case = _case(_session(input="word " * 1_000), evals)

    assert len(case.input) < 1_100
    assert case.input.endswith("word …")


def test_a_template_in_a_prompt_is_text(evals: EvalFolder) -> None:
    assert (
        _case(_session(input="Use {{ env.HOME }} here"), evals).input == "Use {{ env.HOME }} here"
    )


def test_words_of_the_answer_are_offered_but_not_graded(evals: EvalFolder) -> None:
    transcript = _session(answer="Set `RATE_LIMIT_MAX`, and look for `Retry-After`.")

    assert "      # - contains: RATE_LIMIT_MAX\n" in _text(transcript)
    assert "      # - contains: Retry-After\n" in _text(transcript)
    assert "contains" not in _text(_session(answer="It is commit `c0a210c`."))
    assert _entries(transcript, evals, "contains") == []


@pytest.mark.parametrize(
    ("prompt", "id_"),
    [
        ("Fix the login page\nand more", "fix-the-login-page"),
        ("\n  Füge [x] hinzu: {{ y }}", "füge-x-hinzu-y"),
        (f"Look at {'x' * 30} and mend it all", f"look-at-{'x' * 30}-and-mend-it"),
        ("x" * 99, "x" * 50),
        ("!!!", "session"),
        (None, "session"),
    ],
)
def test_a_test_is_named_by_the_first_line_of_the_prompt(
    prompt: str | None, id_: str, evals: EvalFolder
) -> None:
    assert _case(_session(input=prompt), evals).id == id_
