"""Texts as a hostile session holds them, and what terminals, CI systems and XML make of a text."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from hypothesis import strategies as st

# What means something to some reader of a report, whole or in parts.
_FRAGMENTS = (
    "::error file=a,line=1::b", "::", ":", "##[group]", "##vso[task.complete]", "##teamcity[x]",
    "##", "[", "]",
    "\n", "\r", "\r\n", "\t", " ", "\xa0", "\u3000", "\u2028", "\x0b", "\x85", "\x00", "\x1b[31m",
    "\x9b31m", "\x1b]52;c;aGk=\x07", "\x7f", "\u202e", "\u2066", "\ud83d", "\ude00", "\uffff",
    "\ufeff", "\u200d", "|", "`", "```", "~~~", "<b>", "</code>", "<!--", "&amp;", "@octocat",
    "**", "\\", "%0A", "%", ",", "… 7 characters left out …", "żółw", "日本", "word",
)  # fmt: skip

FOREIGN_TEXTS = st.lists(
    st.sampled_from(_FRAGMENTS) | st.text(st.characters(codec=None), max_size=5), max_size=12
).map("".join)

# As .NET's TrimStart takes them away.
_BLANKS = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_COMMAND = re.compile(f"(?:^|[\r\n])[{_BLANKS}]*::|##[A-Za-z]*\\[")
# All controls but tab and newline, and the marks that turn text around.
_STEERS_TERMINAL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def assert_harmless(text: str) -> None:
    """Check that a text can be printed, logged by CI systems, written as XML and sent."""
    text.encode("utf-8")
    assert _STEERS_TERMINAL.search(text) is None
    assert _COMMAND.search(text) is None
    element = ET.Element("failure", message=text)
    element.text = text
    read = ET.fromstring(ET.tostring(element, encoding="unicode"))  # noqa: S314 - made just here
    assert (read.text or "", read.get("message")) == (text, text)
