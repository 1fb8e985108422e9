"""Tests and assertions in other files: YAML, JSON lines, CSV, templates to include."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from eval_files import with_assertion

from pytest_agentv.evalfile.loader import load_eval_file

if TYPE_CHECKING:
    from eval_files import EvalFolder

    from pytest_agentv.evalfile.model import EvalFile


def _ids(loaded: EvalFile) -> list[str]:
    return [case.id for case in loaded.cases]


@pytest.mark.parametrize("reference", ["more/tests.yaml", "file://more/tests.yaml"])
@pytest.mark.parametrize(
    "content",
    [
        "- {id: a, assert: [x]}\n- {id: b, assert: [x]}\n",
        "description: d\ntests:\n- {id: a, assert: [x]}\n- {id: b, assert: [x]}\n",
    ],
)
def test_tests_may_stand_in_a_yaml_file(evals: EvalFolder, reference: str, content: str) -> None:
    path = evals.write("more/tests.yaml", content)
    loaded = evals.load(f"tests: {reference}")
    assert _ids(loaded) == ["a", "b"]
    assert loaded.cases[0].at.path == path


def test_problems_in_another_file_have_its_place(evals: EvalFolder) -> None:
    evals.write("t.yaml", "- id: a\n  assert: [x]\n  thresold: 1\n- id: a\n  assert: [NO]\n")
    evals.write("u.yaml", "nmae: x\ntests: []\n")
    evals.write("v.yaml", "a: [\n")
    assert evals.problems(
        """\
        tests:
          - {id: a, assert: [x]}
          - file://t.yaml
          - file://u.yaml
          - file://v.yaml
        """
    ) == [
        f"t.yaml 1:7 the id 'a' is taken by another test, on {evals.path}:2:10",
        "t.yaml 3:3 unknown key 'thresold'; did you mean 'threshold'?",
        f"t.yaml 4:7 the id 'a' is taken by another test, on {evals.path}:2:10",
        "t.yaml 5:12 quote it: 'NO' may be read as a boolean",
        "u.yaml 1:1 unknown key 'nmae'; did you mean 'name'?",
        "v.yaml 2:1 no valid YAML: did not find expected node content",
    ]


def test_files_of_a_pattern_come_in_place_and_in_order(evals: EvalFolder) -> None:
    evals.write("cases/b.yaml", "id: b\nassert: [x]\n")
    evals.write("cases/a.yaml", "[{id: a, assert: [x]}]\n")
    evals.write("cases/deep/c.json", '[{"id": "c", "assert": ["x"]}]')
    loaded = evals.load(
        """\
        tests:
          - {id: first, assert: [x]}
          - file://cases/*.yaml
          - {assert: [x]}
          - file://cases/**/*.json
        """
    )
    assert _ids(loaded) == ["first", "a", "b", "test-4", "c"]


@pytest.mark.parametrize(
    ("reference", "problem"),
    [
        ("file://none/*.yaml", "no file matches 'file://none/*.yaml'"),
        ("file://none.yaml", "no such file: 'file://none.yaml'"),
        ("file://a.txt", "'a.txt' is no file of tests: .csv, .json, .jsonl, .yaml, .yml"),
        ("a.yaml", "no such file: 'a.yaml'"),
    ],
)
def test_a_name_without_a_file_of_tests_is_an_error(
    evals: EvalFolder, reference: str, problem: str
) -> None:
    evals.write("a.txt", "x")
    assert evals.problems(f"tests:\n  - '{reference}'\n") == [f"2:5 {problem}"]


@pytest.mark.parametrize("name", ["make.py", "make.py:tests", "make.mjs:tests", "make.ts"])
def test_a_program_makes_no_tests(evals: EvalFolder, name: str) -> None:
    evals.write(name.partition(":")[0], "")
    [problem] = evals.problems(f"tests: file://{name}")
    assert problem.startswith(f"1:8 'file://{name}': code in eval files is not run: write the")


def test_a_file_of_tests_names_no_other_files(evals: EvalFolder) -> None:
    evals.write("a.yaml", "- file://a.yaml\n")
    [problem] = evals.problems("tests: file://a.yaml")
    assert problem == "a.yaml 1:3 a test must be a mapping, not 'file://a.yaml'"


@pytest.mark.parametrize("text", ["tests:\n", "name: shop\ntests: null\n", "eval_cases:\n"])
def test_a_file_of_tests_that_holds_none_is_an_error(evals: EvalFolder, text: str) -> None:
    evals.write("a.yaml", text)
    [problem] = evals.problems("tests: file://a.yaml")
    assert problem.startswith("a.yaml ")
    assert "is empty" in problem


def test_json_lines_hold_a_test_each(evals: EvalFolder) -> None:
    evals.write(
        "t.jsonl", '{"id": "a", "assert": ["x"]}\r\n\n{"assert": [{"contains": "\\u00e9"}]}'
    )
    loaded = evals.load("tests: file://t.jsonl")
    assert _ids(loaded) == ["a", "test-2"]
    assert [case.at.line for case in loaded.cases] == [1, 3]
    assert loaded.cases[1].entries[0].keys == {"value": "é"}


def test_bad_json_lines_are_all_told(evals: EvalFolder) -> None:
    evals.write("t.jsonl", '{"id": 1, "assert": ["x"]}\n{"id": }\n[]\n')
    assert evals.problems("tests: file://t.jsonl") == [
        "t.jsonl 1:1 `id` must be a text, not 1; quote it",
        "t.jsonl 2:8 no valid JSON: Expecting value",
        "t.jsonl 3:1 a test must be a mapping, not a list",
    ]


def test_rows_of_a_csv_file_are_tests(evals: EvalFolder) -> None:
    evals.write(
        "t.csv",
        "\ufeffid,city,vars.a.b,__expected,__expected2,__metric,__threshold,__description,"
        "__metadata:k,__metadata:l[],__config:__expected2:threshold,__prefix\n"
        'a,Paris,deep,{{ city }},"contains-any: x, y",m,0.5,About,v,"p, q",0.9,\n'
        '\n,"two\nlines",,not-icontains: {{ city }},similar(0.8):y,,,,,,,\n',
    )
    first, second = evals.load("tests: file://t.csv").cases
    assert (first.id, first.at.line, first.description) == ("a", 2, "About")
    assert (first.threshold, first.metadata) == (0.5, {"k": "v", "l": ["p", "q"]})
    assert [(entry.type, entry.keys, entry.metric) for entry in first.entries] == [
        ("equals", {"value": "Paris"}, "m"),
        ("contains-any", {"value": ["x", "y"], "threshold": 0.9}, "m"),
    ]
    assert (second.id, second.at.line, second.threshold) == ("test-2", 4, None)
    assert [(entry.type, entry.negated, entry.keys) for entry in second.entries] == [
        ("icontains", True, {"value": "two\nlines"}),
        ("similar", False, {"value": "y", "threshold": 0.8}),
    ]


@pytest.mark.parametrize(
    ("cell", "kind", "keys"),
    [
        ("is-json", "is-json", {}),
        ("latency(5000)", "latency", {"threshold": 5000}),
        ("contains:a:b", "contains", {"value": "a:b"}),
        ("https://example.com", "equals", {"value": "https://example.com"}),
        ("Note: contains:x", "equals", {"value": "Note: contains:x"}),
        ("regex: ^a(b)$", "regex", {"value": "^a(b)$"}),
    ],
)
def test_a_cell_may_name_a_type(
    evals: EvalFolder, cell: str, kind: str, keys: dict[str, Any]
) -> None:
    evals.write("t.csv", f"__expected\n{cell}\n")
    [entry] = evals.case("tests: file://t.csv").entries
    assert (entry.type, entry.keys) == (kind, keys)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "1:1 the file is empty; its first line names the columns"),
        ("a,a\n1,2\n", "1:1 the column 'a' stands there twice"),
        ("a,\n1,2\n", "1:1 a column has no name"),
        ("__expcted\nx\n", "1:1 unknown column '__expcted'; did you mean '__expected'?"),
        ("a,__expected\nx\n", "2:1 the row has 1 cells, but the file has 2 columns"),
        ("__expected,__threshold\nx,high\n", "2:1 `__threshold` must be a number, not 'high'"),
        ("__expected,__threshold\nx,nan\n", "2:1 `__threshold` must be a number, not 'nan'"),
        ("__expected\nsimilar(x):y\n", "2:1 `__expected` must be a number, not 'x'"),
        ('__expected\n"x\n', "2:1 no valid CSV: unexpected end of data"),
        ("__expected\n\n", None),
        ("vars.a,vars.a.b,__expected\n1,2,x\n",
         "2:1 the column 'vars.a.b' and another one are for the same variable"),
        ("a\n1\n", "2:1 the test has no assertion: there is nothing to grade"),
    ],
)  # fmt: skip
def test_a_malformed_csv_file_is_an_error(
    evals: EvalFolder, content: str, problem: str | None
) -> None:
    evals.write("t.csv", content)
    expected = f"t.csv {problem}" if problem else "1:8 `tests` is empty: there is nothing to grade"
    assert evals.problems("tests: file://t.csv") == [expected]


def test_a_template_is_found_from_the_folder_upwards(evals: EvalFolder) -> None:
    evals.path = evals.root / "evals" / "a.eval.yaml"
    evals.path.parent.mkdir()
    far = evals.write(".agentv/templates/safe.yaml", "assert: [{type: far}]\n")
    text = with_assertion("include: safe")
    evals.write("evals/a.eval.yaml", text)
    [entry] = _loaded(evals).cases[0].entries
    assert (entry.type, entry.at.path) == ("far", far)
    evals.write("evals/.agentv/templates/safe.yml", "assertions: [{type: near}]\n")
    assert _loaded(evals).cases[0].entries[0].type == "near"


def _loaded(evals: EvalFolder) -> EvalFile:
    return load_eval_file(evals.path, root=evals.root)


def test_includes_by_path_nest_and_are_filled_in(evals: EvalFolder) -> None:
    evals.write("shared/one.yaml", "assert:\n- {type: one}\n- include: sub/two.yaml\n")
    evals.write("shared/sub/two.yaml", "- contains: '{{ v }}'\n")
    entries = evals.case(
        """\
        vars: {v: inner}
        assert: [include: shared/one.yaml]
        tests:
          - assert: [{type: s, assert: [include: ./shared/sub/two.yaml]}]
        """
    ).entries
    assert [entry.type for entry in entries] == ["s", "one", "contains"]
    [member] = entries[0].members or ()
    assert (member.keys, entries[2].keys) == ({"value": "inner"}, {"value": "inner"})


def test_a_cycle_of_includes_is_an_error_that_names_it(evals: EvalFolder) -> None:
    evals.write("a.yaml", "- include: ./b.yaml\n")
    evals.write("b.yaml", "- include: ./a.yaml\n")
    assert evals.problems(with_assertion("include: ./a.yaml")) == [
        "b.yaml 1:12 files include each other: a.eval.yaml → a.yaml → b.yaml → a.yaml"
    ]


def test_includes_nest_three_files_deep(evals: EvalFolder) -> None:
    for number in range(1, 4):
        evals.write(f"{number}.yaml", f"- include: ./{number + 1}.yaml\n")
    evals.write("4.yaml", "- x\n")
    chain = "a.eval.yaml → 1.yaml → 2.yaml → 3.yaml → 4.yaml"
    assert evals.problems(with_assertion("include: ./1.yaml")) == [
        f"3.yaml 1:12 includes are nested deeper than 3 files: {chain}"
    ]
    evals.write("3.yaml", "- x\n")
    assert evals.entry("include: ./1.yaml").type == "llm-rubric"


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("{include: a, weight: 1}", "4:9 `include` stands alone in its entry"),
        ("include: 5", "4:18 `include` must be the name of a template or a path, not 5"),
        ("include: ./none.yaml", "4:18 no such file: './none.yaml'"),
        ("include: ./bad.yaml", "bad.yaml 1:1 a file to include needs a list `assert`"),
        ("include: ./odd.yaml", "odd.yaml 1:1 unknown key 'asert'; did you mean 'assert'?"),
    ],
)
def test_a_malformed_include_is_an_error(evals: EvalFolder, written: str, problem: str) -> None:
    evals.write("bad.yaml", "description: x\n")
    evals.write("odd.yaml", "asert: [x]\n")
    assert problem in evals.problems(with_assertion(written))


def test_a_template_that_is_not_there_is_an_error(evals: EvalFolder) -> None:
    [problem] = evals.problems(with_assertion("include: safe"))
    assert problem.startswith("4:18 no template 'safe'; looked for .agentv/templates/safe.yaml")
