"""Assertions as Python functions in conftest.py, usable from YAML at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject

OWN = """\
import pytest
import pytest_agentv
from pytest_agentv import Evidence, Grade

@pytest.fixture
def dictionary():
    return {"Done."}

@pytest_agentv.assertion("says")
def says(transcript, value):
    return value in transcript.output[-1].content

@pytest_agentv.assertion("scored")
def scored(transcript, value):
    return value

@pytest_agentv.assertion("graded")
def graded(transcript, value="no citation"):
    return Grade("failed", value, evidence=(Evidence(2, 5, "Done."),))

@pytest_agentv.assertion("asserts")
def asserts(transcript, value):
    answer = transcript.output[-1].content
    assert answer == value, "it says something else"

@pytest_agentv.assertion("fails")
def fails(transcript):
    pytest.fail("it is Friday")

@pytest_agentv.assertion("skips")
def skips(transcript):
    pytest.skip("only on Mondays")

@pytest_agentv.assertion("listed")
def listed(transcript, dictionary, *, exact=False, others=()):
    known = {*dictionary, *others}
    return any(one == transcript.output[-1].content if exact else True for one in known)

@pytest_agentv.assertion("anything")
def anything(transcript, **keys):
    return keys == {"colour": "red", "value": 7}

@pytest_agentv.assertion("no-transcript")
def no_transcript(value):
    return value == 1

@pytest_agentv.assertion("no-number")
def no_number():
    return float("nan")

@pytest_agentv.assertion("odd")
def odd(transcript):
    return "yes"
