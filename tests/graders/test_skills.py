"""Skills that a session used: by a tool, or by reading their files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from grading import graded, problems, session
from made_calls import made, ran, session_of

if TYPE_CHECKING:
    from pytest_agentv import ToolCall, Transcript

HOME = "/home/dev/.agents/skills"


def _outcomes(transcript: Transcript, **keys: Any) -> tuple[str, str]:
    """What becomes of an assertion, and of its opposite."""
    grade = graded("skill-used", transcript, **keys)
    return grade.outcome, grade.negated().outcome


@pytest.mark.parametrize(
    "call",
    [
        made("Skill", {"skill": "review", "args": "1"}),
        made("Skill", {"skill": "my-plugin:review"}),
        made("Skill", {"command": "review"}),
        made("SlashCommand", {"command": "/review the last commit"}),
        made("Read", {"file_path": f"{HOME}/review/SKILL.md"}),
        made("Read", {"file_path": "D:\\shop\\.claude\\skills\\review\\SKILL.md"}),
        ran(f"sed -n '1,240p' {HOME}/review/SKILL.md", of="codex-cli"),
        ran("cd skills/review && cat SKILL.md", of="codex-cli"),
        made("skills__read", {"name": "review"}, of="codex-cli"),
        made("skill", {"skill": "review"}, of="copilot-cli"),
        made("view", {"path": ".github/skills/review/SKILL.md"}, of="copilot-cli"),
    ],
)
def test_a_skill_is_seen_in_the_sessions_of_every_client(call: ToolCall) -> None:
    transcript = session_of(call)
    for value in ("review", "rev*", ["review"], {"name": "review"}, {"pattern": "r*", "max": 1}):
        assert _outcomes(transcript, value=value) == ("passed", "failed")
    assert _outcomes(transcript, value="deploy") == ("failed", "passed")
    assert _outcomes(transcript, value={"name": "review", "min": 2}) == ("failed", "passed")


@pytest.mark.parametrize(
    "call",
    [
        ran(f"ls {HOME}/review/SKILL.md"),
        made("Grep", {"pattern": "x", "path": f"{HOME}/review/SKILL.md"}),
        made("Write", {"file_path": f"{HOME}/review/SKILL.md"}),
        made("Read", {"file_path": f"{HOME}/review/NOTES.md"}),
        made("Read", {"file_path": "docs/review/SKILL.md"}),
        made("Skill", {"skill": "review"}, status="error"),
        made("Skill", {"skill": "review"}, status="denied"),
        made("Skill", {"skill": 5}),
        made("Skill", "review"),
    ],
)
def test_what_is_no_use_of_a_skill(call: ToolCall) -> None:
    grade = graded("skill-used", session_of(call), value="*")
    assert (grade.outcome, grade.reason) == ("failed", "used no skill")


def test_of_a_call_without_an_answer_nobody_knows() -> None:
    transcript = session_of(made("Skill", {"skill": "review"}, status="unknown"))
    assert _outcomes(transcript, value="review") == ("skipped", "skipped")
    assert _outcomes(transcript, value="deploy") == ("failed", "passed")


def test_of_a_call_without_its_arguments_nobody_knows_which_skill_it_was() -> None:
    transcript = session_of(made("Skill", None), made("Skill", {"skill": "review"}))
    assert _outcomes(transcript, value="deploy") == ("skipped", "skipped")
    assert _outcomes(transcript, value="review") == ("passed", "failed")
    assert _outcomes(transcript, value="review", max=1) == ("skipped", "skipped")
    grade = graded("skill-used", transcript, value="deploy")
    assert grade.reason == "used 'deploy' 0 times, and perhaps 1 more"


def test_a_file_that_is_read_in_parts_is_one_use() -> None:
    part = f"sed -n '{{}}p' {HOME}/review/SKILL.md"
    calls = [ran(part.format(lines), of="codex-cli") for lines in ("1,200", "201,400")]
    assert graded("skill-used", session_of(*calls), value={"name": "review", "max": 1})
    calls = [made("Skill", {"skill": "review"}), ran(f"cat {HOME}/review/SKILL.md")]
    assert graded("skill-used", session_of(*calls), value="review", max=1)
    calls = [made("Skill", {"skill": "review"}), made("Skill", {"skill": "review"})]
    assert graded("skill-used", session_of(*calls), value="review", min=2)


def test_all_of_several_skills_are_wanted() -> None:
    transcript = session_of(made("Skill", {"skill": "a"}), made("Skill", {"skill": "b"}))
    assert _outcomes(transcript, value=["a", "b"]) == ("passed", "failed")
    assert _outcomes(transcript, value=["a", "c"]) == ("failed", "failed")
    assert _outcomes(transcript, value=["c", "d"]) == ("failed", "passed")
    grade = graded("skill-used", transcript, value=["a", "c"])
    assert grade.claim == "the session used the skill 'a', 'c'"
    assert grade.reason == "used 'a', 'b', but not 'c'"
    assert grade.details.splitlines() == ["skills:", "  a", "  b"]


def test_the_form_of_agentv_4() -> None:
    used = session_of(made("Skill", {"skill": "review"}))
    assert graded("skill-trigger", used, skill="review")
    assert not graded("skill-trigger", used, skill="review", should_trigger=False)
    assert graded("skill-trigger", used, skill="deploy", should_trigger=False)
    assert graded("skill-trigger", session(), skill="deploy", should_trigger=False)


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({}, "needs either `value` or `skill`, the name of a skill"),
        ({"value": "a", "skill": "b"}, "needs either `value` or `skill`, the name of a skill"),
        ({"value": 5}, "must be a name, a list of names or a mapping, not 5"),
        ({"value": []}, "must be a name, a list of names or a mapping, not []"),
        ({"value": {"name": "a", "min": 3, "max": 2}}, "`min` 3 is more than `max` 2"),
        (
            {"value": {"name": "a"}, "min": 3},
            "has `min` or `max` both in `value` and beside it; keep them in `value`",
        ),
    ],
)
def test_a_wrong_entry_is_told(keys: dict[str, Any], problem: str) -> None:
    ((_, message),) = problems("skill-used", **keys)
    assert message == problem
