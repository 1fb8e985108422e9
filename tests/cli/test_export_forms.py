"""``agentv export``: sessions in every form, and the options of single forms."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from eval_runs import recorded
from jsonschema import Draft202012Validator
from pages import EXAMPLES
from pyarrow import parquet as pq
from shown_sessions import SHOWN

import pytest_agentv

if TYPE_CHECKING:
    from agentv_command import ClaudeHome, InProcess

SESSION = EXAMPLES / "transcripts" / "rate-limit.jsonl"
FORMS = ("atif", "entries", "events", "markdown", "openai", "otlp", "parquet", "states")


@pytest.fixture
def shown(work: Path) -> Path:
    """A file of the session that has something of everything."""
    path = work / "shown.jsonl"
    path.write_bytes(pytest_agentv.dumps(SHOWN))
    return path


def rows(path: str | Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("atif", "claude-cli-aaaaaaaa.atif.jsonl"),
        ("entries", "claude-cli-aaaaaaaa.entries.jsonl"),
        ("events", "claude-cli-aaaaaaaa.events.jsonl"),
        ("markdown", "claude-cli-aaaaaaaa.md"),
        ("openai", "claude-cli-aaaaaaaa.openai.jsonl"),
        ("otlp", "claude-cli-aaaaaaaa.otlp.jsonl"),
        ("parquet", "claude-cli-aaaaaaaa.parquet"),
        ("states", "claude-cli-aaaaaaaa.states.jsonl"),
    ],
)
def test_the_newest_session_is_written_in_every_form(
    form: str, name: str, home: ClaudeHome, agentv: InProcess
) -> None:
    home.session("aaaaaaaa", "Fix the login page")

    printed = agentv("export", "claude:latest", "--format", form)

    assert (printed.code, printed.out, printed.err) == (0, f"{name}\n", "")
    if form == "parquet":
        messages = pq.read_table(Path(name) / "messages.parquet")["content"].to_pylist()
        assert messages[0] == "Fix the login page"
    else:
        assert b"Fix the login page" in Path(name).read_bytes()


@pytest.mark.parametrize("form", FORMS)
def test_several_sessions_go_into_one_file(form: str, agentv: InProcess) -> None:
    folder = EXAMPLES / "transcripts" / "login-limit"

    printed = agentv("export", folder, SESSION, SESSION, "--format", form, "-o", "out")

    assert (printed.code, printed.out) == (0, "out\n")
    if form == "parquet":
        providers = pq.read_table("out/sessions.parquet")["provider"].to_pylist()
        assert providers == ["claude-cli", "codex-cli", "copilot-cli", "claude-cli"]
    elif form in ("atif", "events", "openai", "otlp"):
        assert len(rows("out")) == 4
    elif form == "markdown":
        assert Path("out").read_text(encoding="utf-8").count("\n# Session ") == 3
    else:
        alone = []
        for number, session in enumerate((*sorted(folder.iterdir()), SESSION)):
            agentv("export", session, "--format", form, "-o", f"{number}.jsonl")
            alone += rows(f"{number}.jsonl")
        assert rows("out") == alone


@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_exists_is_overwritten_only_by_force(form: str, agentv: InProcess) -> None:
    assert agentv("export", SESSION, "--format", form, "-o", "out").code == 0

    refused = agentv("export", SESSION, "--format", form, "-o", "out")

    assert (refused.code, refused.out) == (1, "")
    assert "exists already; --force overwrites it" in refused.err
    assert agentv("export", SESSION, "--format", form, "-o", "out", "--force").code == 0


@pytest.mark.parametrize("form", FORMS)
def test_a_session_that_cannot_be_read_leaves_no_file(
    form: str, agentv: InProcess, work: Path
) -> None:
    empty = {**recorded(), "output": []}
    lines = [json.dumps(recorded()), json.dumps(empty)]
    (work / "t.jsonl").write_text("\n".join(lines), encoding="utf-8")

    printed = agentv("export", "t.jsonl", "--format", form, "-o", "out")

    assert (printed.code, printed.out) == (1, "")
    assert "has no messages" in printed.err
    assert printed.err.count("\n") == 1
    assert [one for one in work.rglob("*") if one.is_file()] == [work / "t.jsonl"]


def test_entries_are_filtered_since_then_roles_then_last(agentv: InProcess, shown: Path) -> None:
    arguments = ["--since", "2026-03-29T21:10:06Z", "--roles", "tool_call,tool_result"]

    printed = agentv("export", shown, "--format", "entries", "-o", "out", *arguments, "--last", "3")

    assert printed.code == 0, printed.err
    assert [one["role"] for one in rows("out")] == ["tool_call", "tool_call", "tool_result"]


def test_states_can_be_limited_and_counted(agentv: InProcess, shown: Path) -> None:
    printed = agentv(
        "export", shown, "--format", "states", "-o", "out", "--skip-subagents", "--skip-thinking",
        "--max-history", "2", "--stats", "--json",
    )  # fmt: skip

    assert printed.code == 0, printed.err
    assert json.loads(printed.out)["statistics"] == {
        "sessions": 1,
        "messages": 8,
        "states": 3,
        "tool_actions": 2,
        "text_actions": 1,
        "histories_cut": 2,
        "skipped": {"message of a sub-agent": 2, "response without text and calls": 1},
    }
    assert "reasoning_content" not in Path("out").read_text(encoding="utf-8")
    assert max(len(one["messages"]) for one in rows("out")) == 2


def test_statistics_are_for_people_too(agentv: InProcess, shown: Path) -> None:
    printed = agentv("export", shown, "--format", "states", "--stats", "-o", "out")

    assert "states: 4\n" in printed.err
    assert "skipped, response without text and calls: 1\n" in printed.err


@pytest.mark.parametrize("form", FORMS)
def test_sub_agents_and_thinking_can_be_left_out_of_every_form(
    form: str, agentv: InProcess, shown: Path
) -> None:
    arguments = ["--skip-subagents", "--skip-thinking"]

    agentv("export", shown, "--format", form, "-o", "whole")
    agentv("export", shown, "--format", form, "-o", "part", *arguments)

    texts = []
    for name in ("whole", "part"):
        path = Path(name)
        text = (
            str(pq.read_table(path / "messages.parquet").to_pylist())
            if form == "parquet"
            else path.read_text(encoding="utf-8")
        )
        texts.append(["Find the tests" in text, "Routes, then tests." in text])
    assert texts == [[True, True], [False, False]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format", "events", "--last", "3"], "--last is for --format entries"),
        (["--format", "entries", "--max-history", "3"], "--max-history is for --format states"),
        (["--format", "openai", "--stats"], "--stats is for --format states"),
        (["--format", "entries", "--roles", "user,bot"], "'bot' is no role; known: user, "),
        (["--format", "entries", "--since", "soon"], "'soon' is no time"),
        (["--format", "states", "--max-history", "0"], "0 is not in the range"),
    ],
)
def test_an_option_that_would_do_nothing_or_is_wrong_is_a_usage_error(
    arguments: list[str], said: str, agentv: InProcess, work: Path
) -> None:
    printed = agentv("export", SESSION, *arguments)

    assert (printed.code, printed.out) == (2, "")
    assert said in printed.err
    assert list(work.iterdir()) == []


def test_events_keep_the_schema_that_the_command_prints(agentv: InProcess) -> None:
    schema = json.loads(agentv("schema", "events").out)
    Draft202012Validator.check_schema(schema)

    agentv("export", EXAMPLES / "transcripts", "--format", "events", "-o", "out")

    documents = rows("out")
    assert len(documents) == 6
    validator = Draft202012Validator(schema)
    assert [error.message for one in documents for error in validator.iter_errors(one)] == []
    assert all("submitter" not in one for one in documents)
    environment = documents[0]["session"]["environment"]
    assert (environment["os"], environment["shell"]) == (None, None)
    assert documents[0]["session"]["capturedAt"].endswith("Z")


@pytest.mark.parametrize(
    ("field", "value"),
    [("type", "thought"), ("seq", 0), ("role", "bot"), ("tool", None), ("redactions", None)],
)
def test_an_event_that_is_none_does_not_keep_the_schema(
    field: str, value: object, agentv: InProcess, shown: Path
) -> None:
    schema = json.loads(agentv("schema", "events").out)
    agentv("export", shown, "--format", "events", "-o", "out")
    (document,) = rows("out")

    document["events"][5][field] = value

    assert not Draft202012Validator(schema).is_valid(document)


def test_a_submitter_stands_in_events_when_the_project_names_one(
    agentv: InProcess, work: Path
) -> None:
    settings = '[tool.agentv.submitter]\nkey_id = "key_1"\npseudonym = "anon_1"\n'
    (work / "pyproject.toml").write_text(settings, encoding="utf-8")

    agentv("export", SESSION, "--format", "events", "-o", "out")

    (document,) = rows("out")
    assert document["submitter"] == {
        "keyId": "key_1",
        "pseudonym": "anon_1",
        "identityLinked": False,
    }


@pytest.mark.parametrize(
    "table",
    [
        'submitter = "me"',
        "[tool.agentv.submitter]\nkey_id = 'k'",
        "[tool.agentv.submitter]\nkey_id = 'k'\npseudonym = 'p'\nname = 'n'",
        "[tool.agentv.submitter]\nkey_id = 5\npseudonym = 'p'",
        "[tool.agentv.submitter]\nkey_id = 'k'\npseudonym = 'p'\nidentity_linked = 'no'",
    ],
)
def test_a_submitter_that_is_none_is_one_sentence(
    table: str, agentv: InProcess, work: Path
) -> None:
    text = table if table.startswith("[") else f"[tool.agentv]\n{table}"
    (work / "pyproject.toml").write_text(text, encoding="utf-8")

    printed = agentv("export", SESSION, "--format", "events", "-o", "out")

    assert (printed.code, printed.out) == (1, "")
    assert "tool.agentv.submitter" in printed.err
    assert printed.err.count("\n") == 1


def test_parquet_without_pyarrow_says_what_to_install(
    agentv: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "pytest_agentv.views.parquet", raising=False)

    printed = agentv("export", SESSION, "--format", "parquet")

    assert (printed.code, printed.out) == (1, "")
    assert printed.err == (
        "agentv: Parquet needs pyarrow, which is not installed: "
        "pip install 'pytest-agentv[parquet]'\n"
    )
