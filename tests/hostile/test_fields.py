"""A wrong value in any field of any record that we read: the field is lost, nothing else is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_origin

import msgspec
import pytest
from claude_sessions import Json, Session, image, text, tokens, tool_use
from hostile_sessions import CONVERSATION, kept, lines
from hostile_vendors import CLAUDE

from pytest_agentv.adapters.claude import records, stream_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

WRONG: dict[str, Any] = {
    "null": None,
    "true": True,
    "0": 0,
    "-1": -1,
    "1.5": 1.5,
    "x": "x",
    "empty text": "",
    "empty list": [],
    "empty object": {},
    "list of a list": [[]],
    "object": {"a": 1},
    "long text": "long" * 2560,
}


class Place(NamedTuple):
    """A field: of which kind of record, and under which keys."""

    kind: str
    keys: tuple[str | int, ...]

    @property
    def path(self) -> str:
        """The field as drift names it: without places in lists."""
        return ".".join(key for key in self.keys if isinstance(key, str))


# Kinds of records that are part of the conversation, so that all of them is read.
_CONVERSATION = ("user", "image", "assistant", "result", "queue", "attachment", "local command")


def _records(turn: int = 0) -> dict[str, list[Json]]:
    """The record of each kind, last, with the records it takes before it to matter.

    Each turn has ids of its own, so that no record is taken for the copy of another.
    """
    session = Session("5e550000-0000-4000-8000-00000000ffff")
    call = f"toolu_8_{turn}"
    session.wait(3600 * turn)
    session.prompt([text("Next")], origin={"kind": "human"})
    session.prompt([image()])
    session.response(f"msg_8_{turn}", tool_use(call, "Bash", {"command": "ls"}), usage=tokens())
    session.tool_result(call, [text("a b")], noted={"durationMs": 5, "interrupted": False})
    session.queue("enqueue", "Wait")
    session.queue("remove", "Wait")
    session.attachment("queued_command", prompt="Stop", commandMode="prompt")
    session.progress({"type": "agent_progress", "agentId": "abc"}, call_id=call)
    session.about("custom-title", customTitle="Shop")
    session.about("summary", summary="Shop", leafUuid="none")
    session.about("cost-state", totalCostUSD=0.5, hasUnknownModelCost=False)
    session.system("local_command", content="<local-command-stdout>x</local-command-stdout>")
    made = [record for record in session.records if isinstance(record, dict)]
    for number, record in enumerate(made):
        if "uuid" in record:
            record["uuid"] = f"0000ffff-{turn:04}-4000-8000-{number:012}"
    names = ("user", "image", "assistant", "result", "queue", "remove", "attachment", "progress")
    kinds = {name: [made[number]] for number, name in enumerate(names)}
    kinds["result"] = made[2:4]
    kinds["queue"] = [made[5], made[4]]
    kinds |= {"title": [made[8]], "summary": [made[9]], "cost": [made[10]]}
    return {**kinds, "local command": [made[11]]}


def _structs(module: ModuleType) -> list[type[msgspec.Struct]]:
    found = vars(module).values()
    return [one for one in found if isinstance(one, type) and issubclass(one, msgspec.Struct)]


def _names(struct: type[msgspec.Struct]) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(struct)}


def _fields(
    annotation: Any, value: Any, keys: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Keys and types of every field that is read of a value, and of what the value holds."""
    for option in (annotation, *get_args(annotation)):
        if get_origin(option) is list and isinstance(value, list) and value:
            yield from _fields(get_args(option)[0], value[0], (*keys, 0))
        elif isinstance(option, type) and issubclass(option, msgspec.Struct):
            for field in msgspec.structs.fields(option):
                below = (*keys, field.encode_name)
                yield below, field.type
                inner = value.get(field.encode_name) if isinstance(value, dict) else None
                if inner is not None:
                    yield from _fields(field.type, inner, below)


