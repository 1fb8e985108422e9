"""What a profile does: which kinds of finds it replaces, and how much content it keeps."""

from __future__ import annotations

from typing import Literal

import msgspec

from pytest_agentv.errors import UnknownName

ToolOutput = Literal["full", "truncated", "metadata-only", "none"]


class ContentPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """How much content is kept, whatever stands in it."""

    include_file_contents: bool = True
    tool_output: ToolOutput = "full"
    thinking: bool = True
    # How many characters of a tool output are left where it is truncated.
    output_limit: int = 2000


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """What is redacted.

    ``pseudonyms``: paths, users, hosts, e-mail addresses and IP addresses are replaced, each always
    by the same. ``hash_paths``: so are the names below a home, of which else only the home is.
    """

    name: str
    secrets: bool = True
    pseudonyms: bool = False
    hash_paths: bool = False
    policy: ContentPolicy = ContentPolicy()


PROFILES = {
    one.name: one
    for one in (
        Profile(name="none", secrets=False),
        Profile(name="secrets"),
        Profile(
            name="research",
            pseudonyms=True,
            policy=ContentPolicy(include_file_contents=False, tool_output="truncated"),
        ),
        Profile(
            name="strict",
            pseudonyms=True,
            hash_paths=True,
            policy=ContentPolicy(include_file_contents=False, tool_output="none", thinking=False),
        ),
    )
}


def profile_named(name: str) -> Profile:
    """The profile of that name."""
    try:
        return PROFILES[name]
    except KeyError:
        raise UnknownName("profile", name, PROFILES) from None
