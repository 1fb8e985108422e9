"""Of every client a session of all that its sessions usually have.

Call n has the id ``toolu_n`` and the output ``output n``, in records of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import claude_sessions as claude
import codex_sessions as codex
import copilot_sessions as copilot

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hostile_sessions import Json

CALLS = 12


def _claude() -> Iterable[Json | bytes]:
    session = claude.Session()
    session.about("summary", summary="Shop", leafUuid="0")
    session.prompt("Build the shop")
    for number in range(CALLS):
        call_id, command = f"toolu_{number}", {"command": f"make {number}"}
        session.response(f"msg_{number}", claude.thinking("Hm"), claude.text(f"Call {number}"))
        session.response(f"msg_{number}", claude.tool_use(call_id, "Bash", command))
        session.tool_result(call_id, f"output {number}", noted={"durationMs": number})
    session.queue("enqueue", "Faster")
    session.queue("remove", "Faster")
    session.progress({"type": "agent_progress", "agentId": "abc"}, call_id="toolu_0")
    session.attachment("queued_command", prompt="Slower", commandMode="prompt")
    session.slash("review", "all", expansion="Review all of it")
    session.local_command("cost", "nothing")
    session.compaction("So far so good")
    session.response("msg_end", claude.text("Done."))
    session.about("custom-title", customTitle="Shop")
    session.about("cost-state", totalCostUSD=0.5)
    return session.records


def _codex() -> Iterable[Json | bytes]:
    session = codex.Session()
    session.user(codex.CONTEXT)
    session.ask("Build the shop")
    for number in range(CALLS):
        session.thought("Hm")
        session.answer(f"Call {number}")
        session.run(f"toolu_{number}", f"make {number}", codex.ran(f"output {number}"))
        session.used(codex.tokens(100, 10, cached=50, reasoning=5))
    duration = {"secs": 1, "nanos": 5}
    session.event("exec_command_end", call_id="toolu_0", exit_code=0, duration=duration)
    session.custom("patch", "apply_patch", "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch")
    session.event("patch_apply_end", call_id="patch", success=True, status="completed")
    session.custom_output("patch", [{"type": "input_text", "text": "Exit code: 0\nOutput:\nok"}])
    session.item("web_search_call", status="completed", action={"type": "search", "query": "q"})
    found = [{"title": "t", "url": "https://example.org", "snippet": "s"}]
    action = {"type": "search", "query": "q"}
    session.event("web_search_end", call_id="ws_1", query="q", action=action, results=found)
    session.item("tool_search_call", call_id="tools", arguments={"query": "q"}, status="completed")
    session.item("tool_search_output", call_id="tools", tools=[{"name": "a", "tools": []}])
    session.function("mcp", "query", {"a": 1}, namespace="mcp__server")
    session.event("mcp_tool_call_end", call_id="mcp", duration=duration, result={"Ok": {}})
    session.output("mcp", "answered")
    session.event("thread_settings_applied", thread_settings={"model": codex.MODEL})
    session.event("thread_name_updated", thread_id=session.session_id, thread_name="Shop")
    session.record("compacted", message="", replacement_history=[])
    session.record("world_state", full=True, state={})
    item = {"type": "UserMessage", "id": "1", "content": [{"type": "text", "text": "Faster"}]}
    session.event("item_completed", thread_id=session.session_id, item=item)
    session.event("error", message="Something is wrong")
    session.record("token_usage_record", response_id="r1", usage=codex.tokens(100, 10))
    session.answer("Done.")
    session.done("Done.")
    return session.records


def _copilot() -> Iterable[Json | bytes]:
    session = copilot.Session()
    session.start(selectedModel=copilot.MODEL)
    attachment = {"type": "file", "path": "/a", "displayName": "a"}
    session.user("Build the shop", attachments=[attachment])
    for number in range(CALLS):
        call_id, command = f"toolu_{number}", {"command": f"make {number}"}
        request = copilot.request(call_id, "bash", command)
        session.assistant(f"Call {number}", request, reasoningText="Hm")
        session.tool_start(call_id, "bash", command, mcpServerName=None)
        session.tool_complete(call_id, f"output {number}", interactionId="i")
    session.assistant("", copilot.request("asked", "edit", {"path": "/a"}))
    session.tool_start("asked", "edit", {"path": "/a"})
    session.permission("asked", "approved", seconds=5)
    session.tool_complete("asked", None, success=False, error={"message": "no", "code": "failure"})
    session.assistant("", copilot.request("task", "task", {"prompt": "Look"}))
    session.agent_id = "task"
    session.assistant("Looking")
    session.agent_id = None
    session.tool_complete("task", "Looked")
    session.event("assistant.reasoning", {"content": "Hm", "reasoningId": "1"})
    session.event("system.notification", {"content": "News", "kind": "x"})
    session.event("session.error", {"errorType": "query", "message": "Something is wrong"})
    session.event("session.model_change", {"newModel": copilot.MODEL})
    session.event("session.context_changed", {"cwd": "/home/dev/shop", "branch": "main"})
    session.hook()
    session.shutdown()
    session.resume()
    session.assistant("Done.")
    session.shutdown(None, tokenDetails={"input": {"tokenCount": 5}})
    return session.events


def _objects(records: Iterable[Json | bytes]) -> list[Json]:
    return [record for record in records if isinstance(record, dict)]


RICH = {
    "claude": _objects(_claude()),
    "codex": _objects(_codex()),
    "copilot": _objects(_copilot()),
}
