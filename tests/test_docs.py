"""The documentation is true: its examples run, and it misses nothing that users can touch."""

from __future__ import annotations

import configparser
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args
from xml.etree import ElementTree as ET

import click
import pytest

import pytest_agentv
from pytest_agentv import (
    ReadOptions,
    SessionRef,
    errors,
    grading,
    hookspecs,
    plugins,
    read_transcripts,
    testing,
    write_stream,
)
from pytest_agentv.catalogue import ADAPTERS as ADAPTERS_OF_OURS
from pytest_agentv.cli.main import agentv
from pytest_agentv.evalfile import tables
from pytest_agentv.plugins import registry
from pytest_agentv.results import model as results
from pytest_agentv.transcript import model

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from pytest_agentv.testing import AdapterCheck

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PACKAGE = Path(pytest_agentv.__file__).parent
PAGES = [ROOT / "README.md", ROOT / "examples" / "README.md", *sorted(DOCS.glob("*.md"))]
TEXTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted(path for folder in ("docs", "examples", "benchmarks", "changelog.d")
            for path in (ROOT / folder).glob("*.md")),
]  # fmt: skip
# Clients that the examples have a home of, and the documentation a page.
ADAPTERS = {name: registry().adapter(name) for name in ("claude", "codex", "copilot")}
LISTED = [one.name for one in ADAPTERS_OF_OURS]
SESSIONS = {
    "claude": ROOT / "examples/claude-home/projects/-home-dev-projects-shop-api"
    "/3f1c9a52-7d4e-4b8a-9c61-2e5a80f4d7b3.jsonl",
    "codex": ROOT / "examples/codex-home/sessions/2026/07/15"
    "/rollout-2026-07-15T10-12-40-019f64d5-c971-7372-956a-7e14a46378da.jsonl",
    "copilot": ROOT / "examples/copilot-home/session-state"
    "/b5e0d7c4-1f3a-4d92-8c6e-70a94f2be851/events.jsonl",
}

IN_A_CHECKOUT = pytest.mark.skipif(
    not (ROOT / ".ci").is_dir(), reason="only a checkout has every file"
)

_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>[^>\n]+) -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


class _Block(NamedTuple):
    """A fenced block of a page, and the HTML comment right before it."""

    mark: str
    language: str
    text: str
    line: int


def _blocks(page: Path) -> Iterator[_Block]:
    content = page.read_text(encoding="utf-8")
    for match in _BLOCK.finditer(content):
        line = content.count("\n", 0, match.start("text"))
        yield _Block(match["mark"] or "", match["language"], match["text"], line)


class _Shell:
    """A shell as a reader of the pages has it: our commands on the path, the examples at hand."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "clone"
        self._site = folder / "site"
        programs = folder / "bin"
        for made in (self.folder, self._site, programs, folder / "home"):
            made.mkdir()
        shutil.copytree(ROOT / "examples", self.folder / "examples")
        for name, module in {
            "agentv": "-m pytest_agentv",
            "pytest": "-m pytest",
            "python": "",
        }.items():
            program = programs / name
            program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n', "utf-8")
            program.chmod(0o755)
        kept = {name: value for name, value in os.environ.items() if not _OF_THIS_RUN.match(name)}
        self._environment = {
            **kept,
            "COLUMNS": "80",
            "HOME": str(folder / "home"),
            "PATH": os.pathsep.join([str(programs), os.environ.get("PATH", os.defpath)]),
            "PYTHONPATH": os.pathsep.join([str(self._site), str(self.folder)]),
        }

    def run(self, command: str) -> tuple[int, str]:
        """Exit code and output of one line."""
        if command.startswith("export "):
            name, _, value = command.removeprefix("export ").partition("=")
            self._environment[name] = value
            return 0, ""
        if command.startswith("pip install"):
            self._install()
            return 0, ""
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        return done.returncode, done.stdout

    def _install(self) -> None:
        """What pip would do with the page's package, without a network."""
        # So simple a pyproject.toml can be read as an INI file; Python 3.10 has no TOML reader.
        project = configparser.ConfigParser(interpolation=None)
        project.read(self.folder / "pyproject.toml", encoding="utf-8")
        name, version = (project["project"][key].strip('"') for key in ("name", "version"))
        entry_points = "".join(
            f"{key} = {value.strip(chr(34))}\n"
            for key, value in project["project.entry-points.agentv"].items()
        )
        info = self._site / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n", "utf-8")
        (info / "entry_points.txt").write_text(f"[agentv]\n{entry_points}", "utf-8")


