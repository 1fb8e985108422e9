"""The types of a run that was kept. The files of a run hold exactly these fields.

Where AgentV has a field for something, it has the same name here. Unknown is ``None``, never 0.
Reading is lenient: rows of AgentV, and of newer versions of ours, lack some fields and have others.
No struct can be part of a cycle, so the garbage collector need not look at them (``gc=False``).
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from pytest_agentv.transcript.model import Source, TokenUsage  # noqa: TC001 (structs need them)

SCHEMA_VERSION = "1.0"

# Of an assertion. ``soft``: it does not hold, and the score of its case is what counts.
Verdict = Literal["pass", "fail", "error", "skip", "soft"]
# Of a case on one session.
Outcome = Literal["passed", "failed", "error", "skipped"]
# Of an assertion on all sessions of a provider, as a baseline has it.
BaselineOutcome = Literal["passed", "failed", "skipped", "error", "soft"]
# What AgentV calls the same.
ExecutionStatus = Literal["ok", "quality_failure", "execution_error"]


class Place(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A place in a transcript that decided: number of the message from 1, line of the session."""

    message: int | None = None
    line: int | None = None
    excerpt: str = ""


class Judged(Struct, frozen=True, kw_only=True, gc=False):
    """Who judged an assertion, and what it took; None where nobody says it."""

    model: str = ""
    cached: bool = False
    # Assertions that were judged together have it in common, and what it took.
    question: str = ""
    samples: int = 1
    agreement: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class Score(Struct, frozen=True, kw_only=True, gc=False):
    """What became of one assertion on one session."""

    name: str = ""
    type: str = ""
    verdict: str = ""
    # From 0 to 1; None if nothing was graded.
    score: float | None = None
    weight: float = 1.0
    required: bool = False
    negated: bool = False
    # What it claims, and what was found or why it could not be graded.
    claim: str = ""
    reason: str = ""
    # Several lines more: a diff, a table of checks.
    details: str = ""
    evidence: tuple[Place, ...] = ()
    # Why the run does not fail though this does: an expected failure, a gate, the baseline.
    excused: str | None = None
    # Of its entry in the eval file, from 1.
    line: int | None = None
    duration_ms: float | None = None
    judge: Judged | None = None


class Claim(Struct, frozen=True, kw_only=True, gc=False):
    """An assertion as AgentV's rows list it: ``passed`` is false for all that does not hold."""

    text: str = ""
    passed: bool = False
    evidence: str = ""


class Figures(Struct, frozen=True, kw_only=True, gc=False):
    """What a session took, as far as it says so."""

    token_usage: TokenUsage | None = None
    duration_ms: int | None = None
    cost_usd: float | None = None
    messages: int | None = None
    llm_calls: int | None = None
    tool_calls: int | None = None
    tool_errors: int | None = None
    # Calls of each kind of tool.
    tools: dict[str, int] = field(default_factory=dict)


class Row(Struct, frozen=True, kw_only=True, gc=False):
    """A case on one session: a line of ``index.jsonl``."""

    schema_version: str = SCHEMA_VERSION
    # When it was graded.
    timestamp: str | None = None
    test_id: str
    # The name of the eval file, by its own word or by that of its path.
    suite: str = ""
    category: str | None = None
    tags: tuple[str, ...] = ()
    # Relative to pytest's root directory, and the line of the test in it.
    eval_file: str = ""
    line: int | None = None
    # ``adds-jwt[claude-cli]``: the test and the session, as in the ids of pytest.
    case: str = ""
    # The provider of the session; None: there was no session.
    target: str | None = None
    # The weighted mean of the assertions that were graded; None for an error.
    score: float | None = None
    threshold: float | None = None
    # None only where AgentV wrote the row.
    outcome: str | None = None
    execution_status: str | None = None
    # Why there is nothing better to say than that: an error, a skip.
    error: str | None = None
    # Assertions that were to be graded, and were not when the run broke off.
    ungraded: int = 0
    source: Source | None = None
    # The first prompt of the session, shortened.
    input: str | None = None
    # In the folder of the run; None of the line: the file holds no other transcript.
    transcript_path: str | None = None
    transcript_line: int | None = None
    token_usage: TokenUsage | None = None
    duration_ms: int | None = None
    cost_usd: float | None = None
    messages: int | None = None
    llm_calls: int | None = None
    tool_calls: int | None = None
    tool_errors: int | None = None
    tools: dict[str, int] = field(default_factory=dict)
    scores: tuple[Score, ...] = ()
    assertions: tuple[Claim, ...] = ()

    @property
    def transcript(self) -> str | None:
        """What its transcript is called in the folder of the run: ``transcripts.jsonl:12``."""
        if self.transcript_path is None or self.transcript_line is None:
            return self.transcript_path
        return f"{self.transcript_path}:{self.transcript_line}"


class Repeats(Struct, frozen=True, kw_only=True, gc=False):
    """How one test did on several sessions of one provider."""

    eval_file: str
    test_id: str
    target: str
    # Sessions that were graded; those that were skipped or broken are not.
    runs: int
    passed: int
    errors: int = 0
    skipped: int = 0
    pass_rate: float | None = None
    # At a confidence of 95 %.
    wilson_low: float | None = None
    wilson_high: float | None = None
    # For k = 1, 2, …: that one of k passes, and that all k pass.
    pass_at_k: tuple[float, ...] = ()
    pass_hat_k: tuple[float, ...] = ()
    # What the gate of the test says of them, if it has one.
    gate: Score | None = None


class Totals(Struct, frozen=True, kw_only=True, gc=False):
    """Cases of one target."""

    target: str | None
    cases: int
    passed: int
    failed: int
    errors: int
    skipped: int
    mean_score: float | None = None


class Summary(Struct, frozen=True, kw_only=True, gc=False):
    """A run as a whole: ``summary.json``."""

    schema_version: str = SCHEMA_VERSION
    run_id: str
    started_at: str | None = None
    ended_at: str | None = None
    # Whether everything was graded that was to be.
    complete: bool = False
    # Of pytest; None if it never ended.
    exit_status: int | None = None
    # Versions of what graded.
    agentv_version: str | None = None
    pytest_version: str | None = None
    # What pytest was called with.
    arguments: tuple[str, ...] = ()
    targets: tuple[Totals, ...] = ()
    repeats: tuple[Repeats, ...] = ()
