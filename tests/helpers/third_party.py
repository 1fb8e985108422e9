"""Plugins as others would publish them: a module and an entry point, on the path."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

ADAPTER = '''
"""Reads sessions of the made-up client foo: lines that begin with `> ` or `< `."""

from pathlib import Path

from pytest_agentv import Head, Message, SessionRef, SessionSummary, Source, Tail, hookimpl
from pytest_agentv.errors import Location, SessionUnreadable

MARK = b"foo 1\\n"


class FooSession:
    def __init__(self, path):
        content = path.read_bytes()
        lines = content.decode("utf-8", "replace").split("\\n")
        self._said = [
            (number, "user" if line[0] == ">" else "assistant", line[2:])
            for number, line in enumerate(lines, 1)
            if line.startswith(("> ", "< "))
        ]
        self._unknown = sum(
            1 for line in lines[1:] if line and not line.startswith(("> ", "< "))
        )
        if not self._said:
            raise SessionUnreadable("holds no message at all", at=Location(path))
        prompts = [text.strip() for _, role, text in self._said if role == "user" and text.strip()]
        self.head = Head(
            source=Source(provider="foo-cli", session_id=path.stem),
            input=prompts[0] if prompts else None,
        )
        self.tail = Tail()

    def messages(self):
        for number, role, text in self._said:
            origin = "human" if role == "user" else None
            yield Message(line=number, role=role, origin=origin, content=text)
        if self._unknown:
            self.tail = Tail(drift={"unknown line": self._unknown})


class FooAdapter:
    name = "foo"
    provider = "foo-cli"
    tested = ("1", "1")

    def home(self, environ):
        return Path(environ["FOO_HOME"]) if environ.get("FOO_HOME") else None

    def claims(self, path):
        try:
            with path.open("rb") as file:
                return file.read(len(MARK)) == MARK
        except OSError:
            return False

    def sessions(self, home, *, project=None):
        for path in home.glob("**/*.foo"):
            status = path.stat()
            yield SessionRef(path.stem, path, status.st_size, status.st_mtime)

    def summarize(self, ref):
        return SessionSummary(project="foo", first_prompt=FooSession(ref.path).head.input)

    def read(self, ref, options):
        return FooSession(ref.path)


@hookimpl
def agentv_adapters():
    return [FooAdapter()]
'''

SESSION = b"foo 1\n> Fix the login page\n< Done.\n"


def publish(site: Path, distribution: str, source: str, *, entry: str | None = None) -> Path:
    """Put a plugin into a folder of the path; return the module's file."""
    module = distribution.replace("-", "_")
    metadata = site / f"{module}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n", encoding="utf-8"
    )
    (metadata / "entry_points.txt").write_text(
        f"[agentv]\n{entry or distribution} = {module}\n", encoding="utf-8"
    )
    path = site / f"{module}.py"
    path.write_text(source, encoding="utf-8")
    return path
