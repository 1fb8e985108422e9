"""The redactor of one session: texts, values and messages in, the same without secrets out."""

from __future__ import annotations

import operator
import re
from collections import deque
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.jsontext import MAX_DEPTH, too_deep
from pytest_agentv.redact import policy as content
from pytest_agentv.redact.keys import load_key
from pytest_agentv.redact.names import rule_for
from pytest_agentv.redact.people import People
from pytest_agentv.redact.privatekeys import private_keys_in
from pytest_agentv.redact.profiles import Profile, profile_named
from pytest_agentv.redact.pseudonyms import Pseudonyms
from pytest_agentv.redact.receipt import PERSONAL, Receipt, Redaction, joined_receipts
from pytest_agentv.redact.scanner import Scanner
from pytest_agentv.redact.settings import RedactSettings
from pytest_agentv.redact.spans import placeholder
from pytest_agentv.redact.streams import RedactedStream
from pytest_agentv.transcript.model import Message, Transcript
from pytest_agentv.transcript.stream import TAIL_FIELDS, Head, Tail, TranscriptStream

if TYPE_CHECKING:
    from pytest_agentv.transcript.model import Attachment, ToolCall
    from pytest_agentv.transcript.stream import SessionStream

# What replaces a secret can hardly make another one, and never for ever.
_ROUNDS = 6
_TRIVIAL = 4
# Who wrote a session and when is no matter of persons; but a file can say anything there.
_PLAIN_SOURCE = ("provider", "version", "model", "timestamp", "ended_at", "session_id")
_PLAIN_MESSAGE = ("id", "role", "origin", "model", "timestamp")
_PLAIN_CALL = ("id", "kind", "status", "duration_source", "timestamp")
_PLAIN_ATTACHMENT = ("kind", "media_type", "call_id")
# As clients write them: words, times, UUIDs, and the ids of models' APIs.
_is_plain = re.compile(
    r"[a-z_]{0,16}"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,18}(?:Z|[+-][0-9]{2}:[0-9]{2})"
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(?:toolu|msg|call|req|fc|rs)_(?:bdrk_|vrtx_)?[0-9A-Za-z]{8,40}"
    r"|(?:claude|gpt)-[a-z0-9.-]{1,40}"
).fullmatch


_NAME_KEYS = ("name", "key", "header", "field", "variable")
_VALUE_KEYS = frozenset({"value", "val", "default", "secret", "data", "content"})
_LOGINS = frozenset({"-u", "--user", "-U", "--proxy-user", "-a", "--auth"})
# A private key as a list of its lines.
_KEY_BEGINS = "PRIVATE KEY"
_MOST_LINES = 2000
# So many finds are told one by one; all are counted.
_TOLD = 10_000
# So many short texts without a find are remembered.
_REMEMBERED = 20_000
_SHORT = 200


