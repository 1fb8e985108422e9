"""Histories of Aider: where they lie, which lines are whose, and what edits hold."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from agentv_command import InProcess

from pytest_agentv import ReadOptions, Transcript, load
from pytest_agentv.adapters.aider.adapter import AiderAdapter
from pytest_agentv.adapters.aider.edits import edits_in
from pytest_agentv.adapters.discovery import find_sessions

DATA = Path(__file__).parents[1] / "data" / "aider"
STARTED = "# aider chat started at 2026-07-15 12:12:40\n\n> Aider v0.86.1  \n"


def _read(path: Path) -> list[Transcript]:
    adapter = AiderAdapter()
    return [load(adapter.read(ref, ReadOptions())) for ref in adapter.sessions_of(path)]


def _read_text(folder: Path, text: str) -> Transcript:
    path = folder / "history.md"
    path.write_text(STARTED + text, encoding="utf-8")
    return _read(path)[0]


def test_the_history_of_a_project_is_found_from_any_of_its_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    inner = tmp_path / "src" / "routes"
    inner.mkdir(parents=True)
    text = (DATA / "login-limit.md").read_text(encoding="utf-8")
    (tmp_path / ".aider.chat.history.md").write_text(text, encoding="utf-8")
    monkeypatch.chdir(inner)
    (ref,) = find_sessions(AiderAdapter(), os.environ)
    assert (ref.session_id, ref.row) == ("2026-07-15T12-12-40", 6)
    assert find_sessions(AiderAdapter(), os.environ, project=tmp_path) == [ref]
    (tmp_path / "src" / ".git").mkdir()
    assert find_sessions(AiderAdapter(), os.environ) == []


def test_every_run_of_a_history_is_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = InProcess(capsys)("import", "aider", "--file", DATA / "runs.md", "-o", f"{tmp_path}/")
    assert done.code == 0, done.err
    assert len(list(tmp_path.iterdir())) == 2


def test_tokens_of_both_caches_and_a_cost_on_its_own_line_are_read(tmp_path: Path) -> None:
    found = _read_text(
        tmp_path,
        "\n#### hello  \n\nHello.\n\n> Tokens: 12k sent, 1.1k cache write, 2.5k cache hit, 1,024"
        " received.\nCost: $0.03 message, $0.09 session.  \n",
    )
    usage = found.token_usage
    assert usage is not None
    assert (usage.input, usage.cache_write, usage.cached, usage.output) == (12000, 1100, 2500, 1024)
    assert found.cost_usd == 0.09


def test_a_run_with_an_unpriced_response_has_no_cost(tmp_path: Path) -> None:
    tokens = "> Tokens: 1 sent, 2 received. Cost: $0.01 message, $0.01 session.  \n"
    priced = f"\n#### hello  \n\nHello.\n\n{tokens}"
    unpriced = "\n#### again  \n\nAgain.\n\n> Tokens: 3 sent, 4 received.  \n"
    assert _read_text(tmp_path, priced).cost_usd == 0.01
    assert _read_text(tmp_path, priced + unpriced).cost_usd is None


def test_headings_and_quotations_of_the_model_are_its_own_words(tmp_path: Path) -> None:
    said = "# A heading\n\n> a quotation\n\n#### another heading\n\nThe end."
    found = _read_text(tmp_path, f"\n#### hello  \n\n{said}\n\n> Tokens: 1 sent, 2 received.  \n")
    assert found.final_answer == said
    assert found.prompts == ("hello",)


def test_a_command_that_a_person_runs_is_no_call(tmp_path: Path) -> None:
    found = _read_text(tmp_path, "\n#### /run npm test  \n> Running npm test  \n\n#### hello  \n")
    assert found.tool_calls() == ()
    assert [one.origin for one in found.output] == ["command", "human"]


@pytest.mark.parametrize(
    ("text", "edits"),
    [
        ("a.py\n```python\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```", {"a.py": "y"}),
        ("```\na.py\n<<<<<<< SEARCH\n=======\ny\nz\n>>>>>>> REPLACE\n```", {"a.py": "y\nz"}),
        (
            (
                "**a.py**:\n```\n<<<<<<< SEARCH\n1\n=======\n2\n>>>>>>> REPLACE\n\n"
                "<<<<<<< SEARCH\n3\n=======\n4\n>>>>>>> REPLACE\n```"
            ),
            {"a.py": "2\n4"},
        ),
        ("a.py\n```\n<<<<<<< SEARCH\nx\n=======\ncut off", {}),
        ("no block at all\n=======\n>>>>>>> REPLACE", {}),
    ],
)
def test_edits_are_found_in_the_text_of_a_response(text: str, edits: dict[str, str]) -> None:
    assert edits_in(text) == edits


def test_an_edit_survives_editors_that_cut_off_blanks(tmp_path: Path) -> None:
    text = """\
#### Fix it

Sure:

a.py
```python
<<<<<<< SEARCH
a
=======
b
>>>>>>> REPLACE
```

####Not a prompt
>Nor a word of the console
>
> Tokens: 1k sent, 10 received.
> Applied edit to a.py
"""
    path = tmp_path / "history.md"
    path.write_text(STARTED.replace("  \n", "\n") + text, encoding="utf-8")
    (found,) = _read(path)
    prompt, answer = found.output
    assert prompt.content == "Fix it"
    assert answer.content.startswith("Sure:")
    assert answer.content.endswith("####Not a prompt\n>Nor a word of the console")
    (call,) = found.tool_calls()
    assert (call.kind, call.args) == ("edit", {"path": "a.py", "content": "b"})
    assert answer.usage is not None
    assert answer.usage.input == 1000


def test_a_prompt_of_blank_lines_is_read_in_time(tmp_path: Path) -> None:
    # What is quadratic would take hours here.
    path = tmp_path / "llm.history"
    blank = "USER \n" * 300_000
    path.write_text(
        f"TO LLM 2026-07-15T12:12:40\n-------\nUSER Add a limit.\n{blank}USER Now.\n-------\n"
        "LLM RESPONSE 2026-07-15T12:12:50\nASSISTANT Done.\n",
        encoding="utf-8",
    )
    (transcript,) = _read(path)
    assert transcript.output[0].content.startswith("Add a limit.\n\n")
    assert transcript.output[0].content.endswith("\nNow.")
