"""What targets share: a folder for their files, sessions to read, eval files to grade by."""

from __future__ import annotations

import contextlib
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fuzz.mutate import adapter_of
from fuzz.seeds import seeds
from pytest_agentv import ReadOptions, dumps, load, read_transcripts
from pytest_agentv.adapters.base import claims, refs_of
from pytest_agentv.errors import AgentvError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_agentv.assertion_types import AssertionTypes

LONGEST = 1 << 16


class Target(NamedTuple):
    """A parser, and what it is tried on first."""

    run: Callable[[bytes], None]
    examples: Callable[[], list[bytes]]


@cache
def folder() -> Path:
    """A folder for the files of this process."""
    made = tempfile.TemporaryDirectory()
    _kept.append(made)
    return Path(made.name)


_kept: list[tempfile.TemporaryDirectory[str]] = []


def file(name: str, content: bytes) -> Path:
    """A file of that name."""
    path = folder() / name
    path.write_bytes(content)
    return path


def read_session(name: str, suffix: str, content: bytes) -> None:
    """Read a file as an adapter's, and what is written of it."""
    adapter = adapter_of(name)
    path = file(f"00000000-0000-4000-8000-000000000000{suffix}", content)
    claims(adapter, path, is_folder=False)
    for ref in refs_of(adapter, path)[:20]:
        adapter.summarize(ref)
        transcript = load(adapter.read(ref, ReadOptions(include_subagents=True)))
        again = list(read_transcripts(file("again.jsonl", dumps(transcript))))
        assert [dumps(one) for one in again] == [dumps(transcript)]


def sessions(name: str) -> list[bytes]:
    """The files of an adapter's sessions below tests/data."""
    found = [content for seed in seeds(name) for content in seed.files.values()]
    return [content for content in found if len(content) <= LONGEST]


@cache
def _types() -> AssertionTypes:
    from pytest_agentv.plugins import assertion_types, plugin_manager  # noqa: PLC0415 (pydantic)

    return assertion_types(plugin_manager())


def grade_eval(content: bytes) -> None:
    """Load an eval file and grade a session by it; no script is run."""
    from sample_transcripts import FULL  # noqa: PLC0415 (loads hypothesis)

    from pytest_agentv.engine.assertions import Context  # noqa: PLC0415
    from pytest_agentv.engine.compiling import Compiler  # noqa: PLC0415
    from pytest_agentv.evalfile.loader import load_eval_file  # noqa: PLC0415
    from pytest_agentv.graders.base import CaseFacts  # noqa: PLC0415

    path = file("a.eval.yaml", content)
    compiler = Compiler(_types())
    loaded = load_eval_file(path, root=folder(), env={"HOME": "x"}, check=compiler.problems)
    for compiled in compiler.cases(loaded)[:10]:
        facts = CaseFacts(id="x", scripts=False, input=compiled.case.input)
        context = Context(FULL, facts, fixtures={})
        for assertion in compiled.assertions[:20]:
            with contextlib.suppress(AgentvError):
                assertion.grade(context)
