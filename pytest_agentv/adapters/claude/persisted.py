"""Big tool outputs that Claude Code moved out of a session, into files beside it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

from pytest_agentv.errors import SessionError
from pytest_agentv.files import open_regular

# Larger outputs keep the preview that the session itself holds: memory has to stay flat.
_MAX_SIZE = 8 << 20


class PersistedOutputs:
    """The folder ``tool-results`` of one session."""

    def __init__(self, session: Path) -> None:
        self._folder = session.with_suffix("") / "tool-results"
        self.missing: set[str] = set()

    def text(self, recorded: str) -> str | None:
        """The output that a record says is at ``recorded``; None if it is not in our folder.

        Only the name counts: the recorded path is of the machine that wrote the session, and
        following it could read any file of this one.
        """
        style = PureWindowsPath if "\\" in recorded else PurePosixPath
        try:
            with open_regular(self._folder / style(recorded).name) as file:
                content = file.read(_MAX_SIZE + 1)
        except SessionError:
            content = None
        if content is None or len(content) > _MAX_SIZE:
            self.missing.add(recorded)
            return None
        return content.decode("utf-8", "replace")
