"""A session as a tree: each sub-agent where it belongs, and no tree without an end."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from kept_runs import session
from made_calls import made
from sample_transcripts import patient, transcripts

from pytest_agentv import Message, ToolCall, Transcript
from pytest_agentv.results.tree import AgentNode, Node, tree_of


def said(text: str, *calls: ToolCall, agent: str | None = None) -> Message:
    return Message(role="assistant", content=text, tool_calls=calls, agent_id=agent)


def task(call_id: str | None = None) -> ToolCall:
    return made("Task", {"prompt": "look"}, id=call_id)


def shape(nodes: list[Node]) -> list[Any]:
    """Texts of messages, with what is below their calls, and below themselves."""
    found: list[Any] = []
    for node in nodes:
        if isinstance(node, AgentNode):
            found.append({node.agent_id: shape(node.messages)})
            continue
        below = [*(shape([*one.agents]) for one in node.calls), shape([*node.agents])]
        found.append([node.message.content, *below] if any(below) else node.message.content)
    return found


def numbers(nodes: list[Node]) -> list[int]:
    found = []
    for node in nodes:
        if isinstance(node, AgentNode):
            found += numbers(node.messages)
        else:
            agents = [*(agent for one in node.calls for agent in one.agents), *node.agents]
            found += [node.number, *numbers([*agents])]
    return found


def test_an_agent_stands_below_the_only_call_that_can_have_started_it() -> None:
    first = said("a", made("Read"), task())
    messages = [first, said("b", agent="x"), said("c", agent="x"), said("d")]

    assert shape(tree_of(session(*messages))) == [["a", [], [{"x": ["b", "c"]}], []], "d"]


def test_an_agent_that_is_named_by_a_call_stands_below_it() -> None:
    tree = tree_of(session(said("a", task("t1"), task("t2")), said("b"), said("c", agent="t2")))

    assert shape(tree) == [["a", [], [{"t2": ["c"]}], []], "b"]


def test_of_several_calls_none_is_guessed() -> None:
    messages = [said("a", task(), task()), said("b", agent="x"), said("c")]

    assert shape(tree_of(session(*messages))) == [["a", [], [], [{"x": ["b"]}]], "c"]


def test_an_agent_of_unknown_origin_stands_on_the_main_thread() -> None:
    assert shape(tree_of(session(said("a"), said("b", agent="x")))) == ["a", {"x": ["b"]}]


def test_agents_of_agents_are_nested() -> None:
    tree = tree_of(session(said("a", task()), said("b", task(), agent="x"), said("c", agent="y")))

    assert shape(tree) == [["a", [{"x": [["b", [{"y": ["c"]}], []]]}], []]]


def test_an_endless_chain_of_agents_is_not_endlessly_deep() -> None:
    chain = [said("a", task(), agent=f"agent-{number}") for number in range(5_000)]

    found = numbers(tree_of(session(said("a", task()), *chain)))

    assert sorted(found) == list(range(1, 5_002))


@patient
@given(transcripts)
def test_every_message_is_in_the_tree_once(transcript: Transcript) -> None:
    assert sorted(numbers(tree_of(transcript))) == list(range(1, len(transcript.output) + 1))
