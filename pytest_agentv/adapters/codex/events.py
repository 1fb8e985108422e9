"""What the client noted beside the conversation: events, and items of paginated histories.

Most repeat what the items say. Some say more: which texts were typed, how a command ended, how
many tokens it took, that turns were taken back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.codex.ends import changes_of
from pytest_agentv.adapters.codex.frequent import (
    CommandEnd,
    McpEnd,
    PatchEnd,
    RolledBack,
    SearchEnd,
    SettingsApplied,
    ShownAnswer,
    ShownPrompt,
    ShownThought,
    TokenCount,
    TurnAborted,
    TurnComplete,
    TurnStarted,
)
from pytest_agentv.adapters.codex.known import KNOWN_COMPLETED
from pytest_agentv.adapters.codex.records import parts_of
from pytest_agentv.adapters.codex.tokens import usage_of
from pytest_agentv.adapters.records import shown

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from pytest_agentv.adapters.codex.about import About
    from pytest_agentv.adapters.codex.builder import Builder
    from pytest_agentv.adapters.codex.calls import Calls
    from pytest_agentv.adapters.codex.echoes import Echoes
    from pytest_agentv.adapters.codex.records import Item, Payload
    from pytest_agentv.adapters.codex.tokens import Totals
    from pytest_agentv.adapters.records import Drift

    # Is told the id of a child thread, and that of the call that began it.
    Spawned: TypeAlias = Callable[[str, str | None], None]
    # What is done with a record, by its type.
    Handlers: TypeAlias = Mapping[str | None, Callable[[Payload], None]]
    ItemHandlers: TypeAlias = Mapping[str | None, Callable[[Item], None]]

# Old versions have events for injected context as well.
_CONTEXT_KINDS = ("user_instructions", "environment_context")


class Events:
    """Says what is done with each type of event."""

    def __init__(
        self,
        builder: Builder,
        echoes: Echoes,
        calls: Calls,
        *,
        about: About,
        totals: Totals,
        drift: Drift,
        left_out: Counter[str],
        spawned: Spawned,
    ) -> None:
        self._builder = builder
        self._echoes = echoes
        self._calls = calls
        self._about = about
        self._totals = totals
        self._drift = drift
        self._left_out = left_out
        self._spawned = spawned
        self.handlers: Handlers = {
            "user_message": self._prompt,
            "agent_message": self._answer,
            "agent_reasoning": self._thought,
            "token_count": self._token_count,
            "task_started": self._turn_started,
            "turn_started": self._turn_started,
            "task_complete": self._turn_over,
            "turn_complete": self._turn_over,
            "turn_aborted": self._turn_over,
            "thread_rolled_back": self._rolled_back,
            "thread_name_updated": self._named,
            "thread_settings_applied": self._settings,
            "exec_command_end": self._ended,
            "patch_apply_end": self._ended,
            "mcp_tool_call_end": self._ended,
            "web_search_end": calls.searches.ended,
            "collab_agent_spawn_end": self._spawn_ended,
            "sub_agent_activity": self._child_active,
            "item_completed": self._completed,
            "error": self._error,
        }
        self.frequent: dict[type, Callable[[Any], None]] = {
            TokenCount: self._token_count,
            ShownPrompt: self._prompt,
            ShownAnswer: self._answer,
            ShownThought: self._thought,
            TurnStarted: self._turn_started,
            TurnComplete: self._turn_over,
            TurnAborted: self._turn_over,
            RolledBack: self._rolled_back,
            SettingsApplied: self._settings,
            CommandEnd: self._ended,
            PatchEnd: self._ended,
            McpEnd: self._ended,
            SearchEnd: calls.searches.ended,
        }
        # What a paginated history completes, in place of the events above.
        self._items: Handlers = {
            "UserMessage": self._prompt_done,
            "AgentMessage": self._answer_done,
            "Reasoning": self._thought_done,
            "CommandExecution": self._ended,
            "FileChange": self._ended,
            "McpToolCall": self._ended,
            "WebSearch": calls.searches.ended,
            "Extension": calls.searches.ended,
        }

    def _completed(self, event: Payload) -> None:
        item = event.item
        kind = item.type if item is not None else None
        handle = self._items.get(kind)
        if item is not None and handle is not None:
            handle(item)
        elif kind in KNOWN_COMPLETED:
            self._left_out[f"{kind} item"] += 1
        else:
            self._drift.note(f"completed item {shown(kind)}", self._builder.line)

    def _prompt(self, event: Payload | ShownPrompt) -> None:
        if event.message is not None and event.kind not in _CONTEXT_KINDS:
            self._echoes.user_event(event.message)

    def _prompt_done(self, item: Payload) -> None:
        self._echoes.user_event("".join(_texts(item)))

    def _answer(self, event: Payload | ShownAnswer) -> None:
        if event.message:
            self._echoes.answer_event(event.message)

    def _answer_done(self, item: Payload) -> None:
        for text in _texts(item):
            self._echoes.answer_event(text)

    def _thought(self, event: Payload | ShownThought) -> None:
        if event.text:
            self._echoes.thought_event(event.text)

    def _thought_done(self, item: Payload) -> None:
        """The item that it repeats says it all, but for what was thought before an abort."""
        for text in item.summary_text or ():
            self._echoes.thought_event(text)

    def _turn_started(self, _: Payload | TurnStarted) -> None:
        self._echoes.tell_answers()
        self._builder.end_response()
        self._builder.expect_prompt()

    def _turn_over(self, _: Payload | TurnComplete | TurnAborted) -> None:
        self._echoes.end_turn()
        self._builder.end_response()

    def _token_count(self, event: Payload | TokenCount) -> None:
        info, totals = event.info, self._totals
        if info is None:
            return
        if totals.goes_on and totals.awaits_inherited and not self._builder.is_responding:
            totals.inherit(info)
        elif totals.count(info):
            self._builder.counted(usage_of(info.last_token_usage))

    def _rolled_back(self, event: Payload) -> None:
        self._echoes.finish()
        left, dropped = self._builder.take_back(event.num_turns or 0)
        self._calls.taken_back(left)
        if dropped:
            self._left_out["message of a turn that was taken back"] += dropped

    def _named(self, event: Payload) -> None:
        if event.thread_id in (None, self._about.session_id):
            self._about.title = event.thread_name

    def _settings(self, event: Payload) -> None:
        if event.thread_settings is not None:
            model = event.thread_settings.model
            self._builder.model = model or self._builder.model
            self._about.chosen_model = self._about.chosen_model or model

    def _ended(self, end: Payload) -> None:
        if not self._calls.ended(end.call_id or end.id, changes_of(end)):
            self._left_out[f"{end.type} without its call"] += 1

    def _spawn_ended(self, end: Payload) -> None:
        if end.new_thread_id is not None:
            self._spawned(end.new_thread_id, end.call_id)

    def _child_active(self, event: Payload) -> None:
        if event.agent_thread_id is not None:
            call_id = self._calls.spawning(event.event_id, event.agent_path)
            self._spawned(event.agent_thread_id, call_id)

    def _error(self, event: Payload) -> None:
        if event.message:
            self._echoes.tell_prompts()
            self._builder.say("system", event.message)


def _texts(item: Payload) -> list[str]:
    return [part.text for part in parts_of(item.content) if part.text]
