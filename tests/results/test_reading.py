"""Reading runs: by name or path, torn, of AgentV's, and what must be refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from runs import MadeCase, make_run, score
from sample_transcripts import SAMPLE

from pytest_agentv import dumps
from pytest_agentv.errors import ResultsError, RunNotFound
from pytest_agentv.results.journal import Graded
from pytest_agentv.results.model import Row
from pytest_agentv.results.outcomes import outcome_of_row
from pytest_agentv.results.reading import find_run, read_run, summaries
from pytest_agentv.results.writing import RunWriter

if TYPE_CHECKING:
    from pathlib import Path

_laws = settings(max_examples=100, deadline=None, derandomize=True, database=None)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Three runs, the last one the newest."""
    for name in ("a", "b", "c"):
        made = make_run(tmp_path / "runs", [MadeCase(test_id=name)])
        summary = made.folder / "summary.json"
        moment = f"2026-07-1{ord(name) - ord('a')}"
        text = summary.read_text(encoding="utf-8")
        text = text.replace(made.summary.run_id, f"{moment}-{name}")
        text = text.replace(made.summary.started_at or "?", f"{moment}T08:00:00.000Z")
        summary.write_text(text, encoding="utf-8")
        made.folder.rename(made.folder.with_name(f"{moment}-{name}"))
    return tmp_path / "runs"


@pytest.mark.parametrize("test_id", [None, "adds-jwt"])
def test_a_file_of_transcripts_is_no_run(tmp_path: Path, test_id: str | None) -> None:
    path = tmp_path / "jwt.jsonl"
    path.write_bytes(dumps(replace(SAMPLE, test_id=test_id)))
    with pytest.raises(ResultsError) as caught:
        read_run(path)
    said = "is no row of results: it is a transcript; agentv eval grades it, and agentv export"
    assert f"{path}:1: {said}" in str(caught.value)


@pytest.mark.parametrize(
    ("what", "test_id"),
    [("latest", "c"), ("2026-07-10-a", "a"), ("2026-07-11", "b")],
)
def test_a_run_is_named_by_its_id_or_a_part_of_it(root: Path, what: str, test_id: str) -> None:
    (row,) = find_run(what, root=root).rows
    assert row.test_id == test_id


def test_a_run_is_named_by_its_folder_or_file(root: Path) -> None:
    folder = root / "2026-07-11-b"
    for path in (folder, folder / "index.jsonl"):
        run = find_run(str(path), root=root / "elsewhere")
        assert run.summary.run_id == "2026-07-11-b"


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("2026-07", "'2026-07' fits 3 runs: 2026-07-10-a, 2026-07-11-b, 2026-07-12-c; write more"),
        ("2027", "no run '2027', and no such file or folder; the newest is 2026-07-12-c"),
        ("", "no run ''"),
        ("a\0b", "no run"),
        ("x" * 5000, "no run"),
    ],
)
def test_a_name_that_fits_no_run_or_several_is_one_sentence(
    root: Path, what: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root.parent)
    with pytest.raises(RunNotFound) as found:
        find_run(what, root=root)
    assert message in str(found.value)


def test_without_any_run_the_message_says_where_it_looked(tmp_path: Path) -> None:
    said = f"there is no run in {tmp_path}; agentv eval and pytest --agentv-results keep one"
    with pytest.raises(RunNotFound) as latest:
        find_run("latest", root=tmp_path)
    with pytest.raises(RunNotFound) as named:
        find_run("2027", root=tmp_path)
    assert str(latest.value) == said
    assert str(named.value) == f"no run '2027', and no such file or folder; {said}"


def test_runs_are_listed_newest_first_and_strange_folders_left_out(root: Path) -> None:
    (root / "notes").mkdir()
    (root / ".hidden").mkdir()
    (root / "torn").mkdir()
    (root / "torn" / "index.jsonl").write_bytes(b"{")
    RunWriter(root).close()
    names = [one.run_id for one in summaries(root)]
    assert names[1:] == ["2026-07-12-c", "2026-07-11-b", "2026-07-10-a"]


def _journal(folder: Path) -> Path:
    """What a run leaves that was killed after three notes."""
    writer = RunWriter(folder)
    for name in ("a", "b", "c"):
        writer.note(Graded(about=Row(test_id="one", case="one"), score=score(name, "pass")))
    writer.close()
    return writer.folder / "journal.jsonl"


