"""Settings: who says what, who is stronger, what is refused and in which words."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv.cli.export import _SUFFIXES
from pytest_agentv.config import KEYS, Config, load_config
from pytest_agentv.config.toml import TomlFile
from pytest_agentv.errors import SettingsError
from pytest_agentv.redact.profiles import PROFILES

USER = ".config/agentv/config.toml"
DOCS = Path(__file__).parents[2] / "docs"


class Person:
    """Somebody with a home, a project and an environment."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = folder / "project"
        self.environ = {"HOME": str(self.home)}
        self.project.mkdir()
        (self.home / USER).parent.mkdir(parents=True)

    def says(self, text: str) -> Path:
        path = self.home / USER
        path.write_text(text, encoding="utf-8")
        return path

    def has_project(self, text: str) -> Path:
        path = self.project / "pyproject.toml"
        path.write_text(text, encoding="utf-8")
        return path

    def config(self, **given: object) -> Config:
        options = {name.replace("__", "."): value for name, value in given.items()}
        return load_config(self.project, self.environ, given=options)

    def error(self) -> str:
        with pytest.raises(SettingsError) as caught:
            self.config()
        assert "\n" not in str(caught.value)
        return str(caught.value)


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


def test_without_any_file_everything_is_the_default(person: Person) -> None:
    config = person.config()
    assert {str(one.origin) for one in config.settings.values()} == {"default"}
    assert config.sources == {}
    assert config.index_path == person.home / ".local/share/agentv/index.db"
    assert config.text("search.default_mode") == "lexical"
    assert config.text("export.default_format") == ""


def test_each_place_is_stronger_than_the_one_before(person: Person) -> None:
    name = "search.max_results"
    assert (person.config().number(name), str(person.config().settings[name].origin)) == (
        20,
        "default",
    )
    user = person.says("# mine\n[search]\n\nmax_results = 1\n")
    assert person.config().number(name) == 1
    assert str(person.config().settings[name].origin) == f"{user}:4"
    project = person.has_project("[project]\nname = 'x'\n[tool.agentv]\nsearch.max_results = 2\n")
    assert person.config().number(name) == 2
    assert str(person.config().settings[name].origin) == f"{project}:4"
    person.environ["AGENTV_SEARCH_MAX_RESULTS"] = "3"
    assert person.config().number(name) == 3
    assert str(person.config().settings[name].origin) == "AGENTV_SEARCH_MAX_RESULTS"
    assert person.config(search__max_results=4).number(name) == 4
    assert person.config(search__max_results=None).number(name) == 3
    person.environ["AGENTV_SEARCH_MAX_RESULTS"] = ""
    assert person.config().number(name) == 2


def test_a_variable_names_another_file(person: Person, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    person.environ["AGENTV_CONFIG"] = str(other)
    assert person.error() == f"{other}: no such file, and AGENTV_CONFIG names it"
    other.write_text("[index]\nthinking = true\n")
    assert person.config().flag("index.thinking")
    person.environ["AGENTV_CONFIG"] = endless = str(tmp_path / ("x" * 300))
    assert person.error().startswith(f"{endless}: cannot be read: ")
    assert person.error().count(endless) == 1
    del person.environ["AGENTV_CONFIG"]
    person.environ["XDG_CONFIG_HOME"] = str(tmp_path / "settings")
    person.environ["XDG_DATA_HOME"] = str(tmp_path / "data")
    assert not person.config().flag("index.thinking")
    assert person.config().index_path == tmp_path / "data/agentv/index.db"


def test_only_files_are_read_and_no_file_may_be_wanted(person: Person, tmp_path: Path) -> None:
    person.says("[index]\nthinking = true\n")
    person.environ["AGENTV_CONFIG"] = os.devnull
    assert not person.config().flag("index.thinking")
    person.environ["AGENTV_CONFIG"] = str(tmp_path)
    assert person.error() == f"{tmp_path}: is no regular file"
    if hasattr(os, "mkfifo"):
        del person.environ["AGENTV_CONFIG"]
        os.mkfifo(person.project / "pyproject.toml")
        assert person.error() == f"{person.project / 'pyproject.toml'}: is no regular file"


def test_a_file_that_is_far_too_large_is_an_error(person: Person, tmp_path: Path) -> None:
    with (tmp_path / "large.toml").open("wb") as file:
        file.truncate((5 << 20) + 1)
    person.environ["AGENTV_CONFIG"] = str(tmp_path / "large.toml")
    assert person.error() == f"{tmp_path / 'large.toml'}: is larger than 5 MiB"


def test_lines_are_found_behind_long_values(person: Person) -> None:
    names = "".join(f"  'package-{number}[extra]>=1',\n" for number in range(200))
    path = person.has_project(
        f"[project]\ndependencies = [\n{names}]\n[tool.agentv]\nsearch.max_results = 3\n"
    )
    assert str(person.config().settings["search.max_results"].origin) == f"{path}:205"


def test_a_file_that_changes_is_read_again(person: Person) -> None:
    for number in (5, 6, 17):
        person.says(f"[search]\nmax_results = {number}\n")
        assert person.config().number("search.max_results") == number


def test_relative_paths_are_below_who_says_them(
    person: Person, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    person.says("[storage]\nindex_path = 'mine.db'\nsources.pi = '~/pi'\n")
    assert person.config().index_path == person.home / "mine.db"
    person.has_project(
        "[tool.agentv.storage]\nindex_path = 'x/its.db'\n"
        "[tool.agentv.storage.sources]\ncline = 'tasks'\n"
    )
    assert person.config().index_path == person.project / "x/its.db"
    assert person.config().sources["pi"].value == (str(person.home / "pi"),)
    assert person.config().sources["cline"].value == (str(person.project / "tasks"),)
    person.environ["AGENTV_INDEX_PATH"] = "here.db"
    assert person.config().index_path == tmp_path / "here.db"


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("claude_code", "claude"),
        ("claude-code", "claude"),
        ("codex_cli", "codex"),
        ("copilot_cli", "copilot"),
        ("mini_swe_agent", "mini-swe-agent"),
        ("qwen-code", "qwen"),
        ("their-own", "their-own"),
    ],
)
def test_an_adapter_has_several_names(person: Person, said: str, name: str) -> None:
    person.says(f"[storage.sources]\n{said} = ['/a', '/b/*.jsonl']\n")
    assert person.config().sources[name].value == ("/a", "/b/*.jsonl")
    person.environ[f"AGENTV_{said.replace('-', '_').upper()}_PATH"] = os.pathsep.join(["/c", "/d"])
    assert person.config().sources[name].value == ("/c", "/d")


