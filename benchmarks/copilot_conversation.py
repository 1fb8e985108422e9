"""What happens in a made-up Copilot session: runs, turns, tool calls, sub-agents, compactions.

Writes through a Recorder and counts what it writes, so that an import can be checked exactly.
The proportions come from measuring real sessions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from copilot_records import Recorder, Speaker, Usage
from copilot_tools import Exchange, random_exchange, task_exchange
from generated import Counts, Tokens
from setting import Setting
from speech import Speech
from synthetic_text import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from synthetic_text import Texts

MODEL = "claude-sonnet-4.6"
_AGENT_MODEL = "claude-haiku-4.5"
_CONTEXT_LIMIT = 150_000
_CONTEXT_START = 22_000
_CHARACTERS_PER_TOKEN = 4
_PROMPTS_PER_RUN = 9


class Conversation:
    """The runs of one session, written as they happen."""

    def __init__(
        self, recorder: Recorder, rng: Random, texts: Texts, speech: Speech | None = None
    ) -> None:
        self.recorder = recorder
        self._speech = speech or Speech()
        self.counts = Counts()
        self._rng = rng
        self._texts = texts
        self._setting = Setting(rng, texts)
        self._run: dict[str, Usage] = {}
        """What each model has used since the last start or resume."""
        self._used = Usage()
        """What all models used in the runs before this one."""
        self._context = _CONTEXT_START
        self._cached = 0
        self._turn = 0
        self._checkpoints = 0
        self._aborted = False

    @property
    def tokens(self) -> Tokens:
        """What the shutdown events so far add up to."""
        used = self._used
        return Tokens(used.input, used.cached, used.cache_write, used.output, used.reasoning)

    def start(self) -> None:
        """Write what stands at the head of a file."""
        self.recorder.start()
        self.recorder.event(
            "session.model_change",
            f'"newModel":"{MODEL}","previousReasoningEffort":"medium","reasoningEffort":"medium"',
        )
        self._system_message()

    def turn(self) -> Iterator[None]:
        """Write one prompt and the work on it. Yields where it may be left."""
        if self.counts.prompts and self._rng.random() < 1 / _PROMPTS_PER_RUN:
            self._resume()
        speaker = self._prompt()
        self._aborted = False
        for _ in range(1 + int(self._rng.expovariate(1 / 11))):
            yield
            if self._rng.random() < 0.01:
                self._steer(speaker)
            if self._context > _CONTEXT_LIMIT:
                self._compact()
            self._work(speaker)
            if self._aborted:
                self.recorder.event("abort", '"reason":"user_initiated"')
                return
        self._respond(speaker, [], text=self._speech.answer(self._setting, 8))
        self.recorder.hook("agentStop", '"transcriptPath":"events.jsonl","stopReason":"end_turn"')

    def close(self) -> None:
        """Write the end of a run: what it used is known only from here on."""
        self.recorder.hook("sessionEnd", '"reason":"complete"')
        self.recorder.shutdown(self._run, model=MODEL, context=self._context)
        for usage in self._run.values():
            self._used = self._used.plus(usage)
        self._run = {}

    def _resume(self) -> None:
        self.close()
        self.recorder.wait(3_600_000)
        self.recorder.resume(MODEL)
        self._cached = 0
        self._system_message()

    def _system_message(self) -> None:
        text = self._speech.context(self._setting, 0, 600)
        self.recorder.event("system.message", f'"role":"system","content":"{text}"')

    def _prompt(self) -> Speaker:
        recorder = self.recorder
        recorder.wait(60_000)
        text = self._speech.prompt(self._setting, 4)
        speaker = Speaker(MODEL, recorder.uuid())
        recorder.hook("userPromptSubmitted", f'"prompt":"{text}"')
        self._user_message(text, speaker, ',"delivery":"idle"')
        self.counts.prompts += 1
        self._turn = 0
        if self._rng.random() < 0.1:
            recorder.event(
                "user.message",
                f'"content":"","transformedContent":"<system_reminder>{self._setting.prose(9)}",'
                f'"source":"system","delivery":"steering",'
                f'"interactionId":"{speaker.interaction_id}"',
            )
        return speaker

    def _user_message(self, text: str, speaker: Speaker, fields: str) -> None:
        now = self.recorder.timestamp()
        reminder = r"\n\n<system_reminder>\n<sql_tables>Available tables: todos</sql_tables>\n"
        self.recorder.event(
            "user.message",
            f'"content":"{text}","transformedContent":"<current_datetime>{now}'
            rf"</current_datetime>\n\n{text}{reminder}</system_reminder>"
            f'","attachments":[],"supportedNativeDocumentMimeTypes":[]{fields},'
            f'"interactionId":"{speaker.interaction_id}",'
            f'"parentAgentTaskId":"{self.recorder.uuid()}"',
            agent_id=speaker.agent_id,
        )

    def _steer(self, speaker: Speaker) -> None:
        self._user_message(self._speech.prompt(self._setting, 1), speaker, ',"delivery":"steering"')
        self.counts.steering_prompts += 1

    def _work(self, speaker: Speaker) -> None:
        """Write one response with tool calls, seldom more than one, and their results."""
        count = self._rng.choices((1, 2, 3, 4), cum_weights=(80, 96, 99, 100))[0]
        calls = [random_exchange(self._setting) for _ in range(count)]
        if speaker.agent_id is None and self._rng.random() < 0.015:
            calls = [
                task_exchange(
                    self._setting, prompt=self._setting.prose(14), answer=self._setting.prose(20)
                )
            ]
        speaks = self._rng.random() < 0.3
        text = self._speech.remark(self._setting, 0.8) if speaks else ""
        self._respond(speaker, calls, text=text)

    def _respond(self, speaker: Speaker, calls: list[Exchange], *, text: str) -> None:
        recorder = self.recorder
        is_main = speaker.agent_id is None
        if is_main:
            recorder.event(
                "assistant.turn_start",
                f'"turnId":"{self._turn}","interactionId":"{speaker.interaction_id}"',
            )
        recorder.wait(4_000)
        asked = [(recorder.identifier("toolu_01"), exchange) for exchange in calls]
        self._message(speaker, asked, text)
        self.counts.api_messages += is_main
        for call_id, exchange in asked:
            recorder.call(speaker, exchange, call_id=call_id, turn=self._turn)
        for call_id, exchange in asked:
            self._answer(speaker, exchange, call_id)
        if is_main and not self._aborted:
            recorder.event("assistant.turn_end", f'"turnId":"{self._turn}"')
            self._turn += 1

    def _message(self, speaker: Speaker, asked: list[tuple[str, Exchange]], text: str) -> None:
        recorder, rng = self.recorder, self._rng
        requests = ",".join(
            f'{{"toolCallId":"{call_id}","name":"{exchange.name}",'
            f'"arguments":{exchange.arguments},"type":"function",'
            f'"intentionSummary":{quoted(exchange.summary) if exchange.summary else "null"}}}'
            for call_id, exchange in asked
        )
        thought = ""
        if rng.random() < 0.42:
            opaque = self._texts.blob(rng, self._setting.size(700, 0.8, 9_000))
            thought = f'"reasoningOpaque":"{opaque}","reasoningText":"{self._setting.prose(8)}",'
        output = (len(requests) + len(text) + len(thought)) // _CHARACTERS_PER_TOKEN + 1
        self._use(speaker.model, output=output, reasoning=len(thought) // 8)
        recorder.event(
            "assistant.message",
            f'"messageId":"{recorder.uuid()}","model":"{speaker.model}","content":"{text}",'
            f'"toolRequests":[{requests}],"interactionId":"{speaker.interaction_id}",'
            f'"turnId":"{self._turn}",{thought}"outputTokens":{output},'
            f'"requestId":"{rng.getrandbits(80):020X}","serviceRequestId":"{recorder.uuid()}",'
            f'"apiCallId":"{recorder.identifier("msg_01")}"{speaker.parent_call}',
            agent_id=speaker.agent_id,
        )

    def _use(self, model: str, *, output: int, reasoning: int) -> None:
        written = max(self._context - self._cached, 0)
        once = Usage(1, self._context + 3, self._cached, written, output, reasoning)
        self._run[model] = self._run.get(model, Usage()).plus(once)
        self._cached = self._context
        self._context += output

    def _answer(self, speaker: Speaker, exchange: Exchange, call_id: str) -> None:
        recorder, rng = self.recorder, self._rng
        is_main = speaker.agent_id is None
        self.counts.tool_calls += is_main
        if is_main and (self._aborted or rng.random() < 0.0015):
            self._aborted = True
            return
        if rng.random() < 0.45:
            recorder.hook_before(speaker, exchange, call_id=call_id)
        asks = is_main and exchange.name == "bash" and rng.random() < 0.015
        denied = asks and rng.random() < 0.2
        if asks:
            recorder.permission(exchange, call_id=call_id, denied=denied)
        if exchange.name == "task":
            self._run_agent(call_id, exchange)
        elif exchange.name == "skill":
            self._invoke_skill(exchange, agent_id=speaker.agent_id)
        recorder.wait(700)
        if not denied and not exchange.error:
            recorder.hook_after(speaker, exchange)
        recorder.result(speaker, exchange, call_id=call_id, turn=self._turn, denied=denied)
        self.counts.tool_results += is_main
        self.counts.tool_errors += is_main and exchange.failed and not denied
        self._context += len(exchange.content) // _CHARACTERS_PER_TOKEN

    def _run_agent(self, call_id: str, exchange: Exchange) -> None:
        """Write what a sub-agent does, between the start and the end of its call."""
        recorder = self.recorder
        names = '"agentName":"explore","agentDisplayName":"Explore"'
        recorder.event(
            "subagent.started",
            f'"toolCallId":"{call_id}",{names},"agentDescription":"{self._setting.prose(2)}",'
            f'"model":"{_AGENT_MODEL}"',
            agent_id=call_id,
        )
        speaker = Speaker(_AGENT_MODEL, recorder.uuid(), call_id)
        source = f',"source":"agent-{recorder.session_id}","delivery":"idle"'
        self._user_message(self._setting.prose(14), speaker, source)
        before = self._context, self._cached
        self._context, self._cached = _CONTEXT_START, 0
        count = self._rng.randint(6, 22)
        for _ in range(count):
            self._work(speaker)
        self._respond(speaker, [], text=exchange.content)
        self._context, self._cached = before
        recorder.event(
            "subagent.completed",
            f'"toolCallId":"{call_id}",{names},"model":"{_AGENT_MODEL}",'
            f'"totalToolCalls":{count},"totalTokens":{self._run[_AGENT_MODEL].input},'
            '"durationMs":61000',
            agent_id=call_id,
        )

    def _invoke_skill(self, exchange: Exchange, *, agent_id: str | None) -> None:
        name = exchange.summary
        self.recorder.event(
            "skill.invoked",
            f'"name":"{name}","path":"/home/dev/.copilot/skills/{name}/SKILL.md",'
            f'"content":"{self._setting.prose(40)}","description":"{self._setting.prose(1)}"',
            agent_id=agent_id,
        )

    def _compact(self) -> None:
        """Write a compaction: its summary is no message, the events before it stay."""
        recorder = self.recorder
        recorder.event(
            "session.compaction_start",
            f'"systemTokens":8702,"conversationTokens":{self._context},'
            '"toolDefinitionsTokens":4426',
        )
        recorder.wait(30_000)
        self._checkpoints += 1
        recorder.event(
            "session.compaction_complete",
            f'"success":true,"preCompactionTokens":{self._context},'
            f'"preCompactionMessagesLength":{self.counts.api_messages},'
            f'"summaryContent":"{self._setting.prose(40)}","checkpointNumber":{self._checkpoints},'
            f'"checkpointPath":"checkpoints/{self._checkpoints:03}.md","compactionTokensUsed":'
            f'{{"inputTokens":{self._context},"outputTokens":900,"cacheReadTokens":0,'
            f'"cacheWriteTokens":0}},"requestId":"{self._rng.getrandbits(80):020X}"',
        )
        self._context, self._cached = _CONTEXT_START, 0
