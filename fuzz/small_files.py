"""Targets of what is no session and no eval file: notes beside them, settings, answers, queries."""

from __future__ import annotations

import contextlib
import json
import re
from contextlib import closing
from functools import partial
from sqlite3 import connect

from fuzz import ROOT
from fuzz.trying import Target, file, folder, grade_eval, read_session, sessions
from pytest_agentv.errors import AgentvError

_TOML = re.compile(r"```toml\n(.*?)```", re.DOTALL)
_PAGES_OF_SETTINGS = ("configuration", "redaction", "reference", "export")


def _state_of_codex(content: bytes) -> None:
    """The database that Codex keeps beside its sessions, which people and other programs open."""
    from pytest_agentv.adapters.codex.state_db import known_threads  # noqa: PLC0415 (SQLite)

    file("state_5.sqlite", content)
    known_threads(folder(), {})


def _databases() -> list[bytes]:
    path = folder() / "made.sqlite"
    path.unlink(missing_ok=True)
    with closing(connect(path)) as connection:
        connection.execute("PRAGMA page_size = 512")
        connection.execute("CREATE TABLE threads (id TEXT, rollout_path TEXT, cwd TEXT)")
        connection.execute("INSERT INTO threads VALUES ('a', '/x/rollout-a.jsonl', '/home/dev')")
        connection.commit()
    return [path.read_bytes()]


def _read_packed(content: bytes) -> None:
    """A session that Codex has packed."""
    read_session("codex", ".jsonl.zst", content)


def _packed() -> list[bytes]:
    import zstandard  # noqa: PLC0415 (an extra)

    packed = [zstandard.compress(one) for one in sessions("codex")[:8]]
    return [*packed, packed[0] + packed[1]]


def _read_workspace(content: bytes) -> None:
    """What Copilot notes of a session in YAML."""
    from pytest_agentv.adapters.copilot.workspace import workspace_of  # noqa: PLC0415

    file("workspace.yaml", content)
    workspace_of(folder() / "events.jsonl")


def _workspaces() -> list[bytes]:
    return [
        b"cwd: /home/dev\nname: 'it''s'\nsummary: |-\n  a\n  b\nbranch: \"a\\tb\"\ngit_root: ~\n"
    ]


def _grade_tests(name: str, content: bytes) -> None:
    """Tests in a file of their own."""
    file(name, content)
    grade_eval(f"tests: file://{name}\nassert: [{{type: tool-errors, max: 9}}]\n".encode())


def _csv_tests() -> list[bytes]:
    return [
        b"""id,input,__expected,__expected2,__metadata:a[],x
a,Do {{ x }},"contains-any: b, c",not-regex: d,"1,2",y
"""
    ]


def _jsonl_tests() -> list[bytes]:
    test = {"id": "a", "input": [{"role": "user", "content": "Do it"}], "vars": {"x": "y"}}
    asserts = [{"type": "contains-any", "value": ["{{ x }}", "z"]}, {"icontains": "z"}]
    return [json.dumps({**test, "assert": asserts}).encode()]


def _read_settings(content: bytes) -> None:
    """A project's settings, and a user's; what they say of prices and redaction is made use of."""
    from sample_transcripts import FULL  # noqa: PLC0415 (loads hypothesis)

    from pytest_agentv.config.loading import load_config  # noqa: PLC0415
    from pytest_agentv.config.project import read_prices, read_submitter  # noqa: PLC0415
    from pytest_agentv.graders.base import CaseFacts  # noqa: PLC0415
    from pytest_agentv.graders.costs import cost_usd  # noqa: PLC0415
    from pytest_agentv.redact import Redactor  # noqa: PLC0415
    from pytest_agentv.redact.settings_file import read_redact_settings  # noqa: PLC0415

    root = folder() / "project"
    root.mkdir(exist_ok=True)
    (root / "pyproject.toml").write_bytes(content)
    user = file("config.toml", content)
    with contextlib.suppress(AgentvError):
        cost_usd(FULL, CaseFacts(id="x", prices=read_prices(root)))
    for read in (read_submitter, read_redact_settings):
        with contextlib.suppress(AgentvError):
            read(root)
    with contextlib.suppress(AgentvError):
        settings = read_redact_settings(root, file=user)
        Redactor("secrets", settings=settings, key=b"x" * 32).text("ACME-1234 of dev at host")
    with contextlib.suppress(AgentvError):
        load_config(root, {"AGENTV_CONFIG": str(user), "HOME": str(root)})
    load_config(root, {"HOME": str(root)})


