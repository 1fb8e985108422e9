"""ATIF: what Harbor's own schema and rules demand of a trajectory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from corpus import CORPUS
from hypothesis import given, settings
from jsonschema import Draft202012Validator
from sample_transcripts import patient, transcripts
from shown_sessions import SHOWN

from pytest_agentv import Message, Source, Transcript
from pytest_agentv.errors import TranscriptError
from pytest_agentv.views.atif import atif

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCHEMA = CORPUS.parent / "formats" / "atif-v1.8.schema.json"
# Fields that its validator refuses on steps of others.
_OF_AGENTS = {"model_name", "reasoning_content", "tool_calls", "observation", "metrics"}


def made(transcript: Transcript) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(b"".join(atif(transcript)))
    return value


def trajectories(root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield root
    yield from root.get("subagent_trajectories", ())


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    if not _SCHEMA.is_file():
        pytest.skip("the schema of ATIF does not lie beside AGENTV_CORPUS")
    return Draft202012Validator(json.loads(_SCHEMA.read_text(encoding="utf-8")))


@settings(patient, max_examples=25)
@given(transcripts)
def test_every_transcript_keeps_the_schema(
    validator: Draft202012Validator, transcript: Transcript
) -> None:
    if transcript.output:
        assert [error.message for error in validator.iter_errors(made(transcript))] == []


def test_a_session_of_all_that_there_is_keeps_the_schema(validator: Draft202012Validator) -> None:
    assert [error.message for error in validator.iter_errors(made(SHOWN))] == []


@settings(patient, max_examples=25)
@given(transcripts)
def test_steps_count_from_one_and_results_belong_to_calls_of_their_step(
    transcript: Transcript,
) -> None:
    if not transcript.output:
        return
    root = made(transcript)
    for trajectory in trajectories(root):
        steps = trajectory["steps"]
        assert [step["step_id"] for step in steps] == list(range(1, len(steps) + 1))
        for step in steps:
            calls = {call["tool_call_id"] for call in step.get("tool_calls", ())}
            results = step.get("observation", {"results": []})["results"]
            assert {result["source_call_id"] for result in results} <= calls
            assert step["source"] == "agent" or not _OF_AGENTS & step.keys()
    steps = sum(len(one["steps"]) for one in trajectories(root))
    assert steps == len(transcript.output)
    ids = [one["trajectory_id"] for one in root.get("subagent_trajectories", ())]
    assert len(set(ids)) == len(ids)


def test_a_session_without_a_main_thread_is_that_of_its_sub_agent() -> None:
    message = Message(role="assistant", content="x", agent_id="a-1")
    root = made(Transcript(source=Source(provider="x", session_id="s"), output=(message,)))

    assert (root["trajectory_id"], len(root["steps"])) == ("a-1", 1)


def test_a_session_without_messages_is_an_error() -> None:
    with pytest.raises(TranscriptError, match="has no messages"):
        made(Transcript(source=Source(provider="x"), output=()))
