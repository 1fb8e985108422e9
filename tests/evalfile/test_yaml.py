"""YAML is read strictly: what readers disagree on is an error, and nothing can blow up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml
from eval_files import with_assertion

from pytest_agentv.evalfile import yamltext
from pytest_agentv.evalfile.scalars import plain_scalar

if TYPE_CHECKING:
    from eval_files import EvalFolder


def test_a_duplicate_key_is_an_error_with_its_line(evals: EvalFolder) -> None:
    assert evals.problems(
        """\
        tests:
          - id: a
            assert: [x]
            id: b
        """
    ) == ["4:5 the key 'id' stands here twice; first on line 2"]


@pytest.mark.parametrize(
    ("written", "reading"),
    [
        ("NO", "a boolean"),
        ("yes", "a boolean"),
        ("On", "a boolean"),
        ("y", "a boolean"),
        ("017", "an octal number"),
        ("08", "an octal number"),
        ("0o17", "an octal number"),
        ("0x1F", "a hexadecimal number"),
        ("0b1", "a binary number"),
        ("1:30", "a number of seconds"),
        ("1_000", "a number"),
        (".inf", "a number that is not finite"),
        (".NaN", "a number that is not finite"),
        ("=", "a sign with a meaning of its own"),
    ],
)
def test_what_yaml_1_1_reads_otherwise_must_be_quoted(
    evals: EvalFolder, written: str, reading: str
) -> None:
    [problem] = evals.problems(with_assertion(f"equals: {written}"))
    assert problem == f"4:17 quote it: {written!r} may be read as {reading}"
    assert evals.entry(f"equals: '{written}'").keys == {"value": written}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", True),
        ("False", False),
        ("42", 42),
        ("-7", -7),
        ("+5", 5),
        ("3.10", 3.1),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("~", None),
        ("null", None),
        ("", None),
        ("1.2.3", "1.2.3"),
        # What AgentV's examples have without quotes; there is no date in data.
        ("2026-03-29", "2026-03-29"),
        ("2026-03-29 10:00:00", "2026-03-29 10:00:00"),
        ("2026-03-29T10:00:00Z", "2026-03-29T10:00:00Z"),
        ("tRUE", "tRUE"),
        ("nothing", "nothing"),
        ("-x", "-x"),
        ("9223372036854775807", 9223372036854775807),
    ],
)
def test_values_that_everybody_reads_alike_have_their_types(
    evals: EvalFolder, written: str, value: Any
) -> None:
    [entry] = evals.case(with_assertion(f"{{type: t, some: {written}}}")).entries
    assert entry.keys["some"] == value
    assert isinstance(entry.keys["some"], type(value))


@pytest.mark.parametrize(
    "written", ["1" + "_" * 1_000_000 + "x", "1_" + "_." * 500_000 + "e+x", "1" * 1_000_000 + ":x"]
)
def test_what_begins_as_a_number_is_read_in_time(written: str) -> None:
    # What is quadratic would take hours here.
    assert plain_scalar(written) == written


@pytest.mark.parametrize("written", ["9223372036854775808", "1e400", "1" * 5000])
def test_numbers_that_no_machine_holds_are_errors(evals: EvalFolder, written: str) -> None:
    [problem] = evals.problems(with_assertion(f"equals: {written}"))
    assert problem.startswith("4:17 '1" if written[0] == "1" else "4:17 '9")
    assert problem.endswith("is too large for a number; quote it if it is a text")


@pytest.mark.parametrize(
    ("key", "shown"), [("+1", "+1"), ("true", "true"), ("3.10", "3.10"), ("~", "null")]
)
def test_a_key_that_is_no_text_is_an_error(evals: EvalFolder, key: str, shown: str) -> None:
    problems = evals.problems(with_assertion(f"equals: {{{key}: x}}"))
    assert problems == [f"4:18 a key must be a text, not {shown}; quote it"]


def test_a_whole_number_as_a_key_is_a_text(evals: EvalFolder) -> None:
    entry = evals.entry("llm-rubric: [{outcome: Is polite, score_ranges: {0: rude, 10: polite}}]")
    [item] = entry.keys["value"]
    assert item["score_ranges"] == {"0": "rude", "10": "polite"}


def test_short_words_are_good_keys(evals: EvalFolder) -> None:
    assert evals.entry("equals: {x: 1, y: 2, on: 3}").keys["value"] == {"x": 1, "y": 2, "on": 3}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "a: &x 1\n",
            "1:4 no alias *x stands for the anchor; quote a text that starts with &: '&x'",
        ),
        (
            "a: &x {b: 1}\n",
            "1:4 no alias *x stands for the anchor; quote a text that starts with &",
        ),
        ("a: *x\n", "1:4 no anchor &x stands before this; quote a text that starts with *: '*x'"),
        ("a: &x {b: *x}\n", "1:11 no anchor &x stands before this; quote a text that starts"),
        (
            "&x a: 1\nb: *x\n",
            "1:1 a key has no anchor and no alias; quote a text that starts with &",
        ),
        (
            "a: &x b\n*x : 1\n",
            "2:1 a key has no anchor and no alias; quote a text that starts with *",
        ),
        ("a: {<<: 1}\n", "1:9 `<<` takes a mapping or several, not 1; quote it if it is a key of"),
        ("a: {<<: [{b: 1}, 2]}\n", "1:9 `<<` takes a mapping or several, not a list; quote it"),
        ("a: !!python/name:os.system x\n", "1:4 tags are not allowed: 'tag:yaml.org,2002:python"),
        ("a: !x [1]\n", "1:4 tags are not allowed: '!x'; quote a text that starts with !"),
        ("a: 1\n---\nb: 2\n", "2:1 a second document starts here; a file holds one"),
        ("? [a]\n: 1\n", "1:3 a key must be a text, not a mapping or a list"),
        ("", "1:1 the file is empty"),
        ("# only a comment\n", "1:1 the file is empty"),
        ("a: [1\n", "2:1 no valid YAML: did not find expected ',' or ']'"),
        ("a: b: c\n", "1:5 no valid YAML: mapping values are not allowed in this context; a text"),
        ("a: '\x1b'\n", "1:5 the character U+001B is not allowed here; a quoted text may say it"),
        ("a:\n\tb: 1\n", "2:1 no valid YAML: found character that cannot start any token; a tab"),
    ],
)
def test_yaml_that_is_not_for_eval_files_is_refused(
    evals: EvalFolder, text: str, problem: str
) -> None:
    [found] = evals.problems(text)
    assert found.startswith(problem)


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("*push*", "a text that starts with * or & needs quotes"),
        ("[*.py]", "a text that starts with * or & needs quotes"),
        ('"C:\\Users"', "in double quotes \\ begins an escape: use single quotes"),
        ('"\\d+"', "in double quotes \\ begins an escape: use single quotes"),
        ("'don't'", "a text that starts with a quote, [ or { needs quotes around all of it"),
        ("[a-z]+", "a text that starts with a quote, [ or { needs quotes around all of it"),
        ("{a} b", "a text that starts with a quote, [ or { needs quotes around all of it"),
        ("- x", "a text that starts with - needs quotes"),
        ("[x", "it is not closed, or a text that starts with [ or { needs quotes"),
        ("{x: 1", "it is not closed, or a text that starts with [ or { needs quotes"),
        ('"x', "a quote is not closed"),
        ("{{ x }}", "quote a template: '{{ … }}'"),
        ("x\n       in: any", "keys of one entry begin in the same column"),
    ],
)
def test_what_yaml_refuses_is_told_with_what_to_write(
    evals: EvalFolder, written: str, hint: str
) -> None:
    [found] = evals.problems(f"tests:\n  - id: a\n    assert:\n      - contains: {written}\n")
    assert hint in found


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 30_000, "1:51 nested deeper than 50 levels"),
        ("- " * 50_000, "1:101 nested deeper than 50 levels"),
        ("{a: " * 30_000, "1:201 nested deeper than 50 levels"),
        (
            "? " * 30_000,
            "1:3 a key must be a text, not a mapping or a list; quote a template: '{{ … }}'",
        ),
    ],
    ids=["lists", "dashes", "mappings", "complex keys"],
)
def test_deep_nesting_is_an_error_and_no_crash(evals: EvalFolder, text: str, problem: str) -> None:
    assert evals.problems(text) == [problem]


def test_a_merge_bomb_is_refused_by_all_that_it_takes_in(evals: EvalFolder) -> None:
    levels = [f"l{n}: &l{n}\n  <<: [*l{n - 1}, *l{n - 1}]\n" for n in range(1, 30)]
    [problem] = evals.problems("l0: &l0 {a: 1}\n" + "".join(levels))
    assert problem.endswith("the file holds more than 500,000 values")


def test_a_merge_key_takes_in_what_a_mapping_does_not_say_itself(evals: EvalFolder) -> None:
    text = """\
        vars: {one: &one {a: 1, b: {c: 2}}, two: &two {a: 3, d: 4}}
        tests:
          - id: one
            metadata:
              after: {<<: *one, a: 5}
              before: {a: 5, <<: *one}
              both: {<<: [*one, *two]}
              quoted: {"<<": x}
            assert: [contains: x]
        """
    assert evals.case(text).metadata == {
        "after": {"a": 5, "b": {"c": 2}},
        "before": {"a": 5, "b": {"c": 2}},
        "both": {"a": 1, "b": {"c": 2}, "d": 4},
        "quoted": {"<<": "x"},
    }


def test_a_merge_key_stands_once(evals: EvalFolder) -> None:
    text = with_assertion("contains: x").replace(
        "- id: one", "- {<<: {id: one}, <<: {id: two}}\n  - id: one"
    )
    problems = evals.problems(text)
    assert any("the key '<<' stands here twice" in one for one in problems)


def test_an_alias_stands_for_what_has_its_anchor(evals: EvalFolder) -> None:
    text = """\
        governance: &about {owner: team, levels: &levels [1, {two: x}]}
        tests:
          - id: one
            metadata: {governance: *about, again: *levels, word: &word yes-and-no}
            assert: &checks
              - {contains: *word, negate: true}
              - contains: other
          - {id: two, metadata: {governance: *about}, assert: *checks}
        """
    one, two = evals.load(text).cases
    about = {"owner": "team", "levels": [1, {"two": "x"}]}
    assert one.metadata["governance"] == two.metadata["governance"] == about
    assert one.metadata["again"] == about["levels"]
    assert [entry.keys for entry in one.entries] == [entry.keys for entry in two.entries]
    assert one.entries[0].keys == {"value": "yes-and-no"}
    # What is said of it names the line where it is written, not all who use it.
    assert [entry.at.line for entry in two.entries] == [6, 7]


def test_what_is_wrong_in_an_alias_is_said_where_it_is_written(evals: EvalFolder) -> None:
    text = """\
        tests:
          - {id: one, assert: &checks [{contains: x, wieght: 2}]}
          - {id: two, assert: *checks}
        """
    [problem] = evals.problems(text)
    assert problem == "2:32 the assertion has no `type`; 'wieght': did you mean 'weight'?"


@pytest.mark.parametrize("kind", ["[{}, {}]", "{{a: {}, b: {}}}"])
def test_an_alias_bomb_is_refused_by_all_that_it_stands_for(evals: EvalFolder, kind: str) -> None:
    levels = [f"l{n}: &l{n} {kind.format(f'*l{n - 1}', f'*l{n - 1}')}\n" for n in range(1, 45)]
    [problem] = evals.problems("l0: &l0 [a, b]\n" + "".join(levels))
    assert problem.endswith("the file holds more than 500,000 values")


def test_many_aliases_of_a_long_text_are_refused(evals: EvalFolder) -> None:
    text = f"a: &x {'y' * 1_000_000}\nb: [{'*x, ' * 100_000}]\n"
    [problem] = evals.problems(text)
    assert problem == "2:21 the file grows too large by what its aliases stand for"


def test_aliases_nest_no_deeper_than_anything_else(evals: EvalFolder) -> None:
    levels = [f"l{n}: &l{n} [*l{n - 1}]\n" for n in range(1, 60)]
    [problem] = evals.problems("l0: &l0 [a]\n" + "".join(levels))
    assert problem == "50:12 nested deeper than 50 levels"


def test_a_file_of_too_many_values_is_an_error(evals: EvalFolder) -> None:
    [problem] = evals.problems("tests: [" + "a," * 500_001 + "]")
    assert problem.endswith("the file holds more than 500,000 values")


def test_escapes_of_half_a_character_never_get_through(evals: EvalFolder) -> None:
    [problem] = evals.problems(with_assertion('equals: "\\ud800"'))
    assert problem.startswith("4:")
    assert "no valid YAML" in problem


def test_the_reader_without_c_reads_the_same(
    evals: EvalFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = with_assertion('{contains: "caf\\u00e9 \\ud800", weight: 2}')
    monkeypatch.setattr(yamltext, "_LOADER", yaml.SafeLoader)
    [entry] = evals.case(text).entries
    assert (entry.keys, entry.weight) == ({"value": "café \ufffd"}, 2.0)
    assert evals.problems("a: &x 1\n")[0].startswith("1:4 no alias *x")
    assert evals.problems("a: &x [1]\nb: [*x, *x, *y]\n")[0].startswith("2:13 no anchor &y")
