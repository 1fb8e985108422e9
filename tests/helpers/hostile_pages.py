"""A run and a session that try to get out of a page, in every field they have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from runs import MadeCase, make_run
from sample_transcripts import FULL

from pytest_agentv.results.model import Figures, Place, Repeats, Score
from pytest_agentv.transcript.model import Transcript

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.results.reading import Run

# Each would open a dialog, load something or end an element if it were ever taken for markup.
ATTACKS = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "</style><script>alert(3)</script>",
    "</pre></details></article><img src=x onerror=alert(4)>",
    '"><svg/onload=alert(5)>',
    "' onmouseover='alert(6)' x='",
    '" autofocus onfocus="alert(7)" x="',
    "<!--",
    "--><script>alert(8)</script>",
    "<![CDATA[<script>alert(9)</script>]]>",
    "javascript:alert(10)",
    '<a href="javascript:alert(11)">x</a>',
    '<iframe srcdoc="<script>alert(12)</script>"></iframe>',
    '<base href="https://evil.example/">',
    '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
    '<link rel="stylesheet" href="https://evil.example/x.css">',
    '<form action="https://evil.example/"><button>x</button></form>',
    "<style>@import 'https://evil.example/x.css'; * { display: none }</style>",
    "<template><script>alert(13)</script></template>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(14)>",
    "{{ 7*7 }}{% for x in y %}{{ cycler.__init__.__globals__ }}",
    "${alert(15)}`${alert(16)}`",
    "&lt;script&gt;alert(17)&lt;/script&gt;&#x3c;b&#x3e;",
    "\u202e<script>alert(18)</script>\u2066",
    "\x00<scr\x00ipt>alert(19)</scr\x00ipt>\x1b[31m",
    "\uff1cscript\uff1ealert(20)\uff1c/script\uff1e",
    "<img src='https://evil.example/pixel.png'>",
    "\ufeff<noscript><p title='</noscript><img src=x onerror=alert(21)>'>",
    "lone \ud800 surrogate <b>",
)
ATTACK = "\n".join(ATTACKS)


def attacked(value: Any, text: str = ATTACK) -> Any:
    """The same value with every text in it replaced; names of fields are kept."""
    if isinstance(value, str):
        return text
    if isinstance(value, dict):
        return {name: attacked(one, text) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [attacked(one, text) for one in value]
    return value


def hostile_session(text: str = ATTACK, *, role: str = "assistant") -> Transcript:
    """A session of which every text is an attack, with an edit and a sub-agent."""
    plain = msgspec.to_builtins(FULL)
    counts = {text: 3}
    evil = {**attacked(plain, text), "privacy": counts, "drift": counts, "left_out": counts}
    [message] = evil["output"]
    call = {**message["tool_calls"][0], "input": {text: text}}
    edit = {
        **call,
        "kind": "edit",
        "status": "error",
        "input": {"old_string": text, "new_string": f"{text}!"},
        "args": {"path": text, "content": f"{text}!"},
    }
    calls = [call, edit, {**edit, "args": {"content": f"*** Begin Patch\n*** Add File: {text}"}}]
    main = {**message, "role": role, "agent_id": None, "tool_calls": calls}
    prompt = {**main, "role": "user", "origin": "human"}
    evil["output"] = [prompt, main, {**main, "agent_id": text}, message]
    return msgspec.convert(evil, Transcript)


def hostile_run(root: Path, text: str = ATTACK) -> Run:
    """A run of which every text is an attack."""
    place = Place(message=2, line=4, excerpt=text)
    scores = tuple(
        Score(
            name=f"{text}{verdict}",
            type=text,
            verdict=verdict,
            score=0.5,
            claim=text,
            reason=text,
            details=text,
            evidence=(place,),
            excused=text,
        )
        for verdict in ("pass", "fail", "error", "skip", "soft", text)
    )
    cases = [
        MadeCase(
            test_id=f"{number}{text}",
            target=f"{number}{text}",
            session=text,
            suite=text,
            eval_file=text,
            scores=scores,
            figures=Figures(tools={text: 3, "shell": 1}),
        )
        for number in range(2)
    ]
    run = make_run(root, [_encodable(one) for one in cases], arguments=[_encodable(text)])
    session = hostile_session(text)
    (run.folder / "transcripts").mkdir()
    encodable = msgspec.json.encode(_encodable(session))
    (run.folder / "transcripts" / "x.jsonl").write_bytes(encodable + b"\n")
    gate = Score(verdict=text, reason=text)
    repeats = Repeats(
        eval_file=run.rows[0].eval_file,
        test_id=run.rows[0].test_id,
        target=text,
        runs=1,
        passed=1,
        gate=gate,
    )
    return msgspec.structs.replace(
        run,
        summary=msgspec.structs.replace(
            run.summary, run_id=text, agentv_version=text, started_at=text, repeats=(repeats,)
        ),
        rows=tuple(
            msgspec.structs.replace(
                row,
                transcript_path="transcripts/x.jsonl",
                tags=(text, "plain"),
                input=text,
                error=text,
            )
            for row in run.rows
        ),
    )


def _encodable(value: Any) -> Any:
    """The same value as files can hold it: without lone surrogates."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, (list, tuple)):
        return type(value)(_encodable(one) for one in value)
    if isinstance(value, dict):
        return {_encodable(name): _encodable(one) for name, one in value.items()}
    if isinstance(value, msgspec.Struct):
        fields = {name: _encodable(getattr(value, name)) for name in value.__struct_fields__}
        return type(value)(**fields)
    return value
