"""The programs that ours is compared with: which version, and how it gets a folder of its own.

Each has a virtual environment, or a prefix of npm, below one folder, and none touches ours.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from measuring import NotMeasuredError, last_line
from vendors import AGENTV

if TYPE_CHECKING:
    from pathlib import Path

INSTALL_SECONDS = 900
# The package of npm that holds Node.js itself, for peers that want a newer one than there is.
NODE = "node@22.23.3"


@dataclass(frozen=True)
class Peer:
    """A package of PyPI or npm, and the program of it that is run."""

    package: str
    version: str
    command: str
    npm: bool = False
    # The oldest Node.js that runs it.
    node: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """Name and version, as the table has them."""
        return f"{self.package} {self.version}"

    @property
    def requirement(self) -> str:
        """What is installed."""
        return f"{self.package}{'@' if self.npm else '=='}{self.version}"


AGENTV_PEER = Peer("agentv", AGENTV.partition("@")[2], "agentv", npm=True)
PROMPTFOO = Peer("promptfoo", "0.123.1", "promptfoo", npm=True, node=(22, 22))
DEEPEVAL = Peer("deepeval", "4.3.1", "python")
PYDANTIC_EVALS = Peer("pydantic-evals", "2.62.0", "python")
INSPECT = Peer("inspect-ai", "0.3.285", "python")
CLAUDE_CODE_LOG = Peer("claude-code-log", "1.7.0", "claude-code-log")
PEERS = (AGENTV_PEER, PROMPTFOO, DEEPEVAL, PYDANTIC_EVALS, INSPECT, CLAUDE_CODE_LOG)


class Peers:
    """Where each peer's program is, or why there is none."""

    def __init__(self, found: dict[Peer, Path | str]) -> None:
        self._found = found

    def program(self, peer: Peer) -> Path | str:
        """Return the path of its program, or why there is none."""
        return self._found.get(peer, "left out")


def install(folder: Path, wanted: tuple[Peer, ...] = PEERS) -> Peers:
    """Return all peers; those that are missing in `folder` are installed there."""
    return Peers({peer: _installed(peer, folder) for peer in wanted})


def path_beside(program: Path) -> str:
    """Return a search path on which what is installed beside a program comes first."""
    return os.pathsep.join([str(program.parent), os.environ.get("PATH", os.defpath)])


def _installed(peer: Peer, folder: Path) -> Path | str:
    place = folder.resolve() / f"{peer.package}-{peer.version}"
    program = place / ("node_modules/.bin" if peer.npm else "bin") / peer.command
    # Written when all is there: an installation that was broken off is done again.
    complete = place / "installed"
    try:
        needed = [complete, program, *([program.with_name("node")] if _wants_node(peer) else [])]
        if all(one.exists() for one in needed):
            return program
        place.mkdir(parents=True, exist_ok=True)
        for command in _installation(peer, place):
            _run(command, place, path_beside(program))
    except (NotMeasuredError, OSError) as error:
        return f"cannot be installed: {error}"
    if not program.exists():
        return f"{peer.requirement} has no program {peer.command}"
    complete.touch()
    return program


def _installation(peer: Peer, place: Path) -> list[list[str]]:
    if peer.npm:
        if shutil.which("node") is None or shutil.which("npm") is None:
            raise NotMeasuredError("node and npm are not both installed")
        options = ["--prefix", str(place), "--no-audit", "--no-fund", "--loglevel=error"]
        # Node.js comes first: what is built for the peer is built for the one that runs it.
        wanted = [*([NODE] if _wants_node(peer) else []), peer.requirement]
        return [["npm", "install", one, *options] for one in wanted]
    pip = [str(place / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "-q"]
    make = [sys.executable, "-m", "venv", "--clear", str(place)]
    return [make, [*pip, "install", peer.requirement]]


def _wants_node(peer: Peer) -> bool:
    """Whether the machine has a Node.js, but one that is too old for the peer."""
    return bool(peer.node) and () < machine_node() < peer.node


def machine_node() -> tuple[int, ...]:
    """Return the version of the Node.js on the path; empty if there is none."""
    node = shutil.which("node")
    if node is None:
        return ()
    said = subprocess.run([node, "--version"], stdout=subprocess.PIPE, check=False).stdout
    numbers = said.decode("ascii", errors="replace").strip().lstrip("v").split(".")
    return tuple(int(one) for one in numbers if one.isdigit())


def _run(command: list[str], folder: Path, path: str) -> None:
    try:
        done = subprocess.run(
            command,
            # npm takes a name for a folder if there is one of that name.
            cwd=folder,
            env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=INSTALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise NotMeasuredError(f"took more than {INSTALL_SECONDS} s") from error
    if done.returncode != 0:
        raise NotMeasuredError(_complaint(done.stdout))


def _complaint(said: bytes) -> str:
    """Return the line that says what went wrong: one of the first, or else the last one."""
    lines = said.decode("utf-8", errors="replace").splitlines()
    errors = [line for line in lines if line.lower().startswith(("error", "npm error"))]
    return last_line("\n".join(errors[:2]).encode() or said)
