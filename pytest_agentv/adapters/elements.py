"""Elements in the texts of clients: ``<name>…</name>``, found in one pass whatever the text is."""

from __future__ import annotations

import re


def split_elements(text: str, *names: str) -> tuple[str, list[str]]:
    """A text without its elements of these names, and what stands in them, tidied up."""
    opening = re.compile(f"<({'|'.join(names)})>")
    rest: list[str] = []
    inner: list[str] = []
    # Names that are closed nowhere in what is left.
    open_names: set[str] = set()
    done = start = 0
    while found := opening.search(text, start):
        name, start = found[1], found.end()
        end = -1 if name in open_names else text.find(f"</{name}>", start)
        if end < 0:
            open_names.add(name)
            continue
        rest.append(text[done : found.start()])
        inner.append(text[start:end].strip())
        done = start = end + len(f"</{name}>")
    return "".join([*rest, text[done:]]), inner
