"""Who imports whom: the layers of the package, and what only some of it may use."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pytest_agentv

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(pytest_agentv.__file__).parent
CONFIG = PACKAGE.parent / "pyproject.toml"


def _imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            yield node.module or ""


def _users(package: str) -> set[str]:
    """The files of ours that import a package or a part of it."""
    return {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if any(name == package or name.startswith(f"{package}.") for name in _imports(path))
    }


def test_the_contracts_of_the_layers_are_kept() -> None:
    pytest.importorskip("importlinter", reason="import-linter checks the layers")
    if not CONFIG.exists():
        pytest.skip("the tests run against an installed package, without its configuration")
    code = (
        "import sys\n"
        "from importlinter.cli import lint_imports\n"
        "sys.exit(lint_imports(config_filename=sys.argv[1], no_cache=True))"
    )
    process = subprocess.run(
        [sys.executable, "-c", code, str(CONFIG)],
        cwd=CONFIG.parent,
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert process.returncode == 0, process.stdout + process.stderr
    assert "0 broken" in process.stdout


def test_the_map_for_contributors_has_every_module() -> None:
    guide = PACKAGE.parent / "CONTRIBUTING.md"
    if not guide.exists():
        pytest.skip("the tests run against an installed package, without its guide")
    words = set(re.findall(r"[a-z_]+", guide.read_text(encoding="utf-8")))
    modules = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert modules | folders <= words


def test_imports_are_seen_at_all() -> None:
    assert "transcript/model.py" in _users("msgspec")
    assert "adapters/claude/adapter.py" in _users("pytest_agentv.adapters.records")


def test_nothing_of_pytest_that_is_private_is_imported() -> None:
    assert _users("_pytest") == set()


def test_pytest_is_imported_by_its_front_end_only() -> None:
    others = {name for name in _users("pytest") if not name.startswith("pytest_")}
    assert others == {"cli/eval.py", "cli/validate.py"}


@pytest.mark.parametrize("package", ["click", "rich"])
def test_only_the_command_line_talks_to_a_terminal(package: str) -> None:
    users = _users(package)
    assert users
    others = {name for name in users if not name.startswith("cli/")}
    assert others == ({"browse/table.py"} if package == "rich" else set())


@pytest.mark.parametrize(
    ("package", "folders"),
    [
        ("yaml", {"evalfile"}),
        ("pydantic", {"engine", "evalfile", "graders", "judge"}),
        ("deepdiff", {"graders"}),
        ("jsonschema", {"graders"}),
        ("regex", {"graders", "redact"}),
        ("jinja2", {"html"}),
        ("pydantic_ai", {"judge"}),
        ("textual", {"browse"}),
    ],
)
def test_a_package_is_used_where_it_belongs(package: str, folders: set[str]) -> None:
    assert {name.partition("/")[0] for name in _users(package)} == folders


def test_an_adapter_imports_no_other_vendors() -> None:
    vendors = sorted(path.name for path in (PACKAGE / "adapters").iterdir() if path.is_dir())
    vendors = [name for name in vendors if name != "__pycache__"]
    assert "claude" in vendors
    for vendor in vendors:
        users = _users(f"pytest_agentv.adapters.{vendor}")
        outside = {name for name in users if not name.startswith(f"adapters/{vendor}/")}
        assert outside <= {"builtin.py"}
