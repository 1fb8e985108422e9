"""Fuzz a parser, guided by coverage: ``python -m fuzz.run TARGET… --seconds 60``.

Takes atheris (``pip install --group fuzz``). What it finds is kept in ``tests/data/fuzz`` for the
tests to try again; a finding is whatever raises, takes ten seconds, or a gigabyte.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from fuzz import ROOT

FINDINGS = ROOT / "tests" / "data" / "fuzz"
_SECONDS_FOR_ONE = 10
_MEGABYTES = 1000
# Files of thousands of records are slow to make, and find no more.
_LONGEST = 1 << 16
_ARTIFACTS = ("crash-", "timeout-", "oom-", "slow-unit-")


def main() -> int:
    """Fuzz the targets that are named, one after the other."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.run", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="default: all of them")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (60)")
    parser.add_argument("--list", action="store_true", help="name the targets")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if importlib.util.find_spec("atheris") is None and not options.list:
        print("atheris is not installed: pip install --group fuzz (Linux, Python below 3.14)")
        return 2
    if options.inside is not None:
        _fuzz(options.targets[0], Path(options.inside), options.seconds)
    from fuzz.targets import TARGETS  # noqa: PLC0415 (instrumented, if it is imported inside)

    if options.list:
        print("\n".join(TARGETS))
        return 0
    unknown = sorted(set(options.targets) - set(TARGETS))
    if unknown:
        print(f"no such target: {', '.join(unknown)}; --list names them")
        return 2
    found = [_watched(name, options.seconds) for name in options.targets or TARGETS]
    return 1 if any(found) else 0


def _watched(name: str, seconds: int) -> int:
    """Fuzz a target in a process of its own; how many findings there were."""
    from fuzz.targets import TARGETS  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        for number, content in enumerate(TARGETS[name].examples()):
            (corpus / f"example-{number}").write_bytes(content)
        command = [sys.executable, "-m", "fuzz.run", name, "--seconds", str(seconds)]
        ended = subprocess.run(  # noqa: S603 (this very module)
            [*command, "--inside", folder],
            cwd=ROOT,
            env={**os.environ, "TMPDIR": folder},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        artifacts = [path for path in Path(folder).iterdir() if path.name.startswith(_ARTIFACTS)]
        kept = [_keep(name, path) for path in artifacts]
        output = ended.stdout.decode("utf-8", "replace")
        tried = [line for line in output.splitlines() if "exec/s" in line or "Done" in line]
        told = tried[-1] if tried else "nothing was tried"
        print(f"{name}: {told}, {len(kept)} findings", flush=True)
        if kept or ended.returncode:
            print("\n".join([*output.splitlines()[-40:], *map(str, kept)]), flush=True)
    return len(kept) or int(ended.returncode != 0)


def _keep(name: str, artifact: Path) -> Path:
    content = artifact.read_bytes()
    FINDINGS.mkdir(exist_ok=True)
    path = FINDINGS / f"{name}-{hashlib.sha256(content).hexdigest()[:8]}"
    path.write_bytes(content)
    return path


def _fuzz(name: str, folder: Path, seconds: int) -> None:
    atheris: Any = importlib.import_module("atheris")  # an extra, without types

    with atheris.instrument_imports(include=["pytest_agentv"]):
        from fuzz import targets  # noqa: PLC0415

        for content in targets.TARGETS[name].examples()[:3]:
            targets.attempt(name, content)  # imports all that it needs

    options = [
        f"-max_total_time={seconds}",
        f"-timeout={_SECONDS_FOR_ONE}",
        f"-rss_limit_mb={_MEGABYTES}",
        f"-max_len={_LONGEST}",
        f"-artifact_prefix={folder}/",
        "-print_final_stats=1",
        str(folder / "corpus"),
    ]
    atheris.Setup([sys.argv[0], *options], lambda content: targets.attempt(name, content))
    atheris.Fuzz()  # ends the process


if __name__ == "__main__":
    sys.exit(main())
