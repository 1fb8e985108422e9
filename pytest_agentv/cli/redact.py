"""``agentv redact``: sessions that can be shared, and whether files can be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pytest_agentv.cli.console import count, put, put_json, say
from pytest_agentv.cli.outputs import no_dash
from pytest_agentv.cli.redact_check import check
from pytest_agentv.errors import Location, OutputError
from pytest_agentv.files import atomic_write
from pytest_agentv.importing import Redacted, cleaned_path
from pytest_agentv.plugins import registry
from pytest_agentv.redact import PROFILES, Redactor, read_redact_settings
from pytest_agentv.sources import Place, naming, places_named, sessions_in
from pytest_agentv.transcript.reading import is_transcript_file

if TYPE_CHECKING:
    from collections.abc import Sequence


_DEFAULT = "secrets"
_SUFFIX = ".redacted.jsonl"
# A rule that found much says so first.
_MOST_RULES = 5


@click.command("redact")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    callback=no_dash,
    help=f"File to write, or folder for several; without it NAME{_SUFFIX} here.",
)
@click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    help=f"What is redacted: {', '.join(PROFILES)} (default: that of the project, else "
    f"{_DEFAULT}).",
)
@click.option(
    "--rules",
    type=click.Path(path_type=Path, readable=False),
    metavar="FILE",
    help="Rules of your own, in TOML; without it those of pyproject.toml.",
)
@click.option(
    "--check",
    "only_check",
    is_flag=True,
    help="Write nothing; say what is left, and exit with 1 if anything is.",
)
@click.option("--force", is_flag=True, help="Overwrite a file that exists.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
def command(
    files: tuple[str, ...],
    *,
    output: str | None,
    profile: str | None,
    rules: Path | None,
    only_check: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Write each FILE anew without secrets, with a receipt of what was redacted.

    FILE is a file of transcripts or a session of any client, named as for pytest's --transcript.
    With --check it can be any text file, too; what is left is named by place and rule, never
    shown, and the exit code is 1.
    """
    settings = read_redact_settings(Path.cwd(), file=rules)
    redactor = Redactor(profile or settings.profile or _DEFAULT, settings=settings)
    places = list(dict.fromkeys(place for one in files for place in _places(one)))
    paths = [place.path for place in places]
    if only_check:
        if output is not None or force:
            raise click.UsageError("--check writes nothing; -o and --force do not go with it.")
        check(paths, redactor, settings=settings, as_json=as_json)
        return
    targets = _targets(paths, output, redactor)
    done = [
        _redact(place, target, redactor, overwrite=force)
        for place, target in zip(places, targets, strict=True)
    ]
    if as_json:
        put_json(done)
        return
    for one in done:
        put(_sentence(one))


def _places(what: str) -> list[Place]:
    with naming(what):
        return places_named(what, registry, folder=Path())


def _targets(paths: Sequence[Path], output: str | None, redactor: Redactor) -> list[Path]:
    """Where each file goes; names can hold what is to be redacted, too."""
    names = [f"{cleaned_path(path, redactor).name.partition('.')[0]}{_SUFFIX}" for path in paths]
    if output is None:
        folder = Path()
    elif output.endswith("/") or Path(output).is_dir():
        folder = Path(output)
    elif len(paths) == 1:
        return [Path(output)]
    else:
        raise click.UsageError(f"-o {output} is one file, for {len(paths)} files; name a folder.")
    for name in names:
        if names.count(name) > 1:
            raise click.UsageError(f"several files would become {name}; redact them one by one.")
    return [folder / name for name in names]


def _redact(place: Place, target: Path, redactor: Redactor, *, overwrite: bool) -> dict[str, Any]:
    path = place.path
    found = list(sessions_in(place, registry))
    if target.exists() and target.samefile(path) and not is_transcript_file(path):
        raise OutputError("is the session itself", at=Location(target))
    receipts = []
    with atomic_write(target, overwrite=overwrite) as file:
        for session in found:
            made = Redacted(session.stream, redactor)
            made.write_to(file)
            source = made.stream.head.source
            receipts.append(
                {
                    "provider": source.provider,
                    "session_id": source.session_id,
                    "privacy": made.stream.tail.privacy,
                }
            )
    if not found:
        say(f"agentv: {Location(path)}: holds no session")
    return {"path": str(target), "file": str(path), "sessions": receipts}


def _sentence(done: dict[str, Any]) -> str:
    receipts = [one["privacy"] or {} for one in done["sessions"]]
    total = sum(one.get("redactionCount") or 0 for one in receipts)
    rules: dict[str, int] = {}
    for receipt in receipts:
        for rule, found in (receipt.get("rules") or {}).items():
            rules[rule] = rules.get(rule, 0) + found
    most = sorted(rules.items(), key=lambda item: (-item[1], item[0]))
    said = ", ".join(f"{rule} {found}" for rule, found in most[:_MOST_RULES])
    more = f" and {len(most) - _MOST_RULES} more rules" if len(most) > _MOST_RULES else ""
    what = f" ({said}{more})" if said else ""
    sessions = count(len(receipts), "session")
    return f"{done['path']}: {sessions}, {count(total, 'redaction')}{what}"
