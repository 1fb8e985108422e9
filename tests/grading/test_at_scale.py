"""`examples/at_scale`: the grading function mapped by Dask over files wherever they lie."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kept_runs import answer
from msgspec.structs import replace

from pytest_agentv import Transcript, dumps

if TYPE_CHECKING:
    from types import ModuleType

distributed = pytest.importorskip("distributed", reason="the example maps with Dask")
fsspec = pytest.importorskip("fsspec", reason="the example reads by fsspec")
EXAMPLE = Path(__file__).parents[2] / "examples" / "at_scale"
EVALS = [EXAMPLE / "never.yaml"]
# Of Dask and what it stands on; they are not ours to mend.
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    # Processes of a cluster are given this path, and import the example from there, too.
    monkeypatch.syspath_prepend(EXAMPLE)
    return importlib.import_module("grade_store")


def said(number: int) -> Transcript:
    made = answer("done")
    return replace(made, source=replace(made.source, session_id=f"{number:08d}"))


def lines(*numbers: int) -> bytes:
    return b"".join(dumps(said(number)) for number in numbers)


def test_processes_of_a_local_cluster_grade_files_of_both_kinds_and_go_on(
    example: ModuleType, tmp_path: Path
) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="reads and writes Parquet")
    from pyarrow import parquet  # noqa: PLC0415

    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.jsonl").write_bytes(lines(1, 2) + b"no transcript\n")
    column = [dumps(said(number)).decode() for number in range(3, 203)]
    parquet.write_table(pyarrow.table({"transcript": column}), tmp_path / "in/b.parquet")
    inputs, output = str(tmp_path / "in/*"), str(tmp_path / "out")

    with distributed.Client(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as client:
        counts = example.grade_store(client, inputs, output, EVALS)
        again = example.grade_store(client, inputs, output, EVALS)

    assert counts == {"files": 2, "passed": 404, "unreadable": 1}
    assert again == {"files there already": 2}
    rows = [json.loads(line) for line in (tmp_path / "out/b.rows.jsonl").read_bytes().splitlines()]
    assert len(rows) == 400
    assert {row["test_id"] for row in rows} == {"deletes-nothing-by-force", "ends-without-errors"}
    assert not list((tmp_path / "out").glob("*.part"))


def _check_store(example: ModuleType, client: Any, filesystem: Any, root: str) -> None:
    with filesystem.open(f"{root}/in/a.jsonl", "wb") as file:
        file.write(lines(1, 2, 3))
    counts = example.grade_store(client, f"{root}/in/*.jsonl", f"{root}/out", EVALS)

    assert counts == {"files": 1, "passed": 6}
    with filesystem.open(f"{root}/out/a.rows.jsonl", "rb") as file:
        assert len(file.readlines()) == 6


def test_files_may_lie_in_memory(example: ModuleType) -> None:
    filesystem = fsspec.filesystem("memory")
    with distributed.Client(processes=False, dashboard_address=None) as client:
        _check_store(example, client, filesystem, "memory://store")
    filesystem.rm("/store", recursive=True)


def test_files_may_lie_in_an_object_store(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    moto = pytest.importorskip("moto.server", reason="moto serves an object store")
    pytest.importorskip("s3fs", reason="s3fs reads object stores")
    server = moto.ThreadedMotoServer(port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.setenv(name, "testing")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        filesystem = fsspec.filesystem("s3")
        filesystem.mkdir("store")
        with distributed.Client(processes=False, dashboard_address=None) as client:
            _check_store(example, client, filesystem, "s3://store")
    finally:
        server.stop()
