"""Prices of a project, in its pyproject.toml."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_agentv.config.project import read_prices
from pytest_agentv.errors import SettingsError

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, content: str) -> Path:
    path = folder / "pyproject.toml"
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "content",
    ["", "[tool.other]\nx = 1\n", "[tool]\nagentv = 3\n", "tool = 3\n", "[tool.agentv]\nx = 1\n"],
)
def test_no_prices_are_no_prices(tmp_path: Path, content: str) -> None:
    assert read_prices(tmp_path) == {}
    write(tmp_path, content)
    assert read_prices(tmp_path) == {}


def test_prices_by_model(tmp_path: Path) -> None:
    write(
        tmp_path,
        "[tool.agentv.prices]\n"
        '"claude-*" = {input = 5, output = 25.5}\n'
        "[tool.agentv.prices.gpt]\n"
        "input = 1\noutput = 2\ncached = 0\ncache_write = 0.5\n",
    )
    assert read_prices(tmp_path) == {
        "claude-*": {"input": 5.0, "output": 25.5},
        "gpt": {"input": 1.0, "output": 2.0, "cached": 0.0, "cache_write": 0.5},
    }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[tool.agentv]\nprices = 3\n", "`tool.agentv.prices` must be a table of models"),
        ("[tool.agentv.prices]\nm = 3\n", "the prices of 'm' must be a table with `input`"),
        ("[tool.agentv.prices]\nm = {input = 3}\n", "the prices of 'm' must be a table"),
        ("[tool.agentv.prices]\nm = {input=1, output=2, x=3}\n", "the prices of 'm' must be"),
        ("[tool.agentv.prices]\nm = {input=-1, output=2}\n", "for `input` must be a number from 0"),
        ("[tool.agentv.prices]\nm = {input=1, output='2'}\n", "for `output` must be a number"),
        (
            "[tool.agentv.prices]\nm = {input=nan, output=2}\n",
            "must be a number from 0 on, not nan",
        ),
        (
            "[tool.agentv.prices]\nm = {input=inf, output=2}\n",
            "must be a number from 0 on, not inf",
        ),
        (
            f"[tool.agentv.prices]\nm = {{input=1{'0' * 400}, output=2}}\n",
            "for `input` must be a number from 0 on",
        ),
        ("[tool.agentv.prices]\nm = {input=true, output=2}\n", "must be a number from 0 on"),
        ("[tool.agentv\n", "cannot be read: "),
    ],
)
def test_wrong_prices_are_an_error_that_names_the_file(
    tmp_path: Path, content: str, said: str
) -> None:
    path = write(tmp_path, content)
    with pytest.raises(SettingsError) as caught:
        read_prices(tmp_path)
    assert str(caught.value).startswith(f"{path}: ")
    assert said in str(caught.value)


def test_bytes_that_are_no_text_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="cannot be read"):
        read_prices(tmp_path)
