"""Files of a session, as patterns that fit on other machines."""

from __future__ import annotations

import pytest

from pytest_agentv import Message, Source, Transcript
from pytest_agentv.drafting.places import pattern_of
from pytest_agentv.graders.calls import Matcher


def _matcher(cwd: str | None) -> Matcher:
    source = Source(provider="claude-cli", cwd=cwd)
    return Matcher(Transcript(source=source, output=(Message(role="user"),)))


@pytest.mark.parametrize(
    ("path", "cwd", "pattern"),
    [
        ("/home/dev/shop/src/a.js", "/home/dev/shop", "src/a.js"),
        ("src/a.js", "/home/dev/shop", "src/a.js"),
        ("./src/a.js", None, "src/a.js"),
        ("/home/dev/shop/app/[id]/*.tsx", "/home/dev/shop", "app/[[]id]/[*].tsx"),
        ("/home/dev/other/lib/b.py", "/home/dev/shop", "**/lib/b.py"),
        ("/home/dev/shop/a.js", None, "**/shop/a.js"),
        ("/a.js", None, "**/a.js"),
        ("../a.js", "/home/dev/shop", "**/a.js"),
        ("/srv//x/./a.js", None, "**/x/a.js"),
        ("C:\\shop\\src\\a.js", "C:\\shop", "src/a.js"),
        ("C:\\a.js", "D:\\shop", "**/a.js"),
        ("~/a.js", "/home/dev/shop", "**/a.js"),
    ],
)
def test_a_file_is_named_as_others_have_it(path: str, cwd: str | None, pattern: str) -> None:
    matcher = _matcher(cwd)

    assert pattern_of(path, matcher) == pattern
    assert matcher.is_path(path, pattern)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "..",
        "/tmp/scratch.py",  # noqa: S108 (a name only)
        "/private/var/folders/x/y/a.txt",
        "/home/dev/.claude/plans/a-plan.md",
        "src/a\nb.js",
        "src/{{ env.HOME }}.js",
        "keys/AKIAIOSFODNN7EXAMPLE.pem",
        "x" * 500,
    ],
)
def test_a_file_that_is_of_no_use_elsewhere_is_not_named(path: str) -> None:
    assert pattern_of(path, _matcher("/home/dev/shop")) is None
