"""Which commands are checks of a project, and what a draft says of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv.drafting.checks import checks_in


@pytest.mark.parametrize(
    ("line", "checks"),
    [
        ("npm test", ["npm test"]),
        ("npm run test:unit -- --token=abc", ["npm run test:unit"]),
        ("pytest -q tests/test_a.py", ["pytest"]),
        ("/home/dev/shop/.venv/bin/pytest -x", ["pytest"]),
        ("uv run pytest -m browser", ["uv run pytest"]),
        ("python3 -m unittest discover", ["python3 -m unittest"]),
        ("poetry run python -m pytest", ["poetry run python -m pytest"]),
        ("npx tsc --noEmit 2>&1 | head -30", ["npx tsc"]),
        ("cd web && go build ./... && go test ./...", ["go build", "go test"]),
        ("mise run fmt && mise run lint; mise run test", [
            "mise run fmt", "mise run lint", "mise run test",
        ]),
        ("(source .venv/bin/activate && ruff check src && pytest)", ["ruff check", "pytest"]),
        ("./gradlew check --info", ["gradlew check"]),
        ("bash -lc 'cargo clippy --all'", ["cargo clippy"]),
        ("CI=1 make lint", ["make lint"]),
        ("node --test test/", ["node --test"]),
    ],
)  # fmt: skip
def test_a_check_is_known_by_its_program_and_subcommand(line: str, checks: list[str]) -> None:
    assert checks_in(line) == checks


@pytest.mark.parametrize(
    "line",
    [
        "",
        "cat package.json",
        "ls test",
        "echo npm test",
        "git commit -m 'run pytest'",
        "npm install jest",
        "npm run start",
        "make deploy",
        "npm run $SCRIPT",
        "go run ./cmd/test",
        "grep -rn pytest .",
        "python -m",
        "npx",
        "x" * 20_000,
        "eval " * 20 + "npm test",
    ],
)
def test_other_commands_are_no_checks(line: str) -> None:
    assert checks_in(line) == []


@given(
    st.text() | st.lists(st.sampled_from(["npm ", "test", "&&", "'", "$(", " ", "\n"])).map("".join)
)
def test_whatever_a_command_line_is_it_can_be_looked_at(line: str) -> None:
    for check in checks_in(line):
        assert check.replace(" ", "").isascii()
        assert check.isprintable()
