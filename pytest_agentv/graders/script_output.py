"""What a script says: its grade, by the JSON that it printed or else by its exit code.

Both forms of AgentV's are understood: ``assertions`` of version 4 and ``checks`` of version 5.
What a script gets wrong is an error and no grade: a score out of range, JSON that is torn, a
program that broke down.
"""

from __future__ import annotations

import json
import re
import signal
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.grade import Grade
from pytest_agentv.graders.json_text import Unreadable, parse
from pytest_agentv.graders.phrases import counted, number, shown
from pytest_agentv.graders.scores import reaches

if TYPE_CHECKING:
    from pytest_agentv.graders.script_process import Finished

# One of the keys of a grade, in JSON or in a mapping as Python prints it.
_VERDICT = re.compile(r"""[{,]\s*(["'])(?:pass|score|checks|assertions)\1\s*:""")
# Words that an exit code can contradict.
_YES = frozenset({"true"})
_NO = frozenset({"false", "null", "none"})
# From here on exit codes say that a program was not found or not run, or what ended it.
_FIRST_BAD_CODE = 126

# Characters of a phrase, of one text in the details, and of all of them.
_PHRASE = 200
_TEXT = 500
_DETAILS = 10_000
_MOST_CHECKS = 100


class Check(NamedTuple):
    """One thing that a script looked at."""

    text: str
    holds: bool
    score: float | None
    reason: str
    evidence: str

    @property
    def points(self) -> float:
        """Its score, or what its outcome amounts to."""
        return float(self.holds) if self.score is None else self.score

    def __str__(self) -> str:
        said = [one for one in (self.text, self.reason) if one]
        line = ": ".join(
            ["passed" if self.holds else "failed", *(_cut(one, _TEXT) for one in said)]
        )
        return f"{line}\n    {_cut(self.evidence, _TEXT)}" if self.evidence else line


def script_grade(finished: Finished, *, claim: str, threshold: float | None = None) -> Grade:
    """The grade that a finished script gives.

    A threshold is for its score. A script that says that the session is bad has the last word.
    """
    _check_end(finished)
    printed = finished.stdout.strip()
    if finished.code != 0 or not printed.startswith("{"):
        _check_text(printed, finished.code)
        reason = f"exit code {finished.code}"
        if printed:
            reason += f": {_line(printed)}"
        return Grade("failed" if finished.code else "passed", reason, None, claim)
    try:
        said = parse(printed)
    except Unreadable as exc:
        raise NotGradable(f"it printed something like JSON that cannot be read: {exc}") from exc
    return _grade(said, claim, threshold)


def _check_end(finished: Finished) -> None:
    """A script that broke down gives no grade."""
    code = finished.code
    complaint = finished.stderr.strip()
    if code < 0:
        ended = f"it was ended by {_signal(-code)}"
    elif code and (complaint or finished.stdout.lstrip()[:1] in ("{", "[")):
        ended = f"it ended with exit code {code}"
    elif code >= _FIRST_BAD_CODE:
        ended = f"it ended with exit code {code}, as programs do that cannot be run or are stopped"
    else:
        return
    said = complaint or _cut(finished.stdout.strip(), _TEXT)
    raise NotGradable(f"{ended}: {said}" if said else ended)


def _signal(code: int) -> str:
    try:
        return signal.Signals(code).name
    except ValueError:
        return f"signal {code}"


def _check_text(printed: str, code: int) -> None:
    """What a script says in JSON is not taken for plain text, wherever it stands and however torn.

    Its exit code would then be the grade, and that mostly is 0.
    """
    # UTF-16 has a NUL in every letter, and JSON in a JSON text has its quotes escaped.
    text = printed.replace("\0", "")
    if _VERDICT.search(text.replace('\\"', '"') if text.startswith('"') else text):
        raise NotGradable("it printed more than an object of JSON; print all else to stderr")
    if printed.lower() in (_YES if code else _NO):
        raise NotGradable(f"it printed {printed!r} and ended with exit code {code}")


def _grade(said: dict[str, Any], claim: str, threshold: float | None) -> Grade:
    checks = _checks(said)
    passes = _flag(said, "pass", "`pass`")
    score = _score(said, "`score`")
    if score is None:
        if checks:
            score = sum(one.points for one in checks) / len(checks)
        elif passes is not None:
            score = float(passes)
        else:
            raise NotGradable("its JSON has neither `pass`, `score`, `checks` nor `assertions`")
    holds = reaches(score, 1) if passes is None else passes
    reason = _string(said, "reason") or _found(checks)
    if passes is False:
        threshold = None
    if not reason and threshold is None:  # else the threshold is told with the score
        reason = f"score {number(score)}"
    grade = Grade(
        "passed" if holds else "failed",
        _line(reason),
        score,
        claim,
        details=_details(checks, said.get("details")),
    )
    return grade if threshold is None else grade.against(threshold)


def _checks(said: dict[str, Any]) -> list[Check]:
    key = "assertions" if said.get("checks") is None else "checks"
    listed = said.get(key)
    if listed is None:
        return []
    if not isinstance(listed, list):
        raise NotGradable(f"`{key}` of its JSON is no list but {shown(listed)}")
    return [_check(one, f"{key}[{position}]") for position, one in enumerate(listed)]


def _check(one: Any, place: str) -> Check:
    if not isinstance(one, dict) or not isinstance(one.get("text"), str):
        raise NotGradable(f"`{place}` of its JSON has no `text`: {shown(one)}")
    key = "passed" if one.get("pass") is None else "pass"
    holds = _flag(one, key, f"`{place}.{key}`")
    if holds is None:
        raise NotGradable(f"`{place}` of its JSON says neither `pass` nor `passed`")
    return Check(
        one["text"],
        holds,
        _score(one, f"`{place}.score`"),
        _string(one, "reason"),
        _string(one, "evidence"),
    )


def _flag(said: dict[str, Any], key: str, name: str) -> bool | None:
    value = said.get(key)
    if value is None or isinstance(value, bool):
        return value
    raise NotGradable(f"{name} of its JSON must be true or false, not {shown(value)}")


def _score(said: dict[str, Any], name: str) -> float | None:
    value = said.get("score")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise NotGradable(f"{name} of its JSON must be a number, not {shown(value)}")
    # Sums of shares may miss 1 by a rounding error; a number of hundreds of digits is no sum.
    if 1 < value < 2 and reaches(1, value):  # noqa: PLR2004
        return 1.0
    if not 0 <= value <= 1:
        raise NotGradable(f"{name} of its JSON must be a number from 0 to 1, not {shown(value)}")
    return float(value)


def _string(said: dict[str, Any], key: str) -> str:
    value = said.get(key)
    return value.strip() if isinstance(value, str) else ""


def _found(checks: list[Check]) -> str:
    if not checks:
        return ""
    failures = [one for one in checks if not one.holds]
    if not failures:
        return f"{counted(len(checks), 'check')} passed"
    first = failures[0]
    return f"{len(failures)} of {counted(len(checks), 'check')} failed: {first.text}"


def _details(checks: list[Check], more: Any) -> str:
    lines = [str(one) for one in checks[:_MOST_CHECKS]]
    if len(checks) > _MOST_CHECKS:
        lines.append(f"… and {counted(len(checks) - _MOST_CHECKS, 'check')} more")
    if isinstance(more, dict) and more:
        lines.append(f"details: {_cut(json.dumps(more, ensure_ascii=False), _TEXT)}")
    return _cut("\n".join(lines), _DETAILS)


def _line(text: str) -> str:
    return " ".join(_cut(text, _PHRASE).split())


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
