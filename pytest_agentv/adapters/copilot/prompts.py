"""Telling what a user message is: typed by a person, or put in by the client."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pytest_agentv.adapters.copilot.records import Data

HUMAN, INJECTED, COMMAND = "human", "injected", "command"

# What a message says of where it comes from, if a person typed it: mostly nothing.
_TYPED_SOURCES = (None, "", "user")
# A slash command that the model got is a prompt.
_SLASH_SOURCE = "command"
_INJECTIONS = ("<system_reminder>", "<system_notification>", "<reminder>")
_DATE, _DATE_END = "<current_datetime>", "</current_datetime>"


class Prompt(NamedTuple):
    """The text of a user message and where it comes from."""

    origin: str
    text: str


def prompt_of(data: Data) -> Prompt:
    """What a user message says: what was typed, else what the model got."""
    text = without_date(data.content or "")
    is_typed = data.source in _TYPED_SOURCES or (data.source or "").startswith(_SLASH_SOURCE)
    # Autopilot urges the model on with messages that have no text of their own.
    says_nothing = not text.strip() and not data.attachments
    if says_nothing:
        text = data.transformed_content or ""
    if (
        says_nothing
        or not is_typed
        or data.is_autopilot_continuation
        or text.lstrip().startswith(_INJECTIONS)
    ):
        return Prompt(INJECTED, text)
    return Prompt(HUMAN, text)


def without_date(text: str) -> str:
    """A prompt without the date that versions of 2025 put behind it."""
    if not text.rstrip().endswith(_DATE_END):
        return text
    return text[: text.rfind(_DATE)].rstrip() if _DATE in text else text
