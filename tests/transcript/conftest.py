"""Transcript files on disk, for all tests of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_agentv import read_transcripts

if TYPE_CHECKING:
    from pathlib import Path

    from sample_transcripts import Read

    from pytest_agentv import Transcript


# One file for the whole module: hypothesis calls a test many times, a fixture once.
@pytest.fixture(scope="module")
def transcript_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("transcripts") / "session.jsonl"


@pytest.fixture(scope="module")
def read(transcript_file: Path) -> Read:
    def read(content: bytes) -> list[Transcript]:
        transcript_file.write_bytes(content)
        return list(read_transcripts(transcript_file))

    return read