def _settings() -> list[bytes]:
    pages = [(ROOT / "docs" / f"{name}.md").read_text("utf-8") for name in _PAGES_OF_SETTINGS]
    return [block.encode() for page in pages for block in _TOML.findall(page)]


def _grade_by_script(content: bytes) -> None:
    """What a script prints."""
    from pytest_agentv.graders.script_output import script_grade  # noqa: PLC0415
    from pytest_agentv.graders.script_process import Finished  # noqa: PLC0415

    text = content.decode("utf-8", "replace")
    for code in (0, 1):
        with contextlib.suppress(AgentvError):
            str(script_grade(Finished(code, text, text[-200:]), claim="holds", threshold=0.5))


def _script_outputs() -> list[bytes]:
    check = {"text": "a", "passed": True, "reason": "b", "evidence": {"c": [1.5, None]}}
    said = [{"score": 0.5, "assertions": [check]}, {"pass": True, "checks": [check, check]}]
    return [*(json.dumps(one).encode() for one in said), b'{"score": NaN}', b"fine\n"]


def _read_judgements(content: bytes) -> None:
    """Kept answers of a judge, and rows that people labelled."""
    from pytest_agentv.judge.cache import VerdictCache  # noqa: PLC0415
    from pytest_agentv.judge.calibration import read_labelled  # noqa: PLC0415

    question = "ab" * 20
    cache = VerdictCache(folder() / "cache")
    (cache.folder / question[:2]).mkdir(parents=True, exist_ok=True)
    (cache.folder / question[:2] / f"{question}-x.json").write_bytes(content)
    cache.of_anybody(question)
    json.dumps(cache.statistics(), allow_nan=False)
    for name in ("labels.csv", "labels.jsonl"):
        with contextlib.suppress(AgentvError):
            for row in read_labelled(file(name, content)):
                assert [row.question, row.transcript]


def _judgements() -> list[bytes]:
    answer = {"met": True, "score": 1.0, "reason": "b"}
    verdict = {"schema_version": "1.0", "model": "m", "answers": [answer], "cost_usd": 0.1}
    row = {"criteria": "a", "output": "b", "label": "pass", "input": "c"}
    table = b"criteria,output,label,judge\na,b,pass,fail\n"
    return [json.dumps(verdict).encode(), json.dumps(row).encode(), table]


def _parse_query(content: bytes) -> None:
    """What somebody types to search."""
    from pytest_agentv.search.query import parse_query  # noqa: PLC0415

    query = parse_query(content.decode("utf-8", "replace"))
    assert query.plain is not None
    assert query.terms is not None


def _queries() -> list[bytes]:
    return [b'"exact words" -agent:codex project:api since:2d pre* AND (a OR b) NEAR/3', b"a:b -c"]


SMALL_FILES: dict[str, Target] = {
    "codex-state": Target(_state_of_codex, _databases),
    "codex-packed": Target(_read_packed, _packed),
    "copilot-workspace": Target(_read_workspace, _workspaces),
    "tests-csv": Target(partial(_grade_tests, "tests.csv"), _csv_tests),
    "tests-jsonl": Target(partial(_grade_tests, "tests.jsonl"), _jsonl_tests),
    "settings": Target(_read_settings, _settings),
    "script-output": Target(_grade_by_script, _script_outputs),
    "judgements": Target(_read_judgements, _judgements),
    "query": Target(_parse_query, _queries),
}
