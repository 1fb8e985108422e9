"""Fixtures: those of the project reach eval files, ours reach plain tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject


def test_autouse_fixtures_of_every_scope_reach_assertions(project: EvalProject) -> None:
    project.conftest(
        """\
        import pytest

        @pytest.fixture(autouse=True, scope="session")
        def session_wide(): print("session begins"); yield; print("session ends")

        @pytest.fixture(autouse=True, scope="package")
        def package_wide(): print("package begins"); yield

        @pytest.fixture(autouse=True, scope="module")
        def module_wide(request): print("module", request.node.name); yield; print("module ends")

        @pytest.fixture(autouse=True, scope="class")
        def class_wide(request): print("class", request.node.name); yield

        @pytest.fixture(autouse=True)
        def each(request): print("each", request.node.name); yield
        """
    )
    project.assertions("contains: Done", "contains: nowhere")
    project.sessions(recorded())
    run = project.grade("-s")
    assert run.by_name == {"contains-Done": "passed", "contains-nowhere": "failed"}
    for said, times in {
        "session begins": 1,
        "session ends": 1,
        "package begins": 1,
        "module a.eval.yaml": 1,
        "module ends": 1,
        "class one[claude-cli]": 1,
        "each contains-Done": 1,
        "each contains-nowhere": 1,
    }.items():
        assert run.text.count(said) == times, said


def test_a_failing_autouse_fixture_is_an_error(project: EvalProject) -> None:
    project.conftest(
        """\
        import pytest

        @pytest.fixture(autouse=True)
        def broken(): raise OSError("no disk")
        """
    )
    project.assertions("contains: Done")
    project.sessions(recorded())
    run = project.grade()
    assert run.by_name == {"contains-Done": "error"}
    assert "no disk" in run.text_of["contains-Done"]


def test_a_fixture_that_fails_in_its_teardown_is_an_error(project: EvalProject) -> None:
    project.conftest(
        """\
        import pytest

        @pytest.fixture(autouse=True)
        def broken(): yield; raise OSError("no disk")
        """
    )
    project.assertions("contains: Done", "contains: nowhere")
    project.sessions(recorded())
    run = project.grade()
    assert run.by_name == {"contains-Done": "error", "contains-nowhere": "error"}
    assert "claude-cli     0/1       0       0       2        0     0     -" in run.text


def test_the_fixture_transcript_can_be_overridden(project: EvalProject) -> None:
    project.conftest(
        """\
        import msgspec
        import pytest

        @pytest.fixture
        def transcript(transcript):
            return msgspec.structs.replace(transcript, output=transcript.output[:1])
        """
    )
    project.assertions("contains: Done", "{type: contains, value: Do it, in: user, metric: asked}")
    project.sessions(recorded())
    run = project.grade()
    assert run.by_name["asked"] == "passed"
    assert run.by_name["contains-Done"] != "passed"


def test_fixtures_of_a_folder_reach_the_eval_files_below_it_only(project: EvalProject) -> None:
    project.conftest(
        """\
        import pytest

        @pytest.fixture(autouse=True)
        def skipped(): pytest.skip("not here")
        """,
        folder="deep",
    )
    project.assertions("contains: Done", name="deep/a.eval.yaml")
    project.assertions("contains: Done", name="b.eval.yaml")
    project.sessions(recorded())
    run = project.grade()
    assert run.outcomes == {
        "b.eval.yaml::one[claude-cli]::contains-Done": "passed",
        "deep/a.eval.yaml::one[claude-cli]::contains-Done": "skipped",
    }


def test_a_plain_test_runs_once_for_each_session(project: EvalProject) -> None:
    project.write(
        "test_it.py",
        """\
        def test_it(transcript):
            assert transcript.output[-1].content == "Done."

        class TestClass:
            def test_method(self, transcript): pass
        """,
    )
    project.sessions(recorded(), recorded("No.", provider="codex-cli"))
    assert project.grade().outcomes == {
        "test_it.py::test_it[claude-cli]": "passed",
        "test_it.py::test_it[codex-cli]": "failed",
        "test_it.py::TestClass::test_method[claude-cli]": "passed",
        "test_it.py::TestClass::test_method[codex-cli]": "passed",
    }


def test_a_plain_test_can_be_selected_by_its_session(project: EvalProject) -> None:
    project.write("test_it.py", "def test_it(transcript): pass\n")
    project.sessions(recorded(session_id="aaaaaaaa1"), recorded(session_id="bbbbbbbb1"))
    run = project.grade("test_it.py::test_it[claude-cli-bbbbbbbb]")
    assert list(run.outcomes) == ["test_it.py::test_it[claude-cli-bbbbbbbb]"]
    assert list(project.grade("-k", "aaaaaaaa").outcomes) == [
        "test_it.py::test_it[claude-cli-aaaaaaaa]"
    ]


def test_a_plain_test_can_parametrize_more(project: EvalProject) -> None:
    project.write(
        "test_it.py",
        """\
        import pytest

        @pytest.mark.parametrize("word", ["a", "b"])
        def test_it(transcript, word): pass
        """,
    )
    project.sessions(recorded())
    assert len(project.grade().outcomes) == 2


def test_a_test_with_transcripts_of_its_own_keeps_them(project: EvalProject) -> None:
    project.write(
        "test_it.py",
        """\
        import pytest

        @pytest.mark.parametrize("transcript", [1, 2])
        def test_it(transcript): assert transcript in (1, 2)

        @pytest.mark.parametrize(("a", "transcript"), [(0, 3)])
        def test_pair(a, transcript): assert transcript == 3
        """,
    )
    project.sessions(recorded())
    assert set(project.grade().outcomes.values()) == {"passed"}


@pytest.mark.parametrize("fixture", ["transcript", "transcripts"])
def test_without_the_option_a_test_is_skipped_with_the_reason(
    project: EvalProject, fixture: str
) -> None:
    project.write("test_it.py", f"def test_it({fixture}): assert False\n")
    run = project.run("-rs")
    assert run.outcomes == {"test_it.py::test_it": "skipped"}
    assert "no transcript: give --transcript=" in run.text


def test_all_transcripts_in_order(project: EvalProject) -> None:
    project.write(
        "test_it.py",
        """\
        def test_it(transcripts):
            assert [one.source.provider for one in transcripts] == ["b", "a", "c"]
        """,
    )
    project.sessions(recorded(provider="b"), recorded(provider="a"))
    project.sessions(recorded(provider="c"), name="u.jsonl")
    assert project.grade("--transcript=u.jsonl").outcomes == {"test_it.py::test_it": "passed"}


def test_a_session_that_cannot_be_read_is_an_error_of_a_plain_test(project: EvalProject) -> None:
    project.write("test_it.py", "def test_it(transcript): pass\n")
    good = project.sessions(recorded()).read_bytes()
    project.write("t.jsonl", good[:-20] + b"\n")
    assert project.grade().outcomes == {"test_it.py::test_it[claude-cli]": "error"}


def test_a_file_that_is_no_session_is_an_error_of_the_file_with_the_test(
    project: EvalProject,
) -> None:
    project.write("test_it.py", "def test_it(transcript): pass\n")
    project.write("t.jsonl", b"hello\n")
    run = project.grade()
    assert run.code == 2
    assert "is no session that an adapter knows" in run.problems["test_it.py"]
    assert "Traceback" not in run.text


GRADING = """\
import pytest

