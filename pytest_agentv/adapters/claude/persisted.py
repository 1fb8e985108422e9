"""Big tool outputs that Claude Code moved out of a session, into files beside it."""

from __future__ import annotations

import contextlib
from pathlib import Path, PurePosixPath, PureWindowsPath

from pytest_agentv.adapters.claude.subagents import session_folder
from pytest_agentv.errors import SessionError
from pytest_agentv.files import open_regular

# Larger outputs keep the preview that the session itself holds: memory has to stay flat.
_MAX_SIZE = 8 << 20


class PersistedOutputs:
    """The folder ``tool-results`` of one session, which is that of its sub-agents as well."""

    def __init__(self, session: Path) -> None:
        self._session_folder = session_folder(session)
        self._folder = self._session_folder / "tool-results"
        self.missing: set[str] = set()

    def text(self, recorded: str) -> str | None:
        """The output that a record says is at ``recorded``; None if it is not in our folder.

        Only the name counts: the recorded path is of the machine that wrote the session, and
        following it could read any file of this one.
        """
        style = PureWindowsPath if "\\" in recorded else PurePosixPath
        content = None
        # RuntimeError: a loop of links, before Python 3.13.
        with contextlib.suppress(SessionError, OSError, ValueError, RuntimeError):
            path = (self._folder / style(recorded).name).resolve()
            if path.is_relative_to(self._session_folder.resolve()):  # a link may lead anywhere
                with open_regular(path) as file:
                    content = file.read(_MAX_SIZE + 1)
        if content is None or len(content) > _MAX_SIZE:
            self.missing.add(recorded)
            return None
        return content.decode("utf-8", "replace")
