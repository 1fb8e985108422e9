"""Made-up source files, logs and prose, kept as ready-made bodies of JSON strings.

Escaping is the slow part of writing JSON, so it happens once per seed: every text here is stored
escaped, together with the offsets of its lines, and is cut only between lines.
Knows nothing about sessions or vendors.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT = "/home/dev/projects/orchard"
"""Folder of the project that every made-up session works on."""
_SYLLABLES = [
    first + vowel + last for first in "bdfklmnprstv" for vowel in "aeio" for last in ("", "n", "r")
]
_FOREIGN = ("café", "naïve", "größe", "naïveté", "配置", "接続", "проверка", "→", "—", "✓", "🚀")
_NEWLINE = r"\n"
_FOLDERS = ("src", "src/core", "src/api", "lib", "tests", "tests/unit", "docs", "web/components")


def quoted(text: str) -> str:
    """Return `text` as a JSON string, written as JavaScript writes it (raw non-ASCII)."""
    return json.dumps(text, ensure_ascii=False)


def escaped(text: str) -> str:
    """Return the body of the JSON string for `text`, without its quotes."""
    return quoted(text)[1:-1]


@dataclass(frozen=True)
class Lines:
    """Escaped text that can be cut between any two of its lines."""

    body: str
    starts: list[int]

    @classmethod
    def of(cls, pieces: Iterable[str]) -> Lines:
        """Join pieces that are escaped already and end where a cut is allowed."""
        kept = list(pieces)
        starts = [0]
        for piece in kept:
            starts.append(starts[-1] + len(piece))
        return cls("".join(kept), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def cut(self, first: int, count: int) -> str:
        """Return `count` lines from line `first` on (fewer at the end)."""
        last = min(first + count, len(self))
        return self.body[self.starts[first] : self.starts[last]]

    def marked(self, mark: str, first: int, count: int) -> str:
        """Return `count` lines from line `first` on, each with `mark` in front, as in a patch."""
        last = min(first + count, len(self))
        return "".join(f"{mark}{self.cut(place, 1)}" for place in range(first, last))

    def sample(self, rng: Random, count: int) -> str:
        """Return up to `count` adjacent lines from a random place."""
        size = min(max(count, 1), len(self))
        return self.cut(rng.randrange(len(self) - size + 1), size)


@dataclass(frozen=True)
class SourceFile:
    """One made-up file, in every form in which a session repeats it."""

    path: str
    plain: Lines
    arrows: Lines
    """Numbered as Claude Code 2.1.62 shows files to the model."""
    tabs: Lines
    """Numbered as Claude Code 2.1.205 does."""
    dots: Lines
    """Numbered as Copilot does."""
    diff: Lines
    """Each line as a JSON string and a comma: context lines of a patch."""


@dataclass(frozen=True)
class Texts:
    """All the pools of one seed."""

    files: list[SourceFile]
    logs: Lines
    matches: Lines
    prose: Lines
    names: list[str]
    base64: str

    def file(self, rng: Random) -> SourceFile:
        """Return any of the files."""
        return rng.choice(self.files)

    def blob(self, rng: Random, size: int) -> str:
        """Return `size` characters that look like base64."""
        first = rng.randrange(len(self.base64) - size)
        return self.base64[first : first + size]


def make_texts(seed: int) -> Texts:
    """Make the pools of a seed: about 20 MB of memory, under half a second."""
    rng = Random(f"texts {seed}")
    names = sorted({_name(rng) for _ in range(600)})
    files = [_source_file(rng, names, number) for number in range(120)]
    logs = Lines.of(
        escaped(_coloured_line(rng, names) if place // 60 % 10 == 0 else _log_line(rng, names))
        for place in range(4200)
    )
    matches = Lines.of(
        escaped(f"{rng.choice(files).path}:{rng.randint(1, 900)}:{_code_line(rng, names, names)}")
        for _ in range(2000)
    )
    prose = Lines.of(escaped(_prose_line(rng, names)) for _ in range(3000))
    blob = base64.b64encode(rng.randbytes(400_000)).decode("ascii")
    return Texts(files, logs, matches, prose, names, blob)


def _name(rng: Random) -> str:
    return "".join(rng.choices(_SYLLABLES, k=rng.randint(2, 3)))


def _source_file(rng: Random, names: list[str], number: int) -> SourceFile:
    # Non-ASCII text is not sprinkled over everything: most files have none, some are full of it.
    rare = _FOREIGN if number % 5 == 0 else names
    indent = rng.choice(("    ", "    ", "  ", "  ", "\t"))
    path = f"{rng.choice(_FOLDERS)}/{rng.choice(names)}_{number}.{rng.choice(('py', 'ts', 'go'))}"
    length = min(max(int(rng.lognormvariate(5.6, 0.7)), 40), 2000)
    lines = [escaped(_code_line(rng, names, rare, indent)) for _ in range(length)]
    return SourceFile(
        path=path,
        plain=Lines.of(lines),
        arrows=Lines.of(f"{place:6}→{line}" for place, line in enumerate(lines, 1)),
        tabs=Lines.of(f"{place}\\t{line}" for place, line in enumerate(lines, 1)),
        dots=Lines.of(f"{place}. {line}" for place, line in enumerate(lines, 1)),
        diff=Lines.of(f'" {line[: -len(_NEWLINE)]}",' for line in lines),
    )


def _code_line(rng: Random, names: list[str], rare: Sequence[str], indent: str = "    ") -> str:
    one, two, three, four = rng.choices(names, k=4)
    code = rng.choice(
        (
            f"{one} = {two}.{three}({four}, limit={rng.randint(1, 99)})",
            f'if {one}.get("{two}") is None and {three} != {four}:',
            f"raise ValueError({one}, {two}, {three}.{four})",
            f"def {one}_{two}(self, {three}: str, {four}: int = 0) -> None:",
            f'logger.info("{one} {rng.choice(rare)} {rng.choice(rare)} {three}", extra={four})',
            rf"{one} = re.compile(r'^({two}|{three})\s+{four}$')",
            f"# {one} {rng.choice(rare)} {two} before {rng.choice(rare)} {rng.choice(rare)}",
            f"for {one} in {two}[{three}:]:",
            f"return {one} if {two} else {three}.{four}",
            "",
            ")",
        )
    )
    return f"{indent * rng.randint(0, 3) if code else ''}{code}\n"


def _log_line(rng: Random, names: list[str]) -> str:
    one, two, three = rng.choices(names, k=3)
    number = rng.randint(10, 59)
    return rng.choice(
        (
            f"tests/test_{one}.py::test_{two}_{three} PASSED    [ {number}%]\n",
            f"tests/test_{one}.py:{rng.randint(1, 400)}: AssertionError: {two} != '{three}'\n",
            f"-rw-r--r-- 1 dev dev {rng.randint(10, 99999):6} Mar  3 10:{number} {one}\n",
            f"{rng.getrandbits(28):07x} {one}: {two} the {three} of {one}\n",
            f'level=info msg="{one} {two}" took={rng.random():.4f}\n',
            f"ok\t{one}/{two}\t{rng.random():.3f}s\tcoverage: {number}% of {three}\n",
            f"Downloading {one} {number}%\r\n",
            f"+\t{one} := {two}({three})\n",
        )
    )


def _coloured_line(rng: Random, names: list[str]) -> str:
    one, two, three = rng.choices(names, k=3)
    return rng.choice(
        (
            f"\x1b[32m✓\x1b[39m {one} {two} \x1b[2m({rng.randint(1, 900)} ms)\x1b[22m\n",
            f"\x1b[1m{one}\x1b[0m: \x1b[31merror\x1b[0m: {two} — {three} not found\n",
        )
    )


def _prose_line(rng: Random, names: list[str]) -> str:
    words = rng.choices(names, k=rng.randint(6, 16))
    if rng.random() < 0.04:
        words[rng.randrange(len(words))] = rng.choice(_FOREIGN)
    text = " ".join(words)
    return rng.choice(
        (
            f"{text.capitalize()}.\n",
            f'{text.capitalize()}: `{words[0]}.{words[1]}()` returns "{words[2]}".\n',
            f"- **{words[0]}**: {text}\n",
            f"{rng.randint(1, 9)}. {text}\n\n",
            f"## {words[0].capitalize()} {words[1]}\n\n",
        )
    )
