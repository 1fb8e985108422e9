"""``agentv redact`` and ``--redact``: what leaves the command has no secret in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from agentv_command import full_id
from claude_sessions import Session
from eval_runs import one_test
from jsonschema import Draft202012Validator
from planted_secrets import Planter, planted
from pyarrow import parquet as pq

from pytest_agentv import read_transcripts

if TYPE_CHECKING:
    from agentv_command import ClaudeHome, InProcess

FORMS = ("atif", "entries", "events", "html", "markdown", "openai", "otlp", "parquet", "states")


@pytest.fixture
def planter() -> Planter:
    return Planter(seed=7)


@pytest.fixture
def session(planter: Planter, work: Path) -> Path:
    """A transcript that has a secret at every place of a text."""
    path = work / "session.jsonl"
    path.write_text(json.dumps(planted(planter), separators=(",", ":")) + "\n", encoding="utf-8")
    return path


def text_of(path: str | Path) -> str:
    return Path(path).read_text(encoding="utf-8")


def test_a_transcript_is_written_without_secrets_and_with_a_receipt(
    agentv: InProcess, session: Path, planter: Planter
) -> None:
    printed = agentv("redact", session)

    assert (printed.code, printed.err) == (0, "")
    assert printed.out.startswith("session.redacted.jsonl: 1 session, ")
    assert planter.leaks(text_of("session.redacted.jsonl")) == []
    (transcript,) = read_transcripts(Path("session.redacted.jsonl"))
    receipt = transcript.privacy or {}
    assert (receipt["profile"], receipt["redactionApplied"]) == ("secrets", True)
    assert receipt["redactionCount"] > 50
    assert f"{receipt['redactionCount']} redactions" in printed.out
    assert {"github-pat", "gitlab-pat"} <= set(receipt["rulesApplied"])
    assert Path("session.redacted.jsonl").stat().st_mode & 0o777 == 0o600


def test_redacting_twice_changes_nothing(agentv: InProcess, session: Path) -> None:
    agentv("redact", session, "-o", "one.jsonl")
    agentv("redact", "one.jsonl", "-o", "two.jsonl")

    assert text_of("one.jsonl") == text_of("two.jsonl")


@pytest.mark.parametrize("command", ["redact", "export", "read"])
def test_a_secret_is_gone_also_where_it_stands_before_its_name(
    command: str, agentv: InProcess, home: ClaudeHome
) -> None:
    password = "tq7Zr" + "Vw2mKx9LbE"
    recorded = Session(full_id("aaaaaaaa"))
    recorded.prompt(f"Is {password} in use?")
    recorded.call("toolu_1", "Bash", {"command": "cat .env"}, f"DB_PASSWORD={password}\n")
    home.add(recorded)
    arguments = {
        "redact": ["redact", "claude:latest", "-o", "out"],
        "export": ["export", "claude:latest", "-f", "entries", "-o", "out", "--redact", "secrets"],
        "read": ["read", "claude:latest", "--redact", "secrets"],
    }

    printed = agentv(*arguments[command])

    assert printed.code == 0, printed.err
    text = printed.out if command == "read" else text_of("out")
    assert "Is [REDACTED:" in text
    assert password not in text


def test_what_is_left_is_named_by_place_and_rule_and_never_shown(
    agentv: InProcess, session: Path, planter: Planter
) -> None:
    agentv("redact", session, "-o", "clean.jsonl")

    found = agentv("redact", "--check", session)
    clean = agentv("redact", "--check", "clean.jsonl")

    assert found.code == 1
    assert f"{session}:1: source.title: github-pat (secret)\n" in found.out
    assert "output[0].tool.input" in found.out
    assert planter.leaks(found.out + found.err) == []
    assert (clean.code, clean.out) == (0, "")
    assert clean.err == "nothing left in 1 file by profile secrets\n"


def test_any_text_file_can_be_checked(
    agentv: InProcess, session: Path, planter: Planter, work: Path
) -> None:
    secret = planter.secret()
    (work / "report.xml").write_text(f"<a>\n<b>\n {secret}\n</a>\n", encoding="utf-8")
    (work / "clean.txt").write_text("all is fine\n", encoding="utf-8")

    printed = agentv("redact", "--check", "report.xml", "clean.txt", session, "--json")

    assert printed.code == 1
    report, clean, transcript = json.loads(printed.out)
    assert [(one["line"], one["type"]) for one in report["findings"]] == [(3, "secret")]
    assert clean == {"path": "clean.txt", "profile": "secrets", "findings": []}
    assert len(transcript["findings"]) > 30
    assert planter.leaks(printed.out) == []


def test_the_session_of_a_client_is_redacted_and_never_changed(
    agentv: InProcess, home: ClaudeHome, planter: Planter
) -> None:
    recorded = Session(full_id("aaaaaaaa"))
    recorded.prompt(f"Use {planter.secret()}")
    recorded.call("toolu_1", "Bash", {"command": f"curl -H {planter.secret()}"}, planter.text())
    path = home.add(recorded)
    before = path.read_bytes()

    printed = agentv("redact", "claude:latest", "-o", "out.jsonl")
    refused = agentv("redact", path, "-o", path, "--force")

    assert printed.code == 0, printed.err
    assert planter.leaks(text_of("out.jsonl")) == []
    assert (refused.code, refused.out) == (1, "")
    assert "is the session itself" in refused.err
    assert path.read_bytes() == before


def test_a_file_of_transcripts_can_be_redacted_in_place(
    agentv: InProcess, session: Path, planter: Planter
) -> None:
    refused = agentv("redact", session, "-o", session)
    printed = agentv("redact", session, "-o", session, "--force", "--json")

    assert (refused.code, "exists already" in refused.err) == (1, True)
    (done,) = json.loads(printed.out)
    assert done["sessions"][0]["privacy"]["profile"] == "secrets"
    assert planter.leaks(text_of(session)) == []


def test_several_files_go_to_a_folder_under_names_without_secrets(
    agentv: InProcess, session: Path, planter: Planter, work: Path
) -> None:
    named = work / f"{planter.secret()}.jsonl"
    named.write_bytes(session.read_bytes())

    one_file = agentv("redact", session, named, "-o", "out.jsonl")
    printed = agentv("redact", session, named, "-o", "out/")

    assert (one_file.code, "for 2 files; name a folder" in one_file.err) == (2, True)
    assert printed.code == 0, printed.err
    names = sorted(one.name for one in Path("out").iterdir())
    assert len(names) == 2
    assert planter.leaks(" ".join(names)) == []


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["none.jsonl"], 1, "'none.jsonl': no such file, folder, glob or session"),
        (["--check", "-o", "x", "session.jsonl"], 2, "--check writes nothing"),
        (["--profile", "all", "session.jsonl"], 2, "'all' is not one of"),
        (["--rules", "none.toml", "session.jsonl"], 1, "none.toml: no such file"),
    ],
)
@pytest.mark.usefixtures("session")
def test_what_is_wrong_is_one_sentence(
    arguments: list[str], code: int, said: str, agentv: InProcess
) -> None:
    printed = agentv("redact", *arguments)

    assert (printed.code, printed.out) == (code, "")
    assert (said in printed.err, printed.err.count("\n")) == (True, 1)


@pytest.mark.parametrize("form", FORMS)
def test_no_form_of_an_export_holds_a_secret(
    form: str, agentv: InProcess, session: Path, planter: Planter
) -> None:
    printed = agentv("export", session, "--format", form, "-o", "out", "--redact", "secrets")

    assert printed.code == 0, printed.err
    if form == "parquet":
        text = "".join(str(pq.read_table(one).to_pylist()) for one in Path("out").iterdir())
    else:
        text = text_of("out")
    assert "[REDACTED:" in text
    assert planter.leaks(text + printed.out) == []


def test_events_say_what_was_redacted_in_the_session_and_in_each_event(
    agentv: InProcess, session: Path
) -> None:
    agentv("export", session, "--format", "events", "-o", "out", "--redact", "secrets")

    document = json.loads(text_of("out"))
    Draft202012Validator(json.loads(agentv("schema", "events").out)).validate(document)
    assert document["privacy"]["profile"] == "secrets"
    assert document["privacy"]["redactionCount"] > 50
    (result,) = [one for one in document["events"] if one["type"] == "tool_result"][:1]
    fields = {(one["field"], one["type"]) for one in result["redactions"]}
    assert ("tool.output", "secret") in fields


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_nothing_that_is_read_shows_a_secret(
    form: str, agentv: InProcess, session: Path, planter: Planter
) -> None:
    shown = agentv("read", session, "--format", form, "--redact", "secrets")

    assert "[REDACTED:" in shown.out
    assert planter.leaks(shown.out + shown.err) == []


def test_raw_records_are_as_they_are_and_so_not_redacted(
    agentv: InProcess, home: ClaudeHome
) -> None:
    home.session("aaaaaaaa")

    printed = agentv("read", "claude:latest", "--raw", "--redact", "secrets")

    assert (printed.code, printed.out) == (2, "")
    assert "--redact does not" in printed.err


def client_session(home: ClaudeHome, planter: Planter) -> Path:
    session = Session(full_id("bbbbbbbb"))
    session.prompt(f"Use {planter.secret()}")
    session.records.append({"type": planter.secret(), "uuid": "u-9"})
    session.call("toolu_1", "Bash", {"command": planter.text()}, planter.text())
    return home.add(session)


@pytest.mark.parametrize("which", [["--discover", "latest"], ["--all"]])
def test_an_import_writes_no_secret_and_says_none(
    which: list[str], agentv: InProcess, home: ClaudeHome, planter: Planter
) -> None:
    client_session(home, planter)

    printed = agentv("import", "claude", *which, "-o", "out/", "--redact", "secrets", "--json")

    assert printed.code == 0, printed.err
    (path,) = Path("out").iterdir()
    (transcript,) = read_transcripts(path)
    assert (transcript.privacy or {})["redactionCount"] > 3
    assert planter.leaks(text_of(path) + printed.out + printed.err) == []
    assert "[REDACTED:" in printed.err  # the type of a record that nobody knows


def test_an_import_says_how_much_was_redacted(
    agentv: InProcess, home: ClaudeHome, planter: Planter
) -> None:
    client_session(home, planter)

    printed = agentv("import", "claude", "--discover", "latest", "--redact", "secrets", "-o", "t")

    (transcript,) = read_transcripts(Path("t"))
    count = (transcript.privacy or {})["redactionCount"]
    assert printed.out == f"t: 2 messages, 1 tool call, {count} redactions\n"


@pytest.mark.parametrize("option", [["--redact", "secrets"], ["--redact=secrets"]])
def test_a_run_is_kept_without_secrets(
    option: list[str], agentv: InProcess, session: Path, work: Path, planter: Planter
) -> None:
    (work / "a.eval.yaml").write_text(one_test("contains: nothing"), encoding="utf-8")

    printed = agentv("eval", "a.eval.yaml", f"--transcript={session}", "--rootdir", work, *option)

    assert printed.code == 1, printed.err
    kept = [text_of(one) for one in Path(".agentv/results").rglob("*") if one.is_file()]
    assert len(kept) == 3
    assert planter.leaks("".join(kept) + printed.out) == []


@pytest.fixture
def kept_run(session: Path, work: Path, agentv: InProcess) -> Path:
    """A run that was kept with all secrets in it."""
    eval_file = work / "a.eval.yaml"
    assertions = ("contains: nothing", "{contains: nothing, in: transcript}")
    eval_file.write_text(one_test(*assertions), encoding="utf-8")
    printed = agentv("eval", eval_file, f"--transcript={session}", "--rootdir", work)
    assert printed.code == 1, printed.err
    return work


def test_the_rows_and_the_sessions_of_a_run_can_be_checked(
    agentv: InProcess, kept_run: Path, planter: Planter
) -> None:
    printed = agentv("redact", "--check", kept_run / ".agentv", "--json")

    assert (printed.code, printed.err) == (1, "")
    left = {Path(one["path"]).name: len(one["findings"]) for one in json.loads(printed.out)}
    assert set(left) == {"index.jsonl", "transcripts.jsonl"}
    assert left["index.jsonl"] > 0
    assert left["transcripts.jsonl"] > 0
    assert planter.leaks(printed.out) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["inspect", "show"],
        ["inspect", "show", "--tree", "--all"],
        ["inspect", "show", "--tree", "--json"],
        ["inspect", "search", "--regex", "[a-z]{3}"],
        ["inspect", "score", "--assert", "{contains: nothing, in: transcript}", "--json"],
        ["inspect", "score", "--assert", "equals: nothing", "--json"],
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("kept_run")
def test_what_is_shown_of_a_run_has_no_secret(
    arguments: list[str], agentv: InProcess, planter: Planter
) -> None:
    bare = agentv(*arguments)
    printed = agentv(*arguments, "--redact", "secrets")

    assert (printed.code, printed.err) == (bare.code, bare.err)
    assert planter.leaks(bare.out) != []
    assert planter.leaks(printed.out + printed.err) == []


@pytest.mark.usefixtures("kept_run")
def test_sessions_are_graded_anew_as_they_are_and_shown_redacted(
    agentv: InProcess, planter: Planter
) -> None:
    secret = planter.secrets[-10]  # as others, it stands in thinking
    arguments = ["inspect", "score", "--assert", f"{{contains: {secret}, in: thinking}}"]

    printed = agentv(*arguments, "--redact", "secrets", "--json")

    (case,) = json.loads(printed.out)["cases"]
    assert [one["verdict"] for one in case["scores"]] == ["pass"]
    assert planter.leaks(printed.out) == []


@pytest.mark.usefixtures("kept_run")
def test_the_page_of_a_run_can_be_written_without_secrets(
    agentv: InProcess, planter: Planter
) -> None:
    agentv("report", "-o", "bare.html")
    agentv("report", "-o", "page.html", "--redact", "secrets")

    assert planter.leaks(text_of("bare.html")) != []
    assert planter.leaks(text_of("page.html")) == []


def test_persons_and_places_become_pseudonyms_that_are_the_same_each_time(
    agentv: InProcess, home: ClaudeHome, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTV_REDACT_KEY_FILE", str(work / "redact.key"))
    session = Session(full_id("cccccccc"), cwd="/home/dev/shop")
    session.prompt("Ask dev.one@corp.invalid about /home/dev/shop/x.py")
    home.add(session)

    for name in ("one", "two"):
        agentv("import", "claude", "--discover", "latest", "--redact", "research", "-o", name)

    assert text_of("one") == text_of("two")
    assert "/home/dev" not in text_of("one")
    assert "corp.invalid" not in text_of("one")
    document: dict[str, Any] = json.loads(text_of("one"))
    assert document["privacy"]["anonymizationApplied"] is True
