"""Names of what is collected: stable, short, unique, and at the lines of the eval file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject

AUTH = """\
vars: {secret_name: JWT_SECRET}
assert:
  - {type: token-usage, max_total: 500000}
tests:
  - id: adds-jwt
    input: Add JWT authentication to the Express API
    assert:
      - contains: "{{ secret_name }}"
      - {type: not-contains, value: "git push --force*"}
      - type: word-count
        max: 200
        metric: brief
"""


def test_an_id_is_file_case_provider_and_assertion(project: EvalProject) -> None:
    project.eval_file(AUTH, name="evals/auth.eval.yaml")
    project.sessions(recorded())
    assert project.collected("--transcript=t.jsonl") == [
        "evals/auth.eval.yaml::adds-jwt[claude-cli]::contains-JWT_SECRET",
        "evals/auth.eval.yaml::adds-jwt[claude-cli]::not-contains-git-push---force",
        "evals/auth.eval.yaml::adds-jwt[claude-cli]::brief",
        "evals/auth.eval.yaml::adds-jwt[claude-cli]::token-usage",
    ]


def test_a_script_is_named_by_its_command(project: EvalProject) -> None:
    project.assertions(
        "{type: script, command: [python, check it.py]}",
        "{type: code-grader, script: [node, ./check.mjs], most: 3}",
        "script: {command: [python, other.py], most: 3}",
        "not-script: grep -q ERROR",
        "{type: script, command: [python, check it.py], metric: mine}",
        "{type: script, command: [python, check it.py]}",
    )
    names = [one.rpartition("::")[2] for one in project.collected()]
    assert names == [
        "script-python-check-it.py",
        "code-grader-node-.-check.mjs",
        "script-python-other.py",
        "not-script-grep--q-ERROR",
        "mine",
        "script-python-check-it.py-2",
    ]


def test_without_a_transcript_there_is_no_bracket(project: EvalProject) -> None:
    project.eval_file(AUTH, name="evals/auth.eval.yaml")
    assert project.collected()[0] == "evals/auth.eval.yaml::adds-jwt::contains-JWT_SECRET"


def test_the_tree_of_a_collection_is_file_case_assertion(project: EvalProject) -> None:
    project.assertions("contains: Done")
    project.sessions(recorded())
    run = project.grade("--collect-only")
    tree = [line.strip() for line in run.text.splitlines() if line.strip().startswith("<")]
    assert tree[-3:] == [
        "<EvalModule a.eval.yaml>",
        "<CaseNode one[claude-cli]>",
        "<AssertionItem contains-Done>",
    ]


def test_items_stand_at_their_lines(project: EvalProject) -> None:
    project.eval_file(AUTH)
    project.sessions(recorded())
    run = project.grade()
    # pytest counts them from 0.
    assert {nodeid.rpartition("::")[2]: line for nodeid, line in run.lines.items()} == {
        "contains-JWT_SECRET": 7,
        "not-contains-git-push---force": 8,
        "brief": 9,
        "token-usage": 2,
    }


def test_an_assertion_of_another_file_still_has_a_place(project: EvalProject) -> None:
    project.write("shared/common.yaml", "assert:\n  - contains: Done\n  - contains: nowhere\n")
    project.assertions("include: shared/common.yaml")
    project.sessions(recorded())
    run = project.grade()
    assert run.by_name == {"contains-Done": "passed", "contains-nowhere": "failed"}
    assert run.text_of["contains-nowhere"].startswith("shared/common.yaml:3: contains-nowhere ")


def test_the_location_of_an_item_is_readable_by_test_explorers(project: EvalProject) -> None:
    project.assertions("contains: Done")
    project.conftest(
        """\
        def pytest_collection_modifyitems(items):
            for item in items:
                print("explored", item.location, item.parent.reportinfo())
                print("callspec", hasattr(item, "callspec"))
                print("classes", [type(one).__mro__[1].__name__ for one in item.listchain()[-3:]])
        """
    )
    run = project.run("--collect-only", "-q", "-s")
    place = "('a.eval.yaml', 3, 'one::contains-Done')"
    case = f"({project.path / 'a.eval.yaml'!r}, 1, 'one')"
    assert f"explored {place} {case}\n" in run.text
    assert "callspec False" in run.text
    assert "classes ['Module', 'Class', 'Function']" in run.text


def test_names_that_clash_are_numbered(project: EvalProject) -> None:
    project.assertions(
        "contains: a b", "contains: a-b", "contains: a/b", "{contains: c, metric: a}"
    )
    names = [one.rpartition("::")[2] for one in project.collected()]
    assert names == ["contains-a-b", "contains-a-b-2", "contains-a-b-3", "a"]


def test_an_assertion_named_score_does_not_clash_with_the_score(project: EvalProject) -> None:
    project.assertions("{contains: Done, metric: score}", test="threshold: 0.5")
    names = [one.rpartition("::")[2] for one in project.collected()]
    assert names == ["score-2", "score"]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("'::'", "contains"),
        ("'a::b]'", "contains-a-b"),
        (r'"\e[31mred\0"', "contains-31mred"),
        ("'a\u202eb \u200b c'", "contains-a-b-c"),
        ("'日本語 テスト'", "contains-日本語-テスト"),
        (f"'{'x' * 200_000}'", f"contains-{'x' * 40}"),
        ("'../../etc/passwd'", "contains-etc-passwd"),
        ("'[claude]'", "contains-claude"),
        ("' '", "contains"),
        ("'🙂'", "contains"),
    ],
)
def test_any_value_makes_a_printable_short_name(
    project: EvalProject, value: str, name: str
) -> None:
    project.assertions(f"contains: {value}")
    assert project.collected() == [f"a.eval.yaml::one::{name}"]


@pytest.mark.parametrize(
    ("provider", "bracket"),
    [
        ("codex-cli", "codex-cli"),
        ("a::b]", "a-b"),
        ("\x1b[2J", "2J"),
        ("x" * 5000, "x" * 40),
        ("\ud800", "unknown"),
        ("", "unknown"),
        ("with space", "with-space"),
    ],
)
def test_any_provider_makes_a_printable_bracket(
    project: EvalProject, provider: str, bracket: str
) -> None:
    project.assertions("contains: Done")
    project.sessions(recorded(provider=provider))
    assert project.grade().outcomes == {f"a.eval.yaml::one[{bracket}]::contains-Done": "passed"}


def test_repeats_carry_the_first_eight_characters_of_the_session(project: EvalProject) -> None:
    project.assertions("contains: Done")
    project.sessions(
        recorded(session_id="11111111-aaaa"),
        recorded(session_id="22222222-bbbb"),
        recorded(provider="codex-cli", session_id="33333333-cccc"),
        recorded(session_id="22222222-dddd"),
        recorded(session_id=None),
        recorded(session_id="\x00::"),
    )
    assert list(project.grade().outcomes) == [
        "a.eval.yaml::one[claude-cli-11111111]::contains-Done",
        "a.eval.yaml::one[claude-cli-22222222]::contains-Done",
        "a.eval.yaml::one[codex-cli]::contains-Done",
        "a.eval.yaml::one[claude-cli-22222222-2]::contains-Done",
        "a.eval.yaml::one[claude-cli]::contains-Done",
        "a.eval.yaml::one[claude-cli-2]::contains-Done",
    ]


def test_the_id_does_not_change_with_what_is_selected(project: EvalProject) -> None:
    project.assertions("contains: a b", "contains: a-b", "contains: a/b")
    project.sessions(recorded())
    everything = project.collected("--transcript=t.jsonl")
    assert project.collected("--transcript=t.jsonl", "-k", "contains-a-b-2") == everything[1:2]
