"""Who and where: e-mail addresses, IP addresses, users, hosts and paths, each by its pseudonym."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING

from pytest_agentv.redact import places
from pytest_agentv.redact.pseudonyms import is_pseudonym
from pytest_agentv.redact.words import any_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_agentv.redact.pseudonyms import Pseudonyms

_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])(?P<user>[A-Za-z0-9._%+-]{1,64})@(?P<host>(?:[A-Za-z0-9-]{1,63}\.){1,8}(?P<top>[A-Za-z]{2,24}))(?![A-Za-z0-9-]|\.[A-Za-z0-9])"
)
_NO_DOMAINS = frozenset(
    "png jpg jpeg gif svg webp ico js ts tsx jsx css py json md html lock toml yaml yml sh".split()  # noqa: SIM905
)
_PROMPT = re.compile(
    r"(?<![\w.@/-])(?P<user>[A-Za-z_][\w.-]{0,31})@(?P<host>[A-Za-z][\w.-]{0,62})(?=:[~/]|\s[~/][^\s]*\]?\s?[$#%]|\s[\w.-]+\]\s?[$#])"
)
_IPV4 = re.compile(r"(?<![\w.-])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![\w-]|\.[0-9])")
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{1,4}:|:){2,7}[0-9A-Fa-f:.]{1,39}(?![\w:])")
# Names that are not anybody's: only in the path of a home do they name somebody.
_COMMON = frozenset(
    """admin administrator agent all ansible app azure build builder ci code codespace coder
    container daemon data default demo deploy dev developer docker ec2-user example git github gitlab
    guest home host jenkins linux local localhost main master me myuser name nobody node none
    npm opc owner people person postgres project projects public python root runner server service shared
    site src staging student sudo support sys system team temp test tester testuser tmp ubuntu
    user username users vagrant vscode web webapp work worker workspace www www-data you your""".split()  # noqa: SIM905 (a list of words is read as one)
)
_LEAST = 3
# They begin with what is rare, which is far faster to search for than what digits there are.
_IPV4_SIGN = re.compile(r"\.(?<=[0-9]\.)[0-9]{1,3}\.[0-9]{1,3}\.[0-9]")
_IPV6_SIGN = re.compile(r":(?<=[0-9A-Fa-f:]{2}:)[0-9A-Fa-f]{1,4}:[0-9A-Fa-f:]")
_REMEMBERED = 50_000
_REMEMBERED_LENGTH = 200


# A line without names, and the kind and pseudonym of each.
_Told = tuple[str, list[tuple[str, str]]]


class People:
    """Replaces what names persons, machines and places; remembers the names that it met."""

    def __init__(
        self,
        pseudonyms: Pseudonyms,
        *,
        hash_paths: bool,
        users: Iterable[str] = (),
        hosts: Iterable[str] = (),
    ) -> None:
        self._pseudonyms = pseudonyms
        self._names: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None
        # What became of lines that name somebody.
        self._done: dict[str, _Told] = {}
        self._places = places.Places(pseudonyms, hash_all=hash_paths, met=self.meet)
        for name in users:
            self._add("user", name)
        for name in hosts:
            self._add("host", name)

    def __len__(self) -> int:
        """How many names are known."""
        return len(self._names)

    def since(self, count: int) -> list[str]:
        """The names, in small letters, that were met after so many others."""
        return list(self._names)[count:]

    def meet(self, kind: str, name: str) -> None:
        """A name of a user or a host, which is to be replaced wherever it stands."""
        if len(name) >= _LEAST and name.lower() not in _COMMON and not name.isdigit():
            self._add(kind, name)

    def works_in(self, folder: str) -> None:
        """The folder of the project, below which paths keep their names."""
        if folder.startswith("/") and len(folder) > 1:
            self._places.projects.add(folder.rstrip("/"))
        self._places.replaced(folder, lambda _, name: name)

    def _add(self, kind: str, name: str) -> None:
        if name.lower() not in self._names and not is_pseudonym(name):
            self._names[name.lower()] = kind
            self._pattern = None
            self._done.clear()

    def replaced(
        self, text: str, lines: list[str], fresh: list[str], note: Callable[[str, str], str]
    ) -> str:
        """A text without persons and places; ``note`` is told of each pseudonym that came in.

        ``fresh`` are those of its lines that may name somebody.
        """
        if not self._may_name("\n".join(fresh)):
            return text
        names = {line: told for line in fresh if (told := self._of_line(line)) is not None}
        if not names:
            return text
        result = []
        for line in lines:
            new, notes = names.get(line) or (line, [])
            result.append(new)
            for kind, pseudonym in notes:
                note(kind, pseudonym)
        return "\n".join(result)

    def leaves(self, text: str) -> bool:
        """Whether a text names nobody."""
        lines = text.split("\n")
        return self.replaced(text, lines, lines, lambda _, name: name) == text

    def _of_line(self, line: str) -> _Told | None:
        """A line without persons and places, and the pseudonyms that came in; None if it has none."""
        if (done := self._done.get(line)) is not None:
            return done
        if not self._may_name(line):
            return None
        notes: list[tuple[str, str]] = []

        def note(kind: str, pseudonym: str) -> str:
            notes.append((kind, pseudonym))
            return pseudonym

        new = self._without(line, note)
        if new == line:
            return None
        if len(line) < _REMEMBERED_LENGTH:
            if len(self._done) > _REMEMBERED:
                self._done.clear()
            self._done[line] = new, notes
        return new, notes

    def _without(self, text: str, note: Callable[[str, str], str]) -> str:
        text = self._places.replaced(text, note)
        if "@" in text:
            text = _PROMPT.sub(lambda found: self._prompt(found, note), text)
            text = _EMAIL.sub(lambda found: self._email(found, note), text)
        if _IPV4_SIGN.search(text) or _IPV6_SIGN.search(text):
            text = _IPV4.sub(lambda found: self._address(found, note), text)
            text = _IPV6.sub(lambda found: self._address(found, note), text)
        return self._without_names(text, note)

    def _may_name(self, text: str) -> bool:
        if "@" in text or places.may_be_in(text):
            return True
        if _IPV4_SIGN.search(text) or _IPV6_SIGN.search(text):
            return True
        pattern = self._compiled()
        return pattern is not None and pattern.search(text) is not None

    def _prompt(self, found: re.Match[str], note: Callable[[str, str], str]) -> str:
        parts = []
        for kind in ("user", "host"):
            name = found[kind]
            if is_pseudonym(name) or (kind == "user" and name == "git"):
                parts.append(name)
            else:
                self.meet(kind, name)
                parts.append(note(kind, self._pseudonyms.of(kind, name)))
        return "@".join(parts) if found["user"] != "git" else found.group()

    def _email(self, found: re.Match[str], note: Callable[[str, str], str]) -> str:
        if (
            found["top"].lower() in _NO_DOMAINS
            or found["user"] == "git"
            or is_pseudonym(found["user"])
        ):
            return found.group()
        return note("email", self._pseudonyms.of("email", found.group().lower()))

    def _address(self, found: re.Match[str], note: Callable[[str, str], str]) -> str:
        text = found.group().rstrip(".")
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            return found.group()
        if address.is_loopback or address.is_unspecified or text == "255.255.255.255":
            return found.group()
        if address.version == 6 and (
            sum(map(bool, text.split(":"))) < 3 or not re.search("[0-9]", text)
        ):
            return found.group()
        return (
            note("ip", self._pseudonyms.of("ip", address.compressed)) + found.group()[len(text) :]
        )

    def _without_names(self, text: str, note: Callable[[str, str], str]) -> str:
        pattern = self._compiled()
        if pattern is None:
            return text

        def by_name(found: re.Match[str]) -> str:
            kind = self._names.get(found.group().lower(), "user")
            return note(kind, self._pseudonyms.of(kind, found.group()))

        return pattern.sub(by_name, text)

    def _compiled(self) -> re.Pattern[str] | None:
        if self._pattern is None and self._names:
            self._pattern = re.compile(
                rf"(?<![A-Za-z0-9])(?:{any_of(self._names)})(?![A-Za-z0-9])", re.IGNORECASE
            )
        return self._pattern
