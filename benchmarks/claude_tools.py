"""Tool calls of Claude Code and their results, as the JSON texts that a session stores.

Each call is written three times in a session: the input (assistant record), the result shown to
the model, and its structured twin `toolUseResult`, which repeats most of it (user record).
Knows nothing about records, ids or time.
"""

from __future__ import annotations

from dataclasses import dataclass

from setting import Mixture, Setting
from synthetic_text import ROOT, SourceFile, escaped, quoted

_ERROR_PREFIX = "Error: "
_AGENT_CONTEXT = 33_000
"""`totalTokens` is the size of the agent's last context, not what it used: a trap kept here."""


@dataclass(frozen=True)
class Exchange:
    """One tool call and its answer; `input`, `content` and `twin` are JSON texts."""

    name: str
    input: str
    content: str
    twin: str
    is_error: bool | None = None
    """None where the client leaves the flag out."""
    edits: str = ""
    """Path of the file that the call changed."""
    output: str = ""
    """Escaped text that the client showed while the call was running."""
    agent_id: str = ""
    """The sub-agent that the call started."""


@dataclass(frozen=True)
class ClientSetting(Setting):
    """What the tools draw from, and how the client version writes files down."""

    arrows: bool
    """Line numbers end in an arrow (2.1.62), not in a tab (2.1.205)."""
    keeps_original: bool
    """2.1.62 repeats the whole file in the twin of an edit, 2.1.205 writes null."""


def random_exchange(setting: ClientSetting) -> Exchange:
    """Return one call of any tool but Agent, in the proportions of real sessions."""
    return _MIXTURE.draw(setting)


@dataclass(frozen=True)
class AgentRun:
    """What a sub-agent was told (escaped), what it said (escaped) and what it took."""

    agent_id: str
    prompt: str
    answer: str
    duration_ms: int
    tool_calls: int


def agent_exchange(setting: ClientSetting, *, name: str, run: AgentRun) -> Exchange:
    """Return the call that started a sub-agent."""
    answer_block = f'{{"type":"text","text":"{run.answer}"}}'
    note = f'{{"type":"text","text":"agentId: {run.agent_id} (to continue this agent\'s work)"}}'
    return Exchange(
        name=name,
        input=f'{{"description":"{setting.words(3)}","prompt":"{run.prompt}",'
        '"subagent_type":"general-purpose"}',
        content=f"[{answer_block},{note}]",
        twin=f'{{"status":"completed","prompt":"{run.prompt}","agentId":"{run.agent_id}",'
        f'"agentType":"general-purpose","content":[{answer_block}],'
        f'"totalDurationMs":{run.duration_ms},"totalTokens":{_AGENT_CONTEXT},'
        f'"totalToolUseCount":{run.tool_calls}}}',
        output=run.prompt,
        agent_id=run.agent_id,
    )


def _failed(name: str, tool_input: str, message: str) -> Exchange:
    """Return a failed call: the twin of an error is a string, whatever the tool."""
    return Exchange(name, tool_input, f'"{message}"', f'"{_ERROR_PREFIX}{message}"', is_error=True)


def _bash(setting: ClientSetting) -> Exchange:
    rng, texts = setting.rng, setting.texts
    name = rng.choice(texts.names)
    command = rng.choice(
        (
            f"python -m pytest tests/test_{name}.py -q 2>&1 | tail -{rng.randint(5, 80)}",
            f'git add -A && git commit -m "{setting.words(4)}"',
            f"grep -rn '{name}' src --include=\"*.py\" | head -{rng.randint(5, 60)}",
            f"cat > /tmp/{name} <<'EOF'\n{setting.words(40)}\n\"{name}\"\nEOF\nsh /tmp/{name}",
            "git status --short && git diff --stat",
        )
    )
    tool_input = f'{{"command":{quoted(command)},"description":"{setting.words(4)}"}}'
    output = texts.logs.sample(rng, setting.size(8, 1.85, 900))
    if rng.random() < 0.1:
        return _failed("Bash", tool_input, escaped(f"Exit code {rng.randint(1, 2)}\n") + output)
    return Exchange(
        "Bash",
        tool_input,
        content=f'"{output}"',
        twin=f'{{"stdout":"{output}","stderr":"","interrupted":false,"isImage":false,'
        '"noOutputExpected":false}',
        is_error=False,
        output=output,
    )


