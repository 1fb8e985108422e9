"""What is left to show of a session, wherever it is cut off while it grows."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pytest
from claude_sessions import Session, text, thinking, tool_use
from hostile_sessions import lines
from hostile_vendors import VENDORS, Vendor
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_agentv.cli.read_unshown import QUIET, Unshown
from pytest_agentv.errors import SessionError
from pytest_agentv.views.entries import entries

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv import Message
    from pytest_agentv.views.entries import Entry

CUTS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=8)


def records(vendor: Vendor) -> bytes:
    """A session in which messages have no id or one, come twice, and grow."""
    if vendor.name != "claude":
        again = [vendor.prompt("Again", number) for number in range(3)]
        steps = [vendor.step("Again", number) for number in range(3)]
        call = [vendor.call("toolu_7", '{"cmd": "ls"}'), vendor.result("toolu_7", "a\nb")]
        return lines([*vendor.conversation(), *again, *call, *steps])
    session = Session()
    for number in range(2):
        session.prompt("Fix it")
        session.response(f"msg_{number}", thinking("Where?"), text("I look."), stop_reason=None)
        session.response(f"msg_{number}", tool_use(f"t{number}", "Bash", {"command": "make"}))
        session.response(f"msg_{number}", text("And on."))
        session.tool_result(f"t{number}", "made\nit")
    session.response("msg_9", text("Done."))
    return lines(session.records)


def messages(vendor: Vendor, path: Path) -> Iterator[Message]:
    yield from vendor.opened(path).messages()


def joined(shown: list[Entry]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Texts and thoughts by role and id, in the order they were shown."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for entry in shown:
        call = entry.tool_call or entry.tool_result
        name = (call.id if call is not None else entry.id) or entry.text
        found[entry.role, name].append((entry.text, entry.thinking or ""))
    return found


@pytest.mark.parametrize("vendor", VENDORS, ids=str)
@settings(
    max_examples=60,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(cuts=CUTS)
def test_wherever_a_session_is_cut_all_of_it_is_shown_and_nothing_twice(
    vendor: Vendor, tmp_path: Path, cuts: list[tuple[float, bool]]
) -> None:
    path = tmp_path / "5e550000-0000-4000-8000-000000000001.jsonl"
    content = records(vendor)
    unshown = Unshown(vendor.adapter.provider)
    shown: list[Entry] = []
    now = 0.0
    for part, is_quiet in [*sorted(cuts), (1.0, True)]:
        path.write_bytes(content[: int(part * len(content))])
        try:
            shown += unshown.look(messages(vendor, path), now=now)
        except SessionError:  # nothing was said until here
            continue
        now += QUIET if is_quiet else QUIET / 4
        shown += unshown.due(now=now)

    whole = joined([*entries(messages(vendor, path))])
    pieces = joined(shown)
    assert pieces.keys() == whole.keys()
    for name, [*expected] in whole.items():
        texts = ["".join(one for one, _ in pieces[name]), "".join(one for _, one in pieces[name])]
        assert texts == ["".join(one for one, _ in expected), "".join(one for _, one in expected)]
    assert [*unshown.look(messages(vendor, path), now=now)] == []
    assert [*unshown.due(now=now + QUIET)] == []


def test_a_text_that_became_another_is_shown_again(tmp_path: Path) -> None:
    vendor = VENDORS[0]
    path = tmp_path / "5e550000-0000-4000-8000-000000000001.jsonl"
    unshown = Unshown(vendor.adapter.provider)
    seen: list[str] = []
    for words in ("One", "Other"):
        path.write_bytes(lines([vendor.step(words, 1)]))
        seen += [one.text for one in unshown.look(messages(vendor, path), now=0)]
        seen += [one.text for one in unshown.due(now=QUIET)]

    assert seen == ["One", "Other"]
