"""Text of sessions in an eval file: it reads back as it was, and does nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from eval_files import EvalFolder
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pytest_agentv.drafting.yamltext import entry_lines, flow, literal, scalar, text_lines
from pytest_agentv.report.clean import clean

if TYPE_CHECKING:
    from pathlib import Path

_ODD = (
    "{{ env.HOME }}", "{{{", "${{ x }}", "{{", "}}", "{{ '{{' }}", "no", "~", "1_000", "0x1f",
    "2026-01-01", "- a", "a: b", "a #b", "##vso[task]", "###[x]", "::error::", "&a", "*a", "!x",
    "\x00\x1b[31m\x85\u2028\ufeff\ufffe", "\U0001f600", "a\r\nb", "'\"\\", "", " ", "\ud800",
    "%", "@",
)  # fmt: skip
texts = st.text(max_size=40) | st.lists(st.sampled_from(_ODD), max_size=3).map("".join)
whole_texts = texts.map(lambda text: text.encode(errors="replace").decode())
law = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def evals(tmp_path: Path) -> EvalFolder:
    return EvalFolder(tmp_path)


@law
@given(text=whole_texts, key=whole_texts)
def test_any_text_reads_back_as_it_was(text: str, key: str, evals: EvalFolder) -> None:
    written = flow({"a": literal(text), "b": [literal(text), {key or "c": literal(text)}]})

    case = evals.case(f"tests:\n  - {{input: {written}, assert: [{{contains: x}}]}}\n")

    assert case.input == {"a": text, "b": [text, {key or "c": text}]}


@law
@given(
    text=whole_texts | st.lists(whole_texts | st.sampled_from(["a", "  b", "- c"])).map("\n".join)
)
@example(text="a\n\n  b\n   \nc")
def test_a_text_of_several_lines_reads_back_as_it_was(text: str, evals: EvalFolder) -> None:
    lines = "\n    ".join(text_lines("input", literal(text)))

    content = f"tests:\n  - id: one\n    {lines}\n    assert: [{{contains: x}}]\n"
    [case] = evals.load(content.encode()).cases

    assert case.input == text
    assert clean(lines) == lines


def test_lines_that_can_stand_as_they_are_do() -> None:
    assert [*text_lines("input", "Fix it:\n\n- a")] == ["input: |-", "  Fix it:", "", "  - a"]


@law
@given(text=texts)
@example(text="#" * 9)
def test_a_written_text_is_one_harmless_line(text: str) -> None:
    written = f"- {scalar(text)}"

    assert written.isprintable()
    assert clean(written) == written


@law
@given(value=st.integers(-(2**62), 2**62) | st.floats(allow_nan=False, allow_infinity=False))
def test_any_number_reads_back_as_it_was(value: float, evals: EvalFolder) -> None:
    case = evals.case(f"tests:\n  - {{input: {scalar(value)}, assert: [{{contains: x}}]}}\n")

    assert case.input == value


@pytest.mark.parametrize(
    ("entry", "lines"),
    [
        ({"contains": "Retry-After"}, ["- contains: Retry-After"]),
        ({"not-command-run": "rm -rf *"}, ['- not-command-run: "rm -rf *"']),
        ({"type": "latency", "max_ms": 90}, ["- {type: latency, max_ms: 90}"]),
        (
            {"type": "files-changed", "value": ["src/a.js", "[*].md"]},
            ["- type: files-changed", "  value:", "    - src/a.js", '    - "[*].md"'],
        ),
    ],
)
def test_entries_are_written_as_people_write_them(entry: dict[str, Any], lines: list[str]) -> None:
    assert [*entry_lines(entry)] == lines