_OF_THIS_RUN = re.compile(
    r"PYTEST_|GITHUB_|CI$|BUILD_NUMBER$|CLAUDE_CONFIG_DIR$|CODEX_|COPILOT_HOME$|"
    r"XDG_(CACHE|STATE)_HOME$|FORCE_COLOR$|PY_COLORS$|PYTHONPATH$|PYTHONWARNINGS$"
)


def _commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command of a console block, and the output shown below it."""
    for entry in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = entry.partition("\n")
        yield command, output


def _assert_shown(shown: str, actual: str) -> None:
    """The output is the one shown, where three dots or more stand for anything."""
    tidy = _without_blanks(actual)
    first, *others = re.split(r"\.{3,}", _without_blanks(shown))
    if not _fits(tidy, first, others):
        assert tidy == shown


def _without_blanks(text: str) -> str:
    """Without blanks at the ends of lines, and without blank lines."""
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def _fits(text: str, first: str, others: list[str]) -> bool:
    """Whether a text begins with the first part, ends with the last, and has all in order."""
    if not others:
        return text == first
    place = len(first)
    for part in others[:-1]:
        place = text.find(part, place) + len(part)
        if place < len(part):
            return False
    return text.startswith(first) and text[place:].endswith(others[-1])


# What only a command prints that does not end well.
_BAD_END = re.compile(
    r"^(agentv|ERROR): |\b[1-9]\d* (failed|errors?)\b|: [1-9]\d* problem|\b[1-9]\d* places? left\b"
    r"|\b[1-9]\d* loss"
)


def _run_console(shell: _Shell, text: str) -> None:
    for command, shown in _commands(text):
        code, output = shell.run(command)
        _assert_shown(shown, output)
        assert bool(code) is bool(_BAD_END.search(shown)), f"exit code {code} of: {command}"


@pytest.mark.skipif(sys.platform == "win32", reason="the pages show a POSIX shell")
@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_example_of_a_page_runs_and_prints_what_is_shown(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = _Shell(tmp_path)
    monkeypatch.chdir(shell.folder)
    if "docs/examples --" in page.read_text(encoding="utf-8"):
        shutil.copytree(DOCS / "examples", shell.folder / "docs" / "examples")
    namespace: dict[str, Any] = {"__name__": "page"}
    printed = None
    for block in _blocks(page):
        if block.mark.startswith("file: "):
            file = Path(block.mark.removeprefix("file: "))
            file.parent.mkdir(exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
        elif block.mark == "main-command":
            # Installing is what .ci/run does with this line; here its last part is enough.
            code, printed = shell.run(block.text.split("&&")[-1].replace(".venv/bin/", ""))
            assert code == 0, printed
        elif block.language == "text" and printed is not None:
            _assert_shown(block.text, printed)
            printed = None
        elif block.language == "console" and block.mark != "no-run":
            _run_console(shell, block.text)
        elif block.language == "python" and block.mark != "no-run":
            code_of_block = compile("\n" * block.line + block.text, page, "exec")
            exec(code_of_block, namespace)  # noqa: S102 (the page's own example)


@pytest.mark.skipif(sys.platform == "win32", reason="the page shows a POSIX shell")
def test_the_readmes_way_to_ones_own_sessions_works_in_a_new_project(tmp_path: Path) -> None:
    shell = _Shell(tmp_path)
    for name in ("claude", "codex"):
        shutil.copytree(ROOT / f"examples/{name}-home", tmp_path / "home" / f".{name}")
    [block] = [one.text for one in _blocks(ROOT / "README.md") if "agentv init  " in one.text]
    install, *commands = block.splitlines()
    assert install.startswith("pip install pytest-agentv ")
    for command in commands:
        code, printed = shell.run(command)
        assert code == 0, printed
    assert re.search(r"^total +2/2 ", printed, re.MULTILINE)


@pytest.mark.parametrize("include_subagents", [False, True])
@pytest.mark.parametrize("name", ADAPTERS)
def test_the_example_session_of_every_client_is_read_without_drift(
    agentv_check_adapter: AdapterCheck, name: str, *, include_subagents: bool
) -> None:
    transcript = agentv_check_adapter(
        ADAPTERS[name], SESSIONS[name], include_subagents=include_subagents
    )
    assert transcript.drift == {}


@pytest.mark.parametrize("name", ADAPTERS)
def test_the_example_home_of_every_client_has_its_example_session(name: str) -> None:
    examples = ROOT / "examples"
    home = ADAPTERS[name].home(
        {
            "CLAUDE_CONFIG_DIR": str(examples / "claude-home"),
            "CODEX_HOME": str(examples / "codex-home"),
            "COPILOT_HOME": str(examples / "copilot-home"),
        }
    )
    assert home is not None
    assert [ref.path for ref in ADAPTERS[name].sessions(home)] == [SESSIONS[name]]


@pytest.mark.parametrize(
    ("name", "session", "test_id", "transcript"),
    [
        ("claude", SESSIONS["claude"], "rate-limit", "rate-limit.jsonl"),
        ("claude", ROOT / "examples/runs/route-audit.jsonl", "route-audit", "route-audit.jsonl"),
        ("claude", ROOT / "examples/runs/token-expiry.jsonl", "token-expiry", "token-expiry.jsonl"),
        *(
            (name, session, "login-limit", f"login-limit/{name}.jsonl")
            for name, session in SESSIONS.items()
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_example_transcripts_are_what_an_import_writes(
    name: str, session: Path, test_id: str, transcript: str
) -> None:
    file = io.BytesIO()
    ref = SessionRef(session_id=session.stem, path=session)
    write_stream(file, ADAPTERS[name].read(ref, ReadOptions()), test_id=test_id)
    assert file.getvalue() == (ROOT / "examples/transcripts" / transcript).read_bytes()


def test_an_example_asks_every_client_the_same_and_for_the_same_kinds_of_tools() -> None:
    transcripts = [
        transcript
        for path in sorted((ROOT / "examples/transcripts/login-limit").iterdir())
        for transcript in read_transcripts(path)
    ]
    assert [one.source.provider for one in transcripts] == [
        adapter.provider for adapter in ADAPTERS.values()
    ]
    assert len({one.prompts for one in transcripts}) == 1
    for transcript in transcripts:
        runs = transcript.tool_calls("shell", command="npm test*")
        assert [(run.status, run.exit_code or 0) for run in runs] == [("error", 1), ("ok", 0)]
        assert transcript.tool_calls("edit", path="*README.md")


@pytest.mark.parametrize("options", ["", "-n2"])
def test_the_examples_come_out_as_they_say(options: str, tmp_path: Path) -> None:
    shell = _Shell(tmp_path)
    transcripts = "--transcript=examples/transcripts --junitxml=report.xml"
    code, printed = shell.run(f"pytest -W error {options} examples {transcripts}")
    assert code == 0, printed
    report = ET.parse(shell.folder / "report.xml").getroot()  # noqa: S314 (made just now)
    cases = {case.get("name"): case.find("skipped") for case in report.iter("testcase")}
    assert len(cases) == 98
    assert {name: one.get("type") for name, one in cases.items() if one is not None} == {
        "login-limit[claude-cli]::latency": "pytest.xfail",
        "login-limit[codex-cli]::contains-Retry-After": "pytest.xfail",
        "login-limit[copilot-cli]::tests-last-change-npm-test": "pytest.xfail",
        "rate-limit[claude-cli]::cost": "pytest.skip",
        "route-audit[claude-cli]::compact": "pytest.xfail",
        "token-expiry[claude-cli]::contains-tests": "pytest.xfail",
        "token-expiry[claude-cli]::ran-tests-npm-test": "pytest.xfail",
        "upgrade-express::contains-Express-5": "pytest.skip",
        "upgrade-express::ran-tests-npm-test": "pytest.skip",
    }


def _section(page: Path, heading: str) -> str:
    """What stands below a heading, up to the next one."""
    content = page.read_text(encoding="utf-8")
    found = re.search(
        rf"^#+ {re.escape(heading)}\n(?P<text>.*?)(?=^#+ |\Z)",
        content,
        flags=re.MULTILINE | re.DOTALL,
    )
    assert found, f"{_name(page)} has no section {heading!r}"
    return found["text"]


def _documented(text: str) -> list[str]:
    """The names in the first cells of all tables: code, without arguments."""
    cells = re.findall(r"^\| ([^|]+) \|", text, flags=re.MULTILINE)
    spans = [span for cell in cells for span in re.findall(r"`([^`]+)`", cell)]
    return [re.split(r"[ (=]", span)[0] for span in spans]


def _command_tree(
    command: click.Command, path: tuple[str, ...] = ("agentv",)
) -> Iterator[tuple[str, click.Command]]:
    yield " ".join(path), command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None and (path[-1] != "import" or name in _OWN_VENDORS):
                yield from _command_tree(child, (*path, name))


_OWN_VENDORS = {"auto", *LISTED}
_COMMANDS = dict(_command_tree(agentv))


@pytest.mark.parametrize("name", _COMMANDS)
def test_the_reference_has_every_option_of_a_command_and_no_other(name: str) -> None:
    options = {
        option
        for parameter in _COMMANDS[name].params
        if isinstance(parameter, click.Option)
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    client = name.removeprefix("agentv import ")
    section = "agentv import CLIENT" if client in {*LISTED} - {*ADAPTERS} else name
    documented = set(_documented(_section(DOCS / "reference.md", section)))
    assert documented - {"-h", "--help"} == options - {"-h", "--help"}
    assert name != "agentv" or {"-h", "--help"} <= documented


def test_every_option_of_import_is_explained() -> None:
    text = (DOCS / "import.md").read_text(encoding="utf-8")
    explained = set(_documented(text))
    options = {
        option
        for name, command in _COMMANDS.items()
        if name.startswith("agentv import ")
        for parameter in command.params
        for option in parameter.opts
    }
    assert options - explained == set()


def test_every_command_is_mentioned_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    leaves = [name for name, one in _COMMANDS.items() if not isinstance(one, click.Group)]
    others = {f"agentv import {name}" for name in {*LISTED} - {*ADAPTERS}}
    assert [name for name in leaves if f"`{name} " not in readme and name not in others] == []


@pytest.mark.parametrize("name", [name for name in LISTED if name not in ADAPTERS])
def test_the_page_on_formats_has_every_other_client(name: str) -> None:
    section = _section(DOCS / "formats.md", name)
    oldest, newest = plugins.registry().adapter(name).tested
    assert f"**{oldest} to {newest}**" in section
    assert f"`agentv import {name}`" in section
    assert "| holds |" in section
    assert "| lost |" in section


def test_the_reference_has_every_public_name_and_no_other() -> None:
    documented = _documented(_section(DOCS / "reference.md", "pytest_agentv"))
    assert sorted(documented) == sorted(pytest_agentv.__all__)


@pytest.mark.parametrize("module", [testing, grading, errors], ids=lambda module: module.__name__)
def test_the_reference_has_everything_a_public_module_defines(module: ModuleType) -> None:
    defined = set(getattr(module, "__all__", ())) or {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    }
    assert set(_documented(_section(DOCS / "reference.md", module.__name__))) == defined


def test_the_reference_has_every_hook() -> None:
    hooks = {name for name, value in vars(hookspecs).items() if hasattr(value, "agentv_spec")}
    assert set(_documented(_section(DOCS / "reference.md", "Hooks"))) == hooks


@pytest.mark.parametrize(
    ("question", "pattern", "section"),
    [
        ("--help", r"^  (--(?:agentv-[\w-]+|transcript))", "pytest"),
        ("--help", r"^  (agentv_\w+)", "Settings"),
        ("--fixtures", r"^(agentv_\w+|transcripts?)\b", "pytest"),
    ],
    ids=["options", "settings", "fixtures"],
)
def test_the_reference_has_every_option_setting_and_fixture_of_the_pytest_plugin(
    question: str, pattern: str, section: str, tmp_path: Path
) -> None:
    environment = {
        name: value for name, value in os.environ.items() if not _OF_THIS_RUN.match(name)
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", question],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    offered = set(re.findall(pattern, done.stdout, flags=re.MULTILINE))
    assert offered
    documented = set(_documented(_section(DOCS / "reference.md", section)))
    assert offered <= documented


def test_every_assertion_type_is_explained() -> None:
    page = (DOCS / "assertions.md").read_text(encoding="utf-8")
    types = plugins.assertion_types(plugins.plugin_manager())
    assert [name for name in types if f"`{name}`" not in page] == []


@pytest.mark.parametrize("table", [tables.FILE, tables.TEST, tables.COMMON, tables.EXECUTION])
def test_every_key_of_an_eval_file_is_explained(table: tables.KeyTable) -> None:
    page = (DOCS / "eval-files.md").read_text(encoding="utf-8")
    keys = [*table.names, *table.aliases, *table.ignored]
    assert [name for name in keys if f"`{name}`" not in page] == []


@pytest.mark.parametrize(
    "struct",
    [
        model.Transcript,
        model.Source,
        model.Message,
        model.ToolCall,
        model.Usage,
        model.TokenUsage,
        model.Attachment,
    ],
    ids=lambda struct: struct.__name__,
)
def test_every_field_of_a_transcript_is_explained_in_its_order(struct: Any) -> None:
    documented = _documented(_section(DOCS / "transcript.md", struct.__name__))
    assert documented == list(struct.__struct_fields__)


@pytest.mark.parametrize(
    "struct", [results.Row, results.Score, results.Summary], ids=lambda struct: struct.__name__
)
def test_every_field_of_results_is_explained_in_its_order(struct: Any) -> None:
    documented = _documented(_section(DOCS / "results.md", struct.__name__))
    assert documented == list(struct.__struct_fields__)


def test_every_type_of_a_transcript_is_explained() -> None:
    structs = {
        name
        for name, value in vars(model).items()
        if isinstance(value, type) and value.__module__ == model.__name__
    }
    headings = re.findall(
        r"^## (\w+)$", (DOCS / "transcript.md").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert structs <= set(headings)


@pytest.mark.parametrize(
    ("heading", "values"),
    [
        ("Kind", get_args(model.Kind)),
        ("Status", get_args(model.Status)),
        ("Origin", get_args(model.Origin)),
    ],
)
def test_every_value_of_a_closed_list_is_explained(heading: str, values: tuple[str, ...]) -> None:
    _, *documented = _documented(_section(DOCS / "transcript.md", heading))
    assert documented == list(values)


@pytest.mark.parametrize("name", ADAPTERS)
def test_the_page_on_a_client_names_the_versions_its_adapter_was_tested_with(name: str) -> None:
    oldest, newest = ADAPTERS[name].tested
    assert f"**{oldest} to {newest}**" in (DOCS / f"{name}.md").read_text(encoding="utf-8")


def test_every_environment_variable_is_explained() -> None:
    sources = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    asked_for = {
        name for source in sources for name in re.findall(r'environ(?:\.get\(|\[)"(\w+)"', source)
    }
    assert {"CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME"} <= asked_for
    pages = (DOCS / name for name in ("import.md", "reference.md"))
    explained = {name for page in pages for name in _documented(page.read_text(encoding="utf-8"))}
    assert asked_for - explained == set()


def _anchors(page: Path) -> set[str]:
    content = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", content, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


@IN_A_CHECKOUT
@pytest.mark.parametrize("page", TEXTS, ids=_name)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    content = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    links = re.findall(r"\]\(([^)\s]+)\)", content)
    broken = []
    for link in links:
        if re.match(r"https?://", link):
            continue
        target, _, anchor = link.partition("#")
        path = (page.parent / target) if target else page
        if not path.exists() or (anchor and anchor not in _anchors(path)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("name", ["main-command", "test-command"])
def test_the_readme_has_one_line_that_does_it_all(name: str) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    opening, closing = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
    assert (readme.count(opening), readme.count(closing)) == (1, 1)
    between = readme.partition(opening)[2].partition(closing)[0]
    assert re.fullmatch(r"```sh\npython3 -m venv [^\n]+\n```\n", between)


@IN_A_CHECKOUT
def test_the_gate_runs_the_tests_as_the_readme_says() -> None:
    gate = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "readme main-command" in gate
    assert "readme test-command" in gate


# Paths of somebody's machine: any home folder but those of people who do not exist. Codex names
# its agents as if they were folders: `/root/looker`.
_PRIVATE = re.compile(
    r"(?:/home/|/Users/|[A-Za-z]:\\+Users\\+)"
    r"(?!(?:d|[Dd]ev|user|somebody|another|cafe?)\b)\w+|/wor[k]/|/roo[t]/(?!looker|a\b)"
)
_PLACES = (
    "pytest_agentv", "tests", "examples", "docs", "benchmarks", "fuzz", "changelog.d", ".ci",
    ".github",
)  # fmt: skip


def _files_of_ours() -> Iterator[Path]:
    # In a worktree .git is a file, which says where the repository is.
    yield from (path for path in ROOT.iterdir() if path.is_file() and path.name != ".git")
    for place in _PLACES:
        yield from (path for path in (ROOT / place).rglob("*") if path.is_file())


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    found = {
        _name(path): sorted(
            set(_PRIVATE.findall(path.read_text(encoding="utf-8", errors="replace")))
        )
        for path in _files_of_ours()
        if "__pycache__" not in path.parts and not path.name.startswith(".coverage")
    }
    assert {name: words for name, words in found.items() if words} == {}


@IN_A_CHECKOUT
def test_every_changelog_fragment_is_one_sentence_of_a_known_type() -> None:
    types = "added|changed|deprecated|removed|fixed|security"
    wrong = [
        path.name
        for path in (ROOT / "changelog.d").glob("*.md")
        if path.name != "README.md"
        and not (
            re.fullmatch(rf"(\d+|\+[\w-]+)\.({types})\.md", path.name)
            and re.fullmatch(r"[^\n]+\.\n", path.read_text(encoding="utf-8"))
        )
    ]
    assert wrong == []