def test_holds(agentv_grade, transcript):
    assert agentv_grade({"contains": "Done"})

def test_fails(agentv_grade, transcript):
    grade = agentv_grade({"type": "contains", "value": "x"}, transcript)
    assert not grade
    assert grade.reason == "not found in 5 characters"

def test_skips(agentv_grade, transcript):
    agentv_grade({"type": "cost", "max_usd": 1})

def test_facts(agentv_grade, transcript):
    assert agentv_grade({"type": "cost", "max_usd": 1}, cost_usd=0.5)

def test_own(agentv_grade, transcript):
    assert agentv_grade({"polite": "please"}).outcome == "failed"

def test_wrong(agentv_grade):
    with pytest.raises(Exception, match="unknown assertion type 'contians'"):
        agentv_grade({"contians": "x"})
"""


def test_a_plain_test_grades_as_an_eval_file_would(project: EvalProject) -> None:
    project.conftest(
        """\
        import pytest
        import pytest_agentv

        @pytest.fixture
        def manners(): return {"please"}

        @pytest_agentv.assertion("polite")
        def polite(transcript, value, manners):
            return value in manners and value in transcript.output[-1].content
        """
    )
    project.write("test_it.py", GRADING)
    project.sessions(recorded())
    run = project.grade()
    outcomes = {nodeid.split("::")[1].split("[")[0]: one for nodeid, one in run.outcomes.items()}
    assert outcomes == {
        "test_holds": "passed",
        "test_fails": "passed",
        "test_skips": "skipped",
        "test_facts": "passed",
        "test_own": "passed",
        "test_wrong": "passed",
    }


def test_every_fixture_of_ours_says_what_it_is(project: EvalProject) -> None:
    text = project.run("--fixtures").text
    for name in ("transcript", "transcripts", "agentv_grade"):
        assert f"\n{name} " in text