class Redactor:
    """Redacts by a profile; remembers the secrets it found, and counts them.

    One for each session: what is a secret in one may be a word in another.
    """

    def __init__(
        self,
        profile: Profile | str,
        *,
        settings: RedactSettings | None = None,
        key: bytes | None = None,
    ) -> None:
        self._settings = settings or RedactSettings()
        self.profile = self._settings.applied_to(
            profile_named(profile) if isinstance(profile, str) else profile
        )
        self._key = key
        self._receipt = Receipt()
        self.redactions: deque[Redaction] = deque(maxlen=_TOLD)
        # What was found, as it stood in texts, for whoever wants it and puts a set here.
        self.learned: set[str] | None = None
        self._field = "text"
        self._scanner = Scanner(self._settings)
        # Short texts without a find, as long as nothing new is known.
        self._plain: set[str] = set()
        self._knowledge = 0
        # What became of the texts of a call; its canonical arguments repeat them.
        self._given: dict[str, str] | None = None
        self._results: dict[str, str] | None = None
        self._people: People | None = None
        # How many names were known before any text was looked at.
        self._known_at_first: int | None = None
        if self.profile.pseudonyms:
            self._people = People(
                Pseudonyms(load_key if key is None else lambda: key),
                hash_paths=self.profile.hash_paths,
                users=self._settings.names,
                hosts=self._settings.hosts,
            )

    @property
    def active(self) -> bool:
        """Whether there is anything to do at all."""
        return self.profile.secrets or self.profile.pseudonyms

    def fresh(self) -> Redactor:
        """Another one that does the same and knows nothing yet."""
        return Redactor(self.profile, settings=self._settings, key=self._key)

    def again(self) -> Redactor:
        """Another one that knows what this one has learned, for a second look at a session."""
        other = self.fresh()
        other._scanner, other._people = self._scanner, self._people  # noqa: SLF001 (its own)
        return other

    def late_values(self) -> list[str] | None:
        """Secrets that may stand in texts before it was known that they are; None if nobody knows.

        A token is known by its own form wherever it stands.
        """
        late = self._scanner.known.late()
        people = self._people
        if people is None:
            return late
        # Names may stand before the place that gives them away, too; and a secret of which a part
        # became a pseudonym stands nowhere as it is.
        knew_all = self._known_at_first == len(people)
        return late if knew_all and all(map(people.leaves, late)) else None

    def text(self, text: str, field: str = "text") -> str:
        """A text without secrets; the same object if there are none."""
        if len(text) < _TRIVIAL or not self.active:
            return text
        if self._results is not None and (result := self._results.get(text)) is not None:
            return result
        knowledge = len(self._scanner.known) + (0 if self._people is None else len(self._people))
        if knowledge != self._knowledge or len(self._plain) > _REMEMBERED:
            self._plain.clear()
            self._knowledge = knowledge
        elif text in self._plain:
            return text
        self._field = field
        result = self._redacted(text)
        if result is text and len(text) < _SHORT:
            self._plain.add(text)
        if self._given is not None:
            self._given[text] = result
        return result

    def _redacted(self, text: str) -> str:
        for _ in range(_ROUNDS):
            new = self._without_secrets(text) if self.profile.secrets else text
            if self._people is not None:
                new = self._people.replaced(new, self._noted)
            if new == text:
                break
            text = new
        return text

    def value(self, value: Any, field: str = "value") -> Any:
        """A JSON value without secrets in its texts and keys; the same object if there are none."""
        if not self.active or too_deep(value, MAX_DEPTH):
            return value if not self.active else placeholder("too-deep")
        return self._value(value, field)

    def message(self, message: Message) -> Message:
        """A message without secrets, and without what the content policy takes away."""
        if not self.active:
            return message
        changes = self._in_plain_fields(message, _PLAIN_MESSAGE)
        for name in ("content", "thinking", "agent_id"):
            _change(changes, message, name, self._optional(getattr(message, name), name))
        if message.tool_calls:
            calls = tuple(self._call(one) for one in message.tool_calls)
            if any(new is not old for new, old in zip(calls, message.tool_calls, strict=True)):
                changes["tool_calls"] = calls
        if message.attachments:
            changes["attachments"] = tuple(self._attachment(one) for one in message.attachments)
        clean = msgspec.structs.replace(message, **changes) if changes else message
        return content.kept(clean, self.profile.policy, self._taken_away)

    def head(self, head: Head) -> Head:
        """What stands before the messages, without secrets."""
        if not self.active:
            return head
        source = head.source
        if self._people is not None:
            if source.cwd:
                self._people.works_in(source.cwd)
            self._known_at_first = len(self._people)
        changes = self._in_plain_fields(source, _PLAIN_SOURCE)
        for name in source.__struct_fields__:
            if name not in _PLAIN_SOURCE:
                _change(
                    changes, source, name, self._optional(getattr(source, name), f"source.{name}")
                )
        return Head(
            source=msgspec.structs.replace(source, **changes) if changes else source,
            input=self._optional(head.input, "input"),
            test_id=self._optional(head.test_id, "test_id"),
        )

    def tail(self, tail: Tail) -> Tail:
        """What stands after the messages, with the receipt."""
        if not self.active:
            return tail
        counts = {
            name: {self.text(key, name): count for key, count in getattr(tail, name).items()}
            for name in ("drift", "left_out", "drift_lines")
        }
        return msgspec.structs.replace(
            tail, **counts, privacy=joined_receipts(tail.privacy, self.receipt())
        )

    def transcript(self, transcript: Transcript) -> Transcript:
        """A whole transcript: what is known to be a secret anywhere in it is one everywhere."""
        if not self.active:
            return transcript
        self.learn(transcript)
        stream = TranscriptStream(transcript)
        head = self.head(stream.head)
        output = tuple(map(self.message, transcript.output))
        tail = self.tail(stream.tail)
        return msgspec.structs.replace(
            transcript,
            source=head.source,
            input=head.input,
            test_id=head.test_id,
            output=output,
            **{name: getattr(tail, name) for name in TAIL_FIELDS},
        )

    def stream(self, stream: SessionStream) -> SessionStream:
        """A session as it is read, message by message."""
        return RedactedStream(stream, self) if self.active else stream

    def learn(self, value: Any) -> None:
        """Remember the secrets, users and hosts in a text, a value, a message, a transcript."""
        if not self.active:
            return
        apart = (self._receipt, self.redactions)
        self._receipt, self.redactions = Receipt(), deque(maxlen=_TOLD)
        if isinstance(value, Transcript):
            self.head(TranscriptStream(value).head)
            for message in value.output:
                self.message(message)
        elif isinstance(value, Message):
            self.message(value)
        else:
            self.value(value)
        self._receipt, self.redactions = apart

    def receipt(self) -> dict[str, Any]:
        """What was done since the beginning."""
        return self._receipt.block(self.profile, self.profile.policy)

    def take(self) -> list[Redaction]:
        """What was done since this was asked last, find by find; of very many the last ones."""
        taken = list(self.redactions)
        self.redactions.clear()
        return taken

    def _without_secrets(self, text: str) -> str:
        spans = self._scanner.spans(text)
        if not spans:
            return text
        if self.learned is not None:
            self.learned.update(text[start:stop] for start, stop, _ in spans)
        pieces: list[str] = []
        end = 0
        for start, stop, rule in spans:
            pieces += (text[end:start], self._noted(rule, placeholder(rule)))
            end = stop
        return "".join([*pieces, text[end:]])

    def _noted(self, rule: str, stands_for: str) -> str:
        self._receipt.counts[rule] += 1
        kind = "pii" if rule in PERSONAL else "secret"
        self.redactions.append(Redaction(self._field, rule, kind, stands_for))
        return stands_for

    def _taken_away(self, rule: str) -> None:
        self._field = "content"
        self._noted(rule, placeholder(rule))

    def _optional(self, text: str | None, field: str) -> str | None:
        return text and self.text(text, field)

    def _value(self, value: Any, field: str) -> Any:
        if type(value) is str:
            return self.text(value, field)
        if type(value) is dict:
            return self._object(value, field)
        if type(value) is list:
            return self._list(value, field)
        return value

    def _object(self, value: dict[str, Any], field: str) -> dict[str, Any]:
        changed = False
        result: dict[str, Any] = {}
        # An object may name its value: API_TOKEN under `name`, and the token under `value`.
        name = next((value[key] for key in _NAME_KEYS if type(value.get(key)) is str), None)
        for key, held in value.items():
            new_key = self.text(key, field) if type(key) is str else key
            named = name if name is not None and key in _VALUE_KEYS else key
            new = self._named(named, held, f"{field}.{new_key}")
            changed |= new is not held or new_key is not key
            while new_key in result:  # two keys that are secrets of one kind
                new_key += "_"
            result[new_key] = new
        return result if changed else value

    def _named(self, key: str, held: Any, field: str) -> Any:
        """A value under its key, which may say that it is a secret."""
        if type(held) is list and _is_texts(held) and type(key) is str:
            return self._named_list(key, held, field)
        if type(held) is not str or type(key) is not str:
            return self._value(held, field)
        new = self.text(held, field)
        if new is held and self.profile.secrets:
            rule = self._settings.rule_of_key(key, field) or rule_for(key, held, quoted=True)
            if rule is not None and self._settings.accepts(rule, held):
                return self._secret(held, rule, field)
        return new

    def _named_list(self, key: str, held: list[str], field: str) -> list[str]:
        clean = self._list(held, field)
        named = [
            self._named(key, one, field) if one is old else one
            for one, old in zip(clean, held, strict=True)
        ]
        return held if all(map(operator.is_, named, held)) else named

    def _secret(self, value: str, rule: str, field: str) -> str:
        """What stands for a value that is a secret as a whole."""
        self._field = field
        self._scanner.learn(value, rule)
        if self.learned is not None and value:
            self.learned.add(value)
        return self._noted(rule, placeholder(rule))

    def _list(self, value: list[Any], field: str) -> list[Any]:
        result = [self._value(one, field) for one in value]
        if self.profile.secrets and len(value) > 1 and _is_texts(value):
            self._flags(value, result, field)
            self._joined(value, result, field)
        return value if all(map(operator.is_, result, value)) else result

    def _flags(self, value: list[str], result: list[str], field: str) -> None:
        """Arguments of a command, of which one may say that the next is a secret."""
        for at, (name, held) in enumerate(pairwise(value), 1):
            if not name.startswith("-") or result[at] is not held:
                continue
            rule = rule_for(name, held, quoted=True)
            if rule is None and name in _LOGINS:
                user, colon, password = held.partition(":")
                if colon and password:
                    result[at] = f"{user}:{self._secret(password, 'user-flag', field)}"
            elif rule is not None and self._settings.accepts(rule, held):
                result[at] = self._secret(held, rule, field)

    def _joined(self, value: list[str], result: list[str], field: str) -> None:
        """Lines of one text, of which a secret may take several."""
        if len(value) > _MOST_LINES or not any(_KEY_BEGINS in one for one in value):
            return
        whole = "\n".join(value)
        start = 0
        for at, line in enumerate(value):
            end = start + len(line)
            covering = (s for s in private_keys_in(whole) if s.start < end and s.end > start)
            if (span := next(covering, None)) is not None and line:
                result[at] = self._secret("", span.rule, field)
            start = end + 1

    def _call(self, call: ToolCall) -> ToolCall:
        changes = self._in_plain_fields(call, _PLAIN_CALL)
        given: dict[str, str] = {}
        self._given = given
        _change(changes, call, "input", self.value(call.input, "tool.input"))
        self._given, self._results = None, given
        apart = (self._receipt, self.redactions)
        # The canonical arguments are the native ones again: they count once.
        self._receipt, self.redactions = Receipt(), deque(maxlen=_TOLD)
        _change(changes, call, "args", self.value(call.args, "tool.input"))
        self._receipt, self.redactions = apart
        self._results = None
        _change(changes, call, "output", self._optional(call.output, "tool.output"))
        _change(changes, call, "tool", self.text(call.tool, "tool.name"))
        return msgspec.structs.replace(call, **changes) if changes else call

    def _attachment(self, one: Attachment) -> Attachment:
        changes = self._in_plain_fields(one, _PLAIN_ATTACHMENT)
        _change(changes, one, "name", self._optional(one.name, "attachment"))
        return msgspec.structs.replace(one, **changes) if changes else one

    def _in_plain_fields(self, owner: Any, names: tuple[str, ...]) -> dict[str, Any]:
        """What changes in ids, times and the like: hardly ever anything."""
        changes: dict[str, Any] = {}
        if not self.profile.secrets:
            return changes
        texts = {
            name: text
            for name in names
            if (text := getattr(owner, name)) is not None and not _is_plain(text)
        }
        for name, text in texts.items():
            self._field = name
            _change(changes, owner, name, self._without_secrets(text))
        return changes


def _is_texts(value: list[Any]) -> bool:
    return all(type(one) is str for one in value)


def _change(changes: dict[str, Any], old: Any, name: str, new: Any) -> None:
    if new is not getattr(old, name):
        changes[name] = new