def _places() -> dict[Place, list[Any]]:
    """Every field that is read, and the types it is read as."""
    places: dict[Place, list[Any]] = {}
    for kind, made in _records().items():
        for struct in _structs(records):
            # Whole records only; those of the session's chain are looked at wherever they are.
            if "uuid" not in _names(struct):
                continue
            if "parentUuid" not in _names(struct) and kind not in _CONVERSATION:
                continue
            for keys, annotation in _fields(struct, made[-1]):
                places.setdefault(Place(kind, keys), []).append(annotation)
    return places


_PLACES = _places()


def _is_usable(value: Any, annotation: Any) -> bool:
    """Whether a value fits a field as a struct declares it."""
    try:
        msgspec.json.decode(msgspec.json.encode(value), type=annotation)
    except msgspec.ValidationError:
        return False
    return True


def _hostile(place: Place, value: Any, turn: int) -> list[Json]:
    *before, record = _records(turn)[place.kind]
    holder: Any = record
    for key in place.keys[:-1]:
        holder = holder[key]
    holder[place.keys[-1]] = value
    # What makes a queued prompt part of the conversation comes after it.
    return [record, *before] if place.kind == "queue" else [*before, record]


def test_every_field_of_every_struct_has_its_turn() -> None:
    fields = set().union(*map(_names, _structs(records)))
    assert fields == {place.keys[-1] for place in _PLACES}


@pytest.mark.parametrize("place", _PLACES, ids=lambda place: f"{place.kind}-{place.path}")
def test_a_wrong_value_loses_its_field_and_nothing_else(place: Place) -> None:
    hostile = [
        record
        for turn, value in enumerate(WRONG.values())
        for record in _hostile(place, value, turn)
    ]
    transcript = CLAUDE.imported(CLAUDE.around(lines(hostile)))
    assert [one for one in kept(transcript) if one in CONVERSATION] == CONVERSATION
    # Of a list or an object it may be a part that is unusable.
    fields = (f"unusable field '{place.path}'", f"unusable field '{place.path}.")
    counted = sum(count for reason, count in transcript.drift.items() if reason.startswith(fields))
    types = _PLACES[place]
    unusable = [
        name
        for name, value in WRONG.items()
        if not all(_is_usable(value, annotation) for annotation in types)
    ]
    texts_that_are_no_times = 3 if place.path == "timestamp" else 0
    assert len(unusable) <= counted <= len(unusable) + texts_that_are_no_times, transcript.drift


_STREAM: list[Json] = [
    {"type": "system", "subtype": "init", "session_id": "s", "model": "m", "uuid": "1"},
    {
        "type": "assistant",
        "message": {"id": "m1", "content": [tool_use("t1", "Bash", {"command": "ls"})]},
        "parent_tool_use_id": None,
        "session_id": "s",
        "uuid": "2",
    },
    {
        "type": "user",
        "message": {"content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a"}]},
        "parent_tool_use_id": None,
        "session_id": "s",
        "uuid": "3",
    },
    {
        "type": "result",
        "session_id": "s",
        "total_cost_usd": 0.5,
        "usage": tokens(),
        "duration_ms": 10,
        "uuid": "4",
    },
]


@pytest.mark.parametrize("field", sorted(set().union(*map(_names, _structs(stream_json)))))
def test_a_wrong_value_in_a_printed_session_is_never_fatal(field: str) -> None:
    for number, record in enumerate(_STREAM):
        hostile = [
            {**record, "uuid": f"{number}-{turn}", field: value}
            for turn, value in enumerate(WRONG.values())
        ]
        transcript = CLAUDE.imported(lines(_STREAM[:number] + hostile + _STREAM[number:]))
        assert "t1" in [call.id for message in transcript.output for call in message.tool_calls]
        assert transcript.duration_ms is None or transcript.duration_ms >= 0
        assert transcript.cost_usd is None or transcript.cost_usd >= 0


def test_however_many_records_have_a_wrong_field_all_of_them_are_kept() -> None:
    count = 10_100
    session = Session()
    for number in range(count):
        session.prompt(f"Prompt {number}", timestamp=number)
    transcript = CLAUDE.imported(lines(session.records))
    assert len(transcript.output) == count
    assert transcript.drift == {"unusable field 'timestamp'": count}
