"""Tool calls of Codex and their outputs, as the JSON texts that a rollout stores.

A command is a function call with a JSON text as arguments, a patch a custom call with plain text;
some calls have an event that repeats the result. Knows nothing about records, ids or time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from setting import Mixture
from synthetic_text import ROOT, escaped, quoted

if TYPE_CHECKING:
    from setting import Setting

_WEB_PATH = "https://example.org"
_SHELLS = ("rg", "sed", "test", "git", "script")


@dataclass(frozen=True)
class Exchange:
    """One tool call and its output; all fields but names are parts of JSON texts."""

    name: str
    call: str
    """Keys that only this kind of call has."""
    output: str
    """Body of the string that the model got; for a tool search the value of `tools`."""
    kind: str = "function_call"
    event: str = ""
    """Type of the event that repeats the result; empty for none."""
    event_fields: str = ""
    """Keys of that event after its call id."""
    failed: bool = False
    process: int | None = None
    """Number of the process that is still running."""


def random_exchange(setting: Setting) -> Exchange:
    """Return one call of any tool that the client runs, in the proportions of real sessions."""
    return _MIXTURE.draw(setting)


def web_search(setting: Setting) -> str:
    """Return the action of a web search, which the server runs and no output follows."""
    if setting.rng.random() < 0.5:
        return f'{{"type":"open_page","url":"{_WEB_PATH}/{setting.words(1)}"}}'
    query = setting.words(5)
    return f'{{"type":"search","query":"{query}","queries":["{query}"]}}'


def poll(setting: Setting, process: int, *, ends: bool) -> Exchange:
    """Return the call that waits for a running process, which ends well or runs on."""
    arguments = f'{{"session_id":{process},"chars":"","yield_time_ms":30000,'
    arguments += '"max_output_tokens":12000}'
    lines = setting.size(3, 1.2, 200) if ends else 0
    return Exchange(
        "write_stdin",
        _function("write_stdin", arguments),
        _chunk(
            setting,
            setting.texts.logs.sample(setting.rng, lines) if lines else "",
            state="Process exited with code 0" if ends else _running(process),
        ),
        process=None if ends else process,
    )


def _function(name: str, arguments: str, *, namespace: str = "") -> str:
    space = f'"namespace":"{namespace}",' if namespace else ""
    return f'"name":"{name}",{space}"arguments":{quoted(arguments)}'


def _running(process: int) -> str:
    return f"Process running with session ID {process}"


def _chunk(setting: Setting, output: str, *, state: str) -> str:
    """Return the output of a command under the header that Codex puts above it."""
    rng = setting.rng
    head = (
        f"Chunk ID: {rng.getrandbits(24):06x}\nWall time: {rng.random() * 2:.4f} seconds\n"
        f"{state}\nOriginal token count: {len(output) // 4}\nOutput:\n"
    )
    return escaped(head) + output


def _command(setting: Setting) -> Exchange:
    rng, texts = setting.rng, setting.texts
    name, file = rng.choice(texts.names), texts.file(rng)
    # A few lines, or very many: real outputs have that long a tail.
    count = setting.size(6, 2.8, 700)
    first = rng.randrange(len(file.plain))
    shell = rng.choices(_SHELLS, weights=(15, 34, 26, 17, 8))[0]
    command, lines = {
        "rg": (f'rg -n "{name}" src tests -g "*.py"', texts.matches),
        "sed": (f"sed -n '{first + 1},{first + count}p' {file.path}", file.plain),
        "test": (f"python -m pytest tests/test_{name}.py -q 2>&1 | tail -{count}", texts.logs),
        "git": (f'git status --short && git commit -am "{setting.words(25)}"', texts.prose),
        "script": (
            f"cat > /tmp/{name} <<'EOF'\n{setting.words(setting.size(90, 1, 600))}\nEOF",
            texts.logs,
        ),
    }[shell]
    text = "" if rng.random() < 0.12 else lines.sample(rng, count)
    arguments = (
        f'{{"cmd":{quoted(command)},"workdir":"{ROOT}","yield_time_ms":10000,'
        '"max_output_tokens":12000}'
    )
    if rng.random() < 0.03:
        process = rng.randint(10_000, 99_999)
        output = _chunk(setting, text, state=_running(process))
        return Exchange(
            "exec_command", _function("exec_command", arguments), output, process=process
        )
    failed = rng.random() < 0.08
    code = rng.choice((1, 1, 1, 2, 127)) if failed else 0
    output = _chunk(setting, text, state=f"Process exited with code {code}")
    return Exchange("exec_command", _function("exec_command", arguments), output, failed=failed)


def _patch(setting: Setting) -> Exchange:
    rng = setting.rng
    file, other = setting.texts.file(rng), setting.texts.file(rng)
    count = setting.size(20, 1.2, 600)
    first = rng.randrange(max(len(file.plain) - count, 1))
    adds = rng.random() < 0.15
    removed = "" if adds else file.plain.marked("-", first, count // 2)
    around = "" if adds else file.plain.marked(" ", max(first - 3, 0), 3)
    added = other.plain.marked("+", 0, count)
    verb = "Add" if adds else "Update"
    text = (
        f"*** Begin Patch\\n*** {verb} File: {ROOT}/{file.path}\\n"
        f"{'' if adds else '@@'}\\n{around}{removed}{added}*** End Patch\\n"
    )
    failed = rng.random() < 0.05
    said = f"Success. Updated the following files:\\n{'A' if adds else 'M'} {ROOT}/{file.path}\\n"
    if failed:
        said = f"Failed to find expected lines in {ROOT}/{file.path}:\\n{removed}"
    hunk = f"@@ -{first + 1},{count // 2 + 3} +{first + 1},{count + 3} @@\\n"
    change = (
        f'{{"type":"add","content":"{other.plain.cut(0, count)}"}}'
        if adds
        else f'{{"type":"update","unified_diff":"{hunk}{around}{removed}{added}","move_path":null}}'
    )
    return Exchange(
        "apply_patch",
        f'"status":"completed","name":"apply_patch","input":"{text}"',
        f"Exit code: {int(failed)}\\nWall time: 0.1 seconds\\nOutput:\\n{said}",
        kind="custom_tool_call",
        event="patch_apply_end",
        event_fields=f'"stdout":"{"" if failed else said}","stderr":"{said if failed else ""}",'
        f'"success":{"false" if failed else "true"},'
        f'"changes":{{"{ROOT}/{file.path}":{change}}},'
        f'"status":"{"failed" if failed else "completed"}"',
        failed=failed,
    )


def _mcp(setting: Setting) -> Exchange:
    rng = setting.rng
    text = setting.texts.prose.sample(rng, setting.size(20, 0.9, 200))
    query = f'{{"query":"{setting.words(3)}","limit":{rng.randint(1, 30)}}}'
    return Exchange(
        "_search_issues",
        _function("_search_issues", query, namespace="mcp__tracker"),
        f"Wall time: {rng.random() * 3:.4f} seconds\\nOutput:\\n{text}",
        event="mcp_tool_call_end",
        event_fields='"invocation":{"server":"tracker","tool":"search_issues",'
        f'"arguments":{query}}},"duration":{{"secs":1,"nanos":{rng.randrange(10**9)}}},'
        f'"result":{{"Ok":{{"content":[{{"type":"text","text":"{text}"}}],"isError":false}}}}',
    )


def _plan(setting: Setting) -> Exchange:
    steps = ",".join(
        f'{{"step":"{setting.words(6)}","status":"pending"}}'
        for _ in range(setting.rng.randint(3, 7))
    )
    return Exchange(
        "update_plan", _function("update_plan", f'{{"plan":[{steps}]}}'), "Plan updated"
    )


def _tool_search(setting: Setting) -> Exchange:
    tools = ",".join(
        f'{{"type":"function","name":"_{name}","description":"{setting.words(12)}",'
        '"strict":false,"defer_loading":true,"parameters":{"type":"object","properties":'
        f'{{"query":{{"type":"string","description":"{setting.words(8)}"}}}},'
        '"required":["query"]}}'
        for name in setting.rng.choices(setting.texts.names, k=4)
    )
    return Exchange(
        "tool_search",
        f'"status":"completed","execution":"client","arguments":{{"query":"{setting.words(5)}",'
        '"limit":5}',
        f'[{{"type":"namespace","name":"mcp__tracker","description":"{setting.words(9)}",'
        f'"tools":[{tools}]}}]',
        kind="tool_search_call",
    )


_MIXTURE = Mixture(
    (_command, 90.0),
    (_patch, 7.0),
    (_plan, 1.5),
    (_mcp, 1.0),
    (_tool_search, 0.3),
)
