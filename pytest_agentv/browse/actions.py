"""What a browser does with sessions: read them, and import them; nothing of a screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_agentv.adapters.base import ReadOptions
from pytest_agentv.errors import AgentvError
from pytest_agentv.importing import Imported, Redacted, import_session
from pytest_agentv.sources import AdapterStream, readable

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.browse.sessions import Listed
    from pytest_agentv.redact import Redactor
    from pytest_agentv.registry import Registry
    from pytest_agentv.transcript.stream import SessionStream


@dataclass(frozen=True)
class Actions:
    """How sessions are read and imported, as the command was told."""

    registry: Registry
    # The folder that transcripts are written to.
    folder: Path
    include_subagents: bool = False
    overwrite: bool = False
    redactor: Redactor | None = None

    def clean(self, text: str) -> str:
        """A text of the list as it may be shown."""
        return text if self.redactor is None else self.redactor.fresh().text(text)

    def stream(self, session: Listed) -> SessionStream:
        """A session, to be read; AgentvError if it cannot be."""
        adapter = self.registry.adapter(session.adapter)
        # Who looks at a session wants to see what its sub-agents did.
        options = ReadOptions(include_subagents=True)
        read = Redacted(lambda: AdapterStream(adapter, session.ref, options), self.redactor)
        return read.learned()

    def write(self, session: Listed) -> Imported | AgentvError:
        """Import a session; what went wrong is an error, to be shown beside others."""
        try:
            with readable(session.ref.path):
                return import_session(
                    self.registry.adapter(session.adapter),
                    session.ref,
                    ReadOptions(include_subagents=self.include_subagents),
                    output=self.folder,
                    is_folder=True,
                    overwrite=self.overwrite,
                    redactor=self.redactor,
                )
        except AgentvError as exc:
            return exc