@_laws
@given(cut=st.integers(0, 10_000))
def test_a_torn_journal_keeps_every_whole_line(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = _journal(tmp_path_factory.mktemp("run"))
    whole = path.read_bytes()
    left = whole[: min(cut, len(whole))]
    path.write_bytes(left)
    first_line = whole.index(b"\n")
    if len(left) < first_line:
        with pytest.raises(ResultsError, match="is no journal of a run"):
            read_run(path)
        return
    run = read_run(path)
    assert not run.summary.complete
    names = [one.name for row in run.rows for one in row.scores]
    # A line without its end may be whole all the same.
    assert len(names) - left.count(b"\n") in (-1, 0)
    assert names == ["a", "b", "c"][: len(names)]


def test_a_line_that_is_no_row_is_named_with_its_place(tmp_path: Path) -> None:
    path = make_run(tmp_path, [MadeCase()]).path
    path.write_bytes(path.read_bytes() + b'{"score": 1}\n')
    with pytest.raises(ResultsError) as found:
        read_run(path)
    assert str(found.value).startswith(f"{path}:2: is no row of results: ")


def test_a_row_that_is_nested_endlessly_is_an_error(tmp_path: Path) -> None:
    path = make_run(tmp_path, [MadeCase()]).path
    path.write_bytes(b'{"test_id": "a", "scores": ' + b"[" * 50_000 + b"]" * 50_000 + b"}\n")
    with pytest.raises(ResultsError, match="is no row of results"):
        read_run(path)


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_a_file_without_rows_is_no_run(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "index.jsonl").write_bytes(content)
    with pytest.raises(ResultsError, match="holds no results"):
        read_run(tmp_path)


def test_a_row_without_end_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with path.open("wb") as file:
        file.truncate((64 << 20) + 1)
    with pytest.raises(ResultsError, match=r"rows\.jsonl:1: is longer than 64 MiB"):
        read_run(path)


def test_a_folder_without_results_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(RunNotFound, match=r"holds no index\.jsonl: it is no run"):
        read_run(tmp_path)


AGENTV = {
    "timestamp": "2026-06-01T10:00:00.000Z",
    "test_id": "adds-jwt",
    "suite": "auth",
    "category": "Uncategorized",
    "score": 0.5,
    "target": "claude",
    "token_usage": {"input": 100, "output": 20, "cached": None},
    "duration_ms": 1200,
    "scores": [
        {
            "name": "has-jwt", "type": "contains", "score": 0.5, "weight": 1, "verdict": "fail",
            "assertions": [{"text": "Contains JWT", "passed": False}], "started_at": "x",
        },
    ],
    "assertions": [{"text": "Contains JWT", "passed": False}],
    "execution_status": "quality_failure",
    "artifact_dir": "auth/adds-jwt",
    "export_metadata": {"any": ["thing"]},
}  # fmt: skip


def test_rows_of_agentv_are_read(tmp_path: Path) -> None:
    path = tmp_path / "2026-06-01T10-00-00" / "index.jsonl"
    path.parent.mkdir()
    good = {**AGENTV, "test_id": "other", "score": 1.0, "execution_status": "ok", "scores": []}
    path.write_text(f"{json.dumps(AGENTV)}\n{json.dumps(good)}\n", encoding="utf-8")
    run = read_run(path)
    assert (run.summary.run_id, run.summary.complete) == ("2026-06-01T10-00-00", True)
    assert [outcome_of_row(row) for row in run.rows] == ["failed", "passed"]
    assert run.rows[0].duration_ms == 1200
    assert [(one.target, one.cases, one.passed) for one in run.summary.targets] == [
        ("claude", 2, 1)
    ]


def test_a_run_of_agentv_5_is_read_by_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "2026-07-04T07-32-25-895Z"
    index = folder / ".internal" / "index.jsonl"
    index.parent.mkdir(parents=True)
    row = {
        **AGENTV,
        # All of this is there for real: an object where ours is a text, members below members.
        "scores": [
            {"name": "set", "type": "assert-set", "score": 0, "weight": 1, "verdict": "fail",
             "details": {"threshold": 0.5}, "input": {"userPrompt": "…"}, "scores": [{}],
             "assertions": [{"text": "Names Paris", "passed": False}]},
            {"name": "newer", "type": "contains", "score": 1, "pass": True, "reason": "found"},
        ],
        "input": [{"role": "user", "content": "Which?"}],
        "duration_ms": 1200.5,
        "tags": {"experiment": "x"},
    }  # fmt: skip
    index.write_text(json.dumps(row) + "\n", encoding="utf-8")
    run = read_run(folder)
    assert (run.summary.run_id, run.folder) == (folder.name, folder)
    assert (run.rows[0].score, run.rows[0].target, run.rows[0].tags) == (0.5, "claude", ())
    assert [(one.name, one.verdict, one.reason) for one in run.rows[0].scores] == [
        ("set", "fail", "Names Paris"),
        ("newer", "pass", "found"),
    ]
    assert [one.run_id for one in summaries(tmp_path)] == [folder.name]


def test_rows_of_older_versions_of_agentv_are_read(tmp_path: Path) -> None:
    path = tmp_path / "suite.baseline.jsonl"
    rows = [
        {"eval_id": "older", "dataset": "auth", "score": 0.88, "target": "gpt-5"},
        {"test_id": "newer", "score": 0.5, "scores": [{"name": "a", "score": 0.5}]},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    run = read_run(path)
    assert [(row.test_id, row.suite, outcome_of_row(row)) for row in run.rows] == [
        ("older", "auth", "passed"),
        ("newer", "", "failed"),
    ]


@_laws
@given(row=st.dictionaries(st.sampled_from(Row.__struct_fields__), _JSON))
def test_whatever_stands_in_a_row_it_is_read_or_refused(
    row: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("run") / "rows.jsonl"
    path.write_text(json.dumps({"test_id": "a", **row}) + "\n", encoding="utf-8")
    try:
        (found,) = read_run(path).rows
    except ResultsError as exc:
        assert "is no row of results" in str(exc)  # noqa: PT017 (both are right)
    else:
        assert outcome_of_row(found) in ("passed", "failed", "error", "skipped")


@_laws
@given(more=st.dictionaries(st.text(max_size=8), st.none() | st.integers() | st.text(), max_size=5))
def test_fields_of_newer_versions_are_left_alone(
    more: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    run = make_run(tmp_path_factory.mktemp("run"), [MadeCase()])
    row = json.loads(run.path.read_bytes())
    run.path.write_text(json.dumps({**more, **row}) + "\n", encoding="utf-8")
    assert read_run(run.path).rows == run.rows


def test_a_transcript_is_read_from_the_folder_of_its_run(tmp_path: Path) -> None:
    transcript = SAMPLE
    run = make_run(tmp_path, [MadeCase(transcript=transcript)])
    (row,) = run.rows
    assert run.transcript(row) == transcript


@pytest.mark.parametrize(
    "name", ["../secret.jsonl", "/etc/passwd", "transcripts/../../secret.jsonl"]
)
def test_a_transcript_outside_of_the_run_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.jsonl").write_text("{}", encoding="utf-8")
    run = make_run(tmp_path, [MadeCase()])
    row = json.loads(run.path.read_bytes())
    run.path.write_text(json.dumps({**row, "transcript_path": name}) + "\n", encoding="utf-8")
    found = read_run(run.path)
    with pytest.raises(ResultsError, match="lies outside of the run"):
        found.transcript(found.rows[0])


def test_a_link_that_leads_out_of_the_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.jsonl").write_text("{}", encoding="utf-8")
    transcript = SAMPLE
    run = make_run(tmp_path, [MadeCase(transcript=transcript)])
    (row,) = run.rows
    kept = run.folder / (row.transcript_path or "?")
    kept.unlink()
    kept.symlink_to(tmp_path / "secret.jsonl")
    with pytest.raises(ResultsError, match="lies outside of the run"):
        run.transcript(row)


def test_a_transcript_that_was_not_kept_is_one_sentence(tmp_path: Path) -> None:
    run = make_run(tmp_path, [MadeCase(scores=(score("a"),))])
    with pytest.raises(RunNotFound, match=r"adds-jwt\[claude-cli\]: its transcript was not kept"):
        run.transcript(run.rows[0])
