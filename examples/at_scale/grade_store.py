"""Grade a store of transcripts with Dask: files in, files of rows out, wherever they lie.

    python grade_store.py 's3://sessions/2026/*.jsonl' s3://grades/2026 never.yaml

Every file is one task. A task reads lines, calls `pytest_agentv.grading.grade`, and writes one file
of rows; nothing else travels, so the store may be larger than any machine. Files whose rows are
there already are left out: a run that was killed goes on when it is started again.
"""

from __future__ import annotations

import argparse
from collections import Counter
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import fsspec
import msgspec
from distributed import Client, as_completed

from pytest_agentv import AgentvError, loads
from pytest_agentv.grading import Suite, grade, load_suite

if TYPE_CHECKING:
    from collections.abc import Iterator

PARQUET = ".parquet"


def lines_of(path: str) -> Iterator[bytes]:
    """The transcripts of a file: its lines, or a column `transcript` of a Parquet file."""
    with fsspec.open(path, "rb") as file:
        if not path.endswith(PARQUET):
            yield from file
            return
        from pyarrow import parquet  # noqa: PLC0415 (only for such files)

        for batch in parquet.ParquetFile(file).iter_batches(batch_size=64, columns=["transcript"]):
            yield from (one.encode() for one in batch.column(0).to_pylist())


def grade_file(path: str, *, output: str, suites: list[Suite]) -> Counter[str]:
    """Grade one file, put its rows in place, and return how many came out how."""
    target = rows_of(path, output)
    counts: Counter[str] = Counter()
    filesystem, place = fsspec.core.url_to_fs(target)
    filesystem.makedirs(str(PurePosixPath(place).parent), exist_ok=True)
    unfinished = f"{place}.part"
    with filesystem.open(unfinished, "wb") as file:
        for number, line in enumerate(lines_of(path), 1):
            if not line.strip():
                continue
            try:
                transcript = loads(line)
            except AgentvError as error:
                print(f"{path}:{number}: {error.message}")
                counts["unreadable"] += 1
                continue
            for suite in suites:
                for row in grade(suite, transcript):
                    file.write(msgspec.json.encode(row) + b"\n")
                    counts[row.outcome or "unknown"] += 1
    filesystem.mv(unfinished, place)
    return counts


def rows_of(path: str, output: str) -> str:
    """Where the rows of a file go."""
    name = PurePosixPath(path).name.removesuffix(PARQUET).removesuffix(".jsonl")
    return f"{output.rstrip('/')}/{name}.rows.jsonl"


def grade_store(client: Client, inputs: str, output: str, evals: list[Path]) -> Counter[str]:
    """Grade all files that a pattern names and that have no rows yet."""
    suites = [load_suite(path, every=True) for path in evals]
    filesystem, pattern = fsspec.core.url_to_fs(inputs)
    paths = [filesystem.unstrip_protocol(one) for one in sorted(filesystem.glob(pattern))]
    there, _ = fsspec.core.url_to_fs(output)
    todo = [one for one in paths if not there.exists(rows_of(one, output))]
    tasks = client.map(partial(grade_file, output=output, suites=suites), todo, pure=False)
    counts = Counter({"files": len(todo), "files there already": len(paths) - len(todo)})
    for task in as_completed(tasks):
        counts.update(task.result())
    return +counts  # without those that are 0


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("inputs", help="a pattern of files: .jsonl or .parquet")
    parser.add_argument("output", help="a folder for the rows")
    parser.add_argument("evals", nargs="+", type=Path, help="eval files")
    parser.add_argument("--scheduler", help="of a cluster; default: a cluster of this machine")
    arguments = parser.parse_args()
    with Client(arguments.scheduler, dashboard_address=None) as client:
        counts = grade_store(client, arguments.inputs, arguments.output, arguments.evals)
    for name, number in sorted(counts.items()):
        print(f"{name}: {number}")


if __name__ == "__main__":
    main()
