"""The redactor of one session: texts, values and messages in, the same without secrets out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.redact import policy as content
from pytest_agentv.redact.objects import Objects
from pytest_agentv.redact.profiles import Profile, profile_named
from pytest_agentv.redact.receipt import Receipt, joined_receipts
from pytest_agentv.redact.settings import RedactSettings
from pytest_agentv.redact.spans import placeholder
from pytest_agentv.redact.streams import RedactedStream
from pytest_agentv.redact.texts import Texts
from pytest_agentv.transcript.model import Message, Transcript
from pytest_agentv.transcript.stream import TAIL_FIELDS, Head, Tail, TranscriptStream

if TYPE_CHECKING:
    from pytest_agentv.redact.mending import Late
    from pytest_agentv.redact.receipt import Redaction
    from pytest_agentv.transcript.model import Attachment, ToolCall
    from pytest_agentv.transcript.stream import SessionStream

# Who wrote a session and when is no matter of persons; but a file can say anything there.
_PLAIN_SOURCE = ("provider", "version", "model", "timestamp", "ended_at", "session_id")
_PLAIN_MESSAGE = ("id", "role", "origin", "model", "timestamp")
_PLAIN_CALL = ("id", "kind", "status", "duration_source", "timestamp")
_PLAIN_ATTACHMENT = ("kind", "media_type", "call_id")
# As clients write them: words, of which some are in every message, times, UUIDs, and the ids of
# models' APIs.
_PLAIN_WORDS = frozenset({"assistant", "user", "ok", "error", "read", "edit", "write", "shell"})
_is_plain = re.compile(
    r"[a-z_]{0,16}"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,18}(?:Z|[+-][0-9]{2}:[0-9]{2})"
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(?:toolu|msg|call|req|fc|rs)_(?:bdrk_|vrtx_)?[0-9A-Za-z]{8,40}"
    r"|(?:claude|gpt)-[a-z0-9.-]{1,40}"
).fullmatch


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
        self._texts = Texts(self.profile, self._settings, self._receipt, key)
        self._objects = Objects(
            self._texts, self._settings, self._receipt, secrets=self.profile.secrets
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
        other._texts.share(self._texts)  # noqa: SLF001 (its own)
        return other

    @property
    def learned(self) -> set[str] | None:
        """What was found, as it stood in texts; None unless somebody put a set here."""
        return self._texts.learned

    @learned.setter
    def learned(self, found: set[str]) -> None:
        self._texts.learned = found

    def late(self) -> Late | None:
        """What may stand in texts before it was known what it is; None if nobody knows how."""
        return self._texts.late()

    def text(self, text: str, field: str = "text") -> str:
        """A text without secrets; the same object if there are none."""
        return self._texts.text(text, field) if self.active else text

    def value(self, value: Any, field: str = "value") -> Any:
        """A JSON value without secrets in its texts and keys; the same object if there are none."""
        return self._objects.value(value, field) if self.active else value

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
        self._texts.begin(source.cwd)
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
        writes, self._receipt.writes = self._receipt.writes, False
        if isinstance(value, Transcript):
            self.head(TranscriptStream(value).head)
            for message in value.output:
                self.message(message)
        elif isinstance(value, Message):
            self.message(value)
        else:
            self.value(value)
        self._receipt.writes = writes

    def receipt(self) -> dict[str, Any]:
        """What was done since the beginning."""
        return self._receipt.block(self.profile, self.profile.policy)

    def take(self) -> list[Redaction]:
        """What was done since this was asked last, find by find; of very many the last ones."""
        taken = list(self._receipt.finds)
        self._receipt.finds.clear()
        return taken

    def _taken_away(self, rule: str) -> None:
        self._receipt.field = "content"
        self._receipt.note(rule, placeholder(rule))

    def _optional(self, text: str | None, field: str) -> str | None:
        return text and self.text(text, field)

    def _call(self, call: ToolCall) -> ToolCall:
        changes = self._in_plain_fields(call, _PLAIN_CALL)
        # The canonical arguments are the native ones again: they count once.
        given, canonical = self._objects.pair(call.input, call.args, "tool.input")
        _change(changes, call, "input", given)
        _change(changes, call, "args", canonical)
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
        if self.profile.secrets:
            for name in names:
                text = getattr(owner, name)
                if text is not None and text not in _PLAIN_WORDS and not _is_plain(text):
                    _change(changes, owner, name, self._texts.plain(text, name))
        return changes


def _change(changes: dict[str, Any], old: Any, name: str, new: Any) -> None:
    if new is not getattr(old, name):
        changes[name] = new
