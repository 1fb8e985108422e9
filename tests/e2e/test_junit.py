"""JUnit files: one test case for each assertion, with the names that it has everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from eval_runs import WORKERS, recorded
from junitparser import Error, Failure, JUnitXml, Skipped

if TYPE_CHECKING:
    from eval_runs import EvalProject

# What the strict schema of JUnit files (junit-10.xsd of Jenkins' xUnit plugin) knows.
_ATTRIBUTES = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {
        "name",
        "tests",
        "failures",
        "errors",
        "skipped",
        "time",
        "timestamp",
        "hostname",
    },
    "testcase": {"name", "time", "classname", "group"},
    "failure": {"type", "message"},
    "skipped": {"type", "message"},
}
_CHILDREN: dict[str, set[str]] = {
    "testsuites": {"testsuite"},
    "testsuite": {"testcase", "properties", "system-out", "system-err"},
    "testcase": {"failure", "skipped", "system-out", "system-err"},
    "failure": set(),
    "skipped": set(),
}


@pytest.fixture
def mixed(project: EvalProject) -> EvalProject:
    """A project with an assertion of every outcome."""
    project.conftest(
        """\
        import pytest_agentv

        @pytest_agentv.assertion("crashes")
        def crashes(): return 1 / 0
        """
    )
    project.eval_file(
        """\
        tests:
          - id: hard
            assert:
              - contains: Done
              - contains: nowhere
              - {type: cost, max_usd: 1}
              - {type: crashes}
          - id: soft
            threshold: 0.5
            assert:
              - {contains: Done, weight: 2}
              - contains: nowhere
        """,
        name="evals/a.b.eval.yaml",
    )
    project.sessions(recorded(), recorded())
    return project


def junit(project: EvalProject, *arguments: str) -> ET.Element:
    """The JUnit file of a run."""
    project.grade("--junitxml=r.xml", *arguments)
    return ET.parse(project.path / "r.xml").getroot()  # noqa: S314 (made just here)


def named(root: ET.Element) -> dict[str, ET.Element]:
    """The test cases by their names."""
    return {case.attrib["name"]: case for case in root.iter("testcase")}


NAMES = [
    "hard[claude-cli]::contains-Done",
    "hard[claude-cli]::contains-nowhere",
    "hard[claude-cli]::cost",
    "hard[claude-cli]::crashes",
    "soft[claude-cli]::contains-Done",
    "soft[claude-cli]::contains-nowhere",
    "soft[claude-cli]::score",
]


@pytest.mark.parametrize("family", ["xunit1", "xunit2", "legacy"])
def test_every_assertion_is_a_test_case_with_its_name(mixed: EvalProject, family: str) -> None:
    mixed.ini(f"junit_family = {family}")
    cases = named(junit(mixed))
    assert list(cases) == NAMES
    assert {case.attrib["classname"] for case in cases.values()} == {"evals.a.b.eval.yaml"}


def test_failure_error_and_skip_are_different_things(mixed: EvalProject) -> None:
    cases = named(junit(mixed))
    kinds = {
        name.partition("]::")[2]: [child.tag for child in case if child.tag != "properties"]
        for name, case in cases.items()
        if name.startswith("hard")
    }
    assert kinds == {
        "contains-Done": [],
        "contains-nowhere": ["failure"],
        "cost": ["skipped"],
        "crashes": ["error"],
    }
    soft = cases["soft[claude-cli]::contains-nowhere"].find("skipped")
    assert soft is not None
    assert soft.attrib["type"] == "pytest.xfail"
    assert soft.attrib["message"].startswith("soft: expected: the final answer contains 'nowhere'")


def test_the_failure_begins_with_the_place_in_the_eval_file(mixed: EvalProject) -> None:
    failure = named(junit(mixed))["hard[claude-cli]::contains-nowhere"].find("failure")
    assert failure is not None
    first = "evals/a.b.eval.yaml:5: contains-nowhere does not hold (claude-cli)"
    assert (failure.text or "").splitlines()[0] == first
    assert failure.attrib["message"].splitlines()[0] == first


def test_the_first_family_has_file_and_line(mixed: EvalProject) -> None:
    mixed.ini("junit_family = xunit1")
    case = named(junit(mixed))["hard[claude-cli]::contains-nowhere"]
    # pytest counts from 0.
    assert (case.attrib["file"], case.attrib["line"]) == ("evals/a.b.eval.yaml", "4")


def test_properties_say_what_was_graded(mixed: EvalProject) -> None:
    case = named(junit(mixed))["soft[claude-cli]::contains-Done"]
    assert {one.attrib["name"]: one.attrib["value"] for one in case.iter("property")} == {
        "agentv.score": "1",
        "agentv.weight": "2",
        "agentv.provider": "claude-cli",
        "agentv.model": "claude-opus-4-6",
        "agentv.session_id": "0763061e-9c91-4dee-9373-3bd69c817fd4",
        "agentv.test_id": "soft",
        "agentv.assertion": "contains-Done",
    }


def test_an_error_has_the_properties_that_are_known(mixed: EvalProject) -> None:
    case = named(junit(mixed))["hard[claude-cli]::crashes"]
    names = {one.attrib["name"] for one in case.iter("property")}
    assert {"agentv.assertion", "agentv.test_id", "agentv.provider"} <= names
    assert "agentv.score" not in names


def test_without_properties_the_file_fits_the_strict_schema(mixed: EvalProject) -> None:
    mixed.ini("agentv_junit_properties = false")
    # An error is no part of that schema, whoever writes it.
    root = junit(mixed, "-k", "not crashes")
    assert root.tag == "testsuites"
    for element in root.iter():
        assert element.attrib.keys() <= _ATTRIBUTES[element.tag]
        assert {child.tag for child in element} <= _CHILDREN[element.tag]


def test_other_readers_agree(mixed: EvalProject) -> None:
    junit(mixed)
    (suite,) = JUnitXml.fromfile(str(mixed.path / "r.xml"))
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (7, 1, 1, 2)
    results = {case.name: [type(one) for one in case.result] for case in suite}
    assert results["hard[claude-cli]::contains-nowhere"] == [Failure]
    assert results["hard[claude-cli]::crashes"] == [Error]
    assert results["hard[claude-cli]::cost"] == [Skipped]


def test_workers_make_the_same_file(mixed: EvalProject) -> None:
    alone = named(junit(mixed))
    together = named(junit(mixed, *WORKERS))
    assert sorted(together) == sorted(alone)
    for name, case in alone.items():
        del case.attrib["time"], together[name].attrib["time"]
        if not name.endswith("crashes"):
            assert ET.tostring(together[name]).strip() == ET.tostring(case).strip()


def test_plain_tests_keep_their_names(mixed: EvalProject) -> None:
    mixed.write(
        "test_it.py",
        """\
        import pytest

        class TestIt:
            @pytest.mark.parametrize("x", ["a::b"])
            def test_it(self, x): pass
        """,
    )
    case = named(junit(mixed))["test_it[a::b]"]
    assert case.attrib["classname"] == "test_it.TestIt"
    assert case.find("properties") is None
