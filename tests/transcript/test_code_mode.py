"""Cells of code mode: what JavaScript that calls tools is in canonical words."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_agentv.transcript.tools import describe


def _cell(code: str) -> tuple[str, dict[str, Any]]:
    (kind, args) = describe("exec", code, "codex-cli")
    assert args.pop("content") == code
    return kind, args


@pytest.mark.parametrize(
    ("code", "command"),
    [
        ('await tools.exec_command({cmd: "npm test"})', "npm test"),
        ("await tools.shell_command({command: 'npm test'})", "npm test"),
        ("text(await tools.exec_command({cmd: `npm test`}));", "npm test"),
        ('tools.exec_command({"cmd":"npm test","workdir":"/w",timeout_ms: 5 * 60,})', "npm test"),
        ('tools.shell({command: ["bash", "-lc", "npm test"]})', "npm test"),
        ('tools["exec_command"]({cmd: "npm test"})', "npm test"),
        ('tools?.exec_command?.({cmd: "npm test"})', "npm test"),
        ('tools?.["exec_command"]({cmd: "npm test"})', "npm test"),
        ('tools . exec_command /* now */ ( { cmd // which\n : "npm test" } )', "npm test"),
        (
            r'tools.exec_command({cmd: "a \"b\" \x41\u0042\u{43}\n\
d"})',
            'a "b" ABC\nd',
        ),
        (r"tools.exec_command({cmd: 'it\'s'})", "it's"),
        (r"tools.exec_command({cmd: `a\`b`})", "a`b"),
        (r"tools.exec_command({cmd: String.raw`a\nb`})", r"a\nb"),
        (r'tools.exec_command({cmd: "\ud83d\ude00 \ud83d \u{110000}"})', "😀 � �"),
        ('const re = /["\'`]/g; tools.exec_command({cmd: "ls"})', "ls"),
        ('const re = /[/"]\\/"/; tools.exec_command({cmd: "ls"})', "ls"),
        ('if (x) /"/.test(y); tools.exec_command({cmd: "ls"})', "ls"),
        ('const half = (a + b) / 2 / c[1] / 3; tools.exec_command({cmd: "ls"}) / 2', "ls"),
        ('// tools.exec_command({cmd: "no"})\ntools.exec_command({cmd: "ls"})', "ls"),
        ('text("tools.exec_command"); tools.exec_command({cmd: "ls"})', "ls"),
        ('text(`${await tools.exec_command({cmd: `ls`})} ${`${1}`} " `)', "ls"),
        ('text(Object.keys(tools)); tools.exec_command({cmd: "ls"})', "ls"),
        ('typeof tools; "x" in tools; tools.exec_command({cmd: "ls"})', "ls"),
        ("// note\rtools.exec_command({cmd: 'ls'})", "ls"),
        ("// note\u2028tools.exec_command({cmd: 'ls'})", "ls"),
        ("1\ufeff/ 2 /'/'; tools.exec_command({cmd: 'ls'})", "ls"),
        ('my.tools; tools.exec_command({cmd: "ls"})', "ls"),
    ],
)
def test_a_literal_command_is_the_command(code: str, command: str) -> None:
    assert _cell(code) == ("shell", {"command": command})


def test_several_literal_commands_are_one_per_line() -> None:
    code = """
        const results = await Promise.all([
          tools.exec_command({cmd: "git status"}),
          tools.shell_command({command: 'npm test', workdir: "/w"}),
        ]);
    """
    assert _cell(code) == ("shell", {"command": "git status\nnpm test"})


@pytest.mark.parametrize(
    "code",
    [
        "tools.exec_command({cmd})",
        "tools.exec_command({cmd: command})",
        "tools.exec_command({cmd: 'rm ' + path})",
        "tools.exec_command({cmd: `rm ${path}`})",
        "tools.exec_command({cmd: tag`rm`})",
        "tools.exec_command({cmd: ['rm', path].join(' ')})",
        "tools.exec_command({...options, cmd: 'ls'})",
        "tools.exec_command({cmd: 'ls', ...options})",
        "tools.exec_command({cmd: 'ls', [name]: 'rm'})",
        "tools.exec_command({cmd: 'ls', other: tools.exec_command({cmd: 'rm'})})",
        "tools.exec_command(options)",
        "tools.exec_command",
        "tools.exec_command.call(null, {cmd: 'rm'})",
        "const run = tools.exec_command; run({cmd: 'rm'})",
        "const {exec_command} = tools; exec_command({cmd: 'rm'})",
        "const t = tools; t.exec_command({cmd: 'rm'})",
        "tools[name]({cmd: 'rm'})",
        "tools['exec_' + 'command']({cmd: 'rm'})",
        "tools?.[name]({cmd: 'rm'})",
        "globalThis['to' + 'ols'].exec_command({cmd: 'rm'})",
        "eval('tools.exec' + '_command')({cmd: 'rm'})",
        "t\\u006fols.exec_command({cmd: 'rm'})",
        "tools.exec_command({cmd: 'ls'}); tools.exec_command({cmd: x})",
        "{} /'/; tools.exec_command({cmd: \"rm\"}) //'",
        "x++ /'/; tools.exec_command({cmd: \"rm\"}) //'",
        "tools.exec_command({cmd: 'ls'",
        '\'not closed tools.exec_command({cmd: "rm"})',
        "`not closed tools.exec_command({cmd: 'rm'})",
        "`not closed ${tools.exec_command({cmd: 'rm'})",
        "/* not closed tools.exec_command({cmd: 'rm'})",
        "<!-- \n/'/; tools.exec_command({cmd: \"rm\"}) //'",
        "x = /not closed tools.exec_command({cmd: 'rm'})",
        "x = /not closed\n/; tools.exec_command({cmd: 'rm'})",
    ],
)
def test_what_is_no_literal_command_is_shown_as_the_whole_code(code: str) -> None:
    assert _cell(code) == ("shell", {"command": code})


@pytest.mark.parametrize("code", ["x" * 2_000_000, "[]," * 60_000, "a " * 100_001])
def test_code_beyond_reading_counts_as_a_command(code: str) -> None:
    assert _cell(code) == ("shell", {"command": code})


HEADERS = "*** Begin Patch\n*** Update File: a.py\n@@\n*** Add File: b.py\n*** End Patch"


@pytest.mark.parametrize(
    "code",
    [
        f"await tools.apply_patch(`{HEADERS}`)",
        f"const patch = String.raw`{HEADERS}`;\ntext(await tools.apply_patch(patch));",
        "tools.apply_patch('" + HEADERS.replace("\n", "\\n") + "')",
        "tools.apply_patch({input: '" + HEADERS.replace("\n", "\\n") + "'})",
        "tools.apply_patch(['" + HEADERS.replace("\n", "', '") + "'].join('\\n'))",
    ],
)
def test_a_cell_that_patches_is_an_edit_of_the_files_it_names(code: str) -> None:
    assert _cell(code) == ("edit", {"paths": ["a.py", "b.py"]})


def test_a_cell_that_patches_and_runs_a_command_is_a_command() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n*** End Patch"
    code = f"tools.apply_patch(`{patch}`); tools.exec_command({{cmd: 'npm test'}})"
    assert _cell(code) == ("shell", {"path": "a.py", "paths": ["a.py"], "command": "npm test"})


def test_a_patch_in_the_script_of_a_command_is_an_edit_too() -> None:
    script = "cd x && apply_patch <<'E'\n*** Begin Patch\n*** Add File: a.py\n*** End Patch\nE"
    args = {"path": "x/a.py", "paths": ["x/a.py"], "command": script}
    assert _cell(f"tools.exec_command({{cmd: `{script}`}})") == ("edit", args)


@pytest.mark.parametrize(
    ("code", "kind", "args"),
    [
        ("tools.web__run({search_query: [{q: 'a'}, {q: 'b'}]})", "web_search", {"query": "a\nb"}),
        ("tools.web__run({open: [{ref_id: 'https://x.example'}]})", "fetch",
         {"url": "https://x.example"}),
        ("tools.mcp__docs__search({query: 'q', limit: 3})", "mcp", {"query": "q"}),
        ("tools.docs__search({query: q})", "mcp", {}),
        ("tools.view_image({path: '/a.png'})", "read", {"path": "/a.png"}),
        ("tools.multi_agent_v1__spawn_agent({message: 'do'})", "task", {}),
        ("tools.update_plan({plan: [{step: 'a', status: 'x'}]})", "todo", {}),
        ("tools.view_image({path: '/a'}); tools.web__run({})", "web_search", {}),
        ("tools.write_stdin({session_id: 1, chars: 'y'})", "other", {}),
        ("tools.exec('tools.exec_command({cmd: 1})')", "other", {}),
        ("tools.x({a: {b: {c: {d: {e: {f: {g: {h: {i: {}}}}}}}}}})", "other", {}),
        ("tools.x([, 1,])", "other", {}),
        ("tools.x()", "other", {}),
        ("text(1 + 1)", "other", {}),
        ("", "other", {}),
    ],
)  # fmt: skip
def test_a_cell_without_commands_is_what_its_calls_are(
    code: str, kind: str, args: dict[str, Any]
) -> None:
    assert _cell(code) == (kind, args)


def test_code_may_stand_in_an_object() -> None:
    code = "tools.exec_command({cmd: 'ls'})"
    described = ("shell", {"command": "ls", "content": code})
    assert describe("exec", {"input": code}, "codex-cli") == described
    assert describe("code_mode", {"code": code}, "codex-cli") == described


@pytest.mark.parametrize("arguments", [None, 3, [], {}, {"input": 3}])
def test_a_cell_without_code_is_nothing_known(arguments: Any) -> None:
    assert describe("exec", arguments, "codex-cli") == ("other", {})
