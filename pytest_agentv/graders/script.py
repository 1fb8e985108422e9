"""The grader that is a program of its own: it reads the session, and says whether it is good."""

from __future__ import annotations

import os
import tempfile
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.base import Grader
from pytest_agentv.graders.fields import AnyText, Limit, Threshold, wrong
from pytest_agentv.graders.grade import Grade, missing
from pytest_agentv.graders.phrases import shown
from pytest_agentv.graders.script_input import script_input
from pytest_agentv.graders.script_output import script_grade
from pytest_agentv.graders.script_process import environment, run

if TYPE_CHECKING:
    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.transcript.model import Transcript

OFF = "scripts are off (--agentv-no-scripts)"

_COMMANDS = ("command", "script", "value")
# Keys of AgentV that have no meaning for a recorded session.
_IGNORED = frozenset({"target", "provider", "preprocessors"})
_REFUSED = {
    "in": "takes no `in`: a script gets the whole session",
    "transform": "`transform` is not supported; let the script do it",
    "postprocess": "`postprocess` is not supported; let the script do it",
}
# Keys that every assertion may have: close to one of them, a key is a slip and no setting.
_COMMON = (
    "type", "metric", "name", "weight", "required", "on_missing", "negate", "min_score",
)  # fmt: skip
_CLOSE = 0.8
_LONGEST = 86_400


def _command(value: Any) -> Any:
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, (list, tuple)):
        raise wrong(f"must be a list of a program and its arguments, not {shown(value)}")
    for word in words:
        if not isinstance(word, str):
            raise wrong(f"must be a list of texts, and {shown(word)} is none; quote it")
        if "\0" in word:
            raise wrong("must not hold a NUL")
    if not words or not words[0].strip():
        raise wrong("must not be empty: name a program")
    return value if isinstance(value, str) else tuple(words)


def _seconds(value: float) -> float:
    if not 0 < value <= _LONGEST:
        raise wrong(f"must be a number of seconds above 0, up to {_LONGEST:,}")
    return value


def _variables(value: Any) -> Any:
    if not isinstance(value, (list, tuple, dict)):
        raise wrong(f"must be a list of names, or a mapping of names to texts, not {shown(value)}")
    for name in value:
        if not isinstance(name, str) or not name or set("=\0") & set(name):
            raise wrong(f"must name environment variables, and {shown(name)} is no such name")
    for text in value.values() if isinstance(value, dict) else ():
        if not isinstance(text, str):
            raise wrong(f"must map names to texts, and {shown(text)} is none; quote it")
    return value if isinstance(value, dict) else tuple(value)


Command = Annotated[str | tuple[str, ...], BeforeValidator(_command)]
Variables = Annotated[tuple[str, ...] | dict[str, str], BeforeValidator(_variables)]


class Script(Grader):
    """A program accepts the session. Keys that are not known here are settings of the program."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True, hide_input_in_errors=True)

    types: ClassVar[tuple[str, ...]] = ("script", "code-grader")
    named_by: ClassVar[tuple[str, ...]] = ("command", "script")
    command: Command | None = Field(None, validation_alias=AliasChoices("command", "script"))
    value: Command | None = None
    cwd: AnyText | None = None
    timeout: Annotated[Limit, AfterValidator(_seconds)] = 60.0
    env: Variables = ()
    config: dict[str, Any] = Field(default_factory=dict)
    threshold: Threshold | None = None

    @model_validator(mode="before")
    @classmethod
    def _right_keys(cls, keys: Any) -> Any:
        if not isinstance(keys, dict):
            return keys
        commands = [key for key in _COMMANDS if key in keys]
        if len(commands) > 1:
            raise wrong(f"`{commands[0]}` and `{commands[1]}` mean the same; keep one")
        if not commands:
            raise wrong("needs a `command`: a list of a program and its arguments")
        for key in keys:
            if key in _REFUSED:
                raise wrong(_REFUSED[key])
            if (close := _slip(key, (*_COMMON, *cls.model_fields))) is not None:
                hint = f"did you mean `{close}`? What is meant for the script stands in `config`"
                raise wrong(f"{shown(key)} is no key: {hint}")
        return {key: value for key, value in keys.items() if key not in _IGNORED}

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:
        """Run the program."""
        command = self.command or self.value or ()
        line = command if isinstance(command, str) else " ".join(command)
        claim = f"the script {shown(line)} accepts the session"
        if not case.scripts:
            return missing(claim, OFF)
        try:
            return self._run(_argv(command), transcript, case, claim)
        except NotGradable as exc:
            raise NotGradable(f"the script {shown(line)}: {exc.message}") from exc
        except OSError as exc:  # no room for its input, or a folder that we may not look into
            reason = exc.strerror or exc
            raise NotGradable(f"the script {shown(line)}: it cannot be run: {reason}") from exc

    def _run(
        self, argv: tuple[str, ...], transcript: Transcript, case: CaseFacts, claim: str
    ) -> Grade:
        folder = (case.folder or Path.cwd()) / (self.cwd or "")
        if not folder.is_dir():
            raise NotGradable(f"there is no folder {shown(self.cwd or str(folder))} to run it in")
        # AgentV's programs find the threshold of their entry among their settings.
        told = {} if self.threshold is None else {"threshold": self.threshold}
        config = {**(self.model_extra or {}), **told, **self.config}
        with tempfile.TemporaryDirectory(prefix="agentv-", ignore_cleanup_errors=True) as scratch:
            finished = run(
                argv,
                given=script_input(transcript, case, config=config, scratch=Path(scratch)),
                folder=folder,
                variables=environment(self.env),
                seconds=self.timeout,
            )
        return script_grade(finished, claim=claim, threshold=self.threshold)


def _argv(command: str | tuple[str, ...]) -> tuple[str, ...]:
    """A list is run as it is, a line by the shell."""
    if not isinstance(command, str):
        return command
    if os.name == "nt":
        return ("cmd.exe", "/c", command)
    # No login shell, as AgentV's is: what a profile exports is not for scripts.
    return ("sh", "-c", command)


def _slip(key: str, known: tuple[str, ...]) -> str | None:
    """The key that was meant, if this is nearly one; a plural is a word of its own."""
    if key in (*known, *_COMMANDS) or key.removesuffix("s") in known:
        return None
    close = get_close_matches(key, known, n=1, cutoff=_CLOSE)
    return close[0] if close else None
