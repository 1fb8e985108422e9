"""A conversation as the screen showed it: the way to a task whose other file is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.cline.beside import decoded_text, requests_of, shown_at
from pytest_agentv.adapters.cline.results import outcome_of
from pytest_agentv.adapters.records import shown
from pytest_agentv.adapters.values import text_of

if TYPE_CHECKING:
    from datetime import datetime

    from pytest_agentv.adapters.conversation import OpenCall, OpenMessage
    from pytest_agentv.adapters.told import Told


def _words(text: str) -> frozenset[str]:
    """A word list reads better than dozens of quoted lines."""
    return frozenset(text.split())


_LINE = 1
_PROMPTS = ("task", "user_feedback")
_SPEECH = ("text", "completion_result")
_QUESTIONS = {"followup": "question", "plan_mode_respond": "response"}
_RESULTS = (
    "command_output",
    "mcp_server_response",
    "browser_action_result",
    "inspect_site_result",
)
_CALLS = ("tool", "command", "use_mcp_server", "browser_action", "browser_action_launch")
_SERVICE_ERRORS = ("error", "api_req_failed")
# For the screen alone.
_PASSED = _words(
    """
    api_req_finished api_req_retried api_req_retry_delayed api_req_deleted
    api_req_rate_limit_wait checkpoint_created checkpoint_saved task_progress
    mcp_server_request_started mcp_server_request_finished mcp_notification
    shell_integration_warning shell_integration_warning_with_suggestion clineignore_error
    rooignore_error diff_error load_mcp_documentation info error_retry generate_explanation
    hook_status hook_output_stream conditional_rules_applied user_feedback_diff resume_task
    resume_completed_task mistake_limit_reached auto_approval_max_req_reached condense
    condense_context condense_context_error sliding_window_truncation subtask_result
    codebase_search_result user_edit_todos command_permission_denied subagent use_subagents
    subagent_usage deleted_api_reqs act_mode_respond new_task report_bug summarize_task image
    too_many_tools_warning api_req_rate_limited browser_session_status
    """
)


class Screen:
    """Reads the entries of one task."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._call: OpenCall | None = None
        self._output: list[str] = []
        self._answered: datetime | None = None
        # The response that texts were said in last, and those.
        self._speaking: OpenMessage | None = None
        self._said: set[str] = set()

    def read(self, entries: list[Any]) -> None:
        """Read them all."""
        for number, entry in enumerate(entries):
            if not isinstance(entry, dict):
                self._told.drift.note("entry that is no object", _LINE)
            # What is still being written comes again; at the end it was cut off.
            elif entry.get("partial") is not True or number == len(entries) - 1:
                self._entry(entry, is_first=number == 0)
        self._end_call()

    def _entry(self, entry: dict[str, Any], *, is_first: bool) -> None:
        named = entry.get("say") or entry.get("ask")
        kind = named if isinstance(named, str) else ""
        text = text_of(entry.get("text"))
        time = shown_at(entry)
        if kind in _RESULTS and self._call is not None:
            self._output.append(text)
            self._answered = time
            return
        self._end_call()
        if kind in _PROMPTS or (is_first and kind == "text"):
            self._told.user(text, time=time)
        elif kind == "api_req_started":
            self._request(entry, time)
        elif kind in _SPEECH or kind in _QUESTIONS:
            self._say(_spoken(kind, text), time)
        elif kind == "reasoning":
            self._message(time).thoughts.append(text)
        elif kind in _CALLS:
            self._make_call(kind, text, time)
        elif kind in _SERVICE_ERRORS:
            self._told.system(text, time=time)
        elif kind in _PASSED or kind in _RESULTS:
            self._told.left_out[f"{kind} entry"] += 1
            self._pay(entry)
        else:
            self._told.drift.note(f"entry {shown(named)}", _LINE)

    def _request(self, entry: dict[str, Any], time: datetime | None) -> None:
        """A request: what is said and called after it is one response."""
        usage, cost = requests_of(entry)
        info = entry.get("modelInfo")
        model = info.get("modelId") if isinstance(info, dict) else None
        self._told.assistant(
            time=time, model=model if isinstance(model, str) else None, usage=usage
        )
        self._told.costs(cost)

    def _pay(self, entry: dict[str, Any]) -> None:
        """What an entry says was spent: on requests that were deleted since, on summaries."""
        usage, cost = requests_of(entry)
        if usage is not None:
            self._told.spending.add(usage)
        self._told.costs(cost)

    def _message(self, time: datetime | None) -> OpenMessage:
        current = self._told.conversation.current
        if current is None or current.role != "assistant":
            return self._told.assistant(time=time)
        return current

    def _say(self, text: str, time: datetime | None) -> None:
        message = self._message(time)
        if message is not self._speaking:
            self._speaking, self._said = message, set(message.texts)
        if text.strip() and text not in self._said:
            self._said.add(text)
            message.texts.append(text)
        self._told.at(time)

    def _make_call(self, kind: str, text: str, time: datetime | None) -> None:
        self._message(time)
        given = decoded_text(text)
        if kind == "tool" and isinstance(given.get("tool"), str):
            name = given.pop("tool")
            # The screen has a file read or a folder listed in the call itself.
            output = (
                given.pop("content", None) if name.startswith(("read", "list", "search")) else None
            )
            call = self._told.call(name, given, time=time)
            if output is not None:
                self._told.answer(call, text_of(output), status="ok")
        elif kind == "command":
            self._call = self._told.call("command", {"command": text}, time=time)
        elif kind == "use_mcp_server":
            self._call = self._told.call(kind, given, time=time)
        else:
            self._call = self._told.call("browser_action", given or {"url": text}, time=time)

    def _end_call(self) -> None:
        if self._call is not None and self._output:
            outcome = outcome_of(self._call.tool, "\n".join(filter(None, self._output)))
            self._told.answer(
                self._call,
                outcome.output,
                status=outcome.status,
                exit_code=outcome.exit_code,
                time=self._answered,
            )
        self._call, self._output, self._answered = None, [], None


def _spoken(kind: str, text: str) -> str:
    given = decoded_text(text)
    said = given.get(_QUESTIONS.get(kind, "")) if given else None
    return said if isinstance(said, str) else text
