"""Tools of Kimi Code and of Kimi CLI before it: names that went out of use stay here."""

from __future__ import annotations

from pytest_agentv.transcript.tools.table import Table, Tool

_PATH = ("path", "path")
_PROMPT = ("content", "prompt")
_QUERY = ("query", "query")
_SHELL = Tool("shell", (("command", "command"),))
_READ = Tool("read", (_PATH,))
_WRITE = Tool("write", (_PATH, ("content", "content")))
_SEARCH = Tool("search", (("pattern", "pattern"), _PATH, ("path", "directory")))
_TASK = Tool("task", (_PROMPT,))
_TODO = Tool("todo")
_OTHER = Tool("other")

TOOLS: Table = {
    "Bash": _SHELL,
    "Shell": _SHELL,
    "CMD": _SHELL,
    "Read": _READ,
    "ReadFile": _READ,
    "ReadMediaFile": _READ,
    "Write": _WRITE,
    "WriteFile": _WRITE,
    "Edit": Tool("edit", (_PATH, ("content", "new_string"))),
    "StrReplaceFile": Tool("edit", (_PATH,)),
    "Grep": _SEARCH,
    "Glob": _SEARCH,
    "WebSearch": Tool("web_search", (_QUERY,)),
    "SearchWeb": Tool("web_search", (_QUERY,)),
    "FetchURL": Tool("fetch", (("url", "url"),)),
    "Agent": _TASK,
    "Task": _TASK,
    "AgentSwarm": Tool("task", (("content", "prompt_template"),)),
    "CreateSubagent": _OTHER,
    "Skill": Tool("skill", (("content", "args"),)),
    "TodoList": _TODO,
    "SetTodoList": _TODO,
    "TaskList": _OTHER,
    "TaskOutput": _OTHER,
    "TaskStop": _OTHER,
    "Think": Tool("other", (("content", "thought"),)),
    "SendDMail": Tool("other", (("content", "message"),)),
    "AskUserQuestion": _OTHER,
    "EnterPlanMode": _OTHER,
    "ExitPlanMode": _OTHER,
    "CreateGoal": _OTHER,
    "GetGoal": _OTHER,
    "SetGoalBudget": _OTHER,
    "UpdateGoal": _OTHER,
    "CronCreate": Tool("other", (_PROMPT,)),
    "CronList": _OTHER,
    "CronDelete": _OTHER,
}
