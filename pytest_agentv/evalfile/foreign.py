"""What files of AgentV and promptfoo say that has no place here, and why.

Keys that steer live runs are left alone: the sessions were recorded already. What would change a
grade, and cannot be done here, is refused, so that nobody takes another grade for the one meant.
"""

from __future__ import annotations

_CODE = "code in eval files is not run"
_OWN = "write a Python assertion in conftest.py, or a `script`"
_TRANSFORM = f"the session is graded as it was recorded, and {_CODE}; {_OWN}"

# Keys of files, tests and defaults that only say how sessions are made, or what reports show.
LIVE_RUN = frozenset(
    {
        "$schema", "env", "environment", "evaluate_options", "extensions", "prompts", "provider",
        "providers", "target", "targets", "trials", "workspace",
        # Of AgentV 4 and its later versions.
        "budget_usd", "evaluator", "governance", "preprocessors", "repeat", "runs", "suite",
        "timeout_seconds", "workers",
    }
)  # fmt: skip
FILE_IGNORED = LIVE_RUN | {
    "author", "derived_metrics", "experiment", "license", "output_path", "policy",
    "requires",
    # Of promptfoo, which writes keys in another way.
    "commandLineOptions", "derivedMetrics", "evaluateOptions", "outputPath", "sharing", "tracing",
}  # fmt: skip
# Sessions are there already, so none depends on another; what belongs to `turns` alone.
TEST_IGNORED = LIVE_RUN | {
    "aggregation", "conversation_id", "depends_on", "mode", "on_dependency_failure",
    "on_turn_failure", "window_size",
}  # fmt: skip

_SCORING = f"{_CODE}: give the assertions a `weight` and the test a `threshold`"
FILE_REFUSED = {
    "expected_output": "`expected_output` belongs to a test",
    "graders": "`graders` is not read: write the assertions under `assert`",
    **dict.fromkeys(
        ("nunjucks_filters", "nunjucksFilters"),
        f"templates have no filters, and {_CODE}: put the finished values into `vars`",
    ),
    "redteam": "`redteam` lets a model make the tests up; write them under `tests`",
}
IMPORTS_REFUSED = {
    "suites": "a suite is an eval file of its own, with assertions of its own: give pytest its "
    "name, too",
}
IMPORTED_REFUSED = {
    "select": "an import has all tests of its files: name a file with those that are meant, or "
    "select them with `-k` and `-m`",
}
DEFAULTS_REFUSED = dict.fromkeys(("assert_scoring_function", "assertScoringFunction"), _SCORING)
TEST_REFUSED = {
    **DEFAULTS_REFUSED,
    "include": "`include` is not read in a list of tests: name the file, as in "
    "`- file://cases.yaml`",
    **dict.fromkeys(
        ("provider_output", "providerOutput"),
        "the answer that is graded is the recorded session's; name the session by `transcript`",
    ),
    "turns": "turns are played one by one in a live run, and a recorded session is graded as a "
    "whole: write what must hold under `assert`, with `in: any` for an answer on the way",
}
OPTIONS_REFUSED = {
    key: f"`{key}`: {_TRANSFORM}"
    for key in ("postprocess", "transform", "transform_vars", "transformVars")
}

# Keys of an assertion that say how a judge or a script is called; for all others they say nothing.
ASSERTION_IGNORED = frozenset({"config", "preprocessors", "provider"})
ASSERTION_REFUSED = {
    key: f"`{key}`: {_TRANSFORM}"
    for key in ("context_transform", "contextTransform", "postprocess", "transform")
}
TYPES_REFUSED = {
    **{
        name: f"`{name}` is code in an eval file, which is not run; {_OWN}"
        for name in ("javascript", "python", "ruby")
    },
    "webhook": "`webhook` would send the session away, and nothing is sent here; " + _OWN,
    "human": "`human` needs somebody who looks; nothing waits here",
    **{
        f"{kind}-judge": f"`{kind}-judge` is called `{kind}-grader` since AgentV 4"
        for kind in ("code", "llm")
    },
    "select-best": "`select-best` compares answers with each other; here each session is graded "
    "alone",
}
# Programs that would make tests: `generate.py:create_tests`.
GENERATED = r".*\.(?:py|[cm]?[jt]s)(?::\w+)?"
NOT_GENERATED = f"{_CODE}: write the tests into a file of YAML, JSON, JSON lines or CSV"
