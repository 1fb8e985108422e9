"""Adapters of others, found by entry point: they work like ours, and their faults have a name."""

from __future__ import annotations

import importlib.util
import json
from typing import TYPE_CHECKING, Any

import pytest
from agentv_command import full_id, run_agentv, transcript_of
from third_party import ADAPTER, SESSION, publish

from pytest_agentv.plugins import registry
from pytest_agentv.testing import check_adapter

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import ClaudeHome, Outcome


class Site:
    """A folder of installed plugins, and the command with it on its path."""

    def __init__(self, path: Path, work: Path) -> None:
        self.path = path
        self.sessions = work / "sessions"
        self._work = work

    def install(self, distribution: str, source: str, *, entry: str | None = None) -> None:
        publish(self.path, distribution, source, entry=entry)

    def session(self, name: str = "s1.foo", content: bytes = SESSION) -> Path:
        path = self.sessions / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def agentv(self, *arguments: str | Path) -> Outcome:
        return run_agentv(
            *arguments,
            cwd=self._work,
            PYTHONPATH=str(self.path),
            FOO_HOME=str(self.sessions),
            PYTHONDONTWRITEBYTECODE="1",
        )


@pytest.fixture
def site(tmp_path: Path, work: Path, home: ClaudeHome) -> Site:
    del home
    return Site(tmp_path / "site", work)


def assert_one_sentence(outcome: Outcome, *named: str, code: int = 1) -> None:
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.startswith("agentv: ")
    assert outcome.err.count("\n") == 1
    assert [name for name in named if name not in outcome.err] == []


def test_a_file_is_imported_with_an_adapter_of_others(site: Site, work: Path) -> None:
    site.install("agentv-foo", ADAPTER)
    path = site.session()

    imported = site.agentv("import", "foo", "--file", path)

    assert (imported.code, imported.err) == (0, "")
    assert imported.out == ".agentv/transcripts/foo-s1.jsonl: 2 messages, 0 tool calls\n"
    transcript = transcript_of(work / ".agentv" / "transcripts" / "foo-s1.jsonl")
    assert transcript["source"]["provider"] == "foo-cli"
    assert transcript["input"] == "Fix the login page"
    assert [message["content"] for message in transcript["output"]] == [
        "Fix the login page",
        "Done.",
    ]


def test_its_sessions_are_listed_and_found(site: Site, work: Path) -> None:
    site.install("agentv-foo", ADAPTER)
    site.session("s1.foo")
    site.session("s2.foo", b"foo 1\n> Other\n")

    listed = site.agentv("import", "foo", "--list", "--json")
    by_id = site.agentv("import", "foo", "--session-id", "s2", "-o", "two.jsonl")
    every = site.agentv("import", "foo", "--all", "-o", "out")

    assert {one["id"]: one["first_prompt"] for one in json.loads(listed.out)} == {
        "s1": "Fix the login page",
        "s2": "Other",
    }
    assert by_id.code == 0
    assert transcript_of(work / "two.jsonl")["input"] == "Other"
    assert every.out == "2 of 2 sessions imported, 0 failed\n"
    assert {path.name for path in (work / "out").iterdir()} == {"foo-s1.jsonl", "foo-s2.jsonl"}


def test_auto_knows_it(site: Site) -> None:
    site.install("agentv-foo", ADAPTER)
    path = site.session()

    imported = site.agentv("import", "auto", "--file", path, "--json")

    assert imported.code == 0
    assert json.loads(imported.out)["provider"] == "foo-cli"


def test_its_sessions_are_read_by_name_id_and_file(site: Site) -> None:
    site.install("agentv-foo", ADAPTER)
    path = site.session()

    for what in (path, "foo:latest", "foo:s1", "s1"):
        shown = site.agentv("read", what)
        assert (shown.code, shown.err) == (0, "")
        assert shown.out == "user\n  Fix the login page\n\nassistant\n  Done.\n"
    assert site.agentv("read", "s1", "--raw").out == SESSION.decode()