def test_sources_of_nobody_are_refused_where_adapters_are_known(person: Person) -> None:
    user = person.says("[storage.sources]\nclaud = '/a'\n")
    with pytest.raises(SettingsError) as caught:
        person.config().check_sources(("claude", "codex"))
    said = "`storage.sources` has no adapter `claud`; did you mean `claude`?"
    assert str(caught.value) == f"{user}:2: {said}"


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        ("[search]\nmax_result = 3\n", 2, "unknown key `search.max_result`; did you mean"),
        ("[serch]\nmax_results = 3\n", 1, "unknown key `serch`; "),
        ("x = 1\n", 1, "unknown key `x`; known: storage.index_path, "),
        ("[search]\nmax_results = 0\n", 2, "must be a whole number from 1 to 10000, not 0"),
        ("[search]\nmax_results = true\n", 2, "must be a whole number from 1 to 10000, not True"),
        ("[search]\nmax_results = '3'\n", 2, "must be a whole number"),
        ("[index]\nthinking = 1\n", 2, "`index.thinking` must be true or false, not 1"),
        ("[index.vector]\n\nfallback = 'x'\n", 3, "must be one of hash, none, not 'x'"),
        ("[index]\nredact = {a = 1}\n", 2, "must be one of none, secrets, research, strict"),
        ("[index]\nvector = 3\n", 2, "`index.vector` must be a table, not 3"),
        ("storage = 3\n", 1, "`storage` must be a table, not 3"),
        ("[storage]\nindex_path = ''\n", 2, "`storage.index_path` must be a path, not ''"),
        ("[storage]\nindex_path = 'a\\u0000'\n".replace("'", '"'), 2, "must be a path"),
        ("[storage]\nsources = '/a'\n", 2, "`storage.sources` must be a table"),
        ("[storage.sources]\npi = 3\n", 2, "must be a path, a glob or a list of them, not 3"),
        ("[storage.sources]\npi = []\n", 2, "must be a path, a glob or a list of them, not []"),
        ("[storage.sources.pi]\na = 1\n", 1, "must be a path, a glob or a list of them"),
        ("[index]\nlucene_ram_buffer_mb = 64\n", 2, "is not used: the index is a file of SQLite"),
        ("[index.vector]\nmodel_path = '~/m'\n", 2, "pip install 'pytest-agentv[semantic]'"),
        ("[a]\n[prices.x]\ninput = 1\n", 2, "`prices` is a setting of projects: [tool.agentv."),
        ("[search]\nx = '''\n", None, "cannot be read: "),
        ("a = " + "[" * 20_000, None, "cannot be read: "),
    ],
)
def test_what_is_wrong_in_a_file_is_one_sentence_with_its_line(
    person: Person, content: str, line: int | None, said: str
) -> None:
    path = person.says(content)
    error = person.error()
    assert error.startswith(f"{path}: " if line is None else f"{path}:{line}: ")
    assert said in error