def _read(setting: ClientSetting) -> Exchange:
    rng = setting.rng
    file = setting.texts.file(rng)
    count = setting.size(62, 1.1, len(file.plain))
    first = rng.randrange(len(file.plain) - count + 1) if rng.random() < 0.4 else 0
    text = (file.arrows if setting.arrows else file.tabs).cut(first, count)
    reminder = (
        escaped("\n<system-reminder>\nA made-up reminder of the client.\n</system-reminder>\n")
        if rng.random() < 0.12
        else ""
    )
    path = f"{ROOT}/{file.path}"
    return Exchange(
        "Read",
        f'{{"file_path":"{path}"}}'
        if first == 0
        else f'{{"file_path":"{path}","offset":{first + 1},"limit":{count}}}',
        content=f'"{text}{reminder}"',
        twin=f'{{"type":"text","file":{{"filePath":"{path}",'
        f'"content":"{file.plain.cut(first, count)}","numLines":{count},'
        f'"startLine":{first + 1},"totalLines":{len(file.plain)}}}}}',
    )


def _read_image(setting: ClientSetting) -> Exchange:
    size = setting.size(60_000, 0.8, 400_000)
    data = setting.texts.blob(setting.rng, size)
    source = f'{{"type":"base64","data":"{data}","media_type":"image/png"}}'
    return Exchange(
        "Read",
        f'{{"file_path":"{ROOT}/docs/{setting.rng.choice(setting.texts.names)}.png"}}',
        content=f'[{{"type":"image","source":{source}}}]',
        twin=f'{{"type":"image","file":{{"base64":"{data}","type":"image/png",'
        f'"originalSize":{size * 3 // 4}}}}}',
    )


def _edit(setting: ClientSetting) -> Exchange:
    rng = setting.rng
    file = setting.texts.file(rng)
    count = setting.size(7, 0.9, 60)
    first = rng.randrange(max(len(file.plain) - count, 1))
    old = file.plain.cut(first, count)
    new = setting.texts.file(rng).plain.sample(rng, setting.size(9, 0.9, 80))
    path = f"{ROOT}/{file.path}"
    tool_input = (
        f'{{"replace_all":false,"file_path":"{path}","old_string":"{old}","new_string":"{new}"}}'
    )
    if rng.random() < 0.07:
        message = escaped("<tool_use_error>String to replace not found in file.\nString: ")
        return _failed("Edit", tool_input, f"{message}{old}</tool_use_error>")
    original = f'"{file.plain.body}"' if setting.keeps_original else "null"
    return Exchange(
        "Edit",
        tool_input,
        content=f'"The file {path} has been updated successfully."',
        twin=f'{{"filePath":"{path}","oldString":"{old}","newString":"{new}",'
        f'"originalFile":{original},"structuredPatch":[{_hunk(file, first, count)}],'
        '"userModified":false,"replaceAll":false}',
        edits=file.path,
    )


def _hunk(file: SourceFile, first: int, count: int) -> str:
    context = file.diff.cut(max(first - 3, 0), count + 6).rstrip(",")
    return (
        f'{{"oldStart":{first + 1},"oldLines":{count},"newStart":{first + 1},'
        f'"newLines":{count},"lines":[{context}]}}'
    )


