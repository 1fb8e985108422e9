"""Several sessions of one provider for one test: the summary says how often it passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from eval_runs import WORKERS, recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject, EvalRun


def _sessions(*answers: str, provider: str = "claude-cli", **more: Any) -> list[dict[str, Any]]:
    return [
        recorded(answer, provider=provider, session_id=f"{number:08}-{provider}", **more)
        for number, answer in enumerate(answers)
    ]


def _table(run: EvalRun) -> list[str]:
    """The lines about repeats."""
    lines = run.text.splitlines()
    if "repeats" not in lines:
        return []
    after = lines[lines.index("repeats") + 1 :]
    return after[: next(number for number, line in enumerate(after) if line.startswith("="))]


@pytest.fixture
def repeated(project: EvalProject) -> EvalProject:
    """Five sessions of one provider, of which four pass, and one of another."""
    project.assertions("contains: JWT")
    project.sessions(
        *_sessions("JWT", "JWT", "none", "JWT", "JWT"), *_sessions("JWT", provider="codex-cli")
    )
    return project


LINE = "one  claude-cli  4/5 passed  80.0%  [37.6%, 96.4%]  pass@3 100.0%  pass^3 40.0%"


def test_a_test_with_repeats_has_a_line(repeated: EvalProject) -> None:
    assert _table(repeated.grade()) == [LINE]


def test_it_is_the_same_on_workers(repeated: EvalProject) -> None:
    assert _table(repeated.grade(*WORKERS)) == [LINE]


def test_without_repeats_there_is_none(repeated: EvalProject) -> None:
    repeated.sessions(*_sessions("JWT"), *_sessions("JWT", provider="codex-cli"))
    assert _table(repeated.grade()) == []


def test_soft_failures_do_not_count_where_the_score_is_reached(repeated: EvalProject) -> None:
    repeated.assertions("contains: JWT", "contains: missing", test="threshold: 0.5")
    assert _table(repeated.grade()) == [LINE]


def test_a_failure_that_is_excused_is_no_pass(repeated: EvalProject) -> None:
    for excuse in ("gate: 0.1", "xfail: known"):
        repeated.assertions("contains: JWT", test=excuse)
        run = repeated.grade()
        assert run.code == 0
        assert _table(run) == [LINE]


def test_errors_and_skipped_sessions_are_counted_apart(repeated: EvalProject) -> None:
    repeated.conftest(
        """\
        import pytest
        import pytest_agentv

        @pytest_agentv.assertion("says")
        def says(transcript):
            answer = transcript.output[-1].content
            if answer == "crash":
                raise RuntimeError
            if answer == "skip":
                pytest.skip("no")
            return answer == "good"
        """
    )
    repeated.assertions("{type: says}")
    repeated.sessions(
        *_sessions("good", "bad", "crash", "crash", "skip"),
        *_sessions("skip", "crash", provider="codex-cli"),
    )
    figures = "50.0%  [9.5%, 90.5%]  pass@2 100.0%  pass^2 0.0%"
    assert _table(repeated.grade()) == [
        f"one  claude-cli  1/2 passed  {figures}  2 errors, 1 skipped",
        f"one  codex-cli   0/0 passed  {'-':{len(figures)}}  1 error, 1 skipped",
    ]


def test_many_tests_with_repeats_are_not_all_listed(repeated: EvalProject) -> None:
    tests = [f"  - {{id: t{number:02}, assert: [contains: JWT]}}\n" for number in range(25)]
    repeated.eval_file("tests:\n" + "".join(tests))
    repeated.sessions(
        *(
            recorded("JWT", test_id=f"t{number:02}", session_id=f"{session}-{number}")
            for number in range(25)
            for session in range(2)
        )
    )
    table = _table(repeated.grade())
    assert len(table) == 21
    assert table[0].startswith("t00  claude-cli  2/2 passed  100.0%")
    assert table[-1] == "… and 5 more with repeats"


def test_the_same_name_in_two_files_is_told_apart(repeated: EvalProject) -> None:
    repeated.assertions("contains: JWT", name="b.eval.yaml")
    repeated.sessions(*_sessions("JWT", "JWT", test_id="one"))
    names = [line.split()[0] for line in _table(repeated.grade())]
    assert names == ["a.eval.yaml::one", "b.eval.yaml::one"]


def test_the_step_summary_of_github_has_them(
    repeated: EvalProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = repeated.path / "summary.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    repeated.grade()
    text = path.read_text("utf-8")
    assert "### Repeats\n\n| test | provider | sessions |" in text
    assert (
        "| `one` | `claude-cli` | 4/5 passed | 80.0% | [37.6%, 96.4%] | pass@3 100.0% "
        "| pass^3 40.0% |  |\n" in text
    )
