"""The pytest plugin: options, hooks and fixtures.

pytest imports this module in every run of every project that has us installed. It imports nothing
of ours before an eval file is collected or a transcript is asked for.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_agentv.pytest_fixtures import GradeFunction
    from pytest_agentv.testing import AdapterCheck
    from pytest_agentv.transcript.model import Transcript

# The globs of eval files, unless a project has others.
EVAL_FILES = ["*.eval.yaml", "*.eval.yml", "eval.yaml", "eval.yml"]
# By which a test gets at a session.
_FIXTURES = frozenset({"transcript", "transcripts", "agentv_grade"})
_SUFFIXES = (".yaml", ".yml")
_FOLDER = "evals"
# Patterns are compiled when they are needed: this module is loaded in every run of pytest.
# An argument that names a single assertion.
_ASSERTION = r"(?i)\.ya?ml::.+::"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
# The key in the first column, or anywhere in a file that is all braces.
_TESTS = rb"""(?mx)(?:^|\A\xef\xbb\xbf) ["']?(?:tests|eval_?cases)["']?[ \t]*:
    | (?s:\A(?:\s|\#[^\n]*\n|%[^\n]*\n|---)*\{.*["']?\b(?:tests|eval_?cases)["']?\s*:)"""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add our options."""
    group = parser.getgroup("agentv", "grading recorded AI coding sessions")
    group.addoption(
        "--transcript",
        action="append",
        default=[],
        metavar="WHAT",
        help="sessions to grade: a file of transcripts, a folder, a quoted glob, a session file of "
        "any client, claude:latest or claude:<session id>; may be repeated",
    )
    group.addoption(
        "--agentv-strict",
        action="store_true",
        help="a session of which anything is not understood is an error",
    )
    group.addoption(
        "--agentv-missing",
        choices=("skip", "fail"),
        default="skip",
        help="what becomes of an assertion on something that the session does not say: skip "
        "(default) or fail",
    )
    group.addoption(
        "--agentv-no-scripts",
        action="store_true",
        help="do not run the programs that eval files name: assertions of the type script are "
        "skipped",
    )
    group.addoption(
        "--agentv-results",
        metavar="DIR",
        help="keep what was graded, in a new folder below this one; agentv eval does so by itself",
    )
    group.addoption(
        "--agentv-html",
        metavar="FILE",
        help="write the run as one page that people look at",
    )
    group.addoption(
        "--agentv-redact",
        metavar="PROFILE",
        help="redact all that the run writes, from the terminal to the results: none, secrets, "
        "research or strict",
    )
    group.addoption(
        "--agentv-baseline",
        metavar="FILE",
        help="compare with the outcomes in a file: what is known to fail does not fail the run",
    )
    group.addoption(
        "--agentv-bless",
        action="store_true",
        help="write the outcomes of this run to the file of --agentv-baseline",
    )
    group.addoption(
        "--agentv-model",
        metavar="PROVIDER:MODEL",
        help="the language model that judges rubrics, as openai:NAME or anthropic:NAME",
    )
    group.addoption(
        "--agentv-judge",
        choices=("cached", "live", "off"),
        help="ask judges (live), take only verdicts that are in the cache (cached), or skip what "
        "they would judge (off); default: live if a model is named, else cached",
    )
    group.addoption(
        "--agentv-max-cost",
        type=_dollars,
        metavar="USD",
        help="what judges may cost in this run; what would cost more is an error",
    )
    group.addoption(
        "--agentv-update-golden",
        action="store_true",
        help="write the transcripts that adapter tests compare with, instead of comparing",
    )
    parser.addini(
        "agentv_files",
        type="args",
        default=EVAL_FILES,
        help=f"globs of the names of eval files, in any case (default: {' '.join(EVAL_FILES)})",
    )
    parser.addini(
        "agentv_env",
        type="args",
        default=[],
        help="environment variables that eval files may use as {{ env.NAME }}",
    )
    parser.addini(
        "agentv_baseline",
        default="",
        help="the same as --agentv-baseline, relative to the root directory",
    )
    parser.addini(
        "agentv_model",
        default="",
        help="the same as --agentv-model (default: none)",
    )
    parser.addini(
        "agentv_judge",
        default="",
        help="the same as --agentv-judge (default: live if a model is named, else cached)",
    )
    parser.addini(
        "agentv_no_scripts",
        type="bool",
        default=False,
        help="the same as --agentv-no-scripts (default: false)",
    )
    parser.addini(
        "agentv_results",
        default="",
        help="the same as --agentv-results, relative to the root directory (default: none)",
    )
    parser.addini(
        "agentv_html",
        default="",
        help="the same as --agentv-html, relative to the root directory (default: none)",
    )
    parser.addini(
        "agentv_redact",
        default="",
        help="the same as --agentv-redact (default: none)",
    )
    parser.addini(
        "agentv_junit_properties",
        type="bool",
        default=True,
        help="write agentv.* properties to JUnit files (default: true); the strict schema has none",
    )


def _dollars(text: str) -> float:
    """An amount of money on the command line."""
    with contextlib.suppress(ValueError):
        if 0 <= (amount := float(text)) < float("inf"):
            return amount
    raise argparse.ArgumentTypeError(f"{text!r} is no amount of USD, as 2.50")


def pytest_configure(config: pytest.Config) -> None:
    """Check the options before anything is collected."""
    profile = config.getoption("agentv_redact") or config.getini("agentv_redact")
    if profile:
        from pytest_agentv.pytest_redaction import use_redaction  # noqa: PLC0415

        use_redaction(config, profile)
    if any("::" in argument and re.search(_ASSERTION, argument) for argument in config.args):
        from pytest_agentv.pytest_ids import take_selected  # noqa: PLC0415

        take_selected(config)
    if config.getoption("transcript"):
        from pytest_agentv.pytest_fixtures import check_transcripts  # noqa: PLC0415

        check_transcripts(config)
    misplaced = [one for one in config.args if one.endswith(".jsonl")]
    if misplaced:
        from pytest_agentv.pytest_fixtures import check_arguments  # noqa: PLC0415

        check_arguments(misplaced, config)
    if config.getini("agentv_baseline") or any(
        config.getoption(one) for one in ("agentv_baseline", "agentv_bless")
    ):
        from pytest_agentv.pytest_baseline import use_baseline  # noqa: PLC0415

        use_baseline(config)
    if config.getoption("xmlpath", None) or config.getoption("tx", None):  # JUnit file, workers
        from pytest_agentv.pytest_reporting import ReportNames  # noqa: PLC0415

        config.pluginmanager.register(ReportNames(config), "agentv-report-names")
    kept = ("agentv_results", "agentv_html")
    if any(config.getoption(one) or config.getini(one) for one in kept):
        from pytest_agentv.pytest_results import keep_results  # noqa: PLC0415

        keep_results(config)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say which sessions are graded."""
    given = config.getoption("transcript")
    if not given:
        return None
    header = f"agentv: --transcript={' --transcript='.join(given)}"
    if config.pluginmanager.has_plugin("agentv-redaction"):
        from pytest_agentv.pytest_redaction import outgoing_of  # noqa: PLC0415

        outgoing = outgoing_of(config)
        header = header if outgoing is None else outgoing.text(header)
    from pytest_agentv.report.clean import clean  # noqa: PLC0415

    return clean(header)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: object) -> None:
    """Tell a worker of pytest-xdist what all must find the same, and where they meet."""
    config: pytest.Config = node.config  # type: ignore[attr-defined]
    if config.getoption("transcript"):
        from pytest_agentv.pytest_evals import evals_of  # noqa: PLC0415

        # As bytes: names of files need not be texts that can be sent.
        resolved = {
            what: [(os.fsencode(place.path), place.row, place.client) for place in places]
            for what, places in evals_of(config).resolved.items()
        }
        node.workerinput["agentv_transcripts"] = resolved  # type: ignore[attr-defined]
    if config.getoption("agentv_judge") != "off":
        from pytest_agentv.pytest_judge import SHARED, shared_folder  # noqa: PLC0415

        node.workerinput[SHARED] = shared_folder(config)  # type: ignore[attr-defined]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """With ``--dist loadgroup`` keep a case on a session with one worker."""
    if config.getvalue("dist") != "loadgroup":
        return None
    from pytest_agentv.pytest_groups import scheduling  # noqa: PLC0415 (for those runs only)

    return scheduling(config, log)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Collect an eval file."""
    if file_path.suffix.lower() not in _SUFFIXES:
        return None
    config = parent.config
    if not parent.session.isinitpath(file_path) and not is_eval_file(
        file_path, globs=config.getini("agentv_files"), root=config.rootpath
    ):
        return None
    from pytest_agentv.pytest_hooks import eval_module  # noqa: PLC0415 (loads all of us)

    return eval_module(file_path, parent)


def is_eval_file(path: Path, *, globs: Sequence[str], root: Path) -> bool:
    """Whether a file is one that nobody has to name: by its own name, or by its folder."""
    name = path.name.lower()
    if path.suffix.lower() not in _SUFFIXES:
        return False
    if any(_matches(name, pattern) for pattern in globs):
        return True
    return _FOLDER in _folders(path, root) and _has_tests(path)


def _folders(path: Path, root: Path) -> tuple[str, ...]:
    """The folders of a file; those above the root say nothing about a project."""
    folder = path.parent
    return folder.relative_to(root).parts if folder.is_relative_to(root) else folder.parts


def _matches(name: str, pattern: str) -> bool:
    from fnmatch import fnmatchcase  # noqa: PLC0415 (only a YAML file gets here)

    return fnmatchcase(name, pattern.lower())


def _has_tests(path: Path) -> bool:
    """Whether a YAML file has `tests` at its top; other YAML lies beside eval files."""
    try:
        with path.open("rb") as file:
            start = file.read(5 << 20)
    except OSError:
        return False
    if start[:2] in _UTF_16:  # as PowerShell redirects; its tests are not lost but an error
        start = start[2:].replace(b"\0", b"")
    return re.search(_TESTS, start) is not None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes ``transcript`` once for each session."""
    if _FIXTURES.isdisjoint(metafunc.fixturenames):
        return
    from pytest_agentv.pytest_clean import clean_reports  # noqa: PLC0415

    clean_reports(metafunc.config, _FIXTURES)
    if "transcript" in metafunc.fixturenames and metafunc.config.getoption("transcript"):
        from pytest_agentv.pytest_fixtures import parametrize  # noqa: PLC0415

        parametrize(metafunc)


# A case of an eval file is a class: its session is got once for all of its assertions. It takes no
# `request`, which pytest would make anew for each of them; a hook knows the one that counts.
@pytest.fixture(scope="class")
def transcript() -> Transcript:
    """A session of --transcript; a test that takes it runs once for each of them."""
    from pytest_agentv.pytest_fixtures import requested_transcript  # noqa: PLC0415

    return requested_transcript()


@pytest.fixture
def transcripts(request: pytest.FixtureRequest) -> Sequence[Transcript]:
    """All sessions of --transcript, in order."""
    from pytest_agentv.pytest_fixtures import all_transcripts  # noqa: PLC0415

    return all_transcripts(request.config)


@pytest.fixture
def agentv_grade(request: pytest.FixtureRequest) -> GradeFunction:
    """Grade a transcript as an eval file would: ``agentv_grade({"contains": "x"}, transcript)``.

    Returns a ``Grade``. Without a transcript it is that of the test; further keywords are what a
    case would say, such as ``cost_usd``. What is not evaluable skips the test.
    """
    from pytest_agentv.pytest_fixtures import GradeFunction  # noqa: PLC0415

    return GradeFunction(request)


@pytest.fixture(scope="session")
def agentv_check_adapter(pytestconfig: pytest.Config) -> AdapterCheck:
    """The function ``pytest_agentv.testing.check_adapter``; it obeys --agentv-update-golden."""
    from functools import partial  # noqa: PLC0415

    from pytest_agentv.testing import check_adapter  # noqa: PLC0415 (loads the whole model)

    return partial(check_adapter, update_golden=pytestconfig.getoption("agentv_update_golden"))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Show how each provider did, if anything was graded."""
    reports = (report for several in terminalreporter.stats.values() for report in several)
    if any(hasattr(report, "agentv") for report in reports):
        from pytest_agentv.pytest_reporting import show_summary  # noqa: PLC0415

        show_summary(terminalreporter, config)
