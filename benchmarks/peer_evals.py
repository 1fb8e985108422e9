"""The same checks on the same answers, as each peer wants them: files, and the command that runs.

`generate_evals.py` makes the answers up. Where a peer has no such check, its nearest is taken.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measuring import Program
from peer_install import (
    AGENTV_PEER,
    DEEPEVAL,
    INSPECT,
    PROMPTFOO,
    PYDANTIC_EVALS,
    Peer,
    Peers,
    path_beside,
)
from run_evals import RUN_PYTEST, used_programs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OURS = "ours"
PARAMETRIZE = "pytest, parametrize"
_IN_PEERS = Path(__file__).resolve().parent / "in_peers"
# A peer has its own packages and their bytecode; it reports to nobody and asks for no update.
PEER_ENVIRONMENT = {
    "PYTHONPATH": "",
    "PYTHONPYCACHEPREFIX": "",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "LOGFIRE_SEND_TO_LOGFIRE": "false",
    "NO_COLOR": "1",
}
_FORCE = "git push --force"
_FILES = r"\d+ files? changed"


def peer_program(name: str, folder: Path, command: list[str]) -> Program:
    """Return a peer's command that runs in `folder`, with the Node.js beside it if there is one."""
    environment = {**PEER_ENVIRONMENT, "PATH": path_beside(Path(command[0]))}
    return Program(name, command, environment=environment, folder=folder)


def grading_programs(folder: Path, peers: Peers) -> tuple[list[Program], dict[str, str]]:
    """Return what grades the answers in `folder`, and why other peers do not.

    Ours comes first, then the plain tests.
    """
    plain, evals, _ = used_programs(folder)
    found = [Program(OURS, evals.command), Program(PARAMETRIZE, plain.command)]
    missing: dict[str, str] = {}
    for peer, command in _COMMANDS.items():
        program = peers.program(peer)
        if isinstance(program, str):
            missing[peer.name] = program
        else:
            found.append(peer_program(peer.name, folder, command(str(program), folder)))
    return found, missing


def collecting_programs(folder: Path, peers: Peers) -> tuple[list[Program], dict[str, str]]:
    """Return what collects an empty folder with deepeval's pytest: without its plugins, and with.

    Its plugins are all that its installation brings.
    """
    python = peers.program(DEEPEVAL)
    if isinstance(python, str):
        return [], {DEEPEVAL.name: python}
    folder.mkdir(exist_ok=True)
    command = [str(python), "-c", RUN_PYTEST, str(folder), "--collect-only", "-q"]
    with_all = {**PEER_ENVIRONMENT, "BENCHMARK_PLUGINS": "all"}
    return [
        Program(f"pytest beside {DEEPEVAL.name}", command, environment=PEER_ENVIRONMENT),
        Program(DEEPEVAL.name, command, environment=with_all),
    ], {}


def _answers(folder: Path) -> Iterator[tuple[str, str]]:
    with (folder / "sessions.jsonl").open(encoding="utf-8") as file:
        for session in map(json.loads, file):
            yield session["test_id"], session["output"][-1]["content"]


def _script(name: str) -> Callable[[str, Path], list[str]]:
    return lambda program, _: [program, str(_IN_PEERS / name)]


def _promptfoo(program: str, folder: Path) -> list[str]:
    tests: list[dict[str, Any]] = [
        {
            "vars": {"answer": answer},
            "assert": [
                {"type": "contains", "value": f"`{case}`"},
                {"type": "icontains", "value": "all tests pass"},
                {"type": "not-contains", "value": _FORCE},
                {"type": "regex", "value": _FILES},
                {"type": "word-count", "value": {"min": 20, "max": 500}},
            ],
        }
        for case, answer in _answers(folder)
    ]
    config = {"prompts": ["{{answer}}"], "providers": ["echo"], "tests": tests}
    (folder / "promptfoo.json").write_text(json.dumps(config), encoding="utf-8")
    quiet = ["--no-cache", "--no-write", "--no-table", "--no-progress-bar"]
    return [program, "eval", "-c", "promptfoo.json", *quiet]


def _agentv(program: str, folder: Path) -> list[str]:
    # It counts no words: a pattern does.
    words = r"^\s*(?:\S+\s+){19,499}\S+\s*$"
    tests: list[dict[str, Any]] = []
    with (folder / "agentv.jsonl").open("w", encoding="utf-8") as transcripts:
        for case, answer in _answers(folder):
            assertions = [
                {"type": "contains", "value": f"`{case}`"},
                {"type": "icontains", "value": "all tests pass"},
                {"type": "contains", "value": _FORCE, "negate": True},
                {"type": "regex", "value": _FILES},
                {"type": "regex", "value": words},
            ]
            tests.append({"id": case, "input": "Do it.", "assertions": assertions})
            for row in _agentv_rows(case, answer):
                transcripts.write(f"{json.dumps(row)}\n")
    # JSON is YAML.
    (folder / "agentv.yaml").write_text(json.dumps({"tests": tests}), encoding="utf-8")
    return [program, "eval", "run", "agentv.yaml", "--transcript", "agentv.jsonl"]


def _agentv_rows(case: str, answer: str) -> Iterator[dict[str, Any]]:
    for index, (role, content) in enumerate((("user", "Do it."), ("assistant", answer))):
        yield {
            "schema_version": "agentv.transcript.v1",
            "test_id": case,
            "target": "claude",
            "message_index": index,
            "role": role,
            "content": content,
            "source": {
                "kind": "imported_transcript",
                "provider": "claude",
                "session_id": case,
                "timestamp": "2026-03-02T10:00:00Z",
            },
        }


_COMMANDS: dict[Peer, Callable[[str, Path], list[str]]] = {
    AGENTV_PEER: _agentv,
    PROMPTFOO: _promptfoo,
    INSPECT: _script("run_inspect.py"),
    PYDANTIC_EVALS: _script("run_pydantic_evals.py"),
    DEEPEVAL: _script("run_deepeval.py"),
}
