"""Writes the generated parts of the pages: `python docs/generate`, in the project's root.

With `--check` it writes nothing, and says which pages are not what it would write.
"""

from __future__ import annotations

import sys
from pathlib import Path

import assertion_types
import clients
import commands
import keys
import plugin
from marked import written

PAGES = Path("docs")
MAKERS = (assertion_types, clients, commands, keys, plugin)


def main(arguments: list[str]) -> int:
    """Write the pages, or check them."""
    parts = {name: text for one in MAKERS for name, text in one.parts().items()}
    stale, used = [], set()
    for path in sorted(PAGES.glob("*.md")):
        page = path.read_text(encoding="utf-8")
        new = written(page, parts)
        used |= set(new.parts)
        if new.text == page:
            continue
        stale.append(path)
        if arguments != ["--check"]:
            path.write_text(new.text, encoding="utf-8")
    unused = sorted(parts.keys() - used)
    for path in stale:
        print(path, "is stale; run python docs/generate" if "--check" in arguments else "written")
    for name in unused:
        print(f"no page has the part {name!r}")
    return 1 if unused or (stale and "--check" in arguments) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
