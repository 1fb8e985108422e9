"""What is fuzzed: every parser of foreign bytes, with examples to begin with.

A target takes any bytes and returns, or raises an error of ours. Anything else is a finding.
"""

from __future__ import annotations

import contextlib
import json
import re
from functools import partial
from pathlib import Path

from fuzz import ROOT
from fuzz.mutate import NAMES
from fuzz.seeds import seeds
from fuzz.small_files import SMALL_FILES
from fuzz.trying import LONGEST, Target, file, grade_eval, read_session, sessions
from pytest_agentv import dumps, load, read_transcripts
from pytest_agentv.errors import AgentvError
from pytest_agentv.transcript.reading import TranscriptFile, is_transcript_file

_DATA = ROOT / "tests" / "data"
_ADAPTER = "adapter-"
_YAML = re.compile(r"```yaml\n(.*?)```", re.DOTALL)


def _read_transcript(content: bytes) -> None:
    path = file("t.jsonl", content)
    is_transcript_file(path)
    with contextlib.suppress(AgentvError):
        held = TranscriptFile(path)
        for number in range(len(held.heads)):
            load(held.stream(number))
    for transcript in read_transcripts(path):
        dumps(transcript)


def _transcripts() -> list[bytes]:
    goldens = [path.read_bytes() for path in sorted(_DATA.glob("*/*.transcript.json"))]
    lines = [json.dumps(json.loads(one)).encode() for one in goldens]
    rows = [b'{"input": "x", "output": [{"role": "assistant", "content": "y"}]}', _agentv_rows()]
    return [one for one in (*lines, *rows) if len(one) <= LONGEST]


def _agentv_rows() -> bytes:
    """A session as AgentV writes it, a message on each line."""
    call = {"id": "a", "tool": "Read", "input": {"file_path": "/b"}, "output": "c", "status": "ok"}
    said: list[dict[str, object]] = [
        {"role": "user", "content": "d"},
        {"role": "assistant", "tool_calls": [call]},
    ]
    session = {"provider": "claude", "session_id": "e", "model": "f"}
    same = {"schema_version": "agentv.transcript.v1", "test_id": "g", "source": session}
    total = {"transcript_token_usage": {"input": 9, "output": 7}, "transcript_duration_ms": 45}
    rows = ({**same, **total, "message_index": at, **one} for at, one in enumerate(said))
    return b"\n".join(json.dumps(row).encode() for row in rows)


def _grade_assertion(content: bytes) -> None:
    grade_eval(b"tests:\n- id: x\n  assert:\n" + content)


def _evals() -> list[bytes]:
    return [path.read_bytes() for path in sorted((_DATA / "agentv").glob("*.yaml"))]


def _assertions() -> list[bytes]:
    page = (ROOT / "docs" / "assertions.md").read_text(encoding="utf-8")
    entries = [part for block in _YAML.findall(page) for part in re.split(r"(?m)^(?=- )", block)]
    found = ["".join(f"  {line}\n" for line in part.splitlines()) for part in entries]
    return [one.encode() for one in found if one.startswith("  - ")]


def _fill_templates(content: bytes) -> None:
    text = json.dumps(content.decode("utf-8", "replace"))
    variables = 'vars: {a: 1, b: [x, {c: d}], e: "{{ a }}"}'
    test = f"{{id: x, input: {text}, assert: [contains: {text}]}}"
    grade_eval(f"{variables}\ntests: [{test}]\n".encode())


def _templates() -> list[bytes]:
    return [b"Do {{ a }}", b"{{ b.1.c }}", b"{{env.HOME}} {{ e }}", b"{{ input }}{% if x %}{{{{"]


def _repair_json(content: bytes) -> None:
    from pytest_agentv.jsontext import (  # noqa: PLC0415
        objects_in,
        shallow_json,
        strict_json,
        too_deep,
    )

    for raw in (content, shallow_json(content) or b""):
        strict = strict_json(raw)
        if strict is not None:
            assert strict_json(strict) == strict
            too_deep(json.loads(strict))
    for start, end in objects_in(content):
        assert content[start : start + 1] + content[end - 1 : end] == b"{}"


