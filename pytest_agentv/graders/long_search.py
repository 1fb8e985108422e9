"""A search in a long text, in a process of its own.

The engine looks at its clock too seldom there, and can take gigabytes: both are limited from
outside, so that no pattern can stop or end the process that grades.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

MAX_MEMORY = 1 << 30

# Run without the user's environment and site: nothing but the engine may be loaded.
_PROGRAM = """
import sys
sys.path.append(sys.argv[1])
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]), int(sys.argv[2])))
except (ImportError, ValueError, OSError):
    pass
import json, regex, warnings
warnings.simplefilter("ignore")
pattern, flags, text = json.load(sys.stdin)
match = regex.search(pattern, text, flags)
print(json.dumps(match and match.span()))
"""


def search_apart(pattern: str, text: str, *, flags: int, seconds: float) -> tuple[int, int] | None:
    """Where a pattern is found first.

    Raises TimeoutError after so many seconds and MemoryError if the engine wants too much.
    """
    import regex  # noqa: PLC0415 (costly, and few eval files need it)

    site = str(Path(regex.__file__).parent.parent)
    command = [sys.executable, "-I", "-S", "-c", _PROGRAM, site, str(MAX_MEMORY)]
    try:
        done = subprocess.run(  # noqa: S603 (our own program; the pattern is data on its input)
            command,
            input=json.dumps([pattern, flags, text]).encode("ascii"),
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as exc:
        raise TimeoutError from exc
    if done.returncode != 0:
        raise MemoryError
    span = json.loads(done.stdout)
    return None if span is None else (span[0], span[1])
