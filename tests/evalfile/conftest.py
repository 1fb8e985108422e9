from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_files import EvalFolder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def evals(tmp_path: Path) -> EvalFolder:
    root = tmp_path / "project"
    root.mkdir()
    return EvalFolder(root)