def _jsons() -> list[bytes]:
    return [b'{"a":1}{"b":', rb'{"a": "\ud800", "b": NaN, "c": 1e400}', b"[" * 300 + b"]" * 300]


def _redact(content: bytes) -> None:
    from pytest_agentv.redact import Redactor  # noqa: PLC0415 (many rules)

    text = content.decode("utf-8", "replace")
    for profile in ("secrets", "strict"):
        redactor = Redactor(profile, key=b"x" * 32)
        once = redactor.text(text)
        redactor.value({text[:40]: [text, {"a": text[40:]}]})
        assert Redactor(profile, key=b"x" * 32).text(once) is not None


def _secrets() -> list[bytes]:
    pages = sorted((ROOT / "docs").glob("redact*.md"))
    made = [b"API_KEY=abc password: 'x' Bearer y", b"-----BEGIN PRIVATE KEY-----\nMII\n"]
    return [*made, *(path.read_bytes()[:4000] for path in pages)]


def _read_results(content: bytes) -> None:
    from pytest_agentv.results.baseline import read_baseline  # noqa: PLC0415
    from pytest_agentv.results.reading import read_run  # noqa: PLC0415

    with contextlib.suppress(AgentvError):
        read_baseline(file("baseline.json", content))
    run = read_run(file("results.jsonl", content))
    for row in run.rows:
        assert row.test_id is not None


def _results() -> list[bytes]:
    row = {"test_id": "a", "target": "claude-cli", "status": "pass", "score": 1.0, "scores": []}
    base = {"version": 1, "outcomes": [{"file": "a", "test_id": "b", "outcome": "fail"}]}
    return [json.dumps(row).encode() + b"\n", json.dumps(base).encode()]


def _take_apart(content: bytes) -> None:
    """Command lines, patches and scripts out of tool calls."""
    from pytest_agentv.graders.shell_commands import commands_in  # noqa: PLC0415
    from pytest_agentv.transcript.tools.commands import described_command  # noqa: PLC0415
    from pytest_agentv.transcript.tools.javascript import calls_on  # noqa: PLC0415
    from pytest_agentv.transcript.tools.patches import (  # noqa: PLC0415
        described_script,
        paths_in,
    )

    text = content.decode("utf-8", "replace")
    list(commands_in(text))
    list(commands_in(text, "powershell"))
    described_command({"command": text})
    described_script(text)
    paths_in(text)
    calls_on("tools", text)


def _commands() -> list[bytes]:
    return [
        b"cd a && FOO=1 bash -c 'git commit -m \"x; y\" | tee z' <<EOF\n$(ls)\nEOF",
        b"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.py\n-a\n+b\n*** End Patch\nEOF",
        b"Get-ChildItem .\\src | Where-Object { $_.Name -like \"*.py\" }; & 'a b.exe' @'\nx\n'@",
        b"const a = await tools.exec_command({cmd: `ls ${x}`, workdir: '/'}); // x",
    ]


def _suffix(name: str) -> str:
    endings = {Path(file).suffix for seed in seeds(name) for file in seed.files}
    return ".jsonl" if ".jsonl" in endings else min(endings, default=".json")


def _target(name: str) -> Target:
    return Target(partial(read_session, name, _suffix(name)), partial(sessions, name))


TARGETS: dict[str, Target] = {
    **{f"{_ADAPTER}{name}": _target(name) for name in NAMES},
    "transcript": Target(_read_transcript, _transcripts),
    "eval": Target(grade_eval, _evals),
    "assertion": Target(_grade_assertion, _assertions),
    "template": Target(_fill_templates, _templates),
    "jsontext": Target(_repair_json, _jsons),
    "redact": Target(_redact, _secrets),
    "results": Target(_read_results, _results),
    "commands": Target(_take_apart, _commands),
    **SMALL_FILES,
}


def attempt(target: str, content: bytes) -> bool:
    """Give bytes to a target; whether it refused them. Whatever else it raises is a finding."""
    try:
        TARGETS[target].run(content)
    except AgentvError:
        return True
    return False
