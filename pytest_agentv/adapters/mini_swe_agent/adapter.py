"""mini-swe-agent's adapter: where its trajectories lie, and how they are recognised."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_agentv.adapters.base import SessionSummary
from pytest_agentv.adapters.chat import is_of_mini
from pytest_agentv.adapters.mini_swe_agent import PROVIDER
from pytest_agentv.adapters.mini_swe_agent.run import SHELL, read_run
from pytest_agentv.adapters.places import config_home, files_below
from pytest_agentv.adapters.probe import probe
from pytest_agentv.adapters.projects import file_sessions
from pytest_agentv.adapters.session import ToldSession
from pytest_agentv.transcript.tools.commands import described_command
from pytest_agentv.transcript.tools.table import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_agentv.adapters.base import ReadOptions, SessionRef
    from pytest_agentv.transcript.tools.table import Table

TOOLS: Table = {SHELL: Reader(described_command)}

_SUFFIX = ".traj.json"


class MiniSweAgentAdapter:
    """Trajectories of mini-swe-agent, formats 1 and 1.1."""

    name = "mini-swe-agent"
    provider = PROVIDER
    tested = ("1.0.0", "2.4.6")

    def home(self, environ: Mapping[str, str]) -> Path | None:
        """MSWEA_GLOBAL_CONFIG_DIR, else the folder of its settings: the last run is kept there."""
        configured = environ.get("MSWEA_GLOBAL_CONFIG_DIR")
        return Path(configured) if configured else config_home(environ, "mini-swe-agent")

    def session_id_of(self, path: Path) -> str:
        """The name of the file without its endings."""
        return path.name.removesuffix(_SUFFIX) if path.name != _SUFFIX else path.stem

    def claims(self, path: Path) -> bool:
        """Whether a file says its format, or holds commands and results as mini writes them."""
        found = probe(path)
        form = found.value("trajectory_format")
        if isinstance(form, str) and form.startswith("mini-swe-agent"):
            return True
        if found.begins("messages", b"[") and "mini_version" in (found.value("info") or ()):
            return True
        return is_of_mini(found.items)

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """The last run, and whatever trajectories lie beside it."""
        files = files_below(home, _SUFFIX)
        return file_sessions(
            files, project, lambda ref: read_run(ref).cwd, id_of=self.session_id_of
        )

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """Start, folder and task."""
        told = read_run(ref)
        return SessionSummary(told.started, told.cwd, told.opening)

    def read(self, ref: SessionRef, options: ReadOptions) -> ToldSession:
        """The session as a stream."""
        del options
        return ToldSession(read_run(ref), ref, tested=self.tested[1])
