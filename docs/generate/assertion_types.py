"""The page of assertion types: their keys, and examples as they are graded."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml
from marked import code, table
from pydantic import AliasChoices
from pydantic_core import PydanticUndefined
from words import in_words

from pytest_agentv.plugins import assertion_types, plugin_manager

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic.fields import FieldInfo

    from pytest_agentv.assertion_types import AnyGrader

EXAMPLES = Path("docs/examples/assertions.eval.yaml")
_VERDICTS = (["pass", "fail"], ["skip", "skip"])
_OTHERS = re.compile("PYTEST_|GITHUB_|COV_")
_SCOPES = "one of the [scopes](assertions.md#in)"


class Example(NamedTuple):
    """What holds of a session, what does not, and why."""

    session: str
    holds: str
    fails: str
    why: str


def parts() -> dict[str, str]:
    """The page, as one part."""
    return {"assertion types": _page()}


def _page() -> str:
    """All types, in the order of the examples."""
    types = assertion_types(plugin_manager())
    graders = {name: types.get(name) for name in types}
    names: dict[int, list[str]] = {}
    for name, grader in graders.items():
        names.setdefault(id(grader), []).append(name)
    sections = []
    for name, example in examples():
        grader = graders[name]
        if grader is None or not isinstance(grader, type):
            raise TypeError(name)
        also = [other for other in names[id(grader)] if other != name]
        sections.append("\n".join(_section(name, grader, also, example)))
    return "\n".join(sections)


def _section(name: str, grader: AnyGrader, also: list[str], example: Example) -> Iterator[str]:
    yield f"## {name}\n"
    doc = " ".join((grader.__doc__ or "").split("\n\n")[0].split()).replace("``", "`")
    yield doc + (f" Also called {', '.join(map(code, also))}." if also else "") + "\n"
    yield table(["key", "also called", "takes", "default"], keys(grader))
    yield "```yaml"
    if example.session:
        yield f"# {example.session}"
    yield "# holds" if example.why else "# holds, if a judge says so"
    yield example.holds
    yield f"# fails: {example.why}" if example.why else "# fails, if a judge says so"
    yield example.fails
    yield "```\n"


def keys(grader: Any) -> Iterator[list[str]]:
    """The keys that a type has beside those of all: names, what they take, and the default."""
    schema = grader.model_json_schema(by_alias=False)
    definitions = schema.get("$defs", {})
    for name, field in grader.model_fields.items():
        first, *others = _names(name, field)
        described = schema["properties"].get(name, {})
        takes = _SCOPES if first == "in" else in_words(described, definitions)
        default = "required" if field.is_required() else _default(field)
        yield [code(first), ", ".join(map(code, others)), takes, default]


def _names(name: str, field: FieldInfo) -> list[str]:
    if isinstance(field.validation_alias, AliasChoices):
        return [str(one) for one in field.validation_alias.choices]
    other = field.validation_alias or field.alias
    return [other if isinstance(other, str) else name]


def _default(field: FieldInfo) -> str:
    value = field.default
    if value is None or value is PydanticUndefined or value in ("", ()):
        return ""
    if isinstance(value, bool):
        return code(str(value).lower())
    if isinstance(value, tuple):
        return ", ".join(map(code, value))
    return code(f"{value:g}" if isinstance(value, float) else value)


def examples() -> Iterator[tuple[str, Example]]:
    """The examples by type, graded just now."""
    text = EXAMPLES.read_text(encoding="utf-8")
    root = yaml.compose(text, yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode):
        raise TypeError(EXAMPLES)
    tests = next(value for key, value in root.value if key.value == "tests")
    graded = {row["test_id"]: row["scores"] for row in _rows()}
    for test in tests.value:
        found = {key.value: value for key, value in test.value}
        name = found["id"].value
        holds, fails = (_entry(text, one) for one in found["assert"].value)
        scores = graded[name]
        verdicts = [one["verdict"] for one in scores]
        if verdicts not in _VERDICTS:
            raise SystemExit(f"{EXAMPLES}: of {name}, the first should hold and the second not")
        why = (
            f"expected: {scores[1]['claim']}; found: {scores[1]['reason']}"
            if verdicts[1] == "fail"
            else ""
        )
        session = Path(found["transcript"].value).name if "transcript" in found else ""
        yield name, Example(f"of {session}" if session else "", holds, fails, why)


def _entry(text: str, node: Any) -> str:
    """An entry as it is written, at the left."""
    written = text[node.start_mark.index : node.end_mark.index].rstrip()
    lines = [one for one in written.splitlines() if not one.lstrip().startswith("#")]
    moved = textwrap.dedent(" " * node.start_mark.column + "\n".join(lines)).rstrip()
    return "- " + moved.replace("\n", "\n  ")


def _rows() -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest_agentv", "eval", str(EXAMPLES), "-q"]
        command += ["-p", "no:cacheprovider", "--agentv-judge=off", f"--agentv-results={folder}"]
        # What is set for a run of pytest around this one is not for ours.
        ours = {name: value for name, value in os.environ.items() if not _OTHERS.match(name)}
        done = subprocess.run(  # noqa: S603 (our own command)
            command, env=ours, capture_output=True, text=True, check=False
        )
        found = list(Path(folder).glob("*/index.jsonl"))
        if not found:
            raise SystemExit(done.stdout + done.stderr)
        for line in found[0].read_text(encoding="utf-8").splitlines():
            yield json.loads(line)
