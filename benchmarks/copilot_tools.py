"""Tool calls of Copilot and their results, as the JSON texts that a session stores.

A result is there twice: as the model got it, and as the person saw it, which for files is a patch.
Knows nothing about events, ids or time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from setting import Mixture
from synthetic_text import ROOT, SourceFile, escaped, quoted

if TYPE_CHECKING:
    from setting import Setting

_QUERY = "SELECT id, title, status FROM todos"
_SHELL_TELEMETRY = (
    '{"properties":{"customTimeout":"false","executionMode":"sync","detached":"false",'
    '"sandboxApplied":"false","sandboxOptOutRequested":"false"},'
    '"metrics":{"commandTimeout":30000}}'
)


@dataclass(frozen=True)
class Exchange:
    """One tool call and its result; all fields but the name are parts of JSON texts."""

    name: str
    arguments: str
    content: str = ""
    """Body of the text that the model got."""
    shown: str = ""
    """Body of the text that the person saw; empty where it is the same."""
    telemetry: str = "{}"
    summary: str = ""
    """What the call is for, in the words of the model."""
    error: str = ""
    """Body of the message of a call that failed without a result."""
    failed: bool = False
    start_fields: str = ""
    """More keys of the event that starts the tool."""

    @property
    def detailed(self) -> str:
        """Return what the person saw."""
        return self.shown or self.content


def random_exchange(setting: Setting) -> Exchange:
    """Return one call of any tool but `task`, in the proportions of real sessions."""
    return _MIXTURE.draw(setting)


def task_exchange(setting: Setting, *, prompt: str, answer: str) -> Exchange:
    """Return the call that starts a sub-agent and waits for it."""
    description = setting.words(4)
    return Exchange(
        "task",
        f'{{"agent_type":"explore","description":"{description}","mode":"sync",'
        f'"name":"explore-1","prompt":"{prompt}"}}',
        answer,
        telemetry='{"properties":{"agent_type":"explore","execution_mode":"sync"},"metrics":{}}',
        summary=description,
    )


def _shell(setting: Setting) -> Exchange:
    rng, texts = setting.rng, setting.texts
    name = rng.choice(texts.names)
    command = rng.choice(
        (
            f"cd {ROOT} && git --no-pager log --oneline -5 && git status --short | head -40",
            f"cd {ROOT} && python -m pytest tests/test_{name}.py -q 2>&1 | tail -20; echo $?",
            f"cd {ROOT} && grep -rn '{name}' src --include=\"*.py\" 2>/dev/null | head -20",
            f"cat > /tmp/{name} <<'EOF'\n{setting.words(setting.size(60, 0.8, 400))}\nEOF",
            f'cd {ROOT} && git commit -am "{setting.words(9)}" && git push origin HEAD 2>&1',
        )
    )
    summary = setting.words(5)
    failed = rng.random() < 0.03
    code = rng.choice((1, 1, 2)) if failed else 0
    lines = rng.choice((texts.logs, texts.prose, texts.matches))
    output = lines.sample(rng, setting.size(6, 1.5, 300))
    return Exchange(
        "bash",
        f'{{"command":{quoted(command)},"description":"{summary}"}}',
        # Success means that the shell ran, not that the command did well.
        f"{output}<shellId: {rng.randrange(60)} completed with exit code {code}>",
        telemetry=_SHELL_TELEMETRY,
        summary=summary,
        failed=failed,
    )


def _file_telemetry(command: str, size: int) -> str:
    return (
        f'{{"properties":{{"command":"{command}","options":'
        '"{\\"truncateBasedOn\\":\\"tokenCount\\",\\"truncateStyle\\":\\"middle\\"}",'
        '"inputs":"[\\"path\\",\\"command\\"]","resolvedPathAgainstCwd":"false",'
        '"fileExtension":"[\\".py\\"]","viewType":"file"},'
        f'"metrics":{{"resultLength":{size},"resultForLlmLength":{size},'
        '"responseTokenLimit":50000},"restrictedProperties":{}}'
    )


def _patch_head(file: SourceFile) -> str:
    path = f"{ROOT}/{file.path}"
    return escaped(
        f"\ndiff --git a{path} b{path}\nindex 0000000..0000000 100644\n--- a{path}\n+++ b{path}\n"
        "@@ -1,3 +1,3 @@\n"
    )


def _view(setting: Setting) -> Exchange:
    rng = setting.rng
    file = setting.texts.file(rng)
    count = setting.size(60, 0.9, len(file.plain))
    first = rng.randrange(len(file.plain) - count + 1) if rng.random() < 0.5 else 0
    path = f"{ROOT}/{file.path}"
    view_range = f',"view_range":[{first + 1},{first + count}]' if first else ""
    arguments = f'{{"path":"{path}"{view_range}}}'
    telemetry = _file_telemetry("view", count * 50)
    if rng.random() < 0.03:
        return Exchange(
            "view", arguments, telemetry=telemetry, error="Path does not exist", failed=True
        )
    return Exchange(
        "view",
        arguments,
        file.dots.cut(first, count),
        shown=_patch_head(file) + file.plain.marked(" ", first, count),
        telemetry=telemetry,
        summary=f"view the file at {path}.",
    )


def _edit(setting: Setting) -> Exchange:
    rng = setting.rng
    file, other = setting.texts.file(rng), setting.texts.file(rng)
    count = setting.size(10, 1.0, 90)
    first = rng.randrange(max(len(file.plain) - count, 1))
    path = f"{ROOT}/{file.path}"
    arguments = (
        f'{{"path":"{path}","old_str":"{file.plain.cut(first, count)}",'
        f'"new_str":"{other.plain.cut(0, count)}"}}'
    )
    if rng.random() < 0.05:
        return Exchange("edit", arguments, error="No match found", failed=True)
    return Exchange(
        "edit",
        arguments,
        f"File {path} updated with changes.",
        shown=_patch_head(file)
        + file.plain.marked("-", first, count)
        + other.plain.marked("+", 0, count),
        telemetry=_file_telemetry("edit", 90),
        summary=f"edit the file at {path}.",
    )


def _create(setting: Setting) -> Exchange:
    file = setting.texts.file(setting.rng)
    count = setting.size(90, 0.9, len(file.plain))
    text = file.plain.cut(0, count)
    path = f"{ROOT}/{file.path}"
    return Exchange(
        "create",
        f'{{"path":"{path}","file_text":"{text}"}}',
        f"Created file {path} with {len(text)} characters",
        shown=_patch_head(file) + file.plain.marked("+", 0, count),
        telemetry=_file_telemetry("create", 120),
        summary=f"create a new file at {path}.",
    )


def _grep(setting: Setting) -> Exchange:
    rng = setting.rng
    text = setting.texts.matches.sample(rng, setting.size(20, 1.2, 300))
    name = rng.choice(setting.texts.names)
    return Exchange(
        "grep",
        f'{{"pattern":"{name}\\\\s*=","paths":["{ROOT}/src"],"output_mode":"content","-n":true}}',
        text,
        telemetry='{"properties":{"matches_found":"true","output_mode":"content",'
        f'"sandboxApplied":"false"}},"metrics":{{"result_length":{len(text)}}}}}',
        summary=f"search for {name}.",
    )


def _intent(setting: Setting) -> Exchange:
    intent = setting.words(3)
    return Exchange("report_intent", f'{{"intent":"{intent}"}}', "Intent logged", shown=intent)


def _ask(setting: Setting) -> Exchange:
    answer = f"User responded: {setting.words(12)}"
    choices = ",".join(f'"{setting.words(12)}"' for _ in range(3))
    return Exchange(
        "ask_user",
        f'{{"question":"{setting.words(9)}?","choices":[{choices}]}}',
        answer,
        telemetry='{"properties":{"outcome":"answered"},"metrics":{}}',
    )


def _sql(setting: Setting) -> Exchange:
    return Exchange(
        "sql",
        f'{{"description":"{setting.words(3)}","query":"{_QUERY}"}}',
        "Query returned 0 rows.",
        shown=rf"SQL: {_QUERY}\n\nQuery returned 0 rows.",
        telemetry='{"properties":{"queryType":"SELECT"},"metrics":{"rowsReturned":0}}',
    )


def _mcp(setting: Setting) -> Exchange:
    text = setting.texts.logs.sample(setting.rng, setting.size(12, 0.8, 100))
    return Exchange(
        "tracker-search_issues",
        f'{{"query":"{setting.words(4)}"}}',
        text,
        start_fields=',"mcpServerName":"tracker","mcpToolName":"search_issues"',
    )


def _skill(setting: Setting) -> Exchange:
    name = setting.texts.names[setting.rng.randrange(9)]
    loaded = rf"Skill \"{name}\" loaded successfully. Follow the instructions in the skill context."
    return Exchange("skill", f'{{"skill":"{name}"}}', loaded, summary=name)


_MIXTURE = Mixture(
    (_shell, 66.0),
    (_view, 11.0),
    (_grep, 6.0),
    (_intent, 5.0),
    (_edit, 4.0),
    (_mcp, 3.0),
    (_create, 1.5),
    (_ask, 1.5),
    (_sql, 1.5),
    (_skill, 0.5),
)
