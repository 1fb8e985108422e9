"""What happens in a made-up Codex session: turns, responses, tool calls, compactions, rollbacks.

Writes through a Recorder and counts what it writes, so that an import can be checked exactly.
The proportions come from measuring real sessions.
"""

from __future__ import annotations

import copy
from collections import deque
from typing import TYPE_CHECKING

from codex_records import WINDOW, Recorder, Usage
from codex_tools import Exchange, poll, random_exchange, web_search
from generated import Counts, Tokens
from setting import Setting
from speech import Speech
from synthetic_text import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from synthetic_text import Texts

_CONTEXT_LIMIT = int(WINDOW * 0.9)
_CONTEXT_START = 14_000
_CHARACTERS_PER_TOKEN = 4
_REPEATED = 0.2
"""Share of token counts that only repeat the total, because a rate limit changed."""
_ABORTED = (
    r"<turn_aborted>\nThe user interrupted the previous turn on purpose. Any running unified "
    r"exec processes may still be running in the background.\n</turn_aborted>"
)


class Conversation:
    """The turns of one thread, written as they happen."""

    def __init__(
        self, recorder: Recorder, rng: Random, texts: Texts, speech: Speech | None = None
    ) -> None:
        self.recorder = recorder
        self._speech = speech or Speech()
        self.counts = Counts()
        self._rng = rng
        self._texts = texts
        self._setting = Setting(rng, texts)
        self._instructions = self._speech.context(self._setting, 0, 11)
        self._used = Usage()
        self._context = _CONTEXT_START
        self._cached = 0
        self._running: int | None = None
        self._aborted = False
        self._turn_started = 0
        self._recent_prompts: deque[str] = deque(maxlen=12)
        self._turns: list[Counts] = []
        """What each of the last turns has added; only those that one prompt began."""

    @property
    def tokens(self) -> Tokens:
        """What all responses so far have used; Codex 0.141 does not tell cache writes."""
        used = self._used
        return Tokens(used.input, used.cached, None, used.output, used.reasoning)

    def start(self) -> None:
        """Write what stands at the head of a file."""
        self.recorder.session_meta(self._speech.context(self._setting, 0, 300))

    def turn(self) -> Iterator[None]:
        """Write one turn: a prompt and the work on it. Yields where the turn may be left."""
        if self._turns and self._rng.random() < 0.02:
            self._roll_back()
        before = copy.copy(self.counts)
        self._open_turn()
        self._aborted = False
        for _ in range(1 + int(self._rng.expovariate(1 / 5))):
            yield
            if self._rng.random() < 0.02:
                self._steer()
            if self._context > _CONTEXT_LIMIT:
                self._compact()
            self._work()
            if self._aborted:
                break
        if self._aborted:
            self._abort()
        else:
            yield
            self._close_turn()
        added = self.counts.minus(before)
        self._turns = [] if added.steering_prompts else [*self._turns[-2:], added]

    def close(self) -> None:
        """Write nothing: Codex notes no end of a session."""

    def _open_turn(self) -> None:
        recorder = self.recorder
        recorder.wait(60_000)
        self._turn_started = recorder.clock
        recorder.turn_id = recorder.timed_uuid()
        recorder.event(
            "task_started",
            f'"turn_id":"{recorder.turn_id}","started_at":{recorder.unix_ms() // 1000},'
            f'"model_context_window":{WINDOW},"collaboration_mode_kind":"default"',
        )
        if self.counts.api_messages == 0:
            self._introduce()
        elif self._rng.random() < 0.1:
            recorder.message("user", rf"<environment_context>\n  <cwd>{ROOT}</cwd>\n")
        recorder.turn_context(self._instructions)
        text = self._speech.prompt(self._setting, 3)
        recorder.prompt(text)
        self._recent_prompts.append(text)
        self.counts.prompts += 1

    def _introduce(self) -> None:
        """Write the context that the client adds on its own, in the name of the user."""
        parts = [self._speech.context(self._setting, place * 80, 80) for place in range(5)]
        self.recorder.message("developer", *parts)
        self.recorder.message(
            "user",
            rf"# AGENTS.md instructions for {ROOT}\n\n"
            + self._speech.context(self._setting, 400, 450),
            rf"<environment_context>\n  <cwd>{ROOT}</cwd>\n  <shell>bash</shell>\n"
            r"</environment_context>",
        )
        self.recorder.rate_limits_only()

    def _steer(self) -> None:
        text = self._speech.prompt(self._setting, 1)
        self.recorder.prompt(text)
        self._recent_prompts.append(text)
        self.counts.steering_prompts += 1

    def _work(self) -> None:
        """Write one response with tool calls, and the results of the calls."""
        count = self._rng.choices((1, 2, 3, 4, 5), cum_weights=(66, 73, 84, 95, 100))[0]
        calls = [self._exchange() for _ in range(count)]
        speaks = self._rng.random() < 0.85
        self._respond(calls, text=self._speech.remark(self._setting, 1.4) if speaks else "")

    def _exchange(self) -> Exchange:
        if self._running is None:
            exchange = random_exchange(self._setting)
        else:
            exchange = poll(self._setting, self._running, ends=self._rng.random() < 0.25)
        self._running = exchange.process
        return exchange

    def _respond(self, calls: list[Exchange], *, text: str, phase: str = "commentary") -> None:
        recorder = self.recorder
        recorder.wait(4_000)
        thought = self._think()
        if self._rng.random() < 0.02:
            self._search_the_web()
        if text:
            recorder.answer(text, phase=phase)
        self.counts.api_messages += 1
        answers = [(recorder.call_id(), exchange) for exchange in calls]
        for call_id, exchange in answers:
            recorder.item(exchange.kind, f'"call_id":"{call_id}",{exchange.call}')
        for call_id, exchange in answers:
            self._answer(call_id, exchange)
        said = len(text) + sum(len(exchange.call) for exchange in calls)
        self._count_tokens(output=said // _CHARACTERS_PER_TOKEN + thought, reasoning=thought)
        heard = sum(len(exchange.output) for exchange in calls)
        self._context += (said + heard) // _CHARACTERS_PER_TOKEN + thought

    def _think(self) -> int:
        """Write a thought before most responses; return its tokens."""
        if self._rng.random() > 0.75:
            return 0
        size = self._setting.size(1_200, 0.7, 20_000)
        summary = f"**{self._setting.words(3)}**" if self._rng.random() < 0.2 else ""
        self.recorder.reasoning(f"gAAAAA{self._texts.blob(self._rng, size)}", summary=summary)
        return size // 8

    def _search_the_web(self) -> None:
        action = web_search(self._setting)
        self.recorder.event(
            "web_search_end",
            f'"call_id":"ws_{self._rng.getrandbits(200):050x}","query":"{self._setting.words(4)}",'
            f'"action":{action}',
        )
        self.recorder.item("web_search_call", f'"status":"completed","action":{action}')
        self.counts.tool_calls += 1

    def _answer(self, call_id: str, exchange: Exchange) -> None:
        recorder = self.recorder
        self.counts.tool_calls += 1
        if self._aborted or self._rng.random() < 0.0012:
            self._aborted = True
            self._running = None
            if exchange.name == "exec_command" and self._rng.random() < 0.5:
                self._output(exchange, call_id, '"aborted by user after 29.7s"')
            return
        recorder.wait(700)
        if exchange.event:
            turn = f'"turn_id":"{recorder.turn_id}",' if exchange.event == "patch_apply_end" else ""
            recorder.event(exchange.event, f'"call_id":"{call_id}",{turn}{exchange.event_fields}')
        if exchange.kind == "tool_search_call":
            recorder.item(
                "tool_search_output",
                f'"call_id":"{call_id}","status":"completed","execution":"client",'
                f'"tools":{exchange.output}',
            )
            self.counts.tool_results += 1
        else:
            self._output(exchange, call_id, f'"{exchange.output}"')
        self.counts.tool_errors += exchange.failed

    def _output(self, exchange: Exchange, call_id: str, output: str) -> None:
        self.recorder.item(
            f"{exchange.kind}_output", f'"call_id":"{call_id}","output":{output}', of_turn=False
        )
        self.counts.tool_results += 1

    def _count_tokens(self, *, output: int, reasoning: int) -> None:
        # Now and then the cache is cold.
        cached = 0 if self._rng.random() < 0.03 else self._cached
        last = Usage(self._context, cached, output, reasoning)
        self._used = self._used.plus(last)
        self._cached = self._context // 128 * 128
        self.recorder.token_count(self._used, last)
        if self._rng.random() < _REPEATED:
            self.recorder.wait(500)
            self.recorder.token_count(self._used, last)

    def _close_turn(self) -> None:
        recorder = self.recorder
        text = self._speech.answer(self._setting, 11)
        self._respond([], text=text, phase="final_answer")
        recorder.event(
            "task_complete",
            f'"turn_id":"{recorder.turn_id}","last_agent_message":"{text}",{self._timing()},'
            '"time_to_first_token_ms":2100',
        )

    def _abort(self) -> None:
        recorder = self.recorder
        recorder.message("user", _ABORTED)
        recorder.event(
            "turn_aborted",
            f'"turn_id":"{recorder.turn_id}","reason":"interrupted",{self._timing()}',
        )

    def _timing(self) -> str:
        recorder = self.recorder
        duration = recorder.clock - self._turn_started
        return f'"completed_at":{recorder.unix_ms() // 1000},"duration_ms":{duration}'

    def _roll_back(self) -> None:
        """Write that the last turns are dead: they stay in the file, their tokens were used."""
        count = 1 if len(self._turns) == 1 else self._rng.choice((1, 1, 2))
        self.recorder.wait(20_000)
        self.recorder.event("thread_rolled_back", f'"num_turns":{count}')
        for _ in range(count):
            self.counts = self.counts.minus(self._turns.pop())

    def _compact(self) -> None:
        """Write the cut of a compaction: the history that the model goes on with are copies."""
        recorder = self.recorder
        history = ",".join(
            f'{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{text}"}}]}}'
            for text in self._recent_prompts
        )
        blob = self._texts.blob(self._rng, self._setting.size(15_000, 0.4, 60_000))
        recorder.record(
            "compacted",
            f'"message":"","replacement_history":[{history},'
            f'{{"type":"compaction","encrypted_content":"gAAAAA{blob}"}}]',
        )
        recorder.event("context_compacted", "")
        self._context, self._cached = _CONTEXT_START, 0
        # Until the next response the client only guesses how much context is left.
        recorder.token_count(self._used, Usage(), estimate=self._context)
        self._turns = []
