"""Any transcript with a secret at every place of a text: none of them is left."""

from __future__ import annotations

import json

from hypothesis import given, settings
from planted_secrets import Planter
from sample_transcripts import patient, transcripts

from pytest_agentv import Transcript, dumps, loads
from pytest_agentv.redact import Redactor, findings

# What we know of a transcript, and no session says.
_OURS = ("schema_version", "privacy")


def _planted(planter: Planter, transcript: Transcript) -> Transcript:
    fields = json.loads(dumps(transcript))
    for name, value in fields.items():
        if name not in _OURS:
            fields[name] = planter.everywhere(value)
    for name in ("drift", "left_out"):
        fields[name] = {f"{key} {planter.text()}": one for key, one in fields[name].items()}
    for message in fields["output"]:
        for call in message.get("tool_calls", ()):
            call["args"] = {f"{key} {planter.text()}": one for key, one in call["args"].items()}
    return loads(json.dumps(fields))


@settings(patient, max_examples=15)
@given(transcripts)
def test_no_secret_survives_wherever_it_was_planted(transcript: Transcript) -> None:
    planter = Planter()
    planted = _planted(planter, transcript)

    redacted = Redactor("secrets").transcript(planted)

    assert planter.leaks(dumps(redacted).decode()) == []
    assert findings(redacted) == []
    again = Redactor("secrets").transcript(redacted)
    assert dumps(again) == dumps(redacted)
