"""``agentv config show``: each setting, and who says it; ``agentv export`` as it is configured."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pages import EXAMPLES, read_page

if TYPE_CHECKING:
    from agentv_command import ClaudeHome, InProcess

TRANSCRIPT = EXAMPLES / "transcripts" / "rate-limit.jsonl"


def _configured(home: ClaudeHome, text: str) -> Path:
    path = home.path / ".config" / "agentv" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def _no_other_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*os.environ]:
        if name.startswith(("XDG_", "AGENTV_")):
            monkeypatch.delenv(name)


def test_every_setting_is_shown_with_its_origin(
    home: ClaudeHome, agentv: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = _configured(home, "[search]\nmax_results = 7\n[storage.sources]\nclaude_code = '/x'\n")
    monkeypatch.setenv("AGENTV_INDEX_THINKING", "yes")
    monkeypatch.setenv("AGENTV_ELSE_PATH", "/of/another/program")
    shown = agentv("config", "show")
    assert (shown.code, shown.err) == (0, "")
    rows = {line.split()[0]: line.split()[1:] for line in shown.out.splitlines()}
    assert rows["search.max_results"] == ["7", f"{user}:2"]
    assert rows["storage.sources.claude"] == ["/x", f"{user}:4"]
    assert rows["index.thinking"] == ["true", "AGENTV_INDEX_THINKING"]
    assert rows["index.subagents"] == ["true", "default"]
    assert rows["export.default_format"] == ["-", "default"]
    assert "storage.sources.else" not in rows


def test_programs_get_values_with_file_line_and_variable(
    home: ClaudeHome, agentv: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = _configured(home, "[search]\nmax_results = 7\n")
    monkeypatch.setenv("AGENTV_SEARCH_DEFAULT_MODE", "hybrid")
    shown = json.loads(agentv("config", "show", "search", "--json").out)
    nowhere = {"file": None, "line": None, "variable": None}
    variable = "AGENTV_SEARCH_DEFAULT_MODE"
    assert shown == [
        {"key": "search.default_mode", "value": "hybrid", "from": "environment", **nowhere}
        | {"variable": variable},
        {"key": "search.default_context", "value": 0, "from": "default", **nowhere},
        {"key": "search.max_results", "value": 7, "from": "user", "file": str(user), "line": 2}
        | {"variable": None},
    ]


def test_settings_of_a_project_are_shown_and_what_is_hidden_is_not(
    agentv: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("pyproject.toml").write_text(
        "[tool.agentv.prices]\n'gpt-*' = {input = 1, output = 2}\n"
        "[tool.agentv.judge]\nbase_url = 'http://dev:hunter2@devbox/v1'\ntimeout = 3\n"
        "[tool.agentv.redact]\nnames = ['Mallory Example']\n"
        "[tool.agentv.submitter]\nkey_id = 'k1'\npseudonym = 'p'\n"
    )
    monkeypatch.setenv("AGENTV_MODEL", "openai:m")
    monkeypatch.setenv("AGENTV_JUDGE_CACHE", "/verdicts")
    for form in ((), ("--json",)):
        out = agentv("config", "show", *form).out
        assert "hunter2" not in out
        assert "Mallory" not in out
    rows = {line.split("  ")[0]: line for line in agentv("config", "show").out.splitlines()}
    at = Path("pyproject.toml").absolute()
    assert "  input = 1, output = 2  " in rows["prices.gpt-*"]
    assert rows["prices.gpt-*"].endswith(f"  {at}:2")
    assert "http://…@devbox/v1" in rows["judge.base_url"]
    assert rows["judge.timeout"].endswith(f"{at}:5")
    assert rows["judge.model"].endswith("AGENTV_MODEL")
    assert rows["judge.cache"].endswith("AGENTV_JUDGE_CACHE")
    assert rows["submitter.key_id"].endswith(f"{at}:9")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[tool.agentv.judge]\nx = 1\n", "`tool.agentv.judge` has no key 'x'"),
        ("[tool.agentv.prices]\nm = 1\n", "the prices of 'm' must be a table"),
        ("[tool.agentv.redact]\nx = 1\n", "unknown key 'x'"),
        ("[tool.agentv.submitter]\nx = 1\n", "`tool.agentv.submitter` must be a table"),
        ("[tool.agentv]\nsearch = 1\n", "`tool.agentv.search` must be a table, not 1"),
    ],
)
def test_a_wrong_setting_is_one_sentence(agentv: InProcess, content: str, said: str) -> None:
    Path("pyproject.toml").write_text(content)
    shown = agentv("config", "show")
    assert (shown.code, shown.out) == (1, "")
    assert said in shown.err
    assert shown.err.count("\n") == 1


def test_an_unknown_key_is_a_usage_error_with_the_nearest(agentv: InProcess) -> None:
    shown = agentv("config", "show", "search.max_result")
    assert shown.code == 2
    assert "no key `search.max_result`; did you mean `search.max_results`?" in shown.err


def test_sources_of_nobody_are_named(home: ClaudeHome, agentv: InProcess) -> None:
    user = _configured(home, "[storage.sources]\ncloude = '/x'\n")
    shown = agentv("config", "show")
    said = "`storage.sources` has no adapter `cloude`; did you mean `claude`?"
    assert (shown.code, shown.err) == (1, f"agentv: {user}:2: {said}\n")


def test_values_cannot_steer_a_terminal(home: ClaudeHome, agentv: InProcess) -> None:
    _configured(home, '[storage]\nindex_path = "/x\\u001b[2J\\u202e"\n')
    shown = agentv("config", "show", "storage")
    assert "\x1b" not in shown.out
    assert "\u202e" not in shown.out


def test_the_form_of_an_export_can_be_configured(home: ClaudeHome, agentv: InProcess) -> None:
    nothing = agentv("export", TRANSCRIPT)
    assert nothing.code == 2
    assert "say which form with --format (atif, entries, " in nothing.err
    _configured(home, "[export]\ndefault_format = 'markdown'\n")
    assert agentv("export", TRANSCRIPT).out == "claude-cli-3f1c9a52.md\n"
    assert agentv("export", TRANSCRIPT, "-f", "openai").out == "claude-cli-3f1c9a52.openai.jsonl\n"
    wrong = agentv("export", TRANSCRIPT, "--stats")
    assert (wrong.code, "--stats is for --format states" in wrong.err) == (2, True)


@pytest.mark.parametrize("theme", ["auto", "dark", "light"])
def test_a_page_has_the_theme_that_is_configured(
    theme: str, home: ClaudeHome, agentv: InProcess
) -> None:
    _configured(home, f"[export]\nhtml_theme = '{theme}'\n")
    assert agentv("export", TRANSCRIPT, "-f", "html", "-o", "page.html").code == 0
    tag = Path("page.html").read_text(encoding="utf-8").split("<html", 1)[1].split(">", 1)[0]
    assert tag == (' lang="en"' if theme == "auto" else f' lang="en" data-theme="{theme}"')


@pytest.mark.parametrize("form", ["markdown", "entries", "events", "openai", "atif", "html"])
def test_calls_of_tools_can_be_left_out_of_every_form(
    form: str, home: ClaudeHome, agentv: InProcess
) -> None:
    assert agentv("export", TRANSCRIPT, "-f", form, "-o", "with").code == 0
    assert agentv("export", TRANSCRIPT, "-f", form, "-o", "option", "--skip-tool-calls").code == 0
    _configured(home, "[export]\ninclude_tool_calls = false\n")
    assert agentv("export", TRANSCRIPT, "-f", form, "-o", "configured").code == 0
    texts = [
        "".join(read_page(Path(name)).parts) if form == "html" else Path(name).read_text("utf-8")
        for name in ("with", "option", "configured")
    ]
    command = "npm"
    assert [command in text for text in texts] == [True, False, False]
    assert all("Add rate limiting" in text for text in texts)
