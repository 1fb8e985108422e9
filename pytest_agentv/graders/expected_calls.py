"""Calls as eval files describe them, and where in a session they were made.

A session does not always say what a call's arguments were, or how long it took. Then nobody knows
whether the call is one that was expected: it may be, and so nothing that depends on it is decided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, get_args

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from pytest_agentv.graders.alignment import bits_of, positions_of
from pytest_agentv.graders.call_fields import comparable
from pytest_agentv.graders.call_index import CallIndex
from pytest_agentv.graders.call_outputs import CallOutputs
from pytest_agentv.graders.calls import value_at
from pytest_agentv.graders.equality import identity
from pytest_agentv.graders.fields import Glob, Limit, Text, wrong
from pytest_agentv.graders.phrases import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema

    from pytest_agentv.graders.calls import Matcher, Step

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
    """A call that is expected: a tool, and what may be said of arguments, output and time."""

    name_key: ClassVar[str] = "tool"

    tool: Glob = Field(validation_alias=AliasChoices("tool", "name"))
    args: Args = Field(None, validation_alias=AliasChoices("args", "input"))
    args_match: ArgsMatch | None = Field(
        None, validation_alias=AliasChoices("args_match", "argsMatch")
    )
    output: Annotated[Any, BeforeValidator(comparable)] = None
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
        rest = [] if self.output is None else [f"with the output {shown(self.output)}"]
        if self.max_duration_ms is not None:
            rest.append(f"within {self.max_duration_ms:,.0f} ms")
        return " ".join([shown(self.tool)[1:-1], *said, *(["…"] if more else []), *rest])

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
    index, outputs = CallIndex(made, matcher), CallOutputs(made, matcher)
    # The same call is often expected again.
    known: dict[Any, tuple[int, int, int]] = {}
    found = Sightings([], [], [])
    for item in expected:
        mode = mode_of(item, default)
        key = (item.tool, identity(item.args), mode, identity(item.output), item.max_duration_ms)
        if key not in known:
            named = index.named(item.tool)
            sure = possible = named
            if item.asks_for_arguments(mode):
                sure = index.matching(item.tool, item.arguments, mode)
                possible = sure | index.unknown(item.tool)
            if item.output is not None:
                right, silent = outputs.matching(item.output, possible)
                sure, possible = sure & right, possible & (right | silent)
            if item.max_duration_ms is not None:
                quick, slow = _timed(
                    item.max_duration_ms, made, possible, trusts_timestamps=trusts_timestamps
                )
                sure, possible = sure & quick, possible & ~slow
            known[key] = sure, possible, named
        for rows, row in zip(found, known[key], strict=True):
            rows.append(row)
    return found


def _timed(
    limit: float, made: Sequence[Step], among: int, *, trusts_timestamps: bool
) -> tuple[int, int]:
    """Which of some calls took no longer than that, and which did."""
    quick, slow = [], []
    for position in positions_of(among):
        call = made[position].call
        if call.duration_ms is None:
            continue
        if call.duration_ms <= limit:
            quick.append(position)
        elif trusts_timestamps or call.duration_source != "timestamps":
            slow.append(position)
    return bits_of(quick, len(made)), bits_of(slow, len(made))
