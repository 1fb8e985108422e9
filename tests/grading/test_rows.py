"""`pytest_agentv.grading`: one function, values in, rows out, the same in every process."""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kept_runs import answer
from msgspec.structs import replace

from pytest_agentv import dumps, loads
from pytest_agentv.errors import EvalFileError
from pytest_agentv.graders.grade import Evidence, Grade
from pytest_agentv.graders.judging import NotJudged
from pytest_agentv.graders.text import Contains
from pytest_agentv.grading import Suite, grade, load_suite
from pytest_agentv.results.model import Place

if TYPE_CHECKING:
    from pytest_agentv import Transcript
    from pytest_agentv.graders.judging import Question
    from pytest_agentv.results.model import Row

EVALS = """\
name: talk
tests:
  - id: polite
    tags: [words]
    threshold: 0.5
    assert:
      - {contains: please, weight: 3}
      - regex: "^x"
  - id: judged
    assert: [says what was done]
"""


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    file = tmp_path / "talk.eval.yaml"
    file.write_text(EVALS, encoding="utf-8")
    return load_suite(file, root=tmp_path)


def timeless(rows: list[Row]) -> list[Row]:
    return [replace(row, timestamp=None) for row in rows]


def test_a_row_says_what_a_case_came_to(suite: Suite) -> None:
    (row,) = grade(suite, answer("yes please", test_id="polite"))

    assert (row.test_id, row.suite, row.tags, row.eval_file) == (
        "polite", "talk", ("words",), "talk.eval.yaml",
    )  # fmt: skip
    assert (row.outcome, row.score, row.threshold) == ("passed", 0.75, 0.5)
    assert [(one.name, one.verdict) for one in row.scores] == [
        ("contains-please", "pass"), ("regex-x", "soft"), ("score", "pass"),
    ]  # fmt: skip
    assert row.target == "claude-cli"
    assert row.messages == 2


def test_without_a_judge_what_one_has_to_say_is_skipped_and_never_a_pass(suite: Suite) -> None:
    (row,) = grade(suite, answer("done", test_id="judged"))

    assert row.outcome == "skipped"
    assert row.score is None
    assert row.error


class _Asked:
    """A judge that notes what it is asked, and never knows."""

    def __init__(self) -> None:
        self.begun: list[tuple[Question, Transcript]] = []
        self.asked: list[tuple[Question, Transcript]] = []

    def begin(self, question: Question, transcript: Transcript) -> None:
        self.begun.append((question, transcript))

    def answer(self, question: Question, transcript: Transcript) -> NotJudged:
        self.asked.append((question, transcript))
        return NotJudged("off")

    def alike(self, model: str, one: str, other: str) -> NotJudged:
        raise AssertionError(model, one, other)


@pytest.mark.parametrize(("skip", "questions"), [("", 1), ("skip: not yet, ", 0)])
def test_a_test_that_is_skipped_asks_no_judge(tmp_path: Path, skip: str, questions: int) -> None:
    file = tmp_path / "a.eval.yaml"
    file.write_text(f"tests: [{{id: a, {skip}assert: [says what was done]}}]", encoding="utf-8")
    judge = _Asked()
    (row,) = grade(load_suite(file, root=tmp_path), answer("done"), judge=judge)
    assert row.outcome == "skipped"
    assert (len(judge.begun), len(judge.asked)) == (questions, questions)


def test_a_suite_and_its_function_can_be_sent_to_another_process(suite: Suite) -> None:
    transcripts = [answer(text) for text in ("please", "no")]
    here = [grade(suite, one) for one in transcripts]

    with ProcessPoolExecutor(1) as pool:
        there = list(pool.map(partial(grade, suite), transcripts))

    assert [timeless(one) for one in there] == [timeless(one) for one in here]
    assert pickle.loads(pickle.dumps(suite)) == suite  # noqa: S301 (made a moment ago)


def test_grading_changes_nothing_that_it_is_given(suite: Suite) -> None:
    transcript = answer("please")
    before = dumps(transcript)

    first, second = grade(suite, transcript), grade(suite, transcript)

    assert timeless(first) == timeless(second)
    assert dumps(transcript) == before
    assert loads(before.decode()) == loads(before) == transcript


def test_the_fingerprint_is_that_of_all_that_a_file_says(tmp_path: Path, suite: Suite) -> None:
    file = tmp_path / "talk.eval.yaml"
    assert load_suite(file, root=tmp_path).fingerprint == suite.fingerprint

    file.write_text(EVALS.replace("please", "thanks"), encoding="utf-8")

    assert load_suite(file, root=tmp_path).fingerprint != suite.fingerprint


def test_the_fingerprint_is_the_same_by_whichever_name(
    tmp_path: Path, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (file,) = tmp_path.glob("*.eval.yaml")
    named = load_suite(Path(file.name), root=tmp_path)
    assert (named.fingerprint, named.folder) == (suite.fingerprint, suite.folder)


def test_the_fingerprint_is_the_same_in_every_process(tmp_path: Path, suite: Suite) -> None:
    code = (
        "import sys; from pathlib import Path; from pytest_agentv.grading import load_suite;"
        "print(load_suite(Path(sys.argv[1]), root=Path(sys.argv[1]).parent).fingerprint)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "talk.eval.yaml")]
    there = subprocess.run(command, capture_output=True, text=True, check=True)

    assert there.stdout.strip() == suite.fingerprint


def test_a_file_that_is_wrong_is_told_with_all_its_problems(tmp_path: Path) -> None:
    file = tmp_path / "x.eval.yaml"
    file.write_text("tests:\n  - id: a\n    assert: [{nothing-like-it: 1}]\n", encoding="utf-8")

    with pytest.raises(EvalFileError, match=r"x\.eval\.yaml:3"):
        load_suite(file, root=tmp_path)


def test_a_place_that_no_session_has_is_left_out_of_a_row_as_pytest_does(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = Grade("passed", "found", evidence=(Evidence(message=1 << 70, excerpt="a\x1b"),))
    monkeypatch.setattr(Contains, "grade", lambda *_: lost)

    (row,) = grade(suite, answer("yes please", test_id="polite"))
    assert row.scores[0].evidence == (Place(excerpt="a\\x1b"),)
