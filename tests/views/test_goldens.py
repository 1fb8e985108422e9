"""One session in every form that is text, byte for byte."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest
from shown_sessions import SHOWN

from pytest_agentv.views.formats import FORMATS, ViewOptions

DATA = Path(__file__).parents[1] / "data" / "views"
_VERSION = re.escape(metadata.version("pytest-agentv"))
_OURS = re.compile(rf'("adapterVersion":|"pytest-agentv","version":)"{_VERSION}"'.encode())

OPTIONS = ViewOptions(
    submitter={"keyId": "key_1", "pseudonym": "anon_1", "identityLinked": False},
    captured_at="2026-03-30T08:00:00Z",
)


@pytest.mark.parametrize("name", FORMATS)
def test_a_session_in_a_form_has_exactly_these_bytes(
    name: str, pytestconfig: pytest.Config
) -> None:
    golden = DATA / f"session.{FORMATS[name].suffix}"

    written = b"".join(FORMATS[name].pieces(SHOWN, OPTIONS))

    written = _OURS.sub(rb'\1"VERSION"', written)
    if pytestconfig.getoption("agentv_update_golden"):
        golden.write_bytes(written)
    assert golden.exists(), f"{golden} is missing; --agentv-update-golden writes it"
    assert written == golden.read_bytes()


def test_every_golden_file_is_of_a_form() -> None:
    assert {one.name for one in DATA.iterdir()} == {
        f"session.{one.suffix}" for one in FORMATS.values()
    }