def _write(setting: ClientSetting) -> Exchange:
    rng = setting.rng
    file = setting.texts.file(rng)
    text = file.plain.cut(0, setting.size(70, 0.9, len(file.plain)))
    path = f"{ROOT}/{file.path}"
    return Exchange(
        "Write",
        f'{{"file_path":"{path}","content":"{text}"}}',
        content=f'"File created successfully at: {path}"',
        twin=f'{{"type":"create","filePath":"{path}","content":"{text}","structuredPatch":[],'
        '"originalFile":null,"userModified":false}',
        edits=file.path,
    )


def _grep(setting: ClientSetting) -> Exchange:
    rng = setting.rng
    count = setting.size(18, 1.1, 250)
    text = setting.texts.matches.sample(rng, count)
    return Exchange(
        "Grep",
        f'{{"pattern":"{rng.choice(setting.texts.names)}\\\\s*=","path":"{ROOT}/src",'
        '"output_mode":"content","-n":true}',
        content=f'"{text}"',
        twin=f'{{"mode":"content","numFiles":0,"filenames":[],"content":"{text}",'
        f'"numLines":{count}}}',
    )


def _glob(setting: ClientSetting) -> Exchange:
    rng = setting.rng
    paths = [
        f"{ROOT}/{file.path}" for file in rng.sample(setting.texts.files, setting.size(5, 1, 40))
    ]
    names = ",".join(f'"{path}"' for path in paths)
    return Exchange(
        "Glob",
        f'{{"pattern":"**/*{rng.choice(setting.texts.names)}*"}}',
        content=quoted("\n".join(paths)),
        twin=f'{{"filenames":[{names}],"durationMs":{rng.randint(3, 400)},'
        f'"numFiles":{len(paths)},"truncated":false}}',
    )


def _todo(setting: ClientSetting) -> Exchange:
    rng = setting.rng
    tasks = [(setting.words(5), setting.words(4)) for _ in range(rng.randint(3, 8))]
    done = rng.randrange(len(tasks))
    old, new = (_todo_list(tasks, done=done - 1), _todo_list(tasks, done=done))
    return Exchange(
        "TodoWrite",
        f'{{"todos":{new}}}',
        content='"Todos have been modified successfully."',
        twin=f'{{"oldTodos":{old},"newTodos":{new}}}',
    )


def _todo_list(tasks: list[tuple[str, str]], *, done: int) -> str:
    states = ["completed" if place <= done else "pending" for place in range(len(tasks))]
    items = (
        f'{{"content":"{task}","status":"{state}","activeForm":"{form}"}}'
        for (task, form), state in zip(tasks, states, strict=True)
    )
    return f"[{','.join(items)}]"


def _fetch(setting: ClientSetting) -> Exchange:
    rng = setting.rng
    text = setting.texts.prose.sample(rng, setting.size(35, 0.6, 200))
    url = f"https://example.org/{rng.choice(setting.texts.names)}"
    return Exchange(
        "WebFetch",
        f'{{"url":"{url}","prompt":"{setting.words(12)}"}}',
        content=f'"{text}"',
        twin=f'{{"bytes":{len(text) * 3},"code":200,"codeText":"OK","result":"{text}",'
        f'"durationMs":{rng.randint(300, 9000)},"url":"{url}"}}',
    )


def _mcp(setting: ClientSetting) -> Exchange:
    text = setting.texts.logs.sample(setting.rng, setting.size(10, 0.8, 100))
    blocks = f'[{{"type":"text","text":"{text}"}}]'
    return Exchange(
        "mcp__tracker__search",
        f'{{"query":"{setting.words(4)}","limit":{setting.rng.randint(1, 50)}}}',
        content=blocks,
        twin=blocks,
    )


_MIXTURE = Mixture(
    (_bash, 37.0),
    (_read, 20.0),
    (_edit, 19.0),
    (_grep, 6.0),
    (_write, 5.0),
    (_todo, 5.0),
    (_glob, 3.0),
    (_mcp, 2.5),
    (_fetch, 1.5),
    (_read_image, 0.08),
)
