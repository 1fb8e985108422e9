"""``agentv import … --all``: many sessions at once, each on its own; one bad one stops no other."""

from __future__ import annotations

import os
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from pytest_agentv.adapters.discovery import default_name
from pytest_agentv.cli.console import put, put_json, say
from pytest_agentv.cli.import_ import DEFAULT_FOLDER, as_json, warn_of_drift
from pytest_agentv.cli.progress import progress
from pytest_agentv.cli.redacting import redactor_of
from pytest_agentv.errors import AgentvError, PluginError
from pytest_agentv.importing import Imported, cleaned_path, import_session, place_in
from pytest_agentv.plugins import registry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.adapters.base import Adapter, SessionRef
    from pytest_agentv.cli.import_ import Request
    from pytest_agentv.redact import Redactor
    from pytest_agentv.registry import Registry

# Starting a process costs as much as importing a session of some megabytes.
_BYTES_WORTH_A_POOL = 50 << 20
_MAX_WORKERS = 8


def import_all(adapter: Adapter, refs: list[SessionRef], request: Request) -> None:
    """Import every session, then say how many there were; exit 1 if any failed."""
    folder = Path(request.output) if request.output else DEFAULT_FOLDER
    if folder.is_file():
        raise click.UsageError(f"{folder} is a file; --all writes to a folder.")
    outputs = _output_paths(adapter, refs, folder, _redactor(request.profile))
    imported: list[Imported] = []
    failures: list[str] = []
    with progress("importing") as tell:
        jobs = list(zip(refs, outputs, strict=True))
        for done, outcome in enumerate(_outcomes(adapter, jobs, request), 1):
            tell(done, len(refs))
            if isinstance(outcome, Imported):
                imported.append(outcome)
            else:
                failures.append(outcome)
    imported.sort(key=lambda one: str(one.path))
    failures.sort()
    # Not before: a line in the middle of the progress bar is hard to read.
    for one in imported:
        warn_of_drift(one)
    for failure in failures:
        say(f"agentv: {failure}")
    if request.as_json:
        put_json({"imported": [as_json(one) for one in imported], "failed": failures})
    else:
        put(f"{len(imported)} of {len(refs)} sessions imported, {len(failures)} failed")
    if failures:
        raise click.exceptions.Exit(1)


def _output_paths(
    adapter: Adapter, refs: list[SessionRef], folder: Path, redactor: Redactor | None
) -> list[Path]:
    """A file per session; where two would share a name, both get their whole id."""
    if redactor is not None:
        refs = [_named(ref, redactor) for ref in refs]
    short = [default_name(adapter, ref.session_id, ref.path) for ref in refs]
    times = Counter(short)
    taken: Counter[str] = Counter()
    paths = []
    for ref, name in zip(refs, short, strict=True):
        if times[name] > 1:
            unique = default_name(adapter, ref.session_id, ref.path, length=64)
        else:
            unique = place_in(folder, adapter, ref.session_id, ref.path).name
        taken[unique] += 1
        if taken[unique] > 1:  # the same session in two projects
            unique = f"{unique.removesuffix('.jsonl')}-{taken[unique]}.jsonl"
        paths.append(folder / unique)
    return paths


def _outcomes(
    adapter: Adapter, jobs: list[tuple[SessionRef, Path]], request: Request
) -> Iterator[Imported | str]:
    """What became of each session: an import, or a sentence on why not."""
    workers = min(len(jobs), os.cpu_count() or 1, _MAX_WORKERS)
    if workers == 1 or sum(ref.size for ref, _ in jobs) < _BYTES_WORTH_A_POOL:
        for ref, output in jobs:
            yield _outcome(adapter, ref, output, request)
        return
    with ProcessPoolExecutor(workers) as pool:
        futures = {
            pool.submit(_outcome_elsewhere, adapter.name, ref, output, request): ref
            for ref, output in jobs
        }
        try:
            for future in as_completed(futures):
                error = future.exception()
                yield future.result() if error is None else f"{futures[future].path}: {error!r}"
        finally:
            pool.shutdown(cancel_futures=True)  # when interrupted, begin no more


def _outcome_elsewhere(
    adapter: str, ref: SessionRef, output: Path, request: Request
) -> Imported | str:
    return _outcome(_known().adapter(adapter), ref, output, request)


@cache
def _known() -> Registry:
    """The registry of a worker process."""
    return registry()


def _outcome(adapter: Adapter, ref: SessionRef, output: Path, request: Request) -> Imported | str:
    redactor = _redactor(request.profile)
    try:
        return import_session(
            adapter,
            ref,
            request.read_options,
            output=output,
            test_id=request.test_id,
            overwrite=request.force,
            strict=request.strict,
            redactor=redactor,
        )
    except PluginError as exc:
        return f"{ref.path}: {exc}"
    except AgentvError as exc:
        return str(exc)
    except Exception:  # noqa: BLE001 (a bug in one adapter must not stop the other sessions)
        problem = f"{ref.path}: the adapter {adapter.name} failed\n{traceback.format_exc()}"
        return problem if redactor is None else redactor.fresh().text(problem)


@cache
def _redactor(profile: str | None) -> Redactor | None:
    """What redacts in this process; its rules are loaded once."""
    return redactor_of(profile)


def _named(ref: SessionRef, redactor: Redactor) -> SessionRef:
    """A session by the names that files may have."""
    return replace(
        ref,
        session_id=redactor.fresh().text(ref.session_id),
        path=cleaned_path(ref.path, redactor),
    )
