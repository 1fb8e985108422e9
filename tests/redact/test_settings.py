"""Rules and settings of a project's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import pytest
from planted import KEY, github_token

from pytest_agentv.errors import SettingsError, UnknownName
from pytest_agentv.redact import Redactor, RedactSettings, profile_named, read_redact_settings

if TYPE_CHECKING:
    from pathlib import Path


def read(tmp_path: Path, text: str) -> RedactSettings:
    path = tmp_path / "redact.toml"
    path.write_text(text, encoding="utf-8")
    return read_redact_settings(tmp_path, file=path)


def test_settings_stand_in_pyproject(tmp_path: Path) -> None:
    assert read_redact_settings(tmp_path) == RedactSettings()
    (tmp_path / "pyproject.toml").write_text('[tool.agentv.redact]\nprofile = "strict"\n')
    assert read_redact_settings(tmp_path).profile == "strict"
    (tmp_path / "pyproject.toml").write_text("[tool.other]\n")
    assert read_redact_settings(tmp_path) == RedactSettings()


def test_own_rules_find_what_they_say(tmp_path: Path) -> None:
    settings = read(
        tmp_path,
        """
        [[rules]]
        id = "ticket"
        regex = "ACME-(?P<number>[0-9]{4,8})"
        group = "number"
        keywords = ["Acme-"]
        allow = ["^0000$"]
        [[rules]]
        id = "code"
        regex = "code:([a-z0-9]{8})"
        group = 1
        entropy = 2.5
        [[rules]]
        id = "header"
        keys = ["x-acme-*", "*.env.internal"]
        """,
    )
    redactor = Redactor("secrets", settings=settings)
    assert redactor.text("ACME-1234 ACME-0000") == "ACME-[REDACTED:ticket] ACME-0000"
    assert redactor.text("code:a1b2c3d4 code:aaaaaaaa") == "code:[REDACTED:code] code:aaaaaaaa"
    assert redactor.value({"X-Acme-Id": "abc", "env": {"internal": "abc"}, "y": "abc"}) == {
        "X-Acme-Id": "[REDACTED:header]",
        "env": {"internal": "[REDACTED:header]"},
        "y": "abc",
    }


def test_a_pattern_without_end_takes_the_whole_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_time(pattern: str, text: str, *, timeout: float) -> NoReturn:
        raise TimeoutError(f"{pattern} on {text} in {timeout} s")

    settings = read(tmp_path, '[[rules]]\nid = "slow"\nregex = "(?:a|a|aa)+[^a]{3}$"\n')
    # How long the engine takes is its own affair, and that of the machine.
    monkeypatch.setattr("regex.finditer", out_of_time)
    clean = Redactor("secrets", settings=settings).text("a" * 60 + "!")
    assert clean == "[REDACTED:slow]"


def test_rules_can_be_switched_off_and_values_allowed(tmp_path: Path) -> None:
    token = github_token()
    off = read(tmp_path, 'disable = ["github-pat"]')
    assert Redactor("secrets", settings=off).text(f"use {token}") == f"use {token}"
    allowed = read(tmp_path, 'allow = ["^hunter2!$"]')
    text = 'password = "hunter2!"'
    assert Redactor("secrets", settings=allowed).text(text) == text


def test_names_and_policy_are_the_users(tmp_path: Path) -> None:
    settings = read(
        tmp_path,
        'names = ["carol"]\nhosts = ["zephyr"]\ntool_output = "full"\nthinking = false\n'
        "include_file_contents = true\noutput_limit = 5\n",
    )
    redactor = Redactor("research", settings=settings, key=KEY)
    clean = redactor.text("Carol is on zephyr")
    assert clean.startswith("user-")
    assert " is on host-" in clean
    assert redactor.receipt()["contentPolicy"] == {
        "includeFileContents": True,
        "toolOutput": "full",
        "thinking": False,
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\nprofil = 1", "2: unknown key 'profil'; known: profile"),
        ('profile = "x"', "1: unknown profile 'x'; known: none, secrets, research, strict"),
        ('profile = ["x"]', "1: unknown profile ['x']; known: none"),
        ("thinking = 1", "1: `thinking` must be true or false, not 1"),
        ('tool_output = "x"', "1: `tool_output` must be one of full, truncated"),
        ("output_limit = 0", "1: `output_limit` must be a number from 1 on, not 0"),
        ("names = 1", "1: `names` must be a list of texts"),
        ('allow = ["("]', "1: '(' is no pattern"),
        ("rules = 1", "1: `rules` must be tables"),
        ("rules = [1]", ": a rule must be a table"),
        ('[[rules]]\nid = "a"\nx = 1', "3: unknown key 'x' of a rule"),
        ('[[rules]]\nregex = "a"', "the `id` of a rule must be"),
        ('[[rules]]\nid = "a"', "2: the rule 'a' needs a `regex` or `keys`"),
        ('[[rules]]\nid = "a"\nregex = "("', "3: '(' is no pattern"),
        ('[[rules]]\nid = "a"\nregex = 1', "3: `regex` must be a text, not 1"),
        ('[[rules]]\nid = "a"\nregex = "a"\ngroup = 2', "4: the pattern has no group 2"),
        ('[[rules]]\nid = "a"\nregex = "a"\nentropy = 9', "4: `entropy` must be a number"),
        ('[[rules]]\nid = "a"\nregex = "a"\nallow = ["("]', "4: '(' is no pattern"),
        ("= 1", "cannot be read"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read(tmp_path, text)
    assert said in str(caught.value)


def test_a_table_that_is_none_and_a_file_that_is_not_there_are_errors(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.agentv]\nredact = 1\n")
    with pytest.raises(SettingsError, match="must be a table"):
        read_redact_settings(tmp_path)
    with pytest.raises(SettingsError, match="no such file"):
        read_redact_settings(tmp_path, file=tmp_path / "none.toml")


def test_an_unknown_profile_is_named() -> None:
    with pytest.raises(UnknownName, match="unknown profile 'x'"):
        profile_named("x")
