"""Hostile sessions in every form: all is written, nothing steers, nothing grows out of bounds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from agentv_command import UNPRINTABLE
from hostile_sessions import lines

from pytest_agentv import Message, Source, ToolCall, Transcript
from pytest_agentv.views.formats import FORMATS, ViewOptions

if TYPE_CHECKING:
    from agentv_command import InProcess
    from hostile_vendors import Vendor

_TEXTS = {
    "terminal": "\x1b]0;x\x07\x9b31m\u202e\x00",
    "commands": "\n::error::x\n##vso[task.complete]\n",
    "fences": "`" * 5000 + "\n~~~\n</details><script>",
    "json": '{"output":["\\"]}\n{"state_id":1}',
}


@pytest.mark.parametrize("text", _TEXTS.values(), ids=_TEXTS)
@pytest.mark.parametrize("form", [*FORMATS, "parquet", "html"])
def test_a_hostile_text_is_written_and_breaks_out_of_no_form(
    vendor: Vendor, text: str, form: str, session_file: Path, agentv_here: InProcess
) -> None:
    session_file.write_bytes(lines(vendor.conversation(prompt=f"a{text}", output=text)))

    printed = agentv_here("export", session_file, "--format", form, "-o", "out")

    assert (printed.code, printed.out, printed.err) == (0, "out\n", "")
    if form in FORMATS:
        content = Path("out").read_bytes()
        assert form == "markdown" or all(json.loads(line) for line in content.splitlines())
        assert form != "markdown" or UNPRINTABLE.search(content.decode()) is None


@pytest.mark.parametrize("form", sorted(set(FORMATS) - {"states"}))
def test_a_form_grows_with_its_session_and_no_faster(form: str) -> None:
    def size(count: int) -> int:
        # The worst for whatever looks back: one id for all, no times, a sub-agent for each.
        messages = tuple(
            Message(
                role="assistant",
                content="x",
                agent_id=str(number % 7),
                tool_calls=(ToolCall(id="a", tool="Bash", output="y" * 50),) * 3,
            )
            for number in range(count)
        )
        transcript = Transcript(source=Source(provider="x"), output=messages)
        return sum(map(len, FORMATS[form].pieces(transcript, ViewOptions())))

    assert size(2000) < 2.2 * size(1000)


def test_states_grow_no_faster_than_their_limit_allows() -> None:
    messages = (Message(role="assistant", content="x" * 1000),) * 3000
    transcript = Transcript(source=Source(provider="x"), output=messages)

    longest = max(map(len, FORMATS["states"].pieces(transcript, ViewOptions())))

    assert longest < 4 * 100_000 + 5000
