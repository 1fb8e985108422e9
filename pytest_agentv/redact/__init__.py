"""Redaction: sessions without secrets, and receipts of what was taken out of them.

The rules are many, and most commands redact nothing: names are loaded when they are asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_agentv.redact.check import Finding, findings, findings_in
    from pytest_agentv.redact.keys import key_path, load_key
    from pytest_agentv.redact.profiles import PROFILES, ContentPolicy, Profile, profile_named
    from pytest_agentv.redact.receipt import Redaction
    from pytest_agentv.redact.redactor import Redactor
    from pytest_agentv.redact.settings import RedactSettings
    from pytest_agentv.redact.settings_file import read_redact_settings

_HOME_OF = {
    "PROFILES": "profiles",
    "ContentPolicy": "profiles",
    "Finding": "check",
    "Profile": "profiles",
    "RedactSettings": "settings",
    "Redaction": "receipt",
    "Redactor": "redactor",
    "findings": "check",
    "findings_in": "check",
    "key_path": "keys",
    "load_key": "keys",
    "profile_named": "profiles",
    "read_redact_settings": "settings_file",
}

__all__ = [
    "PROFILES",
    "ContentPolicy",
    "Finding",
    "Profile",
    "RedactSettings",
    "Redaction",
    "Redactor",
    "findings",
    "findings_in",
    "key_path",
    "load_key",
    "profile_named",
    "read_redact_settings",
]


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
