"""An eval file is a regular UTF-8 file of an ordinary size, and so is all that it names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from eval_files import with_assertion

from pytest_agentv.errors import EvalFileError
from pytest_agentv.evalfile.loader import load_eval_file

if TYPE_CHECKING:
    from pathlib import Path

    from eval_files import EvalFolder

GOOD = with_assertion("contains: x")


def _problem(path: Path, root: Path) -> str:
    with pytest.raises(EvalFileError) as caught:
        load_eval_file(path, root=root)
    [problem] = caught.value.problems
    assert problem.at.path == path
    return problem.message


def test_a_byte_order_mark_and_windows_lines_change_nothing(evals: EvalFolder) -> None:
    content = b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()
    [case] = evals.load(content).cases
    assert (case.id, case.at.line, case.entries[0].keys) == ("one", 2, {"value": "x"})


def test_utf_16_is_named(evals: EvalFolder) -> None:
    assert evals.problems(GOOD.encode("utf-16")) == ["1:1 is UTF-16; save it as UTF-8"]


def test_a_byte_that_is_no_utf_8_is_an_error_with_its_place(evals: EvalFolder) -> None:
    content = GOOD.encode().replace(b"contains: x", "contains: ü".encode() + b"\xff")
    assert evals.problems(content) == ["4:20 the byte 0xff is no UTF-8; save the file as UTF-8"]


def test_a_file_beyond_the_limit_is_an_error(evals: EvalFolder) -> None:
    limit = 5 << 20
    padding = b"#" * (limit - len(GOOD))
    assert evals.problems(GOOD.encode() + padding) == []
    assert evals.problems(GOOD.encode() + padding + b"#") == [
        "larger than 5 MiB, which is the most an eval file may have"
    ]


def test_what_is_no_regular_file_is_an_error_and_no_hang(evals: EvalFolder) -> None:
    pipe = evals.root / "pipe.eval.yaml"
    os.mkfifo(pipe)
    assert _problem(pipe, evals.root) == "is a named pipe, not a regular file"
    assert _problem(evals.root, evals.root) == "is a directory, not a regular file"
    assert _problem(evals.root / "none.yaml", evals.root) == "no such file"


@pytest.mark.parametrize(
    "reference", ["../secret.yaml", "link.yaml", "folder/../../secret.yaml", "linked/secret.yaml"]
)
def test_nothing_outside_of_the_root_is_read(
    evals: EvalFolder, tmp_path: Path, reference: str
) -> None:
    (tmp_path / "secret.yaml").write_text("secret: 1\n", encoding="utf-8")
    (evals.root / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    (evals.root / "linked").symlink_to(tmp_path)
    [problem] = evals.problems(with_assertion(f"equals: file://{reference}"))
    assert problem.startswith("4:17 ")
    assert problem.endswith(f"lies outside of {evals.root}")


@pytest.mark.parametrize(
    "tests", ["/shared/cases.yaml", "file:///shared/cases.yaml", "/shared/*.yaml"]
)
def test_a_path_that_begins_with_a_slash_begins_at_the_root(evals: EvalFolder, tests: str) -> None:
    evals.write("shared/cases.yaml", "[{id: one, assert: [contains: x]}]")
    evals.path = evals.root / "deep/er/a.eval.yaml"
    evals.path.parent.mkdir(parents=True)
    evals.path.write_text(f'tests: ["{tests}"]', encoding="utf-8")
    loaded = load_eval_file(evals.path, root=evals.root)
    assert [one.id for one in loaded.cases] == ["one"]


@pytest.mark.parametrize("folder", ["", "/"])
@pytest.mark.parametrize("name", ["cases.yaml", "*.yaml"])
def test_a_name_that_no_file_can_have_is_a_problem_of_the_file(
    evals: EvalFolder, folder: str, name: str
) -> None:
    [problem] = evals.problems(f"tests: ['{folder}{'a' * 300}/{name}']")
    assert problem.startswith("1:9 ")


def test_an_absolute_path_and_a_wildcard_outside_of_the_root_are_refused(
    evals: EvalFolder, tmp_path: Path
) -> None:
    [problem] = evals.problems(with_assertion("equals: file:///etc/passwd"))
    assert "'/etc/passwd' lies outside of" in problem
    [problem] = evals.problems("tests: ['file:///**/*.yaml']")
    assert "'/' lies outside of" in problem
    [problem] = evals.problems(f"tests: ['file://{tmp_path}/*.yaml']")
    assert "lies outside of" in problem
    assert evals.problems("tests: ['file://*/../../*.yaml']") == [
        "1:9 no '..' after a wildcard: 'file://*/../../*.yaml'"
    ]


def test_files_that_are_named_must_be_there_and_be_files(evals: EvalFolder) -> None:
    os.mkfifo(evals.root / "pipe.json")
    (evals.root / "loop.json").symlink_to("loop.json")
    assert evals.problems(with_assertion("equals: file://none.json")) == [
        "4:17 no such file: 'file://none.json'"
    ]
    assert evals.problems(with_assertion("equals: file://pipe.json")) == [
        "pipe.json is a named pipe, not a regular file"
    ]
    for name in ("loop.json", "a\\0b.json"):
        [problem] = evals.problems(with_assertion(f'equals: "file://{name}"'))
        assert problem.startswith("4:17 not a path: '")
    assert evals.problems("tests: 'file://[.yaml'") == ["1:8 no file matches 'file://[.yaml'"]


def test_a_value_may_stand_in_a_file_of_its_own(evals: EvalFolder) -> None:
    evals.write("data/plan.json", '{"steps": [1, "\\ud83d\\ude00 \\ud800"]}')
    evals.write("data/plan.yml", "steps: [1, two]\n")
    evals.write("data/plan.md", "# Plan {{ x }}\n")
    entries = evals.case(
        """\
        vars: {name: plan}
        tests:
          - assert:
              - equals: file://data/plan.json
              - {type: json-schema, schema: "file://data/{{ name }}.yml"}
              - {type: similar, value: file://data/plan.md}
              - {type: other, prompt: file://data/plan.md}
        """
    ).entries
    assert [entry.keys for entry in entries] == [
        {"value": {"steps": [1, "😀 \ufffd"]}},
        {"schema": {"steps": [1, "two"]}},
        {"value": "# Plan {{ x }}\n"},
        {"prompt": "file://data/plan.md"},
    ]


def test_the_value_of_a_variable_names_no_file(evals: EvalFolder) -> None:
    evals.write("secret.txt", "secret")
    text = "vars: {v: 'file://secret.txt'}\n" + with_assertion("equals: '{{ v }}'")
    assert evals.case(text).entries[0].keys == {"value": "file://secret.txt"}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"a": 1, "a": 2}', "1:1 no valid JSON: the key 'a' stands there twice"),
        ('{"a": NaN}', "1:1 no valid JSON: NaN is no number"),
        ('{"a": 1e999}', "1:1 no valid JSON: '1e999' is too large for a number"),
        ('{"a": ' + "1" * 5000 + "}",
         f"1:1 no valid JSON: '{'1' * 60}…' is too large for a number"),
        ('{\n"a": }', "2:6 no valid JSON: Expecting value"),
        ("[" * 100_000, "1:1 nested deeper than 50 levels"),
        ("[" * 51 + "]" * 51, "1:1 nested deeper than 50 levels"),
    ],
)  # fmt: skip
def test_bad_json_is_an_error_in_its_own_file(
    evals: EvalFolder, content: str, problem: str
) -> None:
    evals.write("x.json", content)
    assert evals.problems(with_assertion("equals: file://x.json")) == [f"x.json {problem}"]