def test_a_project_is_checked_the_same_way(person: Person) -> None:
    path = person.has_project("[tool.agentv.prices]\n[tool.agentv.export]\nhtml_them = 'dark'\n")
    assert person.error() == (
        f"{path}:3: unknown key `tool.agentv.export.html_them`; did you mean `export.html_theme`?"
    )
    path = person.has_project("[tool]\nagentv = 3\n")
    assert person.error() == f"{path}:2: `tool.agentv` must be a table"


@pytest.mark.parametrize(
    "table", ["[tool.agentv.index]\nthinking = true\n", "[tool.agentv.storage.sources]\npi='/'\n"]
)
def test_a_project_shapes_no_index_but_its_own(person: Person, table: str) -> None:
    path = person.has_project(table)
    assert person.error().startswith(f"{path}:1: `tool.agentv.")
    assert "say where it is with `tool.agentv.storage.index_path`" in person.error()
    person.has_project(
        f"[tool.agentv]\nstorage.index_path = '.agentv/index.db'\n{table}".replace(
            "[tool.agentv.storage.sources]\npi", "storage.sources.pi"
        )
    )
    assert person.config().index_path == person.project / ".agentv/index.db"


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("AGENTV_INDEX_THINKING", "maybe", "must be true or false, not 'maybe'"),
        ("AGENTV_SEARCH_MAX_RESULTS", "1e3", "must be a whole number from 1 to 10000, not '1e3'"),
        ("AGENTV_SEARCH_MAX_RESULTS", "9" * 5000, "must be a whole number from 1 to 10000, not "),
        ("AGENTV_SEARCH_DEFAULT_MODE", "fast", "must be one of lexical, semantic, hybrid"),
    ],
)
def test_a_variable_that_is_wrong_is_named(
    person: Person, variable: str, value: str, said: str
) -> None:
    person.environ[variable] = value
    assert person.error().startswith(f"{variable} {said}")


@pytest.mark.parametrize(
    ("text", "value"), [("1", True), ("Yes", True), ("off", False), ("0", False)]
)
def test_variables_say_yes_and_no(person: Person, text: str, value: bool) -> None:  # noqa: FBT001
    person.environ["AGENTV_INDEX_TOOL_OUTPUT"] = text
    assert person.config().flag("index.tool_output") is value


def test_the_largest_number_fits_into_a_variable(person: Person) -> None:
    person.environ["AGENTV_SEARCH_MAX_RESULTS"] = "10000"
    assert person.config().number("search.max_results") == 10_000


def test_without_a_home_only_the_index_is_unknown(person: Person) -> None:
    person.environ.clear()
    config = person.config()
    with pytest.raises(SettingsError, match="AGENTV_INDEX_PATH"):
        _ = config.index_path


def test_choices_are_those_of_the_commands() -> None:
    choices = {key.name: key.choices for key in KEYS}
    assert choices["index.redact"] == tuple(PROFILES)
    assert choices["export.default_format"] == tuple(sorted(_SUFFIXES))


def test_every_key_is_documented_with_its_variable_and_default() -> None:
    page = (DOCS / "configuration.md").read_text(encoding="utf-8")
    for key in KEYS:
        (row,) = [line for line in page.split("\n") if line.startswith(f"| `{key.name}` ")]
        cells = [cell.strip() for cell in row.split("|")]
        assert cells[2] == f"`{key.variable}`"
        assert all(f"`{choice}`" in cells[3] for choice in key.choices if "form" not in key.name)
        if key.default is not None:
            assert cells[4].strip("`").startswith(str(key.default).lower())


VALUES = st.sampled_from(
    ["1", "'''\na\nb = 2\n'''", "[\n1,\n# x = 3\n2]", "{x = 1, y = 'a'}", '"]"']
)
STATEMENTS = st.lists(
    st.one_of(
        st.tuples(st.just("key"), VALUES),
        st.tuples(st.sampled_from(["# comment", "", "  "]), st.just("")),
        st.tuples(
            st.just("table"), st.sampled_from(["[{}]", "[ a . {} ]", "[[{}]]", '["x.y".{}]'])
        ),
    ),
    max_size=12,
)


@given(STATEMENTS)
def test_every_key_is_found_on_the_line_where_it_stands(
    statements: list[tuple[str, str]],
) -> None:
    lines: list[str] = []
    expected: dict[str, int] = {}
    for number, (kind, value) in enumerate(statements):
        name = f"k{number}"
        if kind in ("key", "table"):
            expected[name] = sum(one.count("\n") + 1 for one in lines) + 1
        lines.append(
            f"{name} = {value}" if kind == "key" else value.format(name) if value else kind
        )
    file = TomlFile(Path("f.toml"), "\n".join(lines))
    found = {path[-1]: line for path, line in file._lines.items() if path}
    assert {name: found[name] for name in expected} == expected
