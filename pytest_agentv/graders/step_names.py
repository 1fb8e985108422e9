"""The calls of a session by the names that steps of a trajectory have.

Names are globs, upper and lower case aside. A call has several: its tool, its kind and, if it runs
a command, the command line and the first word of that. Every call is a ``tool`` step, so that a
command does not hide from an assertion on tools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.graders.calls import Matcher, steps
from pytest_agentv.graders.phrases import counted

if TYPE_CHECKING:
    from pytest_agentv.transcript.model import ToolCall, Transcript

_SEARCHES = ("search", "web_search")


def names_of(call: ToolCall) -> tuple[str, ...]:
    """Everything that a call can be found by, in lower case."""
    names = [call.tool, call.kind]
    if call.command is not None:
        names += [call.command, *call.command.split(maxsplit=1)[:1]]
    return tuple(dict.fromkeys(one.lower() for one in names))


def is_of_type(call: ToolCall, type_: str | None) -> bool:
    """Whether a call is a step of this type."""
    if type_ == "command":
        return call.kind == "shell" or call.command is not None
    return call.kind in _SEARCHES if type_ == "search" else True


class Names:
    """The calls of a session by what they can be found by; made anew for every grading."""

    def __init__(self, transcript: Transcript) -> None:
        self.made = steps(transcript)
        self._matcher = Matcher(transcript)
        # The calls that have each name; many have the same.
        self._called: dict[str, list[int]] = {}
        for position, (call, *_) in enumerate(self.made):
            for name in names_of(call):
                self._called.setdefault(name, []).append(position)
        # Commands that the session does not say.
        self._silent = [
            position
            for position, (call, *_) in enumerate(self.made)
            if call.kind == "shell" and call.command is None
        ]
        # A sequence often names the same step again.
        self._found: dict[tuple[str, str | None], list[int]] = {}

    def found(self, name: str, type_: str | None = None) -> list[int]:
        """The positions of the calls that a name fits."""
        key = (name.lower(), type_)
        if key not in self._found:
            names = self._matcher.names_like(self._called, key[0])
            positions = {at for name in names for at in self._called[name]}
            self._found[key] = sorted(
                at for at in positions if is_of_type(self.made[at].call, type_)
            )
        return self._found[key]

    def unsure(self, name: str, type_: str | None = None) -> list[int]:
        """The positions of the calls that a name may fit: if it is one of a command, all silent.

        A single word may be that of a tool; then it is taken for one.
        """
        names_command = type_ == "command" or " " in name.strip()
        if not self._silent or not names_command or type_ == "search":
            return []
        found = set(self.found(name, type_))
        return [at for at in self._silent if at not in found]

    def why_unsure(self) -> str:
        """Why nobody can say whether a name fits."""
        return f"of {counted(len(self._silent), 'call')} of a shell nobody knows what it ran"
