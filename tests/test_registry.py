"""The registry: adapters by name, and the one adapter that a file belongs to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from fake_adapters import SESSION, FakeAdapter

from pytest_agentv.errors import (
    AgentvError,
    AmbiguousSession,
    DuplicateName,
    PluginError,
    SessionNotFound,
    SessionUnreadable,
    UnknownName,
)
from pytest_agentv.registry import Registry

if TYPE_CHECKING:
    from pathlib import Path


def _registry(*adapters: FakeAdapter | Delegating) -> Registry:
    registry = Registry()
    for adapter in adapters:
        registry.add_adapter(adapter, plugin="mine")
    return registry


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_bytes(SESSION)
    return path


def test_adapters_come_sorted_by_name() -> None:
    one, two, three = FakeAdapter("b"), FakeAdapter("a"), FakeAdapter("c")
    assert _registry(one, two, three).adapters == (two, one, three)


def test_an_adapter_is_found_by_its_name() -> None:
    one, two = FakeAdapter("one"), FakeAdapter("two")
    assert _registry(one, two).adapter("two") is two


def test_an_unknown_name_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName) as caught:
        _registry(FakeAdapter("two"), FakeAdapter("one")).adapter("on")
    assert str(caught.value) == "unknown adapter 'on'; known: one, two"
    with pytest.raises(UnknownName) as caught:
        Registry().adapter("x")
    assert str(caught.value) == "unknown adapter 'x'; known: none"


def test_a_name_cannot_be_taken_twice() -> None:
    registry = _registry(FakeAdapter("fake"))
    with pytest.raises(DuplicateName) as caught:
        registry.add_adapter(FakeAdapter("fake"), plugin="theirs")
    assert str(caught.value) == "adapter 'fake' comes from two plugins: 'mine' and 'theirs'"
    assert len(registry.adapters) == 1


class Half:
    """Has a name, and nothing else of an adapter."""

    name = "half"

    def __repr__(self) -> str:
        return "Half()"


class Instant(FakeAdapter):
    """Its class has all that an adapter has."""

    name = "instant"
    provider = "instant"
    tested = ("1", "1")


@pytest.mark.parametrize(
    ("thing", "why"),
    [
        (
            Half(),
            "it lacks `provider`, `tested`, `home`, `claims`, `sessions`, `summarize`, `read`",
        ),
        (Instant, "it is a class; give an instance, as Instant()"),
        ("claude", "it lacks `name`, `provider`, "),
        (None, "it lacks `name`, `provider`, "),
    ],
)
def test_what_is_no_adapter_is_refused_with_what_it_lacks(thing: object, why: str) -> None:
    registry = Registry()
    with pytest.raises(PluginError) as caught:
        registry.add_adapter(thing, plugin="mine")  # type: ignore[arg-type]  # what is tested
    assert str(caught.value).startswith("plugin 'mine': ")
    assert f" is no adapter: {why}" in str(caught.value)
    assert registry.adapters == ()


class Delegating:
    """Has nothing of its own, and passes all on."""

    def __init__(self, other: FakeAdapter) -> None:
        self._other = other

    def __getattr__(self, name: str) -> Any:
        return getattr(self._other, name)


def test_what_passes_all_on_to_an_adapter_is_one() -> None:
    registry = _registry(Delegating(FakeAdapter("fake")))
    assert [one.name for one in registry.adapters] == ["fake"]


def test_a_file_belongs_to_the_one_adapter_that_claims_it(session: Path) -> None:
    mine, other = FakeAdapter("mine"), FakeAdapter("other", marker="other")
    assert _registry(mine, other).adapter_of(session) is mine


def test_a_file_that_nobody_claims_is_an_error_that_names_who_was_asked(session: Path) -> None:
    registry = _registry(FakeAdapter("b", marker="b"), FakeAdapter("a", marker="a"))
    with pytest.raises(SessionUnreadable) as caught:
        registry.adapter_of(session)
    assert str(caught.value) == f"{session}: is no session that an adapter knows (a, b)"


def test_a_file_that_two_claim_is_an_error_that_names_them(session: Path) -> None:
    registry = _registry(FakeAdapter("b"), FakeAdapter("a"), FakeAdapter("c", marker="c"))
    with pytest.raises(AmbiguousSession) as caught:
        registry.adapter_of(session)
    assert str(caught.value) == f"{session}: is claimed by several adapters: a, b"


def test_a_path_is_looked_at_before_any_adapter_is_asked(tmp_path: Path) -> None:
    # The fake reads whatever it is given, and would raise, or hang on a pipe.
    registry = _registry(FakeAdapter())
    with pytest.raises(SessionNotFound, match="no such file"):
        registry.adapter_of(tmp_path / "missing.jsonl")
    with pytest.raises(SessionUnreadable, match="is a directory, not a regular file"):
        registry.adapter_of(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_named_pipe_is_an_error_and_no_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SessionUnreadable, match="is a named pipe, not a regular file"):
        _registry(FakeAdapter()).adapter_of(tmp_path / "pipe")


class Crashes(FakeAdapter):
    """Breaks the rule that claiming never raises."""

    def claims(self, path: Path) -> bool:
        raise KeyError(path.name)


def test_an_adapter_that_crashes_on_a_file_is_named(session: Path) -> None:
    registry = Registry()
    registry.add_adapter(FakeAdapter("good"), plugin="mine")
    registry.add_adapter(Crashes("bad"), plugin="theirs")
    with pytest.raises(AgentvError, match="theirs") as caught:
        registry.adapter_of(session)
    assert isinstance(caught.value, PluginError)
    assert isinstance(caught.value.__cause__, KeyError)
