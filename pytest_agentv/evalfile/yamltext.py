"""YAML text as data with places, in one pass over the events of the parser.

Nothing is composed or constructed by the library: that recurses in C and takes the process down
on deep nesting, expands merge keys without end, and raises whatever it likes. What eval files do
not need is refused: tags, several documents. An alias counts as all that it stands for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from pytest_agentv.errors import EvalFileError, Location, Problem
from pytest_agentv.evalfile.placed import Part, PlacedDict, PlacedList, packed, shown
from pytest_agentv.evalfile.scalars import Ambiguous, plain_scalar

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_agentv.evalfile.problems import Problems

MAX_DEPTH = 50
MAX_VALUES = 500_000
# Of a file with all that its aliases stand for: as much as a file without any may hold.
MAX_CHARACTERS = 5 << 20

# Stands for the key `<<`, whose mappings are taken in; in quotes it is a key as any other.
_MERGE: Any = object()

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# What YAML does not allow raw, and the byte order mark anywhere but at the start.
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]"
)
_SURROGATES = re.compile("[\ud800-\udfff]")
_TAB_HINT = "; a tab cannot indent, and a text that starts with @, ` or % needs quotes"
_ESCAPE_HINT = "; in double quotes \\ begins an escape: use single quotes"
_COLON_HINT = "; a text with a colon needs quotes, and keys of one entry begin in the same column"
_KEY_HINT = (
    "; a text that starts with a quote, [ or { needs quotes around all of it, and keys of one "
    "entry begin in the same column"
)
_OPEN_HINT = "; it is not closed, or a text that starts with [ or { needs quotes"
# The parser says what it expected; people want to know what to write.
_HINTS = {
    "found character that cannot start any token": _TAB_HINT,
    "mapping values are not allowed in this context": _COLON_HINT,
    "did not find expected alphabetic or numeric character": (
        "; a text that starts with * or & needs quotes"
    ),
    "block sequence entries are not allowed in this context": (
        "; a text that starts with - needs quotes"
    ),
    "did not find expected hexdecimal number": _ESCAPE_HINT,
    "found unknown escape character": _ESCAPE_HINT,
    "did not find expected key": _KEY_HINT,
    "did not find expected '-' indicator": "; keys of one entry begin in the same column",
    "did not find expected ',' or ']'": _OPEN_HINT,
    "did not find expected ',' or '}'": _OPEN_HINT,
    "found unexpected end of stream": "; a quote is not closed",
}


def read_yaml(text: str, *, file: Path, problems: Problems) -> Part:
    """The only document of a YAML text; raises EvalFileError where reading cannot go on."""
    if found := _FORBIDDEN.search(text):
        before = text[: found.start()]
        line, column = before.count("\n") + 1, found.start() - before.rfind("\n")
        message = f"the character U+{ord(found[0]):04X} is not allowed here"
        raise _stop(Location(file, line, column), f"{message}; a quoted text may say it as \\x…")
    reader = _Reader(file, problems)
    try:
        reader.read(_LOADER(text))
    except yaml.MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        at = Location(file, mark.line + 1, mark.column + 1) if mark else Location(file)
        reason = exc.problem or exc.context or "unreadable"
        raise _stop(at, f"no valid YAML: {reason}{_HINTS.get(reason, '')}") from exc
    except (yaml.YAMLError, ValueError) as exc:
        # Escapes of impossible characters, for one, are an error of another kind.
        raise _stop(Location(file, 1, 1), f"no valid YAML: {' '.join(str(exc).split())}") from exc
    if reader.root is None:
        raise _stop(Location(file, 1, 1), "the file is empty")
    return reader.root


def _stop(at: Location, message: str) -> EvalFileError:
    return EvalFileError([Problem(at, message)])


def _place(event: Any) -> int:
    mark = event.start_mark
    return packed(mark.line + 1, mark.column + 1)


class _Anchored(NamedTuple):
    """A value that aliases stand for; all of them have the same one, which nobody changes."""

    value: Any
    # How many values and characters it holds, and how deep they are nested.
    values: int
    size: int
    height: int


class _Opened(NamedTuple):
    """What was open around a mapping or list, and what is known of its anchor."""

    container: Any
    key: Any
    key_place: int
    anchor: str | None
    values: int
    size: int
    deepest: int


class _Reader:
    """Puts values where they belong, one event at a time."""

    def __init__(self, file: Path, problems: Problems) -> None:
        self.root: Part | None = None
        self._file = file
        self._problems = problems
        self._count = 0
        self._size = 0
        self._good_keys: set[str] = set()
        self._anchors: dict[str, _Anchored] = {}
        # Where those stand that no alias was found for.
        self._unused: dict[str, int] = {}
        # What is open: a mapping or list, and the mapping's key that waits for its value.
        self._open: list[_Opened] = []
        # The most levels since the innermost anchor began.
        self._deepest = 0
        # What the merge key of an open mapping names, by the mapping's depth.
        self._merged: dict[int, list[PlacedDict]] = {}
        self._container: Any = None
        self._key: Any = None
        self._key_place = 0

    def read(self, parser: Any) -> None:
        """Take every event of a parser."""
        # No attribute: the reader would hold itself, and all that it read, until the garbage
        # collector finds it; and that is off while eval files are collected.
        handlers: dict[type, Callable[[Any], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._start,
            yaml.SequenceStartEvent: self._start,
            yaml.MappingEndEvent: self._end,
            yaml.SequenceEndEvent: self._end,
            yaml.DocumentStartEvent: self._document,
            yaml.AliasEvent: self._alias,
        }
        try:
            while (event := parser.get_event()) is not None:
                handler = handlers.get(type(event))
                if handler is not None:
                    handler(event)
        finally:
            parser.dispose()
        for name, place in self._unused.items():
            raise self._mistaken(place, f"no alias *{name} stands for the anchor", f"&{name}")

    def _scalar(self, event: Any) -> None:
        if event.tag is not None:
            self._refuse_tag(event)
        mark = event.start_mark
        place = packed(mark.line + 1, mark.column + 1)
        value = event.value
        self._size += len(value)
        awaits_key = self._key is None and type(self._container) is PlacedDict
        if not event.style:  # neither quoted nor a block
            value = self._plain_key(value, place) if awaits_key else self._plain(value, place)
        elif event.style == '"' and not value.isascii():
            value = _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", value)
        if awaits_key:
            self._check_key(event, place)
            self._key, self._key_place = value, place
            return
        if event.anchor is not None:
            self._anchor(event.anchor, _Anchored(value, 1, len(event.value), 0), place)
        self._put(value, place)

    def _plain(self, text: str, place: int) -> Any:
        try:
            return plain_scalar(text)
        except Ambiguous as exc:
            self._problems.add(self._at(place), str(exc))
            return text

    def _plain_key(self, text: str, place: int) -> Any:
        if text in self._good_keys:
            return text
        if text == "<<":
            return _MERGE
        try:
            value = plain_scalar(text)
        except Ambiguous:
            return text  # `y` and `on` are good keys: nobody reads ours but us
        # A whole number is the same text for everybody; AgentV's rubrics have such keys.
        if not isinstance(value, str) and type(value) is not int:
            message = f"a key must be a text, not {shown(value)}; quote it"
            self._problems.add(self._at(place), message)
        else:
            self._good_keys.add(text)
        return text

    def _put(self, value: Any, place: int) -> None:
        self._count += 1
        if self._count > MAX_VALUES:
            message = f"the file holds more than {MAX_VALUES:,} values"
            raise _stop(self._at(place), message)
        container = self._container
        if container is None:
            self.root = Part(self._file, value, place)
            return
        if type(container) is PlacedList:
            container.append(value)
        elif self._key is _MERGE:
            self._merge(value, place)
            self._key = None
            return
        elif self._key in container:
            self._report_duplicate(container, self._key)
            self._key = None
            return
        else:
            container[self._key] = value
            container.key_places.append(self._key_place)
            self._key = None
        container.value_places.append(place)

    def _report_duplicate(self, container: PlacedDict, key: str) -> None:
        first = Part(self._file, container, container.place).key_at(key).line
        message = f"the key {shown(key)} stands here twice; first on line {first}"
        self._problems.add(self._at(self._key_place), message)

    def _start(self, event: Any) -> None:
        place = _place(event)
        if event.tag is not None:
            self._refuse_tag(event)
        self._go_deeper(1, place)
        if self._key is None and type(self._container) is PlacedDict:
            message = "a key must be a text, not a mapping or a list; quote a template: '{{ … }}'"
            raise _stop(self._at(place), message)
        kind = PlacedDict if type(event) is yaml.MappingStartEvent else PlacedList
        around = (self._container, self._key, self._key_place)
        now = (self._count, self._size, self._deepest)
        self._open.append(_Opened(*around, event.anchor, *now))
        if event.anchor is not None:
            self._deepest = len(self._open)
        self._container, self._key = kind(place), None

    def _end(self, _: Any) -> None:
        value = self._container
        for mapping in self._merged.pop(len(self._open), ()):
            value.take_in(mapping)
        opened = self._open.pop()
        self._container, self._key, self._key_place = opened[:3]
        if opened.anchor is not None:
            anchored = _Anchored(
                value,
                values=self._count - opened.values + 1,
                size=self._size - opened.size,
                height=self._deepest - len(self._open),
            )
            self._anchor(opened.anchor, anchored, value.place)
            self._deepest = max(self._deepest, opened.deepest)
        self._put(value, value.place)

    def _merge(self, value: Any, place: int) -> None:
        """Note what is taken in when the mapping ends: what it says itself counts more."""
        mappings = [value] if type(value) is PlacedDict else value
        good = isinstance(mappings, list) and all(type(one) is PlacedDict for one in mappings)
        if not good:
            message = f"`<<` takes a mapping or several, not {shown(value)}"
            raise _stop(self._at(place), f"{message}; quote it if it is a key of its own")
        if len(self._open) in self._merged:
            self._problems.add(self._at(self._key_place), "the key '<<' stands here twice")
        self._merged[len(self._open)] = list(mappings)

    def _anchor(self, name: str, anchored: _Anchored, place: int) -> None:
        self._anchors[name] = anchored
        self._unused[name] = place

    def _alias(self, event: Any) -> None:
        place = _place(event)
        self._check_key(event, place)
        found = self._anchors.get(event.anchor)
        if found is None:
            message = f"no anchor &{event.anchor} stands before this"
            raise self._mistaken(place, message, f"*{event.anchor}")
        self._unused.pop(event.anchor, None)
        self._go_deeper(found.height, place)
        self._count += found.values - 1
        self._size += found.size
        if self._size > MAX_CHARACTERS:
            raise _stop(self._at(place), "the file grows too large by what its aliases stand for")
        self._put(found.value, place)

    def _go_deeper(self, levels: int, place: int) -> None:
        depth = len(self._open) + levels
        if depth > MAX_DEPTH:
            raise _stop(self._at(place), f"nested deeper than {MAX_DEPTH} levels")
        self._deepest = max(self._deepest, depth)

    def _check_key(self, event: Any, place: int) -> None:
        if event.anchor is not None and self._key is None and type(self._container) is PlacedDict:
            mark = "*" if type(event) is yaml.AliasEvent else "&"
            raise self._mistaken(place, "a key has no anchor and no alias", mark + event.anchor)

    def _mistaken(self, place: int, message: str, text: str) -> EvalFileError:
        hint = f"; quote a text that starts with {text[0]}: {shown(text)}"
        return _stop(self._at(place), f"{message}{hint}")

    def _document(self, event: Any) -> None:
        if self.root is not None:
            message = "a second document starts here; a file holds one"
            raise _stop(self._at(_place(event)), message)

    def _refuse_tag(self, event: Any) -> None:
        message = f"tags are not allowed: {shown(event.tag)}; quote a text that starts with !"
        raise _stop(self._at(_place(event)), message)

    def _at(self, place: int) -> Location:
        return Part(self._file, None, place).at
