"""The vendors that are measured: where their sessions lie, and how AgentV imports them."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from measuring import NotMeasuredError, last_line

if TYPE_CHECKING:
    from pathlib import Path

AGENTV = "agentv@4.42.4"
SESSION_ID = "0f0e0d0c-0b0a-4908-8706-050403020100"
_INSTALL_SECONDS = 600


@dataclass(frozen=True)
class Vendor:
    """A vendor's name in commands, its generator, and the layout of its home."""

    name: str
    generator: str
    root: str
    """Folder with all sessions."""
    session: str
    """Path of the session in that folder."""
    agentv_option: str
    """What AgentV calls the option that names the folder."""
    beside: str = ""
    """File without which AgentV sees no session in a folder."""


VENDORS = {
    vendor.name: vendor
    for vendor in (
        Vendor(
            "claude",
            "generate_claude.py",
            "projects",
            f"-home-dev-projects-orchard/{SESSION_ID}.jsonl",
            "--projects-dir",
        ),
        Vendor(
            "codex",
            "generate_codex.py",
            "sessions",
            f"2026/03/02/rollout-2026-03-02T10-00-00-{SESSION_ID}.jsonl",
            "--sessions-dir",
        ),
        Vendor(
            "copilot",
            "generate_copilot.py",
            "session-state",
            f"{SESSION_ID}/events.jsonl",
            "--session-state-dir",
            beside="workspace.yaml",
        ),
    )
}


def session_path(vendor: Vendor, home: Path) -> Path:
    """Return where a session is to be written below `home`; its folder is made."""
    path = home / vendor.root / vendor.session
    path.parent.mkdir(parents=True, exist_ok=True)
    if vendor.beside:
        text = f"id: {SESSION_ID}\ncwd: /home/dev/projects/orchard\n"
        (path.parent / vendor.beside).write_text(text, encoding="utf-8")
    return path


def agentv_import(agentv: Path, vendor: Vendor, *, home: Path, output: Path) -> list[str]:
    """Return the command with which AgentV imports the session below `home`."""
    command = [str(agentv), "import", vendor.name, "--session-id", SESSION_ID]
    return [*command, vendor.agentv_option, str(home / vendor.root), "-o", str(output)]


def agentv_command(directory: Path) -> Path:
    """Return the installed AgentV command; install it into `directory` where it is missing."""
    for tool in ("node", "npm"):
        if shutil.which(tool) is None:
            raise NotMeasuredError(f"{tool} is not installed")
    command = directory / "node_modules" / ".bin" / "agentv"
    if command.exists():
        return command
    install = ["npm", "install", AGENTV, "--prefix", str(directory), "--no-audit", "--no-fund"]
    try:
        subprocess.run(install, capture_output=True, check=True, timeout=_INSTALL_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise NotMeasuredError(f"npm install took more than {_INSTALL_SECONDS} s") from error
    except subprocess.CalledProcessError as error:
        raise NotMeasuredError(f"npm install failed: {last_line(error.stderr)}") from error
    return command
