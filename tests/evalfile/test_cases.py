"""Tests become cases: with what they inherit, and with every problem of the file at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_files import types_of

from pytest_agentv.evalfile.model import Xfail

if TYPE_CHECKING:
    from eval_files import EvalFolder


def _with_key(key: str) -> str:
    """An eval file whose test has one more key, on line 3."""
    return f"tests:\n  - assert: [contains: x]\n    {key}\n"


def test_a_file_gives_all_that_it_says(evals: EvalFolder) -> None:
    loaded = evals.load(
        """\
        $schema: https://example.com/eval.json
        name: jwt
        description: JWT work
        version: "1.0"
        category: auth
        tags: [auth, slow]
        metadata: {team: a, size: 1}
        transcript: sessions/*.jsonl
        targets: [claude]
        tests:
          - id: adds-jwt
            description: Adds it
            input: Add JWT
            expected_output: {a: [1, 2]}
            criteria: It works
            metadata: {size: 2}
            tags: [slow, web/api]
            transcript: [a.jsonl, b.jsonl]
            cost_usd: 0.25
            threshold: 0.5
            skip: not yet
            xfail: {reason: known, strict: true}
            assert:
              - contains: x
          - assert: [contains: z]
        """
    )
    assert (loaded.path, loaded.name, loaded.description, loaded.transcript) == (
        evals.path, "jwt", "JWT work", ("sessions/*.jsonl",),
    )  # fmt: skip
    first, second = loaded.cases
    assert (first.id, first.at.line, first.at.column) == ("adds-jwt", 11, 5)
    assert (first.description, first.input, first.criteria) == ("Adds it", "Add JWT", "It works")
    assert first.expected_output == {"a": [1, 2]}
    assert first.metadata == {"team": "a", "size": 2}
    assert first.tags == ("auth", "slow", "web/api")
    assert first.transcript == ("a.jsonl", "b.jsonl")
    assert (first.cost_usd, first.threshold, first.skip) == (0.25, 0.5, "not yet")
    assert first.xfail == Xfail("known", strict=True)
    assert (second.id, second.tags, second.threshold) == ("test-2", ("auth", "slow"), None)
    assert (second.skip, second.xfail, second.transcript) == (None, None, ())


def test_assertions_come_from_the_test_then_its_defaults_then_the_file(evals: EvalFolder) -> None:
    inheriting, alone = evals.load(
        """\
        assert: [{type: of-file}]
        default_test:
          assert: [{type: of-default}]
        tests:
          - assert: [{type: own}]
          - assert: [{type: own}]
            execution: {skip_defaults: true, workers: 4}
        """
    ).cases
    assert types_of(inheriting) == ["own", "of-default", "of-file"]
    assert types_of(alone) == ["own"]
    assert inheriting.entries[2].at.line == 1


def test_a_test_may_have_inherited_assertions_only(evals: EvalFolder) -> None:
    assert types_of(evals.case("assert: [{type: of-file}]\ntests: [{id: a}]")) == ["of-file"]


def test_the_nearest_threshold_and_variables_win(evals: EvalFolder) -> None:
    one, two = evals.load(
        """\
        threshold: 0.1
        vars: {a: file, b: file, c: file}
        default_test:
          threshold: 0.2
          cost_usd: 3
          tags: [t]
          metadata: {m: "{{ a }}"}
          vars: {b: default, c: default}
        tests:
          - assert: ["{{ a }} {{ b }} {{ c }}"]
            vars: {c: test}
            threshold: 0.3
          - assert: ["{{ a }} {{ b }} {{ vars.c }}"]
        """
    ).cases
    assert one.entries[0].keys == {"value": "file default test"}
    assert two.entries[0].keys == {"value": "file default default"}
    assert (one.threshold, two.threshold) == (0.3, 0.2)
    assert (one.cost_usd, one.tags, one.metadata) == (3.0, ("t",), {"m": "file"})
    assert evals.case("threshold: 0.1\ntests: [{assert: [x]}]").threshold == 0.1


def test_default_test_may_stand_in_a_file_of_its_own(evals: EvalFolder) -> None:
    evals.write("shared/defaults.yaml", "assert: [{type: shared}]\nthreshold: 2\n")
    text = "default_test: file://shared/defaults.yaml\ntests: [{assert: [x]}]"
    assert evals.problems(text) == ["defaults.yaml 2:12 `threshold` must be at most 1, not 2"]
    evals.write("shared/defaults.yaml", "assert: [{type: shared}]\n")
    assert types_of(evals.case(text)) == ["llm-rubric", "shared"]
    assert evals.problems("default_test: defaults.yaml\ntests: [{assert: [x]}]") == [
        "1:15 `default_test` must be a mapping, not 'defaults.yaml'"
    ]


@pytest.mark.parametrize("key", ["tests", "eval_cases", "evalcases"])
@pytest.mark.parametrize("assertions", ["assert", "assertions", "evaluators"])
def test_other_names_of_keys_are_known(evals: EvalFolder, key: str, assertions: str) -> None:
    case = evals.case(f"{key}: [{{{assertions}: [x], expected_outcome: good}}]")
    assert (types_of(case), case.criteria) == (["llm-rubric"], "good")


def test_what_execution_says_about_grading_is_honoured(evals: EvalFolder) -> None:
    case = evals.case(
        """\
        execution: {threshold: 0.7, target: x}
        tests:
          - execution: {evaluators: [contains: x]}
        """
    )
    assert (types_of(case), case.threshold) == (["contains"], 0.7)
    assert evals.problems(
        """\
        tests:
          - assert: [x]
            execution: {assertions: [z], threshold: high}
        """
    ) == [
        "3:29 `assert` stands in the test and in `execution`, too; keep one",
        "3:45 `threshold` must be a number, not 'high'",
    ]


def test_every_problem_is_told_at_once_with_its_place(evals: EvalFolder) -> None:
    assert evals.problems(
        """\
        treshold: 0.5
        tests:
          - id: 42
            descripton: x
            threshold: "0.5"
            assert:
              - contains: NO
              - {type: regex, value: x, weight: -1}
          - id: b
          - 5
        """
    ) == [
        "1:1 unknown key 'treshold'; did you mean 'threshold'?",
        "3:9 `id` must be a text, not 42; quote it",
        "4:5 unknown key 'descripton'; did you mean 'description'?",
        "5:16 `threshold` must be a number, not '0.5'",
        "7:19 quote it: 'NO' may be read as a boolean",
        "8:41 `weight` must be at least 0, not -1",
        "9:5 the test has no assertion: there is nothing to grade",
        "10:5 a test must be a mapping, not 5",
    ]


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        ("description: 3.10", "18 `description` must be a text, not 3.10; quote it"),
        ("description: true", "18 `description` must be a text, not true; quote it"),
        ("description:", "17 `description` is empty: give it a value, or leave it out"),
        ("threshold: 0", "16 `threshold` must be greater than 0, not 0"),
        ("threshold: 1.5", "16 `threshold` must be at most 1, not 1.5"),
        ("cost_usd: -1", "15 `cost_usd` must be at least 0, not -1"),
        ("metadata: x", "15 `metadata` must be a mapping, not 'x'"),
        ("vars: [a]", "11 `vars` must be a mapping, not a list"),
        ("vars: {env: 1}", "12 a variable cannot be called 'env'"),
        ("skip: 1", "11 `skip` must be true or false or a text, not 1; quote it"),
        ("skip: ''", "11 `skip` is empty"),
        ("xfail: {reson: x}", "20 unknown key 'reson'; did you mean 'reason'?"),
        ("xfail: [x]", "12 `xfail` must be true or false or a text or a mapping, not a list"),
        ("tags: x", "11 `tags` must be a list, not 'x'"),
        ("tags: [1]", "12 `tags[0]` must be a text, not 1; quote it"),
        ("tags: [ok, 1st]",
         "16 `tags[1]` '1st' is no tag: a letter, then letters, digits and any of _ . + / -"),
        ("tags: [xfail]",
         "12 `tags[0]` cannot be 'xfail', a mark of pytest's own; write `xfail: true` or a reason"),
        ("transcript: [a, 2]", "21 `transcript[1]` must be a text, not 2; quote it"),
        ("transcript: []", "17 `transcript` is empty: give it a value, or leave it out"),
        ("transcript: 2", "17 `transcript` must be a text or a list, not 2; quote it"),
        ("gate: {pass_rate: 0}", "23 `gate.pass_rate` must be greater than 0, not 0"),
        ("gate: 80", "11 `gate` must be at most 1, not 80"),
        ("gate: {pass_rate: 1, k: 3}", "29 unknown key 'k'; known: pass_rate"),
        ("gate: true", "11 `gate` must be a number or a mapping, not true"),
        ("assertions: [x]", "5 `assert` and `assertions` mean the same; keep one"),
        ("execution: x", "16 `execution` must be a mapping, not 'x'"),
    ],
)  # fmt: skip
def test_a_bad_value_is_an_error_that_says_what_would_be_right(
    evals: EvalFolder, key: str, problem: str
) -> None:
    assert evals.problems(_with_key(key)) == [f"3:{problem}"]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", "skipped by its eval file"),
        ("false", None),
        ("later", "later"),
    ],
)
def test_skip_is_a_flag_or_a_reason(evals: EvalFolder, written: str, value: str | None) -> None:
    assert evals.case(_with_key(f"skip: {written}")).skip == value


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", Xfail("")),
        ("false", None),
        ("bug 7", Xfail("bug 7")),
        ("{strict: false}", Xfail("", strict=False)),
    ],
)
def test_xfail_is_a_flag_or_a_reason_or_both(
    evals: EvalFolder, written: str, value: Xfail | None
) -> None:
    assert evals.case(_with_key(f"xfail: {written}")).xfail == value


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("''", "'' is empty"),
        ("a b", "'a b' has spaces; write 'a-b'"),
        ("' a'", "' a' starts or ends with a blank"),
        ("a::b", "'a::b' has '::', which divides the names of pytest; write ':' or '-'"),
        ("'a[b'", "'a[b' has brackets, which name the transcript; write ( and )"),
        ('"a\\nb"', r"'a\nb' has characters that cannot be printed"),
        ('"a\\0b"', r"'a\x00b' has characters that cannot be printed"),
        ('"\\e[31m"', r"'\x1b[31m' has characters that cannot be printed"),
        ("'{{x}}'", "'{{x}}' cannot have a template: it must be the same in every run"),
        ("x" * 101, f"'{'x' * 60}…' is longer than 100 characters"),
    ],
)
def test_an_id_fits_into_the_names_of_pytest(evals: EvalFolder, name: str, problem: str) -> None:
    assert evals.problems(f"tests:\n  - id: {name}\n    assert: [x]\n") == [f"2:9 `id` {problem}"]


@pytest.mark.parametrize("name", ["x" * 100, "größe", "a:b", "A.1/2(3)", "日本"])
def test_a_good_id_is_kept_as_it_is(evals: EvalFolder, name: str) -> None:
    assert evals.case(f"tests: [{{id: '{name}', assert: [x]}}]").id == name


def test_ids_are_unique(evals: EvalFolder) -> None:
    assert evals.problems(
        """\
        tests:
          - {id: a, assert: [x]}
          - {id: test-3, assert: [x]}
          - {assert: [x]}
          - {id: a, assert: [x]}
        """
    ) == [
        "4:5 the id 'test-3' is taken by another test, on line 3",
        "5:10 the id 'a' is taken by another test, on line 2",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name: x\n", "1:1 `tests` is missing"),
        ("tests: []\n", "1:8 `tests` is empty: there is nothing to grade"),
        ("tests:\n", "1:7 `tests` is empty: give it a value, or leave it out"),
        ("tests: {a: 1}\n", "1:8 `tests` must be a list, not a mapping"),
        ("tests: [{assert: []}]", "1:9 the test has no assertion: there is nothing to grade"),
        ("tests: [{assert: x}]", "1:18 `assert` must be a list, not 'x'"),
        ("assert: x\ntests: [{assert: [x]}]", "1:9 `assert` must be a list, not 'x'"),
        ("- a\n", "1:1 an eval file must be a mapping, not a list"),
        ("just text\n", "1:1 an eval file must be a mapping, not 'just text'"),
    ],
)
def test_a_file_without_anything_to_grade_is_an_error(
    evals: EvalFolder, text: str, problem: str
) -> None:
    assert problem in evals.problems(text)


def test_keys_that_steer_live_runs_are_ignored(evals: EvalFolder) -> None:
    ignored = [
        "$schema", "target", "targets", "providers", "prompts", "workspace", "environment",
        "trials", "evaluate_options", "env", "extensions",
    ]  # fmt: skip
    lines = "".join(f"{key}: {{any: thing}}\n" for key in ignored)
    assert types_of(evals.case(f"{lines}tests: [{{assert: [x], target: z}}]")) == ["llm-rubric"]
