"""Every key of the configuration: its type, its default, its variable and what it is for.

A key that is listed here is used somewhere: none is read and then forgotten.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

Kind = Literal["path", "flag", "number", "choice"]

_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
# More digits than these are no number of anything here.
_LONGEST = 10
SOURCES = "storage.sources"
INDEX_PATH = "storage.index_path"


class Key(NamedTuple):
    """One setting."""

    # Its tables and its own name, with dots between.
    name: str
    kind: Kind
    default: str | int | bool | None
    help: str
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 10_000

    @property
    def variable(self) -> str:
        """The environment variable that says it, too."""
        name = "index_path" if self.name == INDEX_PATH else self.name.replace(".", "_")
        return f"AGENTV_{name.upper()}"

    @property
    def wanted(self) -> str:
        """What a value must be, in words."""
        if self.kind == "choice":
            return f"one of {', '.join(self.choices)}"
        if self.kind == "number":
            return f"a whole number from {self.least} to {self.most}"
        return "true or false" if self.kind == "flag" else "a path"

    def accepts(self, value: Any) -> bool:
        """Whether a value of a TOML file can be the value of the key."""
        if self.kind == "flag":
            return type(value) is bool
        if self.kind == "number":
            return type(value) is int and self.least <= value <= self.most
        if self.kind == "choice":
            return value in self.choices
        return isinstance(value, str) and is_path(value)

    def of_text(self, text: str) -> Any:
        """The value that a variable says; the text itself if it says none."""
        if self.kind == "flag" and text.lower() in _TRUE + _FALSE:
            return text.lower() in _TRUE
        if self.kind == "number" and text.isascii() and text.isdigit() and len(text) < _LONGEST:
            return int(text)
        return text


def is_path(value: str) -> bool:
    """Whether a text can be a path or a glob: there is one, and no NUL in it."""
    return bool(value.strip()) and "\0" not in value


KEYS = (
    Key(INDEX_PATH, "path", None, "the file of the search index"),
    Key("index.thinking", "flag", default=False, help="index what models thought"),
    Key("index.tool_output", "flag", default=False, help="index what tools printed"),
    Key("index.subagents", "flag", default=True, help="index what sub-agents did"),
    Key(
        "index.redact", "choice", "none", "redact what is stored in the index",
        ("none", "secrets", "research", "strict"),
    ),
    Key(
        "index.vector_precision", "choice", "f16",
        "how exactly vectors are kept: f32 takes twice the room", ("f16", "f32"),
    ),
    Key(
        "index.vector.enabled", "flag", default=True,
        help="keep vectors of texts, if the extra `semantic` is installed",
    ),
    Key(
        "index.vector.fallback", "choice", "hash",
        "without the extra: search by likeness of letters, or not at all", ("hash", "none"),
    ),
    Key(
        "search.default_mode", "choice", "lexical", "how `agentv search` searches",
        ("lexical", "semantic", "hybrid"),
    ),
    Key(
        "search.default_context", "number", 0, "how many messages around a hit are shown", most=100
    ),
    Key("search.max_results", "number", 20, "how many sessions are shown", least=1),
    Key(
        "export.default_format", "choice", None, "the form that `agentv export` writes",
        (
            "atif", "entries", "events", "html", "markdown", "openai", "otlp", "parquet", "states",
        ),
    ),
    Key(
        "export.html_theme", "choice", "auto", "how pages look until a reader says otherwise",
        ("auto", "dark", "light"),
    ),
    Key("export.include_tool_calls", "flag", default=True, help="export calls of tools"),
)  # fmt: skip
BY_NAME = {key.name: key for key in KEYS}

# Keys that other programs have and that would do nothing here, and why.
REFUSED = {
    "index.lucene_ram_buffer_mb": "the index is a file of SQLite, which needs no such buffer",
    "index.vector.model_path": "the model comes with the extra: pip install "
    "'pytest-agentv[semantic]'",
}
# Tables of a project that others read; a user's file has none of them.
OF_PROJECTS = ("judge", "prices", "redact", "submitter")


def nearest(name: str, known: tuple[str, ...]) -> str:
    """The known name that somebody may have meant, as the end of a sentence."""
    import difflib  # noqa: PLC0415 (only where something is wrong)

    found = difflib.get_close_matches(name, known, 1)
    return f"; did you mean `{found[0]}`?" if found else f"; known: {', '.join(known)}"