@pytest.mark.parametrize("place", ["self.head = Head(", "for number, role, text in self._said:"])
def test_reading_with_an_adapter_that_fails_names_it(site: Site, place: str) -> None:
    site.install("agentv-foo", ADAPTER.replace(place, f"1 / 0\n        {place}"))
    site.session()

    assert_one_sentence(site.agentv("read", "s1"), "the adapter 'foo' failed: ZeroDivisionError(")


def test_help_and_errors_name_it(site: Site, work: Path) -> None:
    site.install("agentv-foo", ADAPTER)
    (work / "notes.txt").write_text("no session", encoding="utf-8")

    printed = site.agentv("import", "--help").out
    assert "foo Import sessions of foo." in [
        " ".join(line.split()) for line in printed.splitlines()
    ]
    unknown = site.agentv("import", "auto", "--file", "notes.txt")
    names = ", ".join(sorted([*registry().names, "foo"]))
    assert_one_sentence(unknown, f"notes.txt: is no session that an adapter knows ({names})")


def test_the_wrong_adapter_names_the_right_one(site: Site, home: ClaudeHome) -> None:
    site.install("agentv-foo", ADAPTER)
    theirs, ours = site.session(), home.session("0763061e")

    assert_one_sentence(
        site.agentv("import", "claude", "--file", theirs),
        f"{theirs}: is no session of claude; try: agentv import foo --file {theirs}",
    )
    assert_one_sentence(
        site.agentv("import", "foo", "--file", ours),
        f"{ours}: is no session of foo; try: agentv import claude --file {ours}",
    )


def test_drift_of_its_sessions_is_warned_of(site: Site) -> None:
    site.install("agentv-foo", ADAPTER)
    path = site.session(content=SESSION + b"? what\n? this\n")

    imported = site.agentv("import", "foo", "--file", path)
    strict = site.agentv("import", "foo", "--file", path, "--strict", "--force")

    assert imported.code == 0
    assert imported.err == f"warning: {path}: not all of it is understood: unknown line: 2\n"
    assert_one_sentence(strict, f"{path}: not all of it is understood: unknown line: 2")


def test_without_a_folder_for_its_sessions_files_still_work(site: Site, work: Path) -> None:
    site.install("agentv-foo", ADAPTER)
    path = site.session()
    arguments = {"cwd": work, "PYTHONPATH": str(site.path)}

    listed = run_agentv("import", "foo", "--list", **arguments)  # type: ignore[arg-type]
    imported = run_agentv("import", "foo", "--file", path, **arguments)  # type: ignore[arg-type]

    assert_one_sentence(listed, "it is unknown where foo keeps its sessions")
    assert imported.code == 0


def test_check_adapter_passes_a_good_adapter(site: Site) -> None:
    adapter = _adapter(site, ADAPTER)

    transcript = check_adapter(adapter, site.session(content=SESSION + b"? what\n"))

    assert transcript.input == "Fix the login page"
    assert transcript.drift == {"unknown line": 1}


@pytest.mark.parametrize(
    ("good", "bad", "complaint"),
    [
        ('provider = "foo-cli"\n    tested', 'provider = "other"\n    tested', "provider"),
        ('"human" if role == "user" else None', '"human"', "only user messages have an origin"),
        ('"user" if line[0] == ">" else "assistant"', '"person"', "unknown role 'person'"),
        ("read(len(MARK)) == MARK", "read(0) is None", "does not claim"),
        ("if prompts else None,", "if False else None,", "input must be the first prompt"),
        ("    def summarize", "    def summarise", "is no adapter: it lacks `summarize`"),
    ],
)
def test_check_adapter_says_what_is_wrong_with_a_bad_one(
    site: Site, good: str, bad: str, complaint: str
) -> None:
    assert good in ADAPTER
    adapter = _adapter(site, ADAPTER.replace(good, bad))

    with pytest.raises(AssertionError, match=complaint):
        check_adapter(adapter, site.session())


def test_check_adapter_finds_an_adapter_that_breaks_on_broken_files(site: Site) -> None:
    source = ADAPTER.replace('"utf-8", "replace"', '"utf-8"')
    adapter = _adapter(site, source)

    with pytest.raises(AssertionError, match="UnicodeDecodeError"):
        check_adapter(adapter, site.session())


def _adapter(site: Site, source: str) -> Any:
    spec = importlib.util.spec_from_file_location(
        "agentv_foo", publish(site.path, "agentv-foo", source)
    )
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.FooAdapter()


