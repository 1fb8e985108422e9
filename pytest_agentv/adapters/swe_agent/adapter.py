"""SWE-agent's adapter."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.base import SessionSummary
from pytest_agentv.adapters.places import files_below
from pytest_agentv.adapters.probe import probe
from pytest_agentv.adapters.projects import file_sessions
from pytest_agentv.adapters.session import ToldSession
from pytest_agentv.adapters.swe_agent import PROVIDER
from pytest_agentv.adapters.swe_agent.tools import TOOLS
from pytest_agentv.adapters.swe_agent.trajectory import read_trajectory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_agentv.adapters.base import ReadOptions, SessionRef

__all__ = ["TOOLS", "SweAgentAdapter"]


class SweAgentAdapter:
    """Trajectories of SWE-agent, versions 0.x and 1.x."""

    name = "swe-agent"
    provider = PROVIDER
    tested = ("0.5.0", "1.1.0")

    def home(self, environ: Mapping[str, str]) -> Path | None:
        """SWE_AGENT_TRAJECTORY_DIR, else the folder trajectories where the command runs."""
        configured = environ.get("SWE_AGENT_TRAJECTORY_DIR")
        return Path(configured) if configured else Path("trajectories")

    def claims(self, path: Path) -> bool:
        """Whether a file has the steps or the history of SWE-agent."""
        found = probe(path)
        if "schema_version" in found.fields or "messages" in found.fields:
            return False
        attempts = found.value("attempts")
        if isinstance(attempts, list) and any(map(_is_attempt, attempts)):
            return True
        return _is_attempt({name: found.value(name) for name in ("history", "trajectory")})

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """Every trajectory below a folder."""
        files = files_below(home, ".traj")
        return file_sessions(files, project, lambda ref: read_trajectory(ref).cwd)

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """Folder and task."""
        told = read_trajectory(ref)
        return SessionSummary(None, told.cwd, told.opening)

    def read(self, ref: SessionRef, options: ReadOptions) -> ToldSession:
        """The session as a stream."""
        del options
        return ToldSession(read_trajectory(ref), ref, tested=self.tested[1])


def _is_attempt(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    steps, items = value.get("trajectory"), value.get("history")
    if isinstance(steps, list) and any(map(_is_step, steps[:3])):
        return True
    own = ("message_type", "is_demo", "thought", "action")
    return isinstance(items, list) and any(
        isinstance(one, dict) and isinstance(one.get("role"), str) and any(n in one for n in own)
        for one in items[:10]
    )


def _is_step(value: Any) -> bool:
    return isinstance(value, dict) and "action" in value and "observation" in value
