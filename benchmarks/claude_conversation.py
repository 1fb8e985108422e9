"""What happens in a made-up Claude Code session: prompts, responses, tool calls, compactions.

Writes through a Recorder and counts what it writes, so that an import can be checked exactly.
The proportions come from measuring real sessions.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from claude_records import Recorder, Usage
from claude_tools import AgentRun, ClientSetting, Exchange, agent_exchange, random_exchange
from generated import Counts, Tokens
from speech import Speech

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from synthetic_text import Texts

_CONTEXT_LIMIT = 165_000
_CONTEXT_START = 18_000
_CHARACTERS_PER_TOKEN = 4
_LONGEST_RESULT = 30_000
"""Characters of a tool result that count as context: an image is many but costs few tokens."""


class Conversation:
    """The turns of one session, or of one sub-agent, written as they happen."""

    def __init__(
        self, recorder: Recorder, rng: Random, texts: Texts, speech: Speech | None = None
    ) -> None:
        self.recorder = recorder
        self._speech = speech or Speech()
        self.counts = Counts()
        self._used = Usage(0, 0, 0, 0)
        self._rng = rng
        self._texts = texts
        self._interrupted = False
        self._turn_started = 0
        self._cached_tokens = 0
        self._new_tokens = _CONTEXT_START
        self._edited: dict[str, None] = {}

    @property
    def setting(self) -> ClientSetting:
        """What the tools of the present client version draw from."""
        old = not self.recorder.client.is_new
        return ClientSetting(self._rng, self._texts, arrows=old, keeps_original=old)

    @property
    def tokens(self) -> Tokens:
        """What all responses so far have used."""
        used = self._used
        return Tokens(
            input=used.input + used.cache_read + used.cache_write,
            cached=used.cache_read,
            cache_write=used.cache_write,
            output=used.output,
        )

    def start(self) -> None:
        """Write what a client writes when a session is opened."""
        recorder = self.recorder
        if not recorder.client.is_new:
            self._hook_progress("SessionStart", "SessionStart:startup", recorder.uuid())
            return
        recorder.metadata("mode", '"mode":"normal"')
        recorder.metadata("permission-mode", '"permissionMode":"default"')
        self._hook_success("SessionStart", "SessionStart:resume", recorder.uuid())
        names = ",".join(f'"{name}"' for name in self._texts.names[:70])
        recorder.attachment(
            f'"type":"deferred_tools_delta","addedNames":[{names}],"addedLines":[{names}],'
            '"removedNames":[],"readdedNames":[],"pendingMcpServers":[]'
        )
        listing = self._texts.prose.sample(self._rng, 200)
        recorder.attachment(
            f'"type":"skill_listing","content":"{listing}","skillCount":70,"isInitial":true,'
            f'"names":[{names}]'
        )

    def turn(self) -> Iterator[None]:
        """Write one turn: a prompt and the work on it. Yields where the turn may be left."""
        self._prompt()
        self._interrupted = False
        for _ in range(1 + int(self._rng.expovariate(1 / 10))):
            yield
            if self._rng.random() < 0.03:
                self._steer()
            self.work()
            if self._interrupted:
                self.recorder.user('[{"type":"text","text":"[Request interrupted by user]"}]')
                return
            if self._cached_tokens > _CONTEXT_LIMIT:
                self._compact()
        self.respond([], text=self._speech.answer(self.setting, 5))
        self._close_turn()

    def work(self) -> None:
        """Write one response with tool calls, seldom more than one."""
        count = self._rng.choices((1, 2, 3, 5, 8), cum_weights=(88, 94, 98, 99.5, 100))[0]
        self.respond([self._exchange() for _ in range(count)])

    def task(self, prompt: str) -> None:
        """Write the task of a sub-agent: the only user record in it that holds text."""
        self.recorder.user(f'"{prompt}"')
        self.counts.prompts += 1

    def delegate(self, run: AgentRun) -> None:
        """Write a response that starts a sub-agent and waits for it."""
        name = self.recorder.client.agent_tool
        self.respond([agent_exchange(self.setting, name=name, run=run)])

    def agent_run(self, agent_id: str) -> AgentRun:
        """Make up a sub-agent whose file is not there, as in most published sessions."""
        rng = self._rng
        return AgentRun(
            agent_id,
            prompt=self.setting.prose(9),
            answer=self.setting.prose(14),
            duration_ms=rng.randint(5_000, 300_000),
            tool_calls=rng.randint(2, 30),
        )

    def respond(self, exchanges: list[Exchange], *, text: str | None = None) -> None:
        """Write one API response, a record per block, and the results of its tool calls."""
        recorder = self.recorder
        self.recorder.wait(4_000)
        calls = [(recorder.identifier("toolu_01"), exchange) for exchange in exchanges]
        spoken = list(self._spoken_blocks(text))
        blocks = [*spoken, *(_tool_use(*call) for call in calls)]
        usage = self._usage(blocks)
        message_id, request_id = recorder.identifier("msg_01"), recorder.identifier("req_01")
        interleaved = len(calls) > 1 and self._rng.random() < 0.6
        waiting: list[tuple[str, Exchange, str]] = []
        parent = recorder.last
        for place, block in enumerate(blocks):
            final = recorder.client.is_new or place == len(blocks) - 1
            stop = "null" if not final else '"tool_use"' if calls else '"end_turn"'
            message = self._message(message_id, block, usage, stop=stop)
            parent = recorder.assistant(message, request_id=request_id, parent=parent)
            self.recorder.wait(300)
            if place >= len(spoken):
                waiting.append((*calls[place - len(spoken)], parent))
            if interleaved and waiting and self._rng.random() < 0.7:
                self._answer(*waiting.pop())
            if recorder.client.is_new:
                # New clients hang the next block on the result before it, old ones on its sibling.
                parent = recorder.last or parent
        self._rng.shuffle(waiting)
        for call in waiting:
            self._answer(*call)

    def _exchange(self) -> Exchange:
        recorder = self.recorder
        if recorder.agent_id is None and self._rng.random() < 0.02:
            run = self.agent_run(f"a{self._rng.getrandbits(64):016x}")
            return agent_exchange(self.setting, name=recorder.client.agent_tool, run=run)
        return random_exchange(self.setting)

    def _prompt(self) -> None:
        recorder = self.recorder
        text = self._speech.prompt(self.setting, 3)
        self.recorder.wait(60_000)
        self._turn_started = recorder.clock
        recorder.prompt_id = recorder.uuid()
        if self._rng.random() < 0.15:
            recorder.queue("enqueue", text)
            recorder.queue("dequeue")
        origin = ',"origin":{"kind":"human"},"promptSource":"typed"'
        after = ',"permissionMode":"default"' + (origin if recorder.client.is_new else "")
        message_id = recorder.user(f'"{text}"', after=after)
        recorder.snapshot(message_id, [*self._edited][-8:], update=False)
        self.counts.prompts += 1
        if not recorder.client.is_new:
            return
        recorder.attachment(
            f'"type":"hook_additional_context","content":["{self.setting.prose(2)}"],'
            f'"hookName":"UserPromptSubmit","toolUseID":"hook-{recorder.uuid()}",'
            '"hookEvent":"UserPromptSubmit"'
        )
        recorder.metadata("last-prompt", f'"lastPrompt":"{text}","leafUuid":"{recorder.last}"')

    def _steer(self) -> None:
        text = self._speech.prompt(self.setting, 1)
        self.recorder.queue("enqueue", text)
        self.recorder.queue("remove")
        self.counts.steering_prompts += 1
        if self.recorder.client.is_new:
            self.recorder.attachment(
                f'"type":"queued_command","prompt":"{text}","commandMode":"prompt"'
            )

    def _close_turn(self) -> None:
        recorder = self.recorder
        is_new = recorder.client.is_new
        if not is_new:
            self._hook_progress("Stop", "Stop", recorder.uuid())
        recorder.system(
            "stop_hook_summary",
            '"hookCount":1,"hookInfos":[{"command":"./hooks/stop.sh","durationMs":120}],'
            '"hookErrors":[],"preventedContinuation":false,"stopReason":"","hasOutput":false,'
            '"level":"suggestion"',
            after=f'"toolUseID":"{recorder.uuid()}"',
        )
        count = f',"messageCount":{recorder.records}' if is_new else ""
        duration = recorder.clock - self._turn_started
        recorder.system("turn_duration", f'"durationMs":{duration}{count}', after='"isMeta":false')
        if is_new:
            recorder.metadata("ai-title", '"aiTitle":"A made-up session"')
            recorder.metadata("mode", '"mode":"normal"')
            recorder.metadata("permission-mode", '"permissionMode":"default"')

    def _compact(self) -> None:
        self.recorder.compact_boundary(self._cached_tokens)
        self.recorder.user(
            f'"{self.setting.prose(40)}"',
            after=',"isVisibleInTranscriptOnly":true,"isCompactSummary":true',
        )
        self._cached_tokens = 0
        self._new_tokens = _CONTEXT_START

    def _spoken_blocks(self, text: str | None) -> Iterator[str]:
        rng = self._rng
        if rng.random() < 0.4:
            # New clients leave out the text of four in ten thinking blocks.
            silent = self.recorder.client.is_new and rng.random() < 0.4
            thought = "" if silent else self.setting.prose(4)
            signature = self._texts.blob(rng, self.setting.size(600, 0.8, 8_000))
            yield f'{{"type":"thinking","thinking":"{thought}","signature":"{signature}"}}'
        if text is None and rng.random() < 0.45:
            text = self._speech.remark(self.setting, 1.5)
        if text is not None:
            yield f'{{"type":"text","text":"{text}"}}'

    def _usage(self, blocks: list[str]) -> Usage:
        written = sum(map(len, blocks)) // _CHARACTERS_PER_TOKEN
        usage = Usage(self._rng.randint(1, 9), self._new_tokens, self._cached_tokens, written)
        self._used = self._used.plus(usage)
        self.counts.api_messages += 1
        self._cached_tokens += self._new_tokens
        self._new_tokens = usage.output
        return usage

    def _message(self, message_id: str, block: str, usage: Usage, *, stop: str) -> str:
        client = self.recorder.client
        final = stop != "null"
        if not final:
            # Old clients note a placeholder until the last block of the response is there.
            usage = dataclasses.replace(usage, output=min(self._rng.randint(1, 30), usage.output))
        details = '"stop_details":null,' if client.is_new else ""
        tail = ',"diagnostics":null' if client.is_new else ""
        return (
            f'{{"model":"{client.model}","id":"{message_id}","type":"message",'
            f'"role":"assistant","content":[{block}],"stop_reason":{stop},"stop_sequence":null,'
            f'{details}"usage":{usage.json(final=final, iterations=client.is_new)}{tail}}}'
        )

    def _answer(self, call_id: str, exchange: Exchange, parent: str) -> None:
        recorder = self.recorder
        self.counts.tool_calls += 1
        if self._rng.random() < 0.0015:
            self._interrupted = True
            return
        self.recorder.wait(700)
        if not recorder.client.is_new:
            self._progress(call_id, exchange)
        recorder.tool_result(exchange, call_id=call_id, parent=parent)
        self.counts.tool_results += 1
        self.counts.tool_errors += bool(exchange.is_error)
        self._new_tokens += min(len(exchange.content), _LONGEST_RESULT) // _CHARACTERS_PER_TOKEN
        if exchange.edits:
            self._edited[exchange.edits] = None
        if recorder.agent_id is None:
            self._after_result(call_id, exchange)

    def _progress(self, call_id: str, exchange: Exchange) -> None:
        if self._rng.random() < 0.2:
            self._hook_progress("PreToolUse", f"PreToolUse:{exchange.name}", call_id)
        if exchange.agent_id:
            self._agent_progress(call_id, exchange)
        elif exchange.name == "Bash" and self._rng.random() < 0.08:
            self._bash_progress(call_id, exchange.output)

    def _hook_progress(self, event: str, name: str, call_id: str) -> None:
        self.recorder.progress(
            f'{{"type":"hook_progress","hookEvent":"{event}","hookName":"{name}",'
            '"command":"./hooks/check.sh --quiet"}',
            tool_use_id=call_id,
            call_id=call_id,
        )

    def _bash_progress(self, call_id: str, output: str) -> None:
        # The client shows the last lines; a long output is not repeated as a whole.
        lines = output.split(r"\n")[:12]
        for second in range(self._rng.randint(2, 14)):
            shown = r"\n".join(lines[: second + 1])
            self.recorder.clock += 1_000
            self.recorder.progress(
                f'{{"type":"bash_progress","output":"{lines[min(second, len(lines) - 1)]}",'
                f'"fullOutput":"{shown}","elapsedTimeSeconds":{second + 2},'
                f'"totalLines":{min(second + 1, len(lines))},"totalBytes":0}}',
                tool_use_id=f"bash-progress-{second}",
                call_id=call_id,
            )

    def _agent_progress(self, call_id: str, started: Exchange) -> None:
        """Write what the sub-agent does, as copies of its messages (their usage counts nowhere)."""
        for _ in range(self._rng.randint(1, 3)):
            exchange = random_exchange(self.setting)
            nested_id = self.recorder.identifier("toolu_01")
            usage = Usage(3, 900, 12_000, 40).json(final=False, iterations=False)
            spoken = (
                f'"type":"assistant","message":{{"model":"claude-haiku-4-5",'
                f'"id":"{self.recorder.identifier("msg_01")}","type":"message",'
                f'"role":"assistant","content":[{_tool_use(nested_id, exchange)}],'
                f'"stop_reason":null,"stop_sequence":null,"usage":{usage}}}'
            )
            answered = (
                '"type":"user","message":{"role":"user","content":[{"type":"tool_result",'
                f'"tool_use_id":"{nested_id}","content":{exchange.content}}}]}}'
            )
            for nested in (spoken, answered):
                self.recorder.wait(900)
                self.recorder.progress(
                    f'{{"message":{{{nested},"uuid":"{self.recorder.uuid()}",'
                    f'"timestamp":"{self.recorder.now()}"}},"normalizedMessages":[],'
                    f'"type":"agent_progress","prompt":"{started.output}",'
                    f'"agentId":"{started.agent_id}"}}',
                    tool_use_id=f"agent_{nested_id}",
                    call_id=call_id,
                )

    def _hook_success(self, event: str, name: str, call_id: str) -> None:
        text = self.setting.prose(2)
        self.recorder.attachment(
            f'"type":"hook_success","hookName":"{name}","toolUseID":"{call_id}",'
            f'"hookEvent":"{event}","content":"{text}","stdout":"{text}","stderr":"",'
            '"exitCode":0,"command":"./hooks/check.sh --quiet","durationMs":212'
        )

    def _after_result(self, call_id: str, exchange: Exchange) -> None:
        rng, recorder = self._rng, self.recorder
        if not recorder.client.is_new:
            if exchange.edits and rng.random() < 0.3:
                recorder.snapshot(recorder.uuid(), [*self._edited][-8:], update=True)
            return
        if rng.random() < 0.1:
            self._hook_success("PostToolUse", f"PostToolUse:{exchange.name}", call_id)
        if rng.random() < 0.06:
            recorder.attachment('"type":"task_reminder","content":[],"itemCount":0')
        if exchange.edits and rng.random() < 0.06:
            snippet = self._texts.file(rng).tabs.sample(rng, 12)
            recorder.attachment(
                f'"type":"edited_text_file","filename":"{exchange.edits}","snippet":"{snippet}"'
            )


def _tool_use(call_id: str, exchange: Exchange) -> str:
    return (
        f'{{"type":"tool_use","id":"{call_id}","name":"{exchange.name}",'
        f'"input":{exchange.input},"caller":{{"type":"direct"}}}}'
    )
