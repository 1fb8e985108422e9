"""The files that an eval file is made of: itself, and those that it names.

A file that it names must lie below the root, links resolved: an eval file is no way to read what
its author cannot see otherwise.
"""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from pytest_agentv.errors import AgentvError, EvalFileError, Location, Problem
from pytest_agentv.evalfile.jsondata import read_json, read_json_lines
from pytest_agentv.evalfile.placed import Part, plain, shown
from pytest_agentv.evalfile.yamltext import read_yaml
from pytest_agentv.files import UTF16_MARKS, open_regular

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_agentv.evalfile.problems import Problems

MAX_SIZE = 5 << 20
MAX_TOTAL = 64 << 20
SCHEME = "file://"
# The name of a file in the project's settings.
REF_SCHEME = "ref://"

_DOCUMENTS: dict[str, Callable[..., Part]] = {
    ".json": read_json,
    ".yaml": read_yaml,
    ".yml": read_yaml,
}


def _csv_tests(text: str, *, file: Path, problems: Problems) -> list[Part]:
    from pytest_agentv.evalfile.csvtests import read_csv_tests  # noqa: PLC0415 (few files have any)

    return read_csv_tests(text, file=file, problems=problems)


_ROWS: dict[str, Callable[..., list[Part]]] = {".csv": _csv_tests, ".jsonl": read_json_lines}
_WILDCARDS = frozenset("*?[")


class Sources:
    """Reads each file once."""

    def __init__(self, root: Path, problems: Problems) -> None:
        self._root = root.resolve()
        self._problems = problems
        # What was read of each file, or why it cannot be read.
        self._found: dict[tuple[Path, object], Any] = {}
        self._named: dict[tuple[Path, str], Path] = {}
        self._total = 0

    def document(self, path: Path) -> Part:
        """The only value of a YAML or JSON file; other names are taken for YAML."""
        read: Callable[..., Part] = _DOCUMENTS.get(path.suffix.lower(), read_yaml)
        part: Part = self._once(path, self._parsed, read)
        return part

    def rows(self, path: Path) -> list[Part] | None:
        """The rows of a file that has a test in each; None if it is no such file."""
        read = _ROWS.get(path.suffix.lower())
        if read is None:
            return None
        rows: list[Part] = self._once(path, self._parsed, read)
        return rows

    def value(self, path: Path) -> Any:
        """What an assertion gets of a file: data of YAML and JSON, else the text."""
        return self._once(path, self._value, "value")

    def text(self, path: Path) -> str:
        """The text of a file, whatever it is called."""
        text: str = self._once(path, lambda path, _: self._text(path), "text")
        return text

    def named(self, reference: str, *, by: Part) -> Path:
        """The file that a part of another file names; raises EvalFileError."""
        key = (by.file, reference)
        if key not in self._named:
            written = PurePath(reference.removeprefix(SCHEME))
            path = self._inside(self._place(written, by=by), by=by)
            if not _exists(path):
                raise EvalFileError([Problem(by.at, f"no such file: {shown(reference)}")])
            self._named[key] = path
        return self._named[key]

    def matching(self, reference: str, *, by: Part) -> list[Path]:
        """The files that a path or a pattern names, sorted; raises EvalFileError."""
        pattern = PurePath(reference.removeprefix(SCHEME))
        steps = pattern.parts
        fixed = next((n for n, step in enumerate(steps) if _WILDCARDS & set(step)), len(steps))
        if fixed == len(steps):
            return [self.named(reference, by=by)]
        if ".." in steps[fixed:]:
            raise EvalFileError([Problem(by.at, f"no '..' after a wildcard: {shown(reference)}")])
        folder = self._inside(self._place(PurePath(*steps[:fixed]), by=by), by=by)
        try:
            found = sorted(folder.glob(str(PurePath(*steps[fixed:]))))
        except (OSError, ValueError, NotImplementedError, IndexError) as exc:
            message = f"not a pattern for files: {shown(reference)}"
            raise EvalFileError([Problem(by.at, message)]) from exc
        files = [self._inside(path, by=by) for path in found if not path.is_dir()]
        if not files:
            raise EvalFileError([Problem(by.at, f"no file matches {shown(reference)}")])
        return files

    @property
    def root(self) -> Path:
        """The folder that every file lies below."""
        return self._root

    def template(self, name: str, *, by: Part) -> Path:
        """The template of a bare name, from the folder of the file that names it upwards."""
        return self._of_project(f"templates/{name}", by=by, what=f"template {shown(name)}")

    def settings(self, *, by: Part) -> Part:
        """AgentV's settings for the project that a file belongs to; raises EvalFileError."""
        return self.document(self._of_project("config", by=by, what="AgentV settings"))

    def folders(self, folder: Path, *, by: Part) -> list[Path]:
        """The folders in a folder, sorted; hidden ones and those of tools are none of ours."""
        try:
            found = sorted(one for one in folder.iterdir() if one.is_dir())
        except OSError as exc:
            message = f"{shown(folder.name)} cannot be read: {exc.strerror or exc}"
            raise EvalFileError([Problem(by.at, message)]) from exc
        return [
            self._inside(one, by=by)
            for one in found
            if not one.name.startswith((".", "__")) and one.name != "node_modules"
        ]

    def _of_project(self, name: str, *, by: Part, what: str) -> Path:
        for folder in _upwards(by.file.parent.resolve(), self._root):
            for suffix in (".yaml", ".yml"):
                path = folder / ".agentv" / f"{name}{suffix}"
                if path.exists():
                    return self._inside(path, by=by)
        message = f"no {what}; looked for .agentv/{name}.yaml"
        raise EvalFileError([Problem(by.at, f"{message} up to {self._root}")])

    def _place(self, path: PurePath, *, by: Part) -> Path:
        """Where a path leads: below the root if it begins with a slash, as in AgentV.

        One that names a file by its whole path may do so, too.
        """
        steps = path.parts[1:] if path.is_absolute() else ()
        below = self._root.joinpath(*steps)
        return below if steps and _exists(below) else by.file.parent / path

    def _inside(self, path: Path, *, by: Part) -> Path:
        try:
            resolved = path.resolve()
        except (OSError, ValueError, RuntimeError) as exc:  # a loop of links, a NUL in the name
            message = f"not a path: {shown(str(path))}"
            raise EvalFileError([Problem(by.at, message)]) from exc
        if not resolved.is_relative_to(self._root):
            message = f"{shown(str(path))} lies outside of {self._root}"
            raise EvalFileError([Problem(by.at, message)])
        return resolved

    def _once(self, path: Path, read: Callable[[Path, Any], Any], how: object) -> Any:
        """What a file holds, read when it is asked for first."""
        key = (path, how)
        if key not in self._found:
            try:
                self._found[key] = read(path, how)
            except EvalFileError as exc:
                self._found[key] = exc
        found = self._found[key]
        if isinstance(found, EvalFileError):
            raise found
        return found

    def _parsed(self, path: Path, parse: Callable[..., Any]) -> Any:
        return parse(self._text(path), file=path, problems=self._problems)

    def _value(self, path: Path, _: object) -> Any:
        is_data = path.suffix.lower() in _DOCUMENTS
        return plain(self.document(path).data) if is_data else self._text(path)

    def _text(self, path: Path) -> str:
        text = read_text(path)
        self._total += len(text)
        if self._total > MAX_TOTAL:
            message = f"too much in all: more than {MAX_TOTAL >> 20} MiB of files"
            raise EvalFileError([Problem(Location(path, 1, 1), message)])
        return text


