"""Tools of Claude Code, of all versions: names that went out of use stay here."""

from __future__ import annotations

from pytest_agentv.transcript.tools.table import Table, Tool

_FILE = ("path", "file_path")
_COMMAND = ("command", "command")
_PROMPT = ("content", "prompt")
_NOTEBOOK = ("path", "notebook_path")

_SHELL = Tool("shell", (_COMMAND,))
_SUBAGENT = Tool("task", (_PROMPT,))
_TODO = Tool("todo")
_OTHER = Tool("other")

TOOLS: Table = {
    "Bash": _SHELL,
    "PowerShell": _SHELL,
    "Monitor": _SHELL,
    "REPL": Tool("shell", (("command", "code"),)),
    # Looking at or ending a shell runs nothing: an assertion on commands must not see it.
    "BashOutput": _OTHER,
    "KillShell": _OTHER,
    "KillBash": _OTHER,
    "Read": Tool("read", (_FILE,)),
    "NotebookRead": Tool("read", (_NOTEBOOK,)),
    "Write": Tool("write", (_FILE, ("content", "content"))),
    "Artifact": Tool("other", (_FILE,)),
    "Edit": Tool("edit", (_FILE, ("content", "new_string"))),
    "MultiEdit": Tool("edit", (_FILE,)),
    "NotebookEdit": Tool("edit", (_NOTEBOOK, ("content", "new_source"))),
    "Grep": Tool("search", (("pattern", "pattern"), ("path", "path"))),
    "Glob": Tool("search", (("pattern", "pattern"), ("path", "path"))),
    "LS": Tool("search", (("path", "path"),)),
    "LSP": Tool("search", (("path", "filePath"), ("query", "query"))),
    "ToolSearch": Tool("search", (("query", "query"),)),
    "WebFetch": Tool("fetch", (("url", "url"), ("query", "prompt"))),
    "WebSearch": Tool("web_search", (("query", "query"),)),
    "Task": _SUBAGENT,
    "Agent": _SUBAGENT,
    "Workflow": Tool("task", (_PROMPT, ("content", "script"))),
    "SendMessage": Tool("task", (("content", "message"), ("content", "content"))),
    "TaskOutput": _OTHER,
    "AgentOutputTool": _OTHER,
    "TaskStop": _OTHER,
    "Skill": Tool("skill", (("content", "args"),)),
    "SlashCommand": Tool("skill", (("content", "command"),)),
    "TodoWrite": _TODO,
    "TodoRead": _TODO,
    "TaskCreate": Tool("todo", (("content", "description"),)),
    "TaskUpdate": _TODO,
    "TaskList": _TODO,
    "TaskGet": _TODO,
    "ListMcpResourcesTool": Tool("mcp"),
    "ListMcpResources": Tool("mcp"),
    "ReadMcpResourceTool": Tool("mcp", (("url", "uri"),)),
    "ReadMcpResource": Tool("mcp", (("url", "uri"),)),
    "ReadMcpResourceDirTool": Tool("mcp", (("url", "uri"),)),
    "AskUserQuestion": _OTHER,
    "EnterPlanMode": _OTHER,
    "ExitPlanMode": Tool("other", (("content", "plan"),)),
    "exit_plan_mode": Tool("other", (("content", "plan"),)),
    "EnterWorktree": Tool("other", (("path", "path"),)),
    "ExitWorktree": _OTHER,
    "CronCreate": Tool("other", (_PROMPT,)),
    "CronDelete": _OTHER,
    "CronList": _OTHER,
    "RemoteTrigger": _OTHER,
    "ScheduleWakeup": Tool("other", (_PROMPT,)),
    "PushNotification": _OTHER,
    "StructuredOutput": _OTHER,
    "TeamCreate": _OTHER,
    "TeamDelete": _OTHER,
    "ReportFindings": _OTHER,
    "WaitForMcpServers": _OTHER,
    "ShareOnboardingGuide": _OTHER,
    "SendUserFile": Tool("other", (_FILE,)),
}
