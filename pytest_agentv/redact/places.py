"""Absolute paths: who they name is replaced, and the rest of them stays as useful as it was."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_agentv.redact.patterns import pattern
from pytest_agentv.redact.pseudonyms import is_pseudonym

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_agentv.redact.pseudonyms import Pseudonyms

# Signs of paths, in small letters; without any of them there is nothing to do.
_ROOTS = (
    "srv", "opt", "mnt", "media", "data", "work", "workspace", "workspaces", "Volumes", "projects",
    "repos", "code", "var/www", "export", "scratch", "builds", "root",
)  # fmt: skip
_SIGNS = ("/home/", "/users/", *(f"/{one.lower()}/" for one in _ROOTS))
_WINDOWS_SIGNS = (":\\", "\\\\", "\\users\\")
_END = r"\s\"'`<>|:;,()\[\]{}*?!=&\\"
_PART = rf"[^/{_END}]{{1,255}}"
_WINDOWS_PART = r"[^\\/\s\"'`<>|:;,*?()\[\]{}]{1,255}"
_START = r"(?<![\w.~/\\@%+-])(?:(?<=file://)|(?<![/:]))"
_HOME = re.compile(
    rf"(?P<root>(?:(?<=file://)|(?<![\w.~@%+-]))(?:/mnt/[a-z]|/[a-zA-Z]|/var|/export|/private)?/(?:home|Users)/)(?P<user>{_PART})(?P<rest>(?:/{_PART})*)"
)
_WINDOWS_HOME = pattern(
    rf"(?P<root>(?<![A-Za-z0-9])[A-Za-z]:(?P<slash>\\{{1,4}}|/)Users(?P=slash))(?P<user>{_WINDOWS_PART})(?P<rest>(?:(?P=slash){_WINDOWS_PART})*)"
)
_OTHER = re.compile(rf"(?P<root>{_START}/)(?P<rest>(?:{'|'.join(_ROOTS)})(?:/{_PART})+)")
_WINDOWS = pattern(
    rf"(?P<root>(?<![A-Za-z0-9])[A-Za-z]:(?P<slash>\\{{1,4}}))(?!Users\\|Windows\\|Program )(?P<rest>{_WINDOWS_PART}(?:(?P=slash){_WINDOWS_PART})+)"
)
_UNC = pattern(
    rf"(?<![\\\w:])(?P<root>\\\\(?P<deep>\\\\)?)(?P<host>[A-Za-z][\w.-]{{1,62}})(?P<slash>\\{{1,2}})(?P<rest>{_WINDOWS_PART}(?:(?P=slash){_WINDOWS_PART})*)"
)
_TEMPLATES = frozenset({"$USER", "$user", "%USERNAME%", "...", "…", "~", "*", "you", "username"})


def may_be_in(text: str) -> bool:
    """Whether a text has a sign of a path."""
    lower = text.lower()
    if "/" in lower:
        for sign in _SIGNS:  # not any(), which costs as much as all the looks together
            if sign in lower:
                return True
    return "\\" in lower and any(sign in lower for sign in _WINDOWS_SIGNS)


class Places:
    """Replaces paths. ``met`` is told the names of users and hosts that stand in them."""

    def __init__(
        self, pseudonyms: Pseudonyms, *, hash_all: bool, met: Callable[[str, str], None]
    ) -> None:
        self._pseudonyms = pseudonyms
        self._hash_all = hash_all
        self._met = met
        self.projects: set[str] = set()

    def replaced(self, text: str, note: Callable[[str, str], str]) -> str:
        """A text without the paths of people; ``note`` is told of each that was replaced."""

        def of_home(found: re.Match[str]) -> str:
            user, rest = found["user"], found["rest"]
            slash = found["slash"] if "slash" in found.re.groupindex else "/"
            if user in _TEMPLATES:
                return found.group()
            if not is_pseudonym(user):
                self._met("user", user)
                user = note("user", self._pseudonyms.of("user", user))
            return f"{found['root']}{user}{self._below(rest, slash, note)}"

        def of_other(found: re.Match[str]) -> str:
            slash = found["slash"] if "slash" in found.re.groupindex else "/"
            return found["root"] + self._hidden(found["rest"], slash, note)

        def of_share(found: re.Match[str]) -> str:
            host = found["host"]
            if not is_pseudonym(host):
                self._met("host", host)
                host = note("host", self._pseudonyms.of("host", host))
            rest = self._hidden(found["rest"], found["slash"], note)
            return f"{found['root']}{host}{found['slash']}{rest}"

        text = _HOME.sub(of_home, text)
        if "\\" in text or ":/" in text:
            text = _WINDOWS_HOME().sub(of_home, text)
            text = _WINDOWS().sub(of_other, text)
            text = _UNC().sub(of_share, text)
        return _OTHER.sub(of_other, text)

    def _below(self, rest: str, slash: str, note: Callable[[str, str], str]) -> str:
        """What stands below a home: as it is, or each name by its pseudonym."""
        if not self._hash_all or not rest:
            return rest
        return slash.join(self._named(one, note) for one in rest.split(slash))

    def _hidden(self, rest: str, slash: str, note: Callable[[str, str], str]) -> str:
        """A path that is in no home: its folder by one pseudonym, below a project all by names."""
        parts = rest.split(slash)
        if is_pseudonym(parts[0]):
            return rest
        plain = "/" + "/".join(parts)
        project = next((one for one in self.projects if f"{plain}/".startswith(f"{one}/")), None)
        depth = project.count("/") if project else max(len(parts) - 1, 1)
        folder = "/" + "/".join(parts[:depth])
        named = note("path", self._pseudonyms.of("path", folder))
        kept = parts[depth:]
        if self._hash_all:
            kept = [self._named(one, note) for one in kept]
        return slash.join([named, *kept])

    def _named(self, part: str, note: Callable[[str, str], str]) -> str:
        if not part or is_pseudonym(part) or part in (".", ".."):
            return part
        stem, dot, extension = part.rpartition(".")
        keeps = bool(stem) and extension.isalnum() and len(extension) <= 5
        name = note("path", self._pseudonyms.of("path", part))
        return f"{name}{dot}{extension}" if keeps else name