def test_two_plugins_with_an_adapter_of_one_name_are_both_named(site: Site) -> None:
    site.install("agentv-foo", ADAPTER)
    site.install("other-foo", ADAPTER)

    imported = site.agentv("import", "claude", "--list")

    assert_one_sentence(imported, "adapter 'foo' comes from two plugins", "agentv-foo", "other-foo")


def test_an_adapter_may_not_take_the_name_of_ours(site: Site) -> None:
    site.install("agentv-foo", ADAPTER.replace('name = "foo"', 'name = "claude"'))

    imported = site.agentv("import", "claude", "--list")

    assert_one_sentence(
        imported, "adapter 'claude' comes from two plugins", "agentv-foo", "pytest-agentv"
    )


def test_an_adapter_may_not_take_the_name_auto(site: Site) -> None:
    """It could never be called: ``agentv import auto`` is something else."""
    site.install("agentv-foo", ADAPTER.replace('name = "foo"', 'name = "auto"'))

    assert_one_sentence(site.agentv("import", "claude", "--list"), "agentv-foo", "'auto'")


def test_two_packages_may_have_entry_points_of_one_name(site: Site) -> None:
    """Whoever installs both can change neither; adapters and assertions have to differ."""
    site.install("agentv-foo", ADAPTER, entry="foo")
    site.install("other-foo", ADAPTER.replace('name = "foo"', 'name = "bar"'), entry="foo")

    imported = site.agentv("import", "--help")

    assert imported.code == 0
    assert "\n  bar " in imported.out
    assert "\n  foo " in imported.out


def test_an_error_tells_entry_points_of_one_name_apart(site: Site) -> None:
    site.install("agentv-foo", ADAPTER, entry="foo")
    site.install("other-foo", ADAPTER, entry="foo")

    imported = site.agentv("import", "claude", "--list")

    assert_one_sentence(
        imported, "adapter 'foo' comes from two plugins: 'foo' and 'foo of other-foo'"
    )


def hook(function: str) -> str:
    """The source of a plugin that has one hook."""
    return f"from pytest_agentv import hookimpl\n\n@hookimpl\n{function}"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import no_such_module_anywhere\n", "no_such_module_anywhere"),
        ("1 / 0\n", "ZeroDivisionError"),
        ("this is no python\n", "SyntaxError"),
        (
            hook("def agentv_adapters():\n    raise RuntimeError('out of order')\n"),
            "out of order",
        ),
        (
            hook("def agentv_adapter():\n    return []\n"),
            "agentv_adapter",
        ),
        (
            "def agentv_adapters():\n    return []\n",
            "`agentv_adapters` needs @hookimpl above it",
        ),
        (
            hook("def agentv_adapters(config):\n    return []\n"),
            "config",
        ),
        (
            hook("def agentv_adapters():\n    return [object()]\n"),
            "is no adapter",
        ),
        (
            hook("def agentv_adapters():\n    return 7\n"),
            "int",
        ),
    ],
    ids=[
        "missing module",
        "raises when imported",
        "no Python",
        "hook raises",
        "misspelt hook",
        "hook without its mark",
        "unknown argument",
        "no adapter",
        "no list",
    ],
)
def test_a_plugin_that_does_not_work_is_named_in_one_sentence(
    site: Site, source: str, reason: str
) -> None:
    site.install("agentv-broken", source)

    imported = site.agentv("import", "claude", "--list")

    assert "Traceback" not in imported.err
    assert (imported.code, imported.out) == (1, "")
    assert imported.err.startswith("agentv: ")
    assert "agentv-broken" in imported.err or "agentv_broken" in imported.err
    assert reason in imported.err
    assert imported.err.count("\n") == 1


def test_two_adapters_that_claim_one_file_are_both_named(site: Site) -> None:
    site.install("agentv-foo", ADAPTER)
    site.install("agentv-bar", ADAPTER.replace('name = "foo"', 'name = "bar"'))
    path = site.session()

    auto = site.agentv("import", "auto", "--file", path)
    named = site.agentv("import", "bar", "--file", path)

    assert_one_sentence(auto, f"{path}: is claimed by several adapters: bar, foo", code=2)
    assert named.code == 0


