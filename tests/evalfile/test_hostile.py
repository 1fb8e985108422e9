"""Whatever an eval file holds, loading gives an EvalFile or an EvalFileError, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_agentv.errors import EvalFileError
from pytest_agentv.evalfile.loader import load_eval_file
from pytest_agentv.evalfile.model import EvalFile

if TYPE_CHECKING:
    from eval_files import EvalFolder

GOOD = """\
name: x
vars: {a: 1, b: [x, {c: d}]}
tags: [t]
default_test: {assert: [contains: "{{ a }}"], threshold: 0.5}
assert:
  - {type: token-usage, max_total: 500}
tests:
  - id: one
    input: "Do {{ a }}"
    assert:
      - contains: "{{ b.1.c }}"
      - {type: assert-set, assert: [x, {not-regex: "a+", weight: 2}]}
      - plain text
    xfail: {reason: r, strict: true}
  - {id: two, assert: [is-json: ], skip: later}
"""
PIECES = ["{{", "}}", "- ", ": ", "[", "]", "{", "}", "\n", "\n  ", "\t", "&a ", "*a", "!x ", "'"]
PIECES += ['"', "|", ">", "#", "? ", "<<: ", "---\n", "...\n", "%YAML 1.2\n", "0x1", "1e999", "~"]
PIECES += [
    "assert: ",
    "include: ",
    "file://",
    "type: ",
    "id: ",
    "\\ud800",
    "\x00",
    "\u2028",
    "\ufeff",
]
WIDE_ROWS = ",".join(f"c{n}" for n in range(1000)) + ("\n" + "," * 999) * 500

relaxed = settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def _load(evals: EvalFolder, content: bytes) -> None:
    evals.path.write_bytes(content)
    loaded: EvalFile | EvalFileError
    try:
        loaded = load_eval_file(evals.path, root=evals.root, env={})
    except EvalFileError as exc:
        loaded = exc
    if isinstance(loaded, EvalFile):
        assert all(case.entries for case in loaded.cases)
        return
    assert loaded.problems
    assert all(problem.message.strip() for problem in loaded.problems)
    str(loaded).encode()  # half characters cannot be written


@relaxed
@given(content=st.text(max_size=200) | st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_is_an_eval_file_or_an_error(evals: EvalFolder, content: str) -> None:
    _load(evals, content.encode("utf-8", "surrogatepass"))


@relaxed
@given(content=st.binary(max_size=200))
def test_any_bytes_are_an_eval_file_or_an_error(evals: EvalFolder, content: bytes) -> None:
    _load(evals, content)


@relaxed
@given(
    start=st.integers(0, len(GOOD)),
    length=st.integers(0, 20),
    inserted=st.text(max_size=5) | st.sampled_from(PIECES),
)
def test_a_changed_eval_file_is_an_eval_file_or_an_error(
    evals: EvalFolder, start: int, length: int, inserted: str
) -> None:
    changed = GOOD[:start] + inserted + GOOD[start + length :]
    _load(evals, changed.encode("utf-8", "surrogatepass"))


@relaxed
@given(content=st.text(max_size=100), suffix=st.sampled_from(["yaml", "json", "jsonl", "csv"]))
def test_any_file_of_tests_gives_tests_or_an_error(
    evals: EvalFolder, content: str, suffix: str
) -> None:
    evals.write(f"t.{suffix}", content.encode("utf-8", "surrogatepass"))
    _load(evals, f"tests: file://t.{suffix}".encode())


def test_the_good_file_is_good(evals: EvalFolder) -> None:
    assert [len(case.entries) for case in evals.load(GOOD).cases] == [5, 3]


def test_many_problems_end_the_loading(evals: EvalFolder) -> None:
    problems = evals.problems("tests:\n" + "  - 1\n" * 100_000)
    assert len(problems) == 301
    assert problems[0] == "2:5 a test must be a mapping, not 1"
    assert "301:5 more than 300 problems; the rest of the file was not looked at" in problems


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("t.jsonl", "{}\n" * 100_001, "t.jsonl 100001:1 the file holds more than 100,000 lines"),
        ("t.csv", WIDE_ROWS, "t.csv 501:1 the file holds more than 500,000 cells"),
    ],
)
def test_a_file_of_too_many_tests_is_an_error(
    evals: EvalFolder, name: str, content: str, problem: str
) -> None:
    evals.write(name, content.encode())
    assert evals.problems(f"tests: file://{name}") == [problem]


@pytest.mark.parametrize(
    "text",
    [
        "tests:\n" + "  - file://t.yaml\n" * 7000,
        "tests: [{assert: [" + "{equals: 'file://t.yaml'}," * 70_000 + "]}]",
        "tests: [{assert: [" + "{include: ./t.yaml}," * 2000 + "]}]",
        f"tags: [{'t,' * 10_000}]\ntests: [" + "{assert: [x]}," * 1000 + "]",
        f"metadata: {{{','.join(f'k{n}: 1' for n in range(10_000))}}}\ntests: ["
        + "{assert: [x]}," * 1000
        + "]",
        "vars: {v: ["
        + "1," * 10_000
        + "]}\ntests: [{assert: ["
        + "{equals: '{{ v }}'}," * 1000
        + "]}]",
    ],
    ids=["names", "values", "includes", "tags", "metadata", "variables"],
)
def test_what_is_repeated_does_not_fill_the_memory(evals: EvalFolder, text: str) -> None:
    evals.write("t.yaml", "[" + "x," * 1000 + "]")
    assert "the file grows too large" in evals.problems(text)[-1]


@pytest.mark.parametrize(
    "text",
    [
        "tests: [{assert: [contains: '" + "{{ " * 100_000 + "']}]",
        "tests: [{assert: [contains: '{{ a" + " " * 1_000_000 + "x']}]",
        "tests: [{id: '" + "x" * 1_000_000 + "', assert: [x]}]",
        "'" + "k" * 900 + "\\e[31m': 1\ntests: [{assert: [x]}]",
    ],
    ids=["open templates", "blanks", "long id", "long key"],
)
def test_messages_are_short_whatever_they_speak_of(evals: EvalFolder, text: str) -> None:
    problems = evals.problems(text)
    assert problems
    assert all(len(problem) < 400 and problem.isprintable() for problem in problems)
