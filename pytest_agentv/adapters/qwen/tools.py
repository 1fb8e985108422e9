"""Tools of Qwen Code: those of Gemini CLI, which it grew out of, and its own."""

from __future__ import annotations

from pytest_agentv.adapters import genai_tools
from pytest_agentv.transcript.tools.table import Table, Tool

_PROMPT = ("content", "prompt")
_OTHER = Tool("other")

TOOLS: Table = {
    **genai_tools.TOOLS,
    "notebook_edit": Tool("edit", (("path", "notebook_path"), ("content", "new_source"))),
    "web_search": Tool("web_search", (("query", "query"),)),
    "todo_write": Tool("todo"),
    "task": Tool("task", (_PROMPT,)),
    "agent": Tool("task", (_PROMPT,)),
    "workflow": Tool("task", (_PROMPT,)),
    "swarm": Tool("task", (_PROMPT,)),
    "send_message": Tool("task", (("content", "message"),)),
    "skill": Tool("skill", (("content", "args"),)),
    "lsp": Tool("search", (("path", "filePath"), ("path", "file_path"), ("query", "query"))),
    "tool_search": Tool("search", (("query", "query"),)),
    "monitor": Tool("shell", (("command", "command"),)),
    "task_stop": _OTHER,
    "task_output": _OTHER,
    "ask_user_question": _OTHER,
    "structured_output": _OTHER,
    "cron_create": Tool("other", (_PROMPT,)),
    "cron_list": _OTHER,
    "cron_delete": _OTHER,
    "exit_plan_mode": Tool("other", (("content", "plan"),)),
    "enter_worktree": Tool("other", (("path", "path"),)),
    "exit_worktree": _OTHER,
}
unlisted_tool = genai_tools.unlisted_tool
