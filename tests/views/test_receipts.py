"""What an events document says of redaction."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_agentv.views.receipts import privacy_block, redactions_in

RECEIPT = {
    "profile": "research",
    "redactionApplied": True,
    "anonymizationApplied": True,
    "rulesApplied": ["aws"],
    "redactionCount": 3,
    "contentPolicy": {"includeFileContents": False, "toolOutput": "none", "thinking": "dropped"},
}


def test_without_a_receipt_nothing_was_redacted() -> None:
    block = privacy_block(None)

    assert (block["profile"], block["redactionApplied"], block["redactionCount"]) == (
        "none", False, 0,
    )  # fmt: skip


def test_a_receipt_is_kept_as_it_is() -> None:
    assert privacy_block({**RECEIPT, "key": "secret"}) == RECEIPT


@pytest.mark.parametrize(
    "receipt",
    [
        {},
        {"profile": 5, "redactionCount": -1, "rulesApplied": [1], "contentPolicy": "all"},
        {"redactionApplied": "yes", "contentPolicy": {"toolOutput": "some"}},
    ],
)
def test_what_a_receipt_does_not_say_is_unknown(receipt: dict[str, Any]) -> None:
    assert privacy_block(receipt) == dict.fromkeys(RECEIPT)


def test_an_event_says_what_was_removed_from_which_field() -> None:
    event = {
        "text": "x [REDACTED:aws] y [REDACTED:aws] user-0123456789ab user-0123",
        "tool": {
            "name": "Bash",
            "input": {"[REDACTED:email]": [{"k": "[REDACTED:jwt]"}]},
            "output": "[REDACTED:tool-output, 12 characters, 1 lines] [REDACTED:",
        },
    }

    found = redactions_in(event, RECEIPT)

    assert [(one["field"], one["ruleId"], one["type"]) for one in found] == [
        ("text", "aws", "secret"),
        ("text", "user", "pii"),
        ("tool.input", "email", "pii"),
        ("tool.input", "jwt", "secret"),
        ("tool.output", "tool-output", "policy"),
    ]
    placeholders = [one["placeholder"] for one in found]
    assert placeholders[:2] == ["[REDACTED:aws]", "user-0123456789ab"]


def test_a_placeholder_in_a_session_that_was_never_redacted_is_text() -> None:
    assert redactions_in({"text": "[REDACTED:aws]"}, None) == []