def read_text(path: Path) -> str:
    """The text of a regular file of an ordinary size; raises EvalFileError."""
    try:
        with open_regular(path) as file:
            raw = file.read(MAX_SIZE + 1)
    except AgentvError as exc:
        raise EvalFileError([Problem(Location(path), exc.message)]) from exc
    except OSError as exc:
        message = f"cannot be read: {exc.strerror or exc}"
        raise EvalFileError([Problem(Location(path), message)]) from exc
    if len(raw) > MAX_SIZE:
        message = f"larger than {MAX_SIZE >> 20} MiB, which is the most an eval file may have"
        raise EvalFileError([Problem(Location(path), message)])
    if raw.startswith(UTF16_MARKS):
        message = "is UTF-16; save it as UTF-8"
        raise EvalFileError([Problem(Location(path, 1, 1), message)])
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        start = raw.rfind(b"\n", 0, exc.start) + 1
        column = len(raw[start : exc.start].decode("utf-8", "replace")) + 1
        at = Location(path, raw.count(b"\n", 0, exc.start) + 1, column)
        message = f"the byte 0x{raw[exc.start]:02x} is no UTF-8; save the file as UTF-8"
        raise EvalFileError([Problem(at, message)]) from exc


def _exists(path: Path) -> bool:
    """Whether there is such a file or folder; of names that no file can have there is none."""
    try:
        return path.exists()
    except OSError:
        return False


def _upwards(folder: Path, root: Path) -> list[Path]:
    """A folder and those above it up to the root; just itself if it is not below the root."""
    if not folder.is_relative_to(root):
        return [folder]
    folders = [folder, *folder.parents]
    return folders[: folders.index(root) + 1]
