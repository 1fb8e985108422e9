"""``agentv search``: sessions of all agents by what was said and done in them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from pytest_agentv.cli.console import count, put, put_json, say
from pytest_agentv.cli.indexed import ask, bring_up_to_date, configured
from pytest_agentv.cli.outputs import no_dash
from pytest_agentv.cli.querying import QueryCommand
from pytest_agentv.cli.redacting import redact_option, redactor_of
from pytest_agentv.cli.search_shown import as_json, name_of, put_hits
from pytest_agentv.errors import QueryError
from pytest_agentv.plugins import registry
from pytest_agentv.report.clean import one_line
from pytest_agentv.search.absence import agents_searched, reason
from pytest_agentv.search.documents import ROLES
from pytest_agentv.search.encoder import HOW_TO_INSTALL
from pytest_agentv.search.modes import MODES, is_fallback
from pytest_agentv.search.query import NAMES, parse_query
from pytest_agentv.search.searching import search
from pytest_agentv.search.settings import settings_of
from pytest_agentv.search.vectors import lacking

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_agentv.config import Config
    from pytest_agentv.redact import Redactor
    from pytest_agentv.search.query import Query
    from pytest_agentv.search.searching import Hit

_FILTERS = {
    "agent": ("NAME", "Only sessions of this agent: claude, codex, copilot, …"),
    "project": ("FOLDER", "Only sessions of this project: a folder's name, a path or a glob."),
    "branch": ("NAME", "Only sessions on this branch; globs are fine."),
    "role": ("ROLE", f"Only what these said: {', '.join(ROLES)}."),
    "tool": ("NAME", "Only calls of this tool, by its own name or its kind: shell, read, edit, …"),
    "path": ("PATH", "Only calls that name this file, or a part of its path, or a glob of it."),
    "since": ("TIME", "Only what was said since: a date, a date and time, or an age like 7d."),
    "until": ("TIME", "Only what was said until then; of a day, all of it."),
}


class Request(msgspec.Struct, frozen=True):
    """What was asked for on the command line."""

    mode: str | None
    context: int | None
    limit: int | None
    as_json: bool
    names: bool
    imports: bool
    output: Path | None
    force: bool
    updates: bool
    profile: str | None


def _with_filters(function: Callable[..., None]) -> Callable[..., None]:
    for name in reversed(NAMES):
        metavar, text = _FILTERS[name]
        option = click.option(f"--{name}", multiple=True, metavar=metavar, help=text)
        function = option(function)
    return function


@click.command("search", cls=QueryCommand)
@click.argument("query", metavar="QUERY...", nargs=-1)
@_with_filters
@click.option(
    "--mode",
    type=click.Choice(MODES),
    help="By words (lexical), by meaning (semantic, with the extra), or by both (hybrid).",
)
@click.option(
    "--context",
    type=click.IntRange(0, 100),
    metavar="N",
    help="Also show so many messages before and after each match.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1, max=10_000),
    metavar="N",
    help="Show at most so many sessions.",
)
@click.option(
    "--names",
    is_flag=True,
    help="Print nothing but a name for each session, that other commands take.",
)
@click.option("--import", "imports", is_flag=True, help="Import what is found, as transcripts.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, readable=False),
    callback=no_dash,
    metavar="FOLDER",
    help="Where --import writes to; else .agentv/transcripts.",
)
@click.option("--force", is_flag=True, help="Let --import overwrite transcripts that exist.")
@click.option(
    "--update/--no-update",
    "updates",
    default=True,
    help="Look for new and changed sessions first (default), or search what is indexed.",
)
@redact_option
@click.option("--json", "as_json", is_flag=True, help="Print hits and more as JSON.")
def command(query: tuple[str, ...], **values: Any) -> None:
    """Find sessions by what was said and done in them, best first.

    QUERY is words, all of which have to occur in one message or call: "a phrase", begin*,
    -without, this OR that; and filters as agent:claude project:shop role:user tool:shell
    path:src/auth since:7d, which are options, too. Put it in quotes, for the shell. Exits with 1
    if nothing is found.
    """
    given = [(name, value) for name in NAMES for value in values.pop(name)]
    request = Request(**values)
    _check(request)
    wanted = parse_query(" ".join(query)).filtered(given)
    if not wanted:
        raise QueryError("there is nothing to search for")
    config = configured(
        {
            "search.default_mode": request.mode,
            "search.default_context": request.context,
            "search.max_results": request.limit,
        }
    )
    if request.updates:
        bring_up_to_date(config)
    limit = config.number("search.max_results")
    _tell_of_vectors(config)
    redactor = redactor_of(request.profile)
    # One more than is shown, to know whether there are more.
    found = ask(config, lambda db: _search(db, wanted, config, limit + 1, redactor))
    _put(found[:limit], request, redactor, has_more=len(found) > limit)
    if not found:
        say(f"agentv: nothing was found{ask(config, lambda db: _why(db, wanted, config))}")
        raise click.exceptions.Exit(1)


def _check(request: Request) -> None:
    if request.as_json and request.names:
        raise click.UsageError("--json and --names exclude each other.")
    if request.imports and request.names:
        raise click.UsageError("--import and --names exclude each other.")
    if not request.imports and (request.output is not None or request.force):
        raise click.UsageError("--output and --force go with --import.")
    if request.names and request.profile is not None:
        raise click.UsageError(
            "--names are names of files as they are; --redact would change them."
        )


def _tell_of_vectors(config: Config) -> None:
    """Say what a search by meaning has to do without."""
    mode, settings = config.text("search.default_mode"), settings_of(config).vector
    if is_fallback(mode, settings) and settings.fallback == "hash":
        why = f"the extra is not installed ({HOW_TO_INSTALL})"
        if not settings.enabled:
            why = "index.vector.enabled is false"
        say(f"agentv: {why}, so likeness of letters stands in for that of meaning")
    elif mode != "lexical":
        missing = len(ask(config, lambda db: lacking(db, settings)))
        if missing:
            say(f"agentv: {count(missing, 'session')} without vectors; agentv index update helps")


def _why(db: Any, query: Query, config: Config) -> str:
    why = reason(db, query, mode=config.text("search.default_mode"))
    if why is not None:
        return f": {one_line(why)}"
    return f" in sessions of {agents_searched(db)}"


def _search(
    db: Any, query: Query, config: Config, limit: int, redactor: Redactor | None
) -> list[Hit]:
    return search(
        db,
        query,
        mode=config.text("search.default_mode"),
        vector=settings_of(config).vector,
        limit=limit,
        context=config.number("search.default_context"),
        fresh=None if redactor is None else lambda: redactor.fresh().text,
    )


def _put(
    found: Sequence[Hit], request: Request, redactor: Redactor | None, *, has_more: bool
) -> None:
    if request.imports:
        if found:
            from pytest_agentv.cli.search_import import import_found  # noqa: PLC0415 (rarely)

            import_found(found, request, redactor)
        return
    clean = None if redactor is None else redactor.fresh().text
    known = registry()
    if request.as_json:
        put_json({"hits": [as_json(one, clean, known) for one in found], "more": has_more})
    elif request.names:
        for one in found:
            put(name_of(one, known))
    else:
        put_hits(found, clean)
    if has_more and not request.as_json:
        say("agentv: there are more sessions than these; --limit shows more")
