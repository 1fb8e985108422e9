"""A session as a tree on the screen: messages, calls with what each took, agents, scores.

Figures stand before texts: a line may be cut off at the edge of the screen, and a figure must not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from rich.text import Text
from rich.tree import Tree

from pytest_agentv.cli.console import count, put, say
from pytest_agentv.cli.inspect_case import figures_of
from pytest_agentv.cli.screen import screen_width, show
from pytest_agentv.cli.tables import UNKNOWN
from pytest_agentv.cli.verdicts import OUTCOME_STYLES, VERDICT_STYLES, shown_verdict
from pytest_agentv.errors import AgentvError
from pytest_agentv.report.clean import one_line
from pytest_agentv.report.figures import amount, duration, points
from pytest_agentv.results.filters import name_of
from pytest_agentv.results.kept import KeptTranscripts
from pytest_agentv.results.outcomes import outcome_of_row
from pytest_agentv.results.tree import AgentNode, tree_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_agentv.results.model import Row, Score
    from pytest_agentv.results.reading import Run
    from pytest_agentv.results.tree import CallNode, MessageNode, Node
    from pytest_agentv.transcript.model import Message, ToolCall, Transcript

# Of a text; a pipe gets that much, a screen what fits.
_TEXT_LENGTH = 200
# Messages and calls at each end of a session, and trees of one command, unless all are wanted.
_EACH_END = 150
_MOST_CALLS = 50
_MOST_TREES = 20
# Of lines in a pipe, which has no edge: nothing is cut there but texts.
_PIPE_WIDTH = 4 * _TEXT_LENGTH
_MAIN_ARGUMENTS = ("command", "path", "paths", "query", "pattern", "url", "content")
_CALL_STYLES = {"ok": "green", "unknown": "dim"}


def put_trees(run: Run, rows: Sequence[Row], *, whole: bool) -> None:
    """Print the sessions of some cases."""
    transcripts = KeptTranscripts(run)
    shown = rows if whole else rows[:_MOST_TREES]
    for number, row in enumerate(shown):
        if number:
            put("")
        tree = Tree(Text.assemble(*_root(row)), guide_style="dim")
        try:
            transcript = transcripts.of(row)
        except AgentvError as exc:
            tree.add(Text(one_line(str(exc)), "yellow"))
        else:
            _Grower(transcript, whole=whole).grow(tree, tree_of(transcript))
        _add_scores(tree, row)
        show(tree, width=screen_width() or _PIPE_WIDTH)
    if len(shown) < len(rows):
        say(f"agentv: {count(len(rows) - len(shown), 'more case')} not shown; --all shows them")


def tree_as_json(run: Run, row: Row) -> list[dict[str, Any]] | None:
    """The session of a case, nested as on the screen; None if it was not kept."""
    try:
        transcript = run.transcript(row)
    except AgentvError:
        return None
    return [_node_as_json(one) for one in tree_of(transcript)]


class _Grower:
    """Adds the messages of a session to a tree, all or those at both ends."""

    def __init__(self, transcript: Transcript, *, whole: bool) -> None:
        self._whole = whole
        self._kept = None if whole else _ends(transcript.output)
        self._left_out = 0 if self._kept is None else len(transcript.output) - len(self._kept)

    def grow(self, tree: Tree, nodes: Iterable[Node]) -> None:
        """Add nodes, and all that is below them."""
        for node in nodes:
            if isinstance(node, AgentNode):
                self._add_agent(tree, node)
            elif self._kept is None or node.number in self._kept:
                self._add_message(tree, node)
            elif self._left_out:
                # Said once, where the first of them would be.
                tree.add(_note(self._left_out, "message"))
                self._left_out = 0

    def _add_agent(self, tree: Tree, node: AgentNode) -> None:
        branch = Tree(Text(f"agent {one_line(node.agent_id, limit=40)}", "cyan"))
        self.grow(branch, node.messages)
        if branch.children:
            tree.children.append(branch)

    def _add_message(self, tree: Tree, node: MessageNode) -> None:
        branch = tree.add(_message_line(node))
        calls = node.calls if self._whole else node.calls[:_MOST_CALLS]
        for one in calls:
            self._add_call(branch, one)
        if len(calls) < len(node.calls):
            branch.add(_note(len(node.calls) - len(calls), "call"))
        self.grow(branch, node.agents)

    def _add_call(self, tree: Tree, node: CallNode) -> None:
        self.grow(tree.add(_call_line(node.call)), node.agents)


def _ends(messages: Sequence[Message]) -> set[int] | None:
    """The numbers of the messages at both ends of a session; None if these are all."""
    sizes = [1 + min(len(one.tool_calls), _MOST_CALLS) for one in messages]
    if sum(sizes) <= 2 * _EACH_END:
        return None
    kept: set[int] = set()
    for numbers in (range(len(sizes)), range(len(sizes) - 1, -1, -1)):
        room = _EACH_END
        for number in numbers:
            room -= sizes[number]
            if room < 0:
                break
            kept.add(number + 1)
    return kept


def _note(left_out: int, noun: str) -> Text:
    return Text(f"… {count(left_out, noun)} left out; --all shows them", "yellow")


def _root(row: Row) -> list[str | tuple[str, str]]:
    outcome = outcome_of_row(row)
    return [
        (one_line(name_of(row)), "bold"),
        "  ",
        (outcome, OUTCOME_STYLES[outcome]),
        f"  score {points(row.score) or UNKNOWN}, {figures_of(row)}",
    ]


def _message_line(node: MessageNode) -> Text:
    message = node.message
    who = (
        message.role if message.origin in (None, "human") else f"{message.role} ({message.origin})"
    )
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append(f"#{node.number} {one_line(who, limit=40)}", "bold")
    if message.role == "assistant":
        usage = message.usage
        read = None if usage is None else amount(usage.input)
        written = None if usage is None else amount(usage.output)
        line.append(f"  {read or UNKNOWN} in, {written or UNKNOWN} out", "dim")
    return line.append(f"  {_message_text(message)}")


def _message_text(message: Message) -> str:
    if message.content.strip():
        return one_line(message.content, limit=_TEXT_LENGTH)
    if message.thinking:
        return f"(thinking) {one_line(message.thinking, limit=_TEXT_LENGTH)}"
    return "" if message.tool_calls else "(no text)"


def _call_line(call: ToolCall) -> Text:
    code = "" if call.exit_code is None else f", exit {call.exit_code}"
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append(one_line(call.tool, limit=60), "bold blue")
    line.append(f"  {one_line(call.status, limit=20)}{code}", _CALL_STYLES.get(call.status, "red"))
    line.append(f"  {duration(call.duration_ms) or UNKNOWN}", "dim")
    return line.append(f"  {_call_text(call)}")


def _call_text(call: ToolCall) -> str:
    """What a call was about: the argument that says most, else all that it was given."""
    for name in _MAIN_ARGUMENTS:
        value = call.args.get(name)
        if isinstance(value, str) and value.strip():
            return one_line(value, limit=_TEXT_LENGTH)
        if isinstance(value, list) and value:
            return one_line(", ".join(map(str, value[:5])), limit=_TEXT_LENGTH)
    if not call.input:
        return ""
    return one_line(msgspec.json.encode(call.input).decode(), limit=_TEXT_LENGTH)


def _add_scores(tree: Tree, row: Row) -> None:
    branch = tree.add(Text(f"scores: {points(row.score) or UNKNOWN}", "bold"))
    for one in row.scores:
        branch.add(_score_line(one))


def _score_line(score: Score) -> Text:
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append(one_line(shown_verdict(score)), VERDICT_STYLES.get(score.verdict, ""))
    line.append(f"  {points(score.score) or UNKNOWN}  {one_line(score.name, limit=80)}")
    if score.reason:
        line.append(f": {one_line(score.reason, limit=_TEXT_LENGTH)}")
    where = next((one.message for one in score.evidence if one.message is not None), None)
    return line if where is None else line.append(f" (at #{where})")


def _node_as_json(node: Node) -> dict[str, Any]:
    if isinstance(node, AgentNode):
        return {
            "agent_id": node.agent_id,
            "messages": [_node_as_json(one) for one in node.messages],
        }
    message = node.message
    return {
        "message": node.number,
        "line": message.line,
        "role": message.role,
        "origin": message.origin,
        "timestamp": message.timestamp,
        "usage": None if message.usage is None else msgspec.to_builtins(message.usage),
        "text": _message_text(message),
        "calls": [_call_as_json(one) for one in node.calls],
        "agents": [_node_as_json(one) for one in node.agents],
    }


def _call_as_json(node: CallNode) -> dict[str, Any]:
    call = node.call
    return {
        "tool": call.tool,
        "kind": call.kind,
        "status": call.status,
        "exit_code": call.exit_code,
        "duration_ms": call.duration_ms,
        "line": call.line,
        "text": _call_text(call),
        "agents": [_node_as_json(one) for one in node.agents],
    }