@pytest.mark.parametrize(
    ("good", "arguments"),
    [
        ("        try:\n            with path", ["import", "auto", "--file", "SESSION"]),
        ("        try:\n            with path", ["import", "claude", "--file", "SESSION"]),
        ("        return FooSession(ref.path)\n", ["import", "foo", "--file", "SESSION"]),
        ("        return SessionSummary", ["import", "foo", "--list"]),
        ("        return SessionSummary", ["import", "foo", "--discover", "latest"]),
        ("        for path in home", ["import", "foo", "--list"]),
        ("        return Path(environ", ["import", "foo", "--list"]),
    ],
    ids=[
        "claims",
        "claims-beside-ours",
        "read",
        "summarize-for-a-list",
        "summarize",
        "sessions",
        "home",
    ],
)
def test_an_adapter_that_breaks_is_named_in_one_sentence(
    site: Site, good: str, arguments: list[str]
) -> None:
    assert good in ADAPTER
    site.install("agentv-foo", ADAPTER.replace(good, f"        raise KeyError('oops')\n{good}"))
    path = site.session()

    imported = site.agentv(*(str(path) if one == "SESSION" else one for one in arguments))

    assert_one_sentence(imported, "foo", "oops")


def test_of_all_sessions_only_the_ones_an_adapter_breaks_on_fail(site: Site, work: Path) -> None:
    check = "        if b'poison' in ref.path.read_bytes():\n            raise KeyError('oops')\n"
    reading = "        return FooSession(ref.path)\n"
    site.install("agentv-foo", ADAPTER.replace(reading, check + reading))
    site.session("s1.foo")
    bad = site.session("s2.foo", b"foo 1\n> poison\n")
    site.session("s3.foo")

    imported = site.agentv("import", "foo", "--all", "-o", "out")

    assert imported.code == 1
    assert imported.out == "2 of 3 sessions imported, 1 failed\n"
    assert imported.err.startswith("agentv: ")
    assert [name for name in (str(bad), "foo", "oops") if name not in imported.err] == []
    assert {path.name for path in (work / "out").iterdir()} == {"foo-s1.jsonl", "foo-s3.jsonl"}


@pytest.mark.parametrize(
    "session_id", ["../../../outside", "abcdefgh/../../../outside", "/outside"]
)
def test_ids_of_an_adapter_never_become_paths_also_where_names_clash(
    site: Site, work: Path, tmp_path: Path, session_id: str
) -> None:
    source = ADAPTER.replace("SessionRef(path.stem,", f"SessionRef({session_id!r},")
    site.install("agentv-foo", source.replace("session_id=path.stem", f"session_id={session_id!r}"))
    site.session("one/s1.foo")
    site.session("two/s2.foo", b"foo 1\n> Other\n")
    before = set(tmp_path.rglob("*"))

    site.agentv("import", "foo", "--all", "-o", "deep/er/out")

    made = {path for path in set(tmp_path.rglob("*")) - before if path.suffix == ".jsonl"}
    assert {path.parent for path in made} <= {work / "deep" / "er" / "out"}
    assert len(made) == 2


def test_a_broken_plugin_does_not_stop_what_needs_no_adapter(site: Site) -> None:
    site.install("agentv-broken", "1 / 0\n")

    assert site.agentv("--help").code == 0
    assert site.agentv("schema", "transcript").code == 0


def test_ids_of_an_adapter_are_safe_in_a_table(site: Site) -> None:
    name = "\x1b[31m ##[x]"
    site.install("agentv-foo", ADAPTER.replace("SessionRef(path.stem,", f"SessionRef({name!r},"))
    site.session()

    listed = site.agentv("import", "foo", "--list")

    assert listed.code == 0
    assert "\x1b" not in listed.out
    assert "##[" not in listed.out


def test_our_own_sessions_work_beside_an_adapter_of_others(site: Site, home: ClaudeHome) -> None:
    site.install("agentv-foo", ADAPTER)
    home.session("0763061e")

    imported = site.agentv("import", "claude", "--session-id", full_id("0763061e"))

    assert (imported.code, imported.err) == (0, "")
