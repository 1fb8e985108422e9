"""Redaction: sessions without secrets, and receipts of what was taken out of them."""

from pytest_agentv.redact.check import Finding, findings
from pytest_agentv.redact.keys import key_path, load_key
from pytest_agentv.redact.profiles import PROFILES, ContentPolicy, Profile, profile_named
from pytest_agentv.redact.receipt import Redaction
from pytest_agentv.redact.redactor import Redactor
from pytest_agentv.redact.settings import RedactSettings
from pytest_agentv.redact.settings_file import read_redact_settings

__all__ = [
    "PROFILES",
    "ContentPolicy",
    "Finding",
    "Profile",
    "RedactSettings",
    "Redaction",
    "Redactor",
    "findings",
    "key_path",
    "load_key",
    "profile_named",
    "read_redact_settings",
]
