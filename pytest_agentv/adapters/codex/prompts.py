"""Telling what a user message is: typed by a person, injected by the client, or a command's echo.

Codex writes all of these as messages of the user. What it injects begins with a mark of its own.
"""

from __future__ import annotations

import re

HUMAN, INJECTED, COMMAND = "human", "injected", "command"

# What stands before this is what an editor knows: open files, a selection.
_REQUEST = "## My request for Codex:"

_INJECTIONS = (
    "<environment_context>",
    "# AGENTS.md instructions",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "<permissions instructions>",
    "<recommended_plugins>",
    "<turn_aborted>",
    "<skill>",
    "<user_action>",
    "<subagent_notification>",
    "<hook_prompt",
    "<goal_context>",
    "<collaboration_mode>",
    "<personality_spec>",
    "Warning: The maximum number of unified exec processes you can keep open",
    "Warning: apply_patch was requested via ",
    "Warning: Your account was flagged",
)
_COMMANDS = ("<user_shell_command>",)
# What a client of tomorrow injects will look like what today's does.
_TAG = re.compile(r"<[a-z]+(?:_[a-z]+)+[ >]")
# Marks around an image that the model is shown.
_IMAGE_MARK = re.compile(r"</?image(?: [^<>\n]{0,500})?>")

_CWD = re.compile(r"<cwd>([^<\n]+)</cwd>|^Current working directory: ([^\n]+)$", re.MULTILINE)
_CONTEXT = "<environment_context>"
_CONTEXT_LENGTH = 10_000


def origin_of(texts: list[str]) -> str:
    """Who wrote a message; one part that the client injected makes all of it injected."""
    for text in texts:
        start = text[:200].lstrip()
        if start.startswith(_COMMANDS):
            return COMMAND
        if start.startswith(_INJECTIONS):
            return INJECTED
    return HUMAN


def looks_injected(text: str) -> bool:
    """Whether a text begins as injected ones do, though with a mark that is not known."""
    return _TAG.match(text[:200].lstrip()) is not None


def is_image_mark(text: str) -> bool:
    """Whether a text merely says where an image begins or ends."""
    return (
        text.startswith(("<image", "</image")) and _IMAGE_MARK.fullmatch(text.strip()) is not None
    )


def split_request(text: str) -> tuple[str, str]:
    """What an editor put before a prompt, and the prompt, as Codex itself takes them apart."""
    context, mark, request = text.partition(_REQUEST)
    return (context.strip(), request.strip()) if mark else ("", text)


def working_directory(texts: list[str]) -> str | None:
    """The folder that an injected context names; old versions say it nowhere else."""
    for text in texts:
        start = text[:_CONTEXT_LENGTH]
        found = _CWD.search(start) if _CONTEXT in start else None
        if found:
            return found[1] or found[2]
    return None
