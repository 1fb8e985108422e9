"""Sessions broken on purpose: field by field (``mutate``), and guided by coverage (``run``)."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
# What tests know of the sessions below tests/data serves here, too.
if (_HELPERS := str(ROOT / "tests" / "helpers")) not in sys.path:
    sys.path.append(_HELPERS)
