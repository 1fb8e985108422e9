"""Tables of the keys of eval files: other names, and those that are ignored or refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from marked import code, table

from pytest_agentv.evalfile import tables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentv.evalfile.tables import KeyTable

_TABLES = {
    "the file": tables.FILE,
    "a test": tables.TEST,
    "`default_test`": tables.DEFAULTS,
    "`imports`": tables.IMPORTS,
    "an import": tables.IMPORTED,
    "a row of a scenario": tables.ROW,
    "an assertion": tables.COMMON,
    "`execution`": tables.EXECUTION,
    "`options`": tables.OPTIONS,
}


def parts() -> dict[str, str]:
    """The tables by their names."""
    return {
        "other names": table(["in", "also called"], _other_names()),
        "ignored keys": table(["in", "ignored"], _ignored()),
        "refused keys": table(["in", "key", "what is said of it"], _refused()),
    }


def _other_names() -> Iterable[list[str]]:
    for place, keys in _TABLES.items():
        if keys.aliases:
            said = [f"{code(other)} for {code(name)}" for other, name in keys.aliases.items()]
            yield [place, ", ".join(said)]


def _ignored() -> Iterable[list[str]]:
    common = frozenset.intersection(*(one.ignored for one in _TABLES.values() if one.ignored))
    yield ["all of these", _listed(common)]
    for place, keys in _TABLES.items():
        if keys.ignored - common:
            yield [place, _listed(keys.ignored - common)]
        if keys.lenient:
            yield [place, f"all but {_listed(_known(keys))}"]


def _known(keys: KeyTable) -> set[str]:
    return {*keys.names, *keys.aliases, *keys.refused}


def _refused() -> Iterable[list[str]]:
    for place, keys in _TABLES.items():
        by_reason: dict[str, list[str]] = {}
        for key, said in keys.refused.items():
            by_reason.setdefault(said, []).append(key)
        for said, names in by_reason.items():
            yield [place, ", ".join(map(code, names)), said]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(code(one) for one in sorted(names))
