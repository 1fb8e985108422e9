"""A transcript is read once in a process, when it is graded, and let go after its last item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import recorded
from third_party import ADAPTER, SESSION

if TYPE_CHECKING:
    from eval_runs import EvalProject

COUNTING = (
    ADAPTER
    + '''

from pytest_agentv import assertion

READ = []
_read = FooAdapter.read
FooAdapter.read = lambda self, ref, options: READ.append(ref.path.name) or _read(self, ref, options)


@assertion("was-read")
def was_read(value):
    """How often sessions were read so far."""
    assert READ == value


def pytest_sessionfinish():
    print("read:", READ)
'''
)

WEAK = (
    ADAPTER
    + '''

import gc
import weakref

from pytest_agentv import assertion


class Text(str):
    """A text that can be watched; a message cannot."""


ALIVE = []
_messages = FooSession.messages


def messages(self):
    for one in _messages(self):
        text = Text(one.content)
        ALIVE.append(weakref.ref(text))
        yield Message(role=one.role, origin=one.origin, content=text)


FooSession.messages = messages


@assertion("alive")
def alive(transcript, value):
    """How many messages there are in memory."""
    gc.collect()
    assert sum(one() is not None for one in ALIVE) == value
'''
)


@pytest.fixture
def foo(project: EvalProject) -> EvalProject:
    """A project with an adapter that counts how often it reads."""
    project.conftest(COUNTING)
    project.write("a.foo", SESSION)
    return project


def test_all_assertions_of_a_case_share_one_reading(foo: EvalProject) -> None:
    foo.assertions("contains: Done", "not-contains: x", "contains: nowhere", "was-read: [a.foo]")
    run = foo.run("--transcript=a.foo", "-s")
    assert list(run.outcomes.values()) == ["passed", "passed", "failed", "passed"]
    assert "read: ['a.foo']" in run.text


def test_a_collection_reads_no_session(foo: EvalProject) -> None:
    foo.assertions("contains: Done")
    run = foo.run("--transcript=a.foo", "--collect-only", "-s")
    assert "a.eval.yaml" in run.text
    assert "read: []" in run.text


def test_cases_of_several_files_share_one_reading(foo: EvalProject) -> None:
    foo.assertions("contains: Done", name="a.eval.yaml")
    foo.assertions("contains: Done", name="b.eval.yaml")
    run = foo.run("--transcript=a.foo", "-s")
    assert list(run.outcomes.values()) == ["passed"] * 2
    assert "read: ['a.foo']" in run.text


def test_plain_tests_share_one_reading(foo: EvalProject) -> None:
    foo.write("test_it.py", "def test_it(transcript): pass\ndef test_all(transcripts): pass\n")
    run = foo.run("--transcript=a.foo", "-s")
    assert list(run.outcomes.values()) == ["passed"] * 2
    assert "read: ['a.foo']" in run.text


def test_a_session_that_cannot_be_read_is_not_tried_again(foo: EvalProject) -> None:
    foo.write("a.foo", b"foo 1\nnothing\n")
    foo.assertions("contains: Done", "not-contains: x")
    run = foo.run("--transcript=a.foo", "-s")
    assert list(run.outcomes.values()) == ["error", "error"]
    assert "read: ['a.foo']" in run.text


@pytest.mark.parametrize(
    "other", ["contains: Done", "contains: nowhere", "{type: cost, max_usd: 1}"]
)
def test_a_transcript_is_let_go_after_its_last_assertion(project: EvalProject, other: str) -> None:
    project.conftest(WEAK)
    for name in ("a.foo", "b.foo"):
        project.write(name, SESSION)
    project.eval_file(
        f"""\
        tests:
          - id: one
            transcript: a.foo
            assert: [alive: 2, {other}]
          - id: two
            transcript: b.foo
            assert: [alive: 2]
        """
    )
    run = project.run()
    assert [one for nodeid, one in run.outcomes.items() if "alive" in nodeid] == ["passed"] * 2


def test_a_file_that_changes_between_collection_and_grading_is_never_a_wrong_pass(
    project: EvalProject,
) -> None:
    project.conftest(
        """\
        def pytest_collection_finish(session):
            path = session.config.rootpath / "t.jsonl"
            path.write_bytes(b"x" * 7 + path.read_bytes())
        """
    )
    project.assertions("contains: Done", "not-contains: nowhere")
    project.sessions(recorded())
    run = project.grade()
    assert list(run.outcomes.values()) == ["error", "error"]
    assert "t.jsonl:1: " in run.text_of["contains-Done"]


def test_a_gate_uses_what_was_graded_and_reads_nothing_again(foo: EvalProject) -> None:
    foo.write("b.foo", SESSION)
    foo.assertions("contains: Done", "not-contains: x", test="gate: 1")
    run = foo.run("--transcript=a.foo", "--transcript=b.foo", "-s")
    assert list(run.outcomes.values()) == ["passed"] * 5
    assert "read: ['a.foo', 'b.foo']" in run.text


def test_a_gate_alone_holds_one_transcript_at_a_time(project: EvalProject) -> None:
    project.conftest(WEAK)
    given = [project.write(f"{name}.foo", SESSION).name for name in "abc"]
    for other in ("contains: Done", "alive: 7"):
        project.assertions("alive: 2", other, test="gate: 1")
        run = project.run(*(f"--transcript={name}" for name in given), "-k", "gate")
        assert "alive-2: " not in run.text_of.get("gate", "")
        assert list(run.outcomes.values()) == ["passed" if "Done" in other else "failed"]