"""


@pytest.fixture
def own(project: EvalProject) -> EvalProject:
    """A project with assertions of its own, and one session that says `Done.`."""
    project.conftest(OWN)
    project.sessions(recorded())
    return project


@pytest.mark.parametrize(
    ("entry", "outcome"),
    [
        ("says: Done", "passed"),
        ("says: nothing", "failed"),
        ("{type: says, value: Done}", "passed"),
        ("{type: not-says, value: Done}", "failed"),
        ("{type: says, value: Done, negate: true}", "failed"),
        ("scored: 1", "passed"),
        ("scored: 1.0", "passed"),
        ("scored: 0.99", "failed"),
        ("scored: 0", "failed"),
        ("{type: scored, value: 0.5, threshold: 0.5}", "passed"),
        ("{type: scored, value: 0.4, threshold: 0.5}", "failed"),
        ("{type: scored, value: 0.4, min_score: 0.4}", "passed"),
        ("{type: not-scored, value: 0.4}", "passed"),
        ("scored: 1.5", "error"),
        ("scored: -1", "error"),
        ("{type: not-scored, value: 2}", "error"),
        ("{type: no-number}", "error"),
        ("{type: not-no-number}", "error"),
        ("{type: graded}", "failed"),
        ("{type: not-graded}", "passed"),
        ("asserts: Done.", "passed"),
        ("asserts: other", "failed"),
        ("{type: not-asserts, value: other}", "passed"),
        ("{type: fails}", "failed"),
        ("{type: skips}", "skipped"),
        ("{type: not-skips}", "skipped"),
        ("{type: skips, on_missing: fail}", "skipped"),
        ("{type: listed}", "passed"),
        ("{type: listed, exact: true}", "passed"),
        ("{type: listed, exact: true, others: [x], dictionary: [no-such]}", "failed"),
        ("{type: anything, value: 7, colour: red}", "passed"),
        ("no-transcript: 1", "passed"),
        ("{type: odd}", "error"),
        ("{type: not-odd}", "error"),
    ],
)
def test_what_a_function_says_is_the_outcome(own: EvalProject, entry: str, outcome: str) -> None:
    own.assertions(entry)
    run = own.grade()
    assert list(run.outcomes.values()) == [outcome]
    assert run.code == (1 if outcome in {"failed", "error"} else 0)
    assert run.warnings == []


def test_an_assert_shows_its_values_and_the_line(own: EvalProject) -> None:
    own.assertions("asserts: other")
    text = own.grade().text_of["asserts-other"]
    assert text.startswith(
        "a.eval.yaml:4: asserts-other does not hold (claude-cli)\n"
        "  expected: asserts holds\n"
        "  found:    it says something else\n"
    )
    assert "assert answer == value" in text
    assert "AssertionError: it says something else" in text
    assert "assert 'Done.' == 'other'" in text
    assert "conftest.py:24: AssertionError" in text


def test_a_grade_shows_its_evidence(own: EvalProject) -> None:
    own.assertions("{type: graded, metric: cites}")
    assert own.grade().text_of["cites"].splitlines() == [
        "a.eval.yaml:4: cites does not hold (claude-cli)",
        "  found:    no citation",
        "  session:  0763061e-9c91-4dee-9373-3bd69c817fd4 t.jsonl:1",
        "  at message 2, line 5 of the session:",
        "  | Done.",
    ]


def test_a_skip_gives_its_reason(own: EvalProject) -> None:
    own.assertions("{type: skips}")
    run = own.grade("-rs")
    assert "only on Mondays" in run.text
    assert own.grade("--agentv-missing=fail").by_name == {"skips": "skipped"}


def test_a_return_value_that_says_nothing_is_named(own: EvalProject) -> None:
    own.assertions("{type: odd}")
    assert (
        "assertion 'odd' returned a str; it must return a bool, a score from 0 to 1, or a Grade, "
        "or assert" in own.grade().text
    )


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("{type: says}", "a.eval.yaml:4:9: `says` needs a `value`"),
        (
            "{type: says, value: x, colour: red}",
            "a.eval.yaml:4:40: `says`: unknown key 'colour'; known: value",
        ),
        (
            "{type: listed, exakt: true}",
            "a.eval.yaml:4:31: `listed`: unknown key 'exakt'; did you mean 'exact'?",
        ),
        (
            "{type: sais, value: x}",
            "a.eval.yaml:4:16: unknown assertion type 'sais'; did you mean 'says'?",
        ),
        ("{type: says, value: x, transcript: z}", "unknown key 'transcript'"),
    ],
)
def test_a_wrong_entry_is_an_error_of_the_file(own: EvalProject, entry: str, said: str) -> None:
    own.assertions(entry)
    run = own.grade()
    assert run.code == 2
    assert said in run.problems["a.eval.yaml"]
    assert "Traceback" not in run.text


def test_an_unknown_type_that_resembles_nothing_lists_what_there_is(own: EvalProject) -> None:
    own.assertions("{type: zzz}")
    said = own.grade().problems["a.eval.yaml"]
    assert "unknown assertion type 'zzz'; known: agent-rubric, anything, assert-set, " in said


def test_a_name_that_is_taken_is_an_error_that_names_both(own: EvalProject) -> None:
    own.conftest(
        """\
        import pytest_agentv

        @pytest_agentv.assertion("contains")
        def mine(transcript): return True
        """
    )
    own.assertions("contains: x")
    run = own.grade()
    assert run.code == 2
    assert (
        "assertion 'contains' comes from two places: 'pytest-agentv' and 'conftest.py" in run.text
    )
    assert "Traceback" not in run.text
    assert "INTERNALERROR" not in run.text


def test_two_functions_of_one_name_are_an_error(own: EvalProject) -> None:
    code = 'import pytest_agentv\n\n@pytest_agentv.assertion("mine")\ndef f(): return True\n'
    own.conftest(code)
    own.conftest(code, folder="deep")
    own.assertions("{type: mine}", name="deep/a.eval.yaml")
    run = own.grade()
    assert run.code == 2
    assert "assertion 'mine' comes from two places: 'conftest.py (" in run.text


@pytest.mark.parametrize("name", ["not-mine", "Mine", "my thing", "", "1st", "a--b"])
def test_a_name_that_no_type_can_have_is_an_error(own: EvalProject, name: str) -> None:
    own.conftest(
        f"import pytest_agentv\n\n@pytest_agentv.assertion({name!r})\ndef f(): return True\n"
    )
    own.assertions("contains: Done")
    run = own.run_apart("--transcript=t.jsonl") if name == "not-mine" else own.grade()
    assert run.code not in {0, 1, 5}
    assert f"no assertion can be named {name!r}" in run.text + run.errors


def test_a_function_of_a_folder_is_known_in_its_eval_files(own: EvalProject) -> None:
    own.conftest(
        """\
        import pytest_agentv

        @pytest_agentv.assertion("deep")
        def deep(): return True
        """,
        folder="deep",
    )
    own.assertions("{type: deep}", "says: Done", name="deep/a.eval.yaml")
    assert own.grade("deep").by_name == {"deep": "passed", "says-Done": "passed"}


def test_a_function_that_is_imported_into_conftest_is_known_once(own: EvalProject) -> None:
    own.write(
        "mine.py",
        """\
        import pytest_agentv

        @pytest_agentv.assertion("mine")
        def mine(): return True
        """,
    )
    own.conftest("import sys; sys.path.insert(0, '.')\nfrom mine import mine\nagain = mine\n")
    own.assertions("{type: mine}")
    assert own.grade().by_name == {"mine": "passed"}


def test_a_function_can_be_called_as_any_other(project: EvalProject) -> None:
    project.write(
        "test_it.py",
        """\
        import pytest_agentv

        @pytest_agentv.assertion("twice")
        def twice(value): return 2 * value

        def test_it(): assert twice(2) == 4
        """,
    )
    assert project.run().outcomes == {"test_it.py::test_it": "passed"}


def test_a_mark_without_a_name_is_an_error_that_shows_one(own: EvalProject) -> None:
    own.conftest("import pytest_agentv\n\n@pytest_agentv.assertion\ndef is_short(): pass\n")
    own.assertions("contains: Done")
    run = own.grade()
    assert run.code not in {0, 1, 5}
    assert 'an assertion needs a name: @assertion("is-short")' in run.text + run.errors


@pytest.mark.parametrize("function", ["async def f(): pass", "def f(): yield", "f = 3"])
def test_what_is_no_plain_function_is_an_error(own: EvalProject, function: str) -> None:
    mark = 'pytest_agentv.assertion("mine")'
    code = f"{function}\nf = {mark}(f)" if function == "f = 3" else f"@{mark}\n{function}"
    own.conftest(f"import pytest_agentv\n\n{code}\n")
    own.assertions("contains: Done")
    run = own.grade()
    assert run.code not in {0, 1, 5}
    assert "assertion 'mine' is" in run.text + run.errors


def test_fixtures_of_a_function_are_set_up_for_it_only(own: EvalProject) -> None:
    own.assertions("{type: listed}", "contains: Done")
    text = own.grade("--setup-show").text
    assert "a.eval.yaml::one[claude-cli]::listed (fixtures used: dictionary" in text
    assert "contains-Done (fixtures used: dictionary" not in text


@pytest.mark.parametrize("more", ["", "threshold: 0.5"])
def test_a_parameter_that_nothing_has_is_told_with_the_entry(own: EvalProject, more: str) -> None:
    own.conftest(
        """\
        import pytest_agentv

        @pytest_agentv.assertion("mine")
        def mine(transcrpt): return True
        """
    )
    own.assertions("{type: mine}", test=more)
    run = own.grade()
    assert set(run.outcomes.values()) == {"error"}
    said = "cannot be graded: fixture 'transcrpt' not found; its function takes it, and the entry"
    for name in ("mine", "score") if more else ("mine",):
        assert f": {name} {said} has no such key; " in run.text
    assert "def assertion" not in run.text


def test_a_fixture_of_a_fixture_that_nothing_has_is_told_by_pytest(own: EvalProject) -> None:
    own.conftest(
        """\
        import pytest
        import pytest_agentv

        @pytest.fixture
        def words(wrods): return ()

        @pytest_agentv.assertion("mine")
        def mine(words): return True
        """
    )
    own.assertions("{type: mine}")
    text = own.grade().text
    assert "def words(wrods)" in text
    assert "fixture 'wrods' not found" in text


def test_an_exit_in_a_function_ends_the_run(own: EvalProject) -> None:
    own.conftest(
        """\
        import pytest
        import pytest_agentv

        @pytest_agentv.assertion("leaves")
        def leaves(): pytest.exit("enough", returncode=9)
        """
    )
    own.assertions("{type: leaves}", "contains: Done")
    run = own.grade()
    assert run.code == 9
    assert "passed" not in run.outcomes.values()
