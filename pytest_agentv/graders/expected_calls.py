"""Calls as eval files describe them, and where in a session they were made.

A session does not always say what a call's arguments were, or how long it took. Then nobody knows
whether the call is one that was expected: it may be, and so nothing that depends on it is decided.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, get_args

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from pytest_agentv.graders.alignment import bits_of
from pytest_agentv.graders.calls import (
    arguments_known,
    arguments_named,
    check_expected,
    is_literal,
    value_at,
)
from pytest_agentv.graders.equality import identity
from pytest_agentv.graders.fields import Limit, Text, wrong
from pytest_agentv.graders.phrases import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic import GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema

    from pytest_agentv.graders.calls import Matcher, Step
    from pytest_agentv.transcript.model import ToolCall

# More would take long to compare with a session of many thousand calls.
MAX_EXPECTED = 500
# Arguments that a phrase shows.
_SHOWN = 3

_Mode = Literal["exact", "superset", "subset", "ignore"]


def _args_match(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        if not value:
            raise wrong("must not be empty: list at least one argument, or write ignore")
        return tuple(value)
    if value not in get_args(_Mode):
        modes = ", ".join(get_args(_Mode))
        raise wrong(f"must be one of {modes}, or a list of arguments, not {shown(value)}")
    return value


def _args(value: Any) -> Any:
    if value is None or value == "any":
        return None
    if not isinstance(value, dict):
        raise wrong(f"must be a mapping or 'any', not {shown(value)}")
    return comparable(value)


def comparable(value: Any) -> Any:
    """A value with which arguments can be compared."""
    try:
        check_expected(value)
    except ValueError as exc:
        raise wrong(str(exc)) from exc
    return value


def items(value: Any) -> Any:
    """A list that is not too long."""
    if not isinstance(value, (list, tuple)):
        raise wrong(f"must be a list of calls, not {shown(value)}")
    if len(value) > MAX_EXPECTED:
        raise wrong(f"has {len(value):,} calls; {MAX_EXPECTED:,} may be")
    return tuple(value)


ArgsMatch = Annotated[_Mode | tuple[Text, ...], BeforeValidator(_args_match)]
Args = Annotated[dict[str, Any] | Literal["any"] | None, BeforeValidator(_args)]


class NamedModel(BaseModel, defer_build=True):
    """Keys of which one is a name; a text alone is that name."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)

    name_key: ClassVar[str] = "name"

    @model_validator(mode="before")
    @classmethod
    def _is_a_name(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {cls.name_key: value}
        if isinstance(value, (dict, cls)):
            return value
        raise wrong(f"must be a name or a mapping, not {shown(value)}")

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """What pydantic says of the keys, and that a text will do."""
        described = handler.resolve_ref_schema(handler(core_schema))
        return {"anyOf": [{"type": "string", "minLength": 1}, dict(described)]}


class ExpectedCall(NamedModel):
    """A call that is expected: a tool, and what may be said of its arguments and its time."""

    name_key: ClassVar[str] = "tool"

    tool: Text = Field(validation_alias=AliasChoices("tool", "name"))
    args: Args = None
    args_match: ArgsMatch | None = Field(
        None, validation_alias=AliasChoices("args_match", "argsMatch")
    )
    max_duration_ms: Limit | None = Field(
        None, validation_alias=AliasChoices("max_duration_ms", "maxDurationMs")
    )

    @model_validator(mode="after")
    def _arguments_are_there(self) -> ExpectedCall:
        if isinstance(self.args_match, tuple):
            for name in self.args_match:
                if value_at(self.arguments, name) is None:
                    raise wrong(f"`args_match` lists {shown(name)}, of which `args` says nothing")
        return self

    def __str__(self) -> str:
        said = [f"{name}={shown(one)}" for name, one in list(self.arguments.items())[:_SHOWN]]
        more = len(self.arguments) - len(said)
        limit = [] if self.max_duration_ms is None else [f"within {self.max_duration_ms:,.0f} ms"]
        return " ".join([shown(self.tool)[1:-1], *said, *(["…"] if more else []), *limit])

    @property
    def arguments(self) -> dict[str, Any]:
        """What is expected of the arguments; nothing, if any will do."""
        return self.args if isinstance(self.args, dict) else {}

    def asks_for_arguments(self, mode: ArgsMatch) -> bool:
        """Whether there are arguments that a call of the tool could not have."""
        if not isinstance(self.args, dict) or mode == "ignore":
            return False
        return bool(self.args) or mode in ("exact", "subset")


class Sightings(NamedTuple):
    """Which calls fit each expected one; bit ``j`` of a row stands for call ``j``."""

    # They fit for sure.
    sure: list[int]
    # They fit, as far as anybody can say.
    possible: list[int]
    # Their tool fits.
    named: list[int]


def mode_of(item: ExpectedCall, default: ArgsMatch) -> ArgsMatch:
    """How the arguments of an expected call are compared."""
    return default if item.args_match is None else item.args_match


def sightings(
    expected: Sequence[ExpectedCall],
    made: Sequence[Step],
    matcher: Matcher,
    default: ArgsMatch = "superset",
    *,
    trusts_timestamps: bool = True,
) -> Sightings:
    """Where in a session each expected call may have been made.

    Times from a call to its result may include a wait for a permission; if they are not trusted,
    nobody knows whether such a call took too long.
    """
    by_tool: dict[tuple[str, str], list[int]] = {}
    for position, (call, *_) in enumerate(made):
        by_tool.setdefault((call.tool, call.kind), []).append(position)
    texts = TextsOfCalls(made)
    # The same call is often expected again.
    known: dict[Any, tuple[int, int, int]] = {}
    found = Sightings([], [], [])
    for item in expected:
        mode = mode_of(item, default)
        key = (item.tool, identity(item.args), mode, item.max_duration_ms)
        if key not in known:
            named = [
                position
                for positions in by_tool.values()
                if matcher.is_tool(made[positions[0]].call, item.tool)
                for position in positions
            ]
            fits = partial(
                is_call, item=item, mode=mode, matcher=matcher, trusts_timestamps=trusts_timestamps
            )
            among = texts.candidates(item, named, mode)
            known[key] = _rows(item, mode, (named, among), made, fits)
        for rows, row in zip(found, known[key], strict=True):
            rows.append(row)
    return found


class TextsOfCalls:
    """Calls by the texts of their arguments: many expected calls must not look at every call."""

    def __init__(self, made: Sequence[Step]) -> None:
        self._made = made
        # By the name of an argument: the calls with each text, and those that have to be looked at.
        self._of: dict[str, tuple[dict[str, list[int]], list[int]]] = {}

    def candidates(self, item: ExpectedCall, named: list[int], mode: ArgsMatch) -> list[int]:
        """Calls that may have the first argument that is expected word by word; else all."""
        name = next((one for one, text in item.arguments.items() if is_literal(text)), None)
        if name is None or mode not in ("superset", "exact"):
            return named
        if name not in self._of:
            self._of[name] = self._indexed(name)
        by_text, others = self._of[name]
        found = {*by_text.get(str(item.arguments[name]), ()), *others}
        return sorted(found.intersection(named))

    def _indexed(self, name: str) -> tuple[dict[str, list[int]], list[int]]:
        by_text: dict[str, list[int]] = {}
        others = []
        for position, step in enumerate(self._made):
            call = step.call
            # A path has several forms.
            if call.paths or not arguments_known(call):
                others.append(position)
                continue
            for value in arguments_named(call, name):
                if isinstance(value, str):
                    by_text.setdefault(value, []).append(position)
        return by_text, others


def _rows(
    item: ExpectedCall,
    mode: ArgsMatch,
    places: tuple[list[int], list[int]],
    made: Sequence[Step],
    fits: Callable[[ToolCall], bool | None],
) -> tuple[int, int, int]:
    """The rows of one expected call, given the calls whose tool fits, and those worth a look."""
    named, among = places
    every = bits_of(named, len(made))
    if item.max_duration_ms is None and not item.asks_for_arguments(mode):
        return every, every, every
    fitting: dict[bool | None, list[int]] = {True: [], False: [], None: []}
    for position in among:
        fitting[fits(made[position].call)].append(position)
    sure = bits_of(fitting[True], len(made))
    return sure, sure | bits_of(fitting[None], len(made)), every


def is_call(
    call: ToolCall,
    item: ExpectedCall,
    mode: ArgsMatch,
    matcher: Matcher,
    *,
    trusts_timestamps: bool = True,
) -> bool | None:
    """Whether a call of the right tool is the expected one; None if nobody can say."""
    limit, took = item.max_duration_ms, call.duration_ms
    unknown = limit is not None and took is None
    if limit is not None and took is not None and took > limit:
        if trusts_timestamps or call.duration_source != "timestamps":
            return False
        unknown = True
    if item.asks_for_arguments(mode):
        if not arguments_known(call):
            unknown = True
        elif not matcher.matches(call, item.arguments, mode):
            return False
    return None if unknown else True
