"""Finding what each setting is, and who says so.

The weakest first: the default, the user's file, the project's pyproject.toml, the environment, an
option of the command. A project that shapes an index must name one of its own: else every change
of folders would build the user's anew, and a project could have it hold more than its owner wants.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pytest_agentv.config.checking import check_project_file, check_user_file
from pytest_agentv.config.keys import BY_NAME, INDEX_PATH, KEYS, OF_PROJECTS, SOURCES, nearest
from pytest_agentv.config.paths import CONFIG_VARIABLE, config_file, expanded, index_file, user_home
from pytest_agentv.config.sources import patterns_of, source_name, source_variables, split_paths
from pytest_agentv.config.toml import read_toml
from pytest_agentv.errors import Location, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_agentv.config.toml import TomlFile

PROJECT_FILE = "pyproject.toml"
_TABLE = ("tool", "agentv")


class Origin(NamedTuple):
    """Who says a setting."""

    kind: Literal["default", "user", "project", "environment", "option"]
    at: Location | None = None
    variable: str | None = None

    def __str__(self) -> str:
        """``file:line``, the name of a variable, or what else it is."""
        return str(self.at or self.variable or self.kind)


class Setting(NamedTuple):
    """A value, and who says it."""

    name: str
    value: Any
    origin: Origin


_DEFAULT = Origin("default")


@dataclass(frozen=True, slots=True)
class Config:
    """What is configured."""

    settings: Mapping[str, Setting]
    # Paths and globs by the name of the adapter; none for an adapter whose places are its own.
    sources: Mapping[str, Setting]
    environ: Mapping[str, str] = field(repr=False)

    def flag(self, name: str) -> bool:
        """A setting that is true or false."""
        return bool(self.settings[name].value)

    def number(self, name: str) -> int:
        """A setting that is a number."""
        return int(self.settings[name].value)

    def text(self, name: str) -> str:
        """A setting that is a text; an empty one if nobody says it."""
        return str(self.settings[name].value or "")

    @property
    def index_path(self) -> Path:
        """The file of the search index."""
        found = self.settings[INDEX_PATH].value
        if found is None:
            key = BY_NAME[INDEX_PATH]
            raise SettingsError(
                f"no home folder is set; say where the index is with {key.variable}"
            )
        return Path(found)

    def check_sources(self, names: Iterable[str]) -> None:
        """Refuse the sources of an adapter that there is not."""
        known = tuple(names)
        for name, setting in self.sources.items():
            # A variable may be one of another program's.
            if name not in known and setting.origin.kind != "environment":
                message = f"`{SOURCES}` has no adapter `{name}`{nearest(name, known)}"
                raise SettingsError(message, at=setting.origin.at)


def load_config(
    root: Path, environ: Mapping[str, str], *, given: Mapping[str, Any] | None = None
) -> Config:
    """The settings in a folder of a project.

    ``given`` holds what options of a command say, by the names of keys; None says nothing.
    """
    found = _Found(environ)
    user = config_file(environ)
    file = None if user is None else read_toml(user)
    if file is not None:
        check_user_file(file, of_projects=OF_PROJECTS)
        found.take_file(file, (), "user", base=user_home(environ))
    elif user is not None and environ.get(CONFIG_VARIABLE) and not user.exists():
        raise SettingsError(f"no such file, and {CONFIG_VARIABLE} names it", at=Location(user))
    project = read_toml(root / PROJECT_FILE)
    if project is not None:
        check_project_file(project, _TABLE, others=OF_PROJECTS)
        found.take_file(project, _TABLE, "project", base=root)
    found.take_environment()
    for name, value in (given or {}).items():
        if value is not None:
            found.settings[name] = Setting(name, value, Origin("option"))
    return Config(found.settings, found.sources, environ)


class _Found:
    """Settings as they are found, the stronger over the weaker."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.sources: dict[str, Setting] = {}
        self.settings = {key.name: Setting(key.name, key.default, _DEFAULT) for key in KEYS}
        usual = index_file(environ)
        path = None if usual is None else str(usual)
        self.settings[INDEX_PATH] = Setting(INDEX_PATH, path, _DEFAULT)

    def take_file(
        self,
        file: TomlFile,
        table: tuple[str, ...],
        kind: Literal["user", "project"],
        *,
        base: Path | None,
    ) -> None:
        for key in KEYS:
            names = (*table, *key.name.split("."))
            inner = file.table(*names[:-1])
            if isinstance(inner, dict) and names[-1] in inner:
                value = inner[names[-1]]
                if key.kind == "path":
                    value = str(expanded(value, self._environ, base=base))
                self.settings[key.name] = Setting(key.name, value, Origin(kind, file.at(*names)))
        names = (*table, *SOURCES.split("."))
        for said, value in file.table(*names).items():
            name = source_name(said)
            paths = tuple(
                str(expanded(one, self._environ, base=base)) for one in patterns_of(value) or ()
            )
            origin = Origin(kind, file.at(*names, said))
            self.sources[name] = Setting(f"{SOURCES}.{name}", paths, origin)

    def take_environment(self) -> None:
        for key in KEYS:
            text = self._environ.get(key.variable)
            if not text:
                continue
            value = key.of_text(text)
            if not key.accepts(value):
                raise SettingsError(f"{key.variable} must be {key.wanted}, not {text!r}")
            if key.kind == "path":
                value = str(expanded(text, self._environ, base=Path.cwd()))
            origin = Origin("environment", variable=key.variable)
            self.settings[key.name] = Setting(key.name, value, origin)
        for variable, name in source_variables(self._environ):
            paths = tuple(
                str(expanded(one, self._environ, base=Path.cwd()))
                for one in split_paths(self._environ[variable])
            )
            origin = Origin("environment", variable=variable)
            self.sources[name] = Setting(f"{SOURCES}.{name}", paths, origin)
