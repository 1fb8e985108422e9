"""What is loaded when: every run of pytest in every project pays for what our plugin imports."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = {"pydantic", "yaml", "deepdiff", "msgspec", "click", "rich", "jinja2"}


# Says at its end which modules are loaded. Not `-X importtime`: that misses importlib's imports.
_REPORT = """\
import atexit, sys
def report(path=sys.argv[1]):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\\n".join(sys.modules))
atexit.register(report)
"""


def _loaded(folder: Path, code: str, *, exit_code: int = 0) -> set[str]:
    """The modules that a fresh interpreter has loaded after it ran some code."""
    report = folder / "modules.txt"
    # What steers this run of pytest must not steer that one.
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    process = subprocess.run(
        [sys.executable, "-c", _REPORT + code, str(report)],
        cwd=folder,
        env=environ,
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert process.returncode == exit_code, process.stdout + process.stderr
    return set(report.read_text(encoding="utf-8").splitlines())


def _packages(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


@pytest.fixture
def installed_plugin() -> None:
    """Skips where pytest would not find the plugin by itself."""
    points = metadata.entry_points(group="pytest11")
    if "pytest_agentv.pytest_plugin" not in {point.value for point in points}:
        pytest.skip("the package is not installed, only importable")


def test_importing_the_package_loads_nothing_else(tmp_path: Path) -> None:
    before = _loaded(tmp_path, "")
    loaded = _loaded(tmp_path, "import pytest_agentv") - before
    assert "pytest_agentv" in loaded
    assert {name for name in loaded if name.startswith("pytest_agentv.")} == set()
    assert _packages(loaded) & HEAVY == set()


@pytest.mark.usefixtures("installed_plugin")
def test_pytest_loads_our_plugin_module_and_nothing_more_for_it(tmp_path: Path) -> None:
    arguments = ["--collect-only", "-p", "no:cacheprovider", f"--rootdir={tmp_path}"]
    run = "import pytest; sys.exit(pytest.main({}))"
    # Exit code 5: there are no tests in an empty folder.
    without = _loaded(tmp_path, run.format([*arguments, "-p", "no:agentv"]), exit_code=5)
    ours = _loaded(tmp_path, run.format(arguments), exit_code=5) - without
    assert ours == {"pytest_agentv", "pytest_agentv.pytest_plugin"}
    assert "pytest_agentv" not in _packages(without)


def test_the_help_of_the_command_loads_nothing_heavy(tmp_path: Path) -> None:
    run = "sys.argv[1:] = ['--help']; import runpy; runpy.run_module('pytest_agentv.__main__', {})"
    code = run.format("run_name='__main__', alter_sys=True")
    packages = _packages(_loaded(tmp_path, code))
    assert {"pytest_agentv", "click"} <= packages
    assert packages & (HEAVY - {"click"}) == set()
    assert packages & {"pytest", "pluggy"} == set()


@pytest.fixture
def plain(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with our plugin and no other one."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p pytest_agentv.pytest_plugin")
    return pytester


def test_the_help_of_pytest_shows_our_options_in_their_group(plain: pytest.Pytester) -> None:
    result = plain.runpytest_inprocess("--help")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "grading recorded AI coding sessions:",
            "*--agentv-update-golden*",
            "*write the transcripts that adapter tests compare with*",
        ]
    )


def test_every_option_of_ours_has_our_prefix(plain: pytest.Pytester) -> None:
    text = plain.runpytest_inprocess("--help").stdout.str()
    _, _, group = text.partition("grading recorded AI coding sessions:\n")
    ours = [line.split()[0] for line in group.partition("\n\n")[0].splitlines() if "  --" in line]
    assert ours
    assert {name for name in ours if not name.startswith(("--agentv-", "--transcript"))} == set()


def test_the_option_is_off_unless_it_is_given(plain: pytest.Pytester) -> None:
    plain.makepyfile(
        """
        def test_option(pytestconfig, agentv_check_adapter):
            wanted = pytestconfig.getoption("agentv_update_golden")
            assert agentv_check_adapter.keywords == {"update_golden": wanted}
            print("wanted:", wanted)
        """
    )
    off = plain.runpytest_inprocess("-s")
    off.assert_outcomes(passed=1)
    off.stdout.fnmatch_lines(["*wanted: False*"])
    on = plain.runpytest_inprocess("-s", "--agentv-update-golden")
    on.assert_outcomes(passed=1)
    on.stdout.fnmatch_lines(["*wanted: True*"])


def test_the_fixture_says_what_it_is(plain: pytest.Pytester) -> None:
    result = plain.runpytest_inprocess("--fixtures")
    result.stdout.fnmatch_lines(["agentv_check_adapter*", "*check_adapter*--agentv-update-golden*"])


def test_a_run_without_judges_loads_nothing_of_them(tmp_path: Path) -> None:
    (tmp_path / "a.eval.yaml").write_text("tests: [{id: one, assert: [contains: x]}]")
    (tmp_path / "t.jsonl").write_text(
        '{"source": {"provider": "x"}, "output": [{"role": "assistant", "content": "x"}]}\n'
    )
    arguments = ["-p", "pytest_agentv.pytest_plugin", "--transcript=t.jsonl", "a.eval.yaml"]
    code = (
        "import os; os.environ['PYTEST_DISABLE_PLUGIN_AUTOLOAD'] = '1'\n"
        f"import pytest; sys.exit(pytest.main({arguments}))"
    )
    loaded = _loaded(tmp_path, code)
    assert "pytest_agentv.graders.text" in loaded
    judges = ("pytest_agentv.judge", "pytest_agentv.graders.judge")
    assert {name for name in loaded if name.startswith(judges)} <= {"pytest_agentv.graders.judging"}
    assert _packages(loaded) & {"asyncio", "sqlite3", "pydantic_ai", "openai"} == set()
