"""The keys of an eval file, of a test and of an assertion, and what they may hold."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from pytest_agentv.evalfile.placed import shown

MAX_ID = 100
_TAG = re.compile(r"[A-Za-z][\w.+/-]*")
# Marks of pytest's own, and what to write instead.
_PYTEST_MARKS = {
    "skip": "write `skip: true` or a reason",
    "skipif": "write `skip` with a reason",
    "xfail": "write `xfail: true` or a reason",
    "parametrize": "give several transcripts instead",
    "usefixtures": "use an autouse fixture instead",
    "filterwarnings": "set it in pytest's configuration",
}


def _tag(text: str) -> str:
    if text in _PYTEST_MARKS:
        message = f"cannot be {shown(text)}, a mark of pytest's own; {_PYTEST_MARKS[text]}"
        raise _wrong(message)
    if not _TAG.fullmatch(text):
        message = f"{shown(text)} is no tag: a letter, then letters, digits and any of _ . + / -"
        raise _wrong(message)
    return text


def _id(text: str) -> str:
    if problem := wrong_with_id(text):
        raise _wrong(f"{shown(text)} {problem}")
    return text


def wrong_with_id(text: str) -> str | None:
    """Why a text cannot be the id of a test; None if it can."""
    checks = [
        (not text, "is empty"),
        (len(text) > MAX_ID, f"is longer than {MAX_ID} characters"),
        (not text.isprintable(), "has characters that cannot be printed"),
        ("{{" in text, "cannot have a template: it must be the same in every run"),
        (text != text.strip(), "starts or ends with a blank"),
        (" " in text, f"has spaces; write {shown('-'.join(text.split()))}"),
        ("::" in text, "has '::', which divides the names of pytest; write ':' or '-'"),
        (bool({"[", "]"} & set(text)), "has brackets, which name the transcript; write ( and )"),
    ]
    return next((problem for wrong, problem in checks if wrong), None)


def _said(text: str) -> str:
    if not text.strip():
        raise _wrong("is empty")
    return text


def _reason(text: str) -> str:
    if text.strip().lower() in ("true", "false"):
        raise _wrong(f"is the text {shown(text)}; leave the quotes out, or give a reason")
    return _said(text)


def _some(texts: list[str]) -> list[str]:
    if not texts:  # a test would be skipped, as if nobody had given it a session
        raise _wrong("is empty: give it a value, or leave it out")
    return texts


def _wrong(message: str) -> PydanticCustomError:
    return PydanticCustomError("eval_file", "{message}", {"message": message})


Said = Annotated[str, AfterValidator(_said), WithJsonSchema({"type": "string", "minLength": 1})]
Reason = Annotated[str, AfterValidator(_reason), WithJsonSchema({"type": "string", "minLength": 1})]
Tag = Annotated[
    str,
    AfterValidator(_tag),
    WithJsonSchema({"type": "string", "pattern": "^[A-Za-z][\\w.+/-]*$"}),
]
TestId = Annotated[
    str,
    AfterValidator(_id),
    WithJsonSchema({"type": "string", "pattern": "^[^\\s\\[\\]]+$", "maxLength": MAX_ID}),
]
Share = Annotated[float, Field(gt=0, le=1)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Texts = (
    Said | Annotated[list[Said], AfterValidator(_some), Field(json_schema_extra={"minItems": 1})]
)


class Keys(BaseModel):
    """What a mapping of an eval file may hold."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        hide_input_in_errors=True,
        populate_by_name=True,
        defer_build=True,  # most files use few of these
    )


class GateKeys(Keys):
    """The keys of ``gate``."""

    pass_rate: Share


class Defaults(Keys):
    """The keys of ``default_test``, which a test has, too."""

    # These five are looked at where their parts are known: they hold templates or other files.
    vars: Any = None
    assertions: Any = Field(None, alias="assert")
    execution: Any = None
    run: Any = None
    options: Any = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    tags: list[Tag] = Field(default_factory=list)
    threshold: Share | None = None
    gate: Share | GateKeys | None = None
    transcript: Texts | None = None
    cost_usd: Amount | None = None


class XfailKeys(Keys):
    """The keys of ``xfail``."""

    reason: str = ""
    strict: bool | None = None


class TestKeys(Defaults):
    """The keys of a test."""

    __test__ = False

    id: TestId | None = None
    description: str | None = None
    input: Any = None
    input_files: list[Said] | None = None
    expected_output: Any = None
    criteria: str | None = None
    rubrics: Any = None
    skip: bool | Reason = False
    xfail: bool | Reason | XfailKeys = False


class FileKeys(Keys):
    """The keys at the top of an eval file."""

    name: Said | None = None
    description: str | None = None
    version: str | None = None
    category: str | None = None
    # A mapping labels the runs of AgentV 5: it says nothing about tests.
    tags: list[Tag] | dict[str, Any] = Field(default_factory=list)
    metadata: dict[str, Any] = Field(default_factory=dict)
    threshold: Share | None = None
    transcript: Texts | None = None
    input: Any = None
    input_files: list[Said] | None = None
    vars: Any = None
    assertions: Any = Field(None, alias="assert")
    default_test: Any = None
    # Of AgentV 5; its `grader` says who judges.
    defaults: Any = None
    execution: Any = None
    tests: Any = None
    imports: Any = None
    scenarios: Any = None


class ImportsKeys(Keys):
    """The key of ``imports`` that is read."""

    tests: Any = None


class ImportedKeys(Keys):
    """The keys of one import: where its tests stand, and what is enough for them."""

    path: Said | None = None
    run: Any = None


class ScenarioKeys(Keys):
    """The keys of a scenario: rows of settings, and the tests that each of them is for."""

    description: str | None = None
    config: Any = None
    tests: Any = None


class RowKeys(Defaults):
    """The keys of a row of settings."""

    id: TestId | None = None
    description: str | None = None


class Execution(Keys):
    """The keys of ``execution`` that say something about grading; others steer live runs."""

    threshold: Share | None = None
    skip_defaults: bool = False
    assertions: Any = Field(None, alias="assert")


class Run(Keys):
    """The key of ``run`` that says something about grading; others steer live runs."""

    threshold: Share | None = None


class Options(Keys):
    """``options``: none of its keys says something about grading here."""


class CommonKeys(Keys):
    """The keys that every assertion may have."""

    metric: Said | None = None
    weight: Amount = 1.0
    required: bool | Share = False
    min_score: Share | None = None
    on_missing: Literal["skip", "fail"] | None = None
    negate: bool = False


class TestsFile(Keys):
    """The keys of a file that holds the tests of an eval file."""

    __test__ = False

    name: str | None = None
    description: str | None = None
    tests: Any = None


class TemplateFile(Keys):
    """The keys of a file that an ``include`` names."""

    name: str | None = None
    description: str | None = None
    assertions: Any = Field(None, alias="assert")
