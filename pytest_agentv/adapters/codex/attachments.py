"""Images in messages and outputs, described by their data URL; their bytes are not kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_agentv.transcript.model import Attachment

if TYPE_CHECKING:
    from pytest_agentv.adapters.codex.records import Part

_DATA_URL = re.compile(r"data:([a-z0-9.+-]{1,40}/[a-z0-9.+-]{1,60});base64,", re.IGNORECASE)


def attachments_of(parts: list[Part], *, call_id: str | None = None) -> list[Attachment]:
    """What a content holds besides its texts."""
    return [
        _attachment(part, call_id)
        for part in parts
        if part.text is None and part.type not in (None, "encrypted_content")
    ]


def _attachment(part: Part, call_id: str | None) -> Attachment:
    kind = (part.type or "").removeprefix("input_")[:40]
    url = part.image_url or ""
    found = _DATA_URL.match(url)
    return Attachment(
        kind=kind,
        media_type=found[1] if found else None,
        size=_decoded_size(url, found.end()) if found else None,
        call_id=call_id,
    )


def _decoded_size(url: str, start: int) -> int:
    return max(0, (len(url) - start) * 3 // 4 - url[-2:].count("="))
