"""The records of a Codex rollout file (0.141): envelopes, keys, their order, ids and time.

Most of what happens is written twice: as a response item, which the model sees, and as an event,
which the client showed. Knows nothing about what is said in the session.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from session_file import SessionFile
from synthetic_text import ROOT

if TYPE_CHECKING:
    from random import Random

MODEL = "gpt-5.5"
WINDOW = 258_400
_VERSION = "0.141.0"


@dataclass(frozen=True)
class Usage:
    """Tokens of one response, or of all; `cached` is in `input`, `reasoning` in `output`."""

    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0

    def plus(self, other: Usage) -> Usage:
        """Return the sum of both."""
        return Usage(
            self.input + other.input,
            self.cached + other.cached,
            self.output + other.output,
            self.reasoning + other.reasoning,
        )

    def json(self, *, total: int | None = None) -> str:
        """Return it as Codex writes it; `total` stands where only an estimate is known."""
        return (
            f'{{"input_tokens":{self.input},"cached_input_tokens":{self.cached},'
            f'"output_tokens":{self.output},"reasoning_output_tokens":{self.reasoning},'
            f'"total_tokens":{self.input + self.output if total is None else total}}}'
        )


class Recorder(SessionFile):
    """Appends the records of one thread and keeps the turn that they belong to."""

    def __init__(self, out: BinaryIO, rng: Random, *, session_id: str | None) -> None:
        super().__init__(out, rng, session_id=session_id)
        # Threads have the time in their ids, as turns have. The draw comes first: a given id must
        # not change what follows.
        made_up = self.timed_uuid()
        self.session_id = session_id or made_up
        self.turn_id = self.timed_uuid()

    def timed_uuid(self) -> str:
        """Return a new UUID that begins with the time (version 7), as turns have them."""
        time, tail = f"{self.unix_ms():012x}", f"{self.rng.getrandbits(80):020x}"
        return f"{time[:8]}-{time[8:]}-7{tail[1:4]}-a{tail[5:8]}-{tail[8:]}"

    def call_id(self) -> str:
        """Return a new id of a tool call."""
        return self.identifier("call_", length=24)

    def record(self, kind: str, payload: str) -> None:
        """Append a record; `payload` is its keys and values."""
        self.write(f'"timestamp":"{self.timestamp()}","type":"{kind}","payload":{{{payload}}}')

    def event(self, kind: str, fields: str) -> None:
        """Append what the client showed; `fields` are the keys after the type."""
        self.record("event_msg", f'"type":"{kind}"{fields and ","}{fields}')

    def item(self, kind: str, fields: str, *, of_turn: bool = True) -> None:
        """Append what the model said or was told; most items name their turn."""
        turn = f',"metadata":{{"turn_id":"{self.turn_id}"}}' if of_turn else ""
        self.record("response_item", f'"type":"{kind}",{fields}{turn}')

    def session_meta(self, instructions: str) -> None:
        """Append the head of the file; the model is not named there."""
        self.record(
            "session_meta",
            f'"id":"{self.session_id}","timestamp":"{self.timestamp()}","cwd":"{ROOT}",'
            f'"originator":"codex-tui","cli_version":"{_VERSION}","source":"cli",'
            '"thread_source":"user","model_provider":"openai",'
            f'"base_instructions":{{"text":"{instructions}"}},"git":{{'
            f'"commit_hash":"{self.rng.getrandbits(160):040x}","branch":"main",'
            '"repository_url":"https://example.org/orchard.git"}',
        )

    def turn_context(self, instructions: str) -> None:
        """Append the settings of a turn."""
        self.record(
            "turn_context",
            f'"turn_id":"{self.turn_id}","cwd":"{ROOT}","workspace_roots":["{ROOT}"],'
            f'"current_date":"{self.timestamp()[:10]}","timezone":"Europe/Berlin",'
            '"approval_policy":"never","sandbox_policy":{"type":"danger-full-access"},'
            f'"permission_profile":{{"type":"disabled"}},"model":"{MODEL}",'
            '"personality":"pragmatic","collaboration_mode":{"mode":"default","settings":'
            f'{{"model":"{MODEL}","reasoning_effort":"high",'
            f'"developer_instructions":"{instructions}"}}}},"multi_agent_version":"v1",'
            '"realtime_active":false,"effort":"high","summary":"auto"',
        )

    def message(self, role: str, *parts: str, of_turn: bool = False) -> None:
        """Append a message that is no answer; `parts` are escaped texts."""
        content = ",".join(f'{{"type":"input_text","text":"{part}"}}' for part in parts)
        self.item("message", f'"role":"{role}","content":[{content}]', of_turn=of_turn)

    def prompt(self, text: str) -> None:
        """Append what a person typed, both times."""
        self.message("user", text)
        self.event(
            "user_message",
            f'"message":"{text}","images":[],"local_images":[],"text_elements":[]',
        )

    def answer(self, text: str, *, phase: str) -> None:
        """Append what the model said, both times."""
        self.event("agent_message", f'"message":"{text}","phase":"{phase}","memory_citation":null')
        self.item(
            "message",
            f'"role":"assistant","content":[{{"type":"output_text","text":"{text}"}}],'
            f'"phase":"{phase}"',
        )

    def reasoning(self, encrypted: str, *, summary: str = "") -> None:
        """Append a thought: encrypted, and seldom with a summary, which an event repeats."""
        parts = ""
        if summary:
            self.event("agent_reasoning", f'"text":"{summary}"')
            parts = f'{{"type":"summary_text","text":"{summary}"}}'
        self.item("reasoning", f'"summary":[{parts}],"encrypted_content":"{encrypted}"')

    def token_count(self, total: Usage, last: Usage, *, estimate: int | None = None) -> None:
        """Append the running total; the same total may be written again and again."""
        self.event(
            "token_count",
            f'"info":{{"total_token_usage":{total.json()},'
            f'"last_token_usage":{last.json(total=estimate)},"model_context_window":{WINDOW}}},'
            f"{self._rate_limits()}",
        )

    def rate_limits_only(self) -> None:
        """Append a token count that says nothing about tokens."""
        self.event("token_count", f'"info":null,{self._rate_limits()}')

    def _rate_limits(self) -> str:
        used, reset = self.clock // 60_000 % 100, self.unix_ms() // 1000 + 9_000
        return (
            '"rate_limits":{"limit_id":"codex","limit_name":null,'
            f'"primary":{{"used_percent":{used}.0,"window_minutes":300,"resets_at":{reset}}},'
            f'"secondary":{{"used_percent":{used // 2}.0,"window_minutes":10080,'
            f'"resets_at":{reset + 400_000}}},"credits":null,"individual_limit":null,'
            '"plan_type":"pro","rate_limit_reached_type":null}'
        )
