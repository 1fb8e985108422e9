"""Regular expressions: no pattern hangs, and none takes the machine down."""

from __future__ import annotations

import subprocess
import sys

import pytest
from grading import answer, graded, problems, session

from pytest_agentv import Message
from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.patterns import MAX_TEXT_INSIDE, search

LONG = 10_000_000


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a|aa)+$", "a" * 60 + "b"),
        (r"(x|xx)+[y1]$", "x" * 10_000),
        (r"(x+)\1+[y1]", "x" * 100_000),
        (r"\w+\d", "x" * MAX_TEXT_INSIDE),
        ("(?:a|b)*[z1]", "ab" * (MAX_TEXT_INSIDE // 2)),
        (r"\w+\d", "x" * LONG),
        ("(?:x+)+[y1]", "x" * LONG),
    ],
    ids=range(7),
)
def test_a_pattern_that_takes_too_long_is_an_error(pattern: str, text: str) -> None:
    with pytest.raises(NotGradable, match=r"took longer than 0\.3 s in [\d,]+ characters"):
        graded("regex", text, value=pattern)


@pytest.mark.skipif(sys.platform == "win32", reason="memory cannot be limited there")
def test_a_pattern_that_takes_too_much_memory_is_an_error() -> None:
    with pytest.raises(NotGradable, match=r"^the pattern '\(x\)\*\[y1\]' took|takes too much"):
        graded("regex", "x" * LONG, value="(x)*[y1]")


@pytest.mark.usefixtures("hurried")
def test_the_time_is_that_of_all_texts_together() -> None:
    messages = [Message(role="assistant", content="a" * 22 + "b") for _ in range(100_000)]
    with pytest.raises(NotGradable, match=r"took longer than 0\.3 s"):
        graded("regex", session(*messages), value="(a|aa)+$", in_="any")


@pytest.mark.parametrize(
    ("pattern", "span"),
    [("needle", (LONG, LONG + 6)), (r"n\w+$", (LONG, LONG + 6)), ("absent", None)],
)
def test_long_texts_are_searched_all_the_same(pattern: str, span: tuple[int, int] | None) -> None:
    assert search(pattern, " " * LONG + "needle") == span


def test_a_long_text_may_hold_half_a_character() -> None:
    text = "\ud800" + " " * MAX_TEXT_INSIDE + "Ä\udfff"
    assert search("(?i)ä\udfff", text) == (len(text) - 2, len(text))
    assert search("\ud800", text) == (0, 1)


def test_flags_hold_in_long_texts_too() -> None:
    text = "\n" * MAX_TEXT_INSIDE + "NEEDLE"
    assert search("^needle", text, flags="im") == (MAX_TEXT_INSIDE, MAX_TEXT_INSIDE + 6)


def test_nothing_of_the_users_environment_reaches_the_search(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    hostile = tmp_path_factory.mktemp("hostile")
    for name in ("regex", "json", "sitecustomize", "warnings"):
        (hostile / f"{name}.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
    monkeypatch.chdir(hostile)
    monkeypatch.setenv("PYTHONPATH", str(hostile))
    assert search("b", "a" * LONG) is None


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(x{1000}){1000}", "repeats too much"),
        ("((x{1000}){1000}){1000}", "repeats too much"),
        ("(?:[a-z]{1000,}){1000,}", "repeats too much"),
        ("(?x)(?:x{1000} ) {1000}", "repeats too much"),
        ("(?:x{1000}){0000000001000}", "repeats too much"),
        ("x{10000000}", "repeats too much"),
        ("x{" + "9" * 9000 + "}", "repeats too much"),
        ("(?<=a{100000})" * 400, "repeats too much"),
        ("(?R)", "calls itself"),
        ("(x)(?1)", "calls itself"),
        ("(?P<a>x)(?&a)", "calls itself"),
        ("(?P<a>x)(?P>a)", "calls itself"),
        ("(" * 3000 + "x" + ")" * 3000, "is too complex"),
        ("x" * 100_000, "is a pattern of 100,000 characters; 10,000 may be"),
        ("[", "is no regular expression: '[': unterminated character set at position 1"),
        ("(?P<a", "is no regular expression"),
        (r"\p{nonsense}", "is no regular expression"),
    ],
    ids=range(17),
)
def test_a_bad_pattern_is_refused_before_anything_is_graded(pattern: str, problem: str) -> None:
    ((place, message),) = problems("regex", value=pattern)
    assert place == ("value",)
    assert message.startswith(problem)
    assert len(message) < 200


@pytest.mark.parametrize(
    "pattern",
    [
        r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}",
        r"(?:\d{1,3}\.){3}\d{1,3}",
        r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}",
        r"\(?R",
        "(?<year>[0-9]{4})",
        "(?:(?:a{50}){50}){50}",
        "[[a]",  # the engine warns of a set in a set
        "|".join(f"word{number}" for number in range(1000)),
    ],
    ids=range(8),
)
def test_ordinary_patterns_are_fine(pattern: str) -> None:
    assert graded("regex", "nothing", value=pattern).outcome == "failed"


def test_a_search_says_where() -> None:
    assert search("b+", "abbba") == (1, 4)
    assert search("c", "abbba") is None
    grade = graded("regex", "one two three", value="tw.")
    assert (grade.claim, grade.reason) == ("the final answer matches 'tw.'", "matches")
    assert graded("regex", "one", value="x").reason == "no match in 3 characters"


def test_a_pattern_costs_no_engine_until_there_is_one() -> None:
    code = (
        "import sys\n"
        "from pytest_agentv.graders.catalogue import builtin_graders\n"
        "builtin_graders()\n"
        "print([one for one in ('regex', 'jsonschema', 'deepdiff') if one in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.strip() == b"[]"


def test_an_answer_is_no_pattern() -> None:
    assert graded("regex", answer("[("), value=r"\[\(").outcome == "passed"
