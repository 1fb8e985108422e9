"""A run as people have it: the example sessions of three clients, good and bad, with repeats."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from runs import MadeCase, make_run, score

from pytest_agentv import read_transcripts
from pytest_agentv.results.model import Figures

if TYPE_CHECKING:
    from pytest_agentv import Transcript
    from pytest_agentv.results.model import Score
    from pytest_agentv.results.reading import Run

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
CLIENTS = ("claude", "codex", "copilot")


def example(name: str) -> Transcript:
    """The first session of a file of the examples."""
    return next(read_transcripts(EXAMPLES / "transcripts" / name))


def figures_of(transcript: Transcript) -> Figures:
    """What a session took."""
    calls = transcript.tool_calls()
    tools = {kind: sum(call.kind == kind for call in calls) for kind in {c.kind for c in calls}}
    return Figures(
        token_usage=transcript.token_usage,
        duration_ms=transcript.duration_ms,
        cost_usd=transcript.cost_usd,
        messages=len(transcript.output),
        llm_calls=sum(one.role == "assistant" for one in transcript.output),
        tool_calls=len(calls),
        tool_errors=sum(call.failed for call in calls),
        tools=tools,
    )


def made_case(
    test_id: str, transcript: Transcript, *scores: Score, session: str = "", line: int = 3
) -> MadeCase:
    """A case on a session, whose provider is its target."""
    return MadeCase(
        test_id=test_id,
        target=transcript.source.provider,
        session=session,
        eval_file="evals/shop-api.eval.yaml",
        suite="shop-api",
        line=line,
        scores=scores,
        figures=figures_of(transcript),
        transcript=transcript,
    )


def deciding_call(transcript: Transcript) -> dict[str, object]:
    """A shell call as evidence: its message and its line."""
    found = next(
        (number, call)
        for number, message in enumerate(transcript.output, 1)
        for call in message.tool_calls
        if call.kind == "shell"
    )
    return {"message": found[0], "line": found[1].line, "excerpt": found[1].command or ""}


def example_run(root: Path, *, complete: bool = True) -> Run:
    """Four tests on three targets: passed, failed, soft, excused, broken, skipped and repeated."""
    cases = []
    for client in CLIENTS:
        session = example(f"login-limit/{client}.jsonl")
        cases.append(made_case("login-limit", session, *_verdicts(client, session)))
    audit = example("route-audit.jsonl")
    for number in range(1, 6):
        repeated = msgspec.structs.replace(
            audit, source=msgspec.structs.replace(audit.source, session_id=f"b84d17e{number}")
        )
        holds = number != 3
        said = "" if holds else "found: 3 routes, expected 2"
        cases.append(
            made_case(
                "route-audit",
                repeated,
                score("is-json", "pass", reason="it is JSON"),
                score("two-routes", "pass" if holds else "fail", reason=said, type="equals"),
                session=f"b84d17e{number}",
                line=30,
            )
        )
    expiry = example("token-expiry.jsonl")
    cases.append(
        made_case(
            "token-expiry",
            expiry,
            score(
                "ran-tests",
                "fail",
                claim="npm test was run",
                reason="no such command was run",
                excused="xfail",
            ),
            line=48,
        )
    )
    cases.append(
        MadeCase(
            test_id="upgrade-express",
            target=None,
            suite="shop-api",
            eval_file="evals/shop-api.eval.yaml",
            line=60,
            scores=(score("contains-Express-5", "skip", reason="no session yet"),),
        )
    )
    return make_run(root, cases, complete=complete, arguments=["evals", "--transcript=recorded"])


def _verdicts(client: str, session: Transcript) -> tuple[Score, ...]:
    tested = score(
        "ran-tests",
        type="command-run",
        claim="a command like npm test* was run",
        reason="it was run 2 times",
        evidence=[deciding_call(session)],
        line=11,
        required=True,
    )
    if client == "claude":
        slow = score(
            "latency",
            "soft",
            type="latency",
            claim="the session kept to at most 100,000 ms",
            reason="found: 114,244 ms",
            line=19,
        )
        return (tested, slow, score("score", type="score", claim="the score is at least 0.8"))
    if client == "codex":
        missing = score(
            "contains-Retry-After",
            "fail",
            claim="the final answer contains 'Retry-After'",
            reason="expected: the final answer contains 'Retry-After'\nfound: not found",
            details="expected  found\n--------  -----\nread      read\nedit      shell  differs",
            evidence=[deciding_call(session)],
            line=17,
        )
        return (tested, missing)
    broken = score("judge", "error", type="script", reason="the script ended with code 3", line=20)
    return (tested, broken)


class Texts(HTMLParser):
    """What a browser would show and do of a page, roughly: its texts, tags and attributes."""

    def __init__(self) -> None:
        super().__init__()
        # Each tag with each of the attributes that it has anywhere.
        self.structure: set[tuple[str, str]] = set()
        self.attributes: list[tuple[str, str]] = []
        self.parts: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the tag and what it carries."""
        self.structure |= {(tag, ""), *((tag, name) for name, _ in attrs)}
        self.attributes += [(name, value or "") for name, value in attrs]
        self._silent += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        """Texts are texts again after a script or style."""
        self._silent -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        """Note a text that people see."""
        if not self._silent:
            self.parts.append(data)


def read_page(path: Path) -> Texts:
    """A page as a browser reads it."""
    found = Texts()
    found.feed(path.read_text(encoding="utf-8"))
    found.close()
    return found
