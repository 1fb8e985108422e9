"""``agentv import … --all``: many sessions at once, each on its own; one bad one stops no other."""

from __future__ import annotations

import traceback
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from msgspec.structs import replace

from pytest_agentv.adapters.discovery import default_name
from pytest_agentv.cli.console import put, put_json, say
from pytest_agentv.cli.imported import DEFAULT_FOLDER, as_json, warn_of_drift
from pytest_agentv.cli.progress import progress
from pytest_agentv.cli.redacting import redactor_of
from pytest_agentv.cli.workers import workers_of
from pytest_agentv.errors import AgentvError, PluginError, ProcessLost, SessionEmpty
from pytest_agentv.importing import Imported, cleaned_path, import_session, place_in
from pytest_agentv.plugins import registry
from pytest_agentv.processes import in_order

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.adapters.base import Adapter, SessionRef
    from pytest_agentv.cli.import_options import Request
    from pytest_agentv.redact import Redactor
    from pytest_agentv.registry import Registry

# Starting a process costs as much as importing a session of some megabytes.
_BYTES_WORTH_A_POOL = 50 << 20


def import_all(adapter: Adapter, refs: list[SessionRef], request: Request) -> None:
    """Import every session, then say how many there were; exit 1 if any failed."""
    folder = Path(request.output) if request.output else DEFAULT_FOLDER
    if folder.is_file():
        raise click.UsageError(f"{folder} is a file; --all writes to a folder.")
    outputs = _output_paths(adapter, refs, folder, _redactor(request.profile))
    jobs = list(zip(refs, outputs, strict=True))
    is_again = not (request.force or request.resume) and any(one.exists() for one in outputs)
    if request.resume:
        jobs = [job for job in jobs if not _is_there(*job)]
    there = len(refs) - len(jobs)
    done = _all_done(adapter, jobs, request)
    # Not before: a line in the middle of the progress bar is hard to read.
    for one in done.imported:
        warn_of_drift(one.session, one)
    for failure in done.failures:
        say(f"agentv: {failure}")
    if request.as_json:
        told: dict[str, Any] = {"imported": [as_json(one) for one in done.imported]}
        told |= {"empty": done.empty, "failed": done.failures}
        put_json({**told, "there": there} if request.resume else told)
    else:
        others = f", {there} there already" if there else ""
        others += f", {len(done.empty)} without a message" if done.empty else ""
        counts = f"{len(done.imported)} of {len(refs)} sessions imported{others}"
        put(f"{counts}, {len(done.failures)} failed")
    if is_again:
        say("agentv: --resume leaves transcripts that exist, and imports what is new")
    if done.failures:
        raise click.exceptions.Exit(1)


class _Done(NamedTuple):
    """What became of all sessions, each kind in order."""

    imported: list[Imported]
    # Sessions in which nobody said anything.
    empty: list[str]
    # Sentences on why a session was not imported.
    failures: list[str]


def _all_done(adapter: Adapter, jobs: list[tuple[SessionRef, Path]], request: Request) -> _Done:
    done = _Done([], [], [])
    with progress("importing", len(jobs)) as one_more_done:
        try:
            for outcome in _outcomes(adapter, jobs, request):
                one_more_done()
                if isinstance(outcome, Imported):
                    done.imported.append(outcome)
                elif isinstance(outcome, _Empty):
                    done.empty.append(str(outcome.path))
                else:
                    done.failures.append(outcome)
        except ProcessLost as exc:
            done.failures.append(f"{exc}; --resume goes on")
    done.imported.sort(key=lambda one: str(one.path))
    done.empty.sort()
    done.failures.sort()
    return done


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


def _is_there(ref: SessionRef, output: Path) -> bool:
    """Whether a session has a transcript that was written after it."""
    try:
        return output.stat().st_mtime_ns >= ref.path.stat().st_mtime_ns
    except OSError:
        return False


def _outcomes(
    adapter: Adapter, jobs: list[tuple[SessionRef, Path]], request: Request
) -> Iterator[Imported | _Empty | str]:
    """What became of each session: an import, nothing to import, or a sentence on why not."""
    workers = min(len(jobs), workers_of(request.workers))
    small = request.workers is None and sum(ref.size for ref, _ in jobs) < _BYTES_WORTH_A_POOL
    if workers <= 1 or small:
        for ref, output in jobs:
            yield _outcome(adapter, ref, output, request)
        return
    given = [_Job(adapter.name, ref, output, request) for ref, output in jobs]
    yield from in_order(_outcome_elsewhere, given, workers=workers)


class _Empty(NamedTuple):
    """A session in which nobody said anything: clients leave such behind, so it is no failure."""

    path: Path


class _Job(NamedTuple):
    """A session for another process."""

    adapter: str
    ref: SessionRef
    output: Path
    request: Request


def _outcome_elsewhere(job: _Job) -> Imported | _Empty | str:
    return _outcome(_known().adapter(job.adapter), job.ref, job.output, job.request)


@cache
def _known() -> Registry:
    """The registry of a worker process."""
    return registry()


def _outcome(
    adapter: Adapter, ref: SessionRef, output: Path, request: Request
) -> Imported | _Empty | str:
    redactor = _redactor(request.profile)
    try:
        return import_session(
            adapter,
            ref,
            request.read_options,
            output=output,
            test_id=request.test_id,
            # Of those that are there, only such as are older than their sessions are asked for.
            overwrite=request.force or request.resume,
            strict=request.strict,
            redactor=redactor,
        )
    except SessionEmpty:
        return _Empty(cleaned_path(ref.path, redactor))
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
