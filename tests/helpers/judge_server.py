"""A server on this machine that speaks as OpenAI's does, and answers as a test tells it to."""

from __future__ import annotations

import contextlib
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Literal

# pytester forgets modules that a run loads, and some that are written in C cannot be loaded twice.
import pydantic_ai.embeddings.openai
import pydantic_ai.models.openai  # noqa: F401

import pytest_agentv.judge.judge
import pytest_agentv.judge.models  # noqa: F401

if TYPE_CHECKING:
    from collections.abc import Callable

MODEL = "openai:judge-1"

_DATA = re.compile(r"«begin data (\w+):.*?«end data \1»", re.DOTALL)
_IDS = re.compile(r"\b(c\d+)(?: \(met [^)]*\))?: ")


def met(*answers: Literal[0, 1], **more: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Say of each criterion whether it is met, the last answer for all that follow."""

    def respond(body: dict[str, Any]) -> dict[str, Any]:
        ids = _IDS.findall(_DATA.sub("", _prompt(body)))
        said = [
            {
                "id": one,
                "reason": f"reason of {one}",
                "met": bool(answers[min(number, len(answers) - 1)]),
                **more,
            }
            for number, one in enumerate(ids)
        ]
        return completion(body, {"answers": said})

    return respond


def completion(
    body: dict[str, Any], arguments: Any, *, finish: str = "tool_calls"
) -> dict[str, Any]:
    """A response that calls the tool for answers."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    name = body["tools"][0]["function"]["name"] if body.get("tools") else "final_result"
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": text}}
    return response({"role": "assistant", "content": None, "tool_calls": [call]}, finish=finish)


def response(message: dict[str, Any], *, finish: str = "stop") -> dict[str, Any]:
    """Any response."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_780_000_000,
        "model": "judge-1",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
    }


def _prompt(body: dict[str, Any]) -> str:
    texts = [one["content"] for one in body["messages"] if one["role"] == "user"]
    return str(texts[0])


class JudgeServer:
    """Counts requests, and answers them."""

    def __init__(self) -> None:
        # What is told to do with each request in turn; the last one goes on.
        self.script: list[Any] = [met(1)]
        # What is done instead with every request that asks for this text.
        self.asked_for: dict[str, Any] = {}
        self.requests: list[dict[str, Any]] = []
        self.busiest = 0
        self._busy = 0
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        # Looks often whether it is to stop, so that no test waits for that.
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def prompts(self) -> list[str]:
        return [_prompt(body) for body in self.requests]

    def stop(self) -> None:
        self._stopped.set()
        self._server.shutdown()
        self._server.server_close()

    def _step(self, body: dict[str, Any]) -> Any:
        asked = _prompt(body) if self.asked_for else ""
        for text, step in self.asked_for.items():
            if text in asked:
                return step
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def respond(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        with self._lock:
            self.requests.append(body)
            step = self._step(body)
            self._busy += 1
            self.busiest = max(self.busiest, self._busy)
        try:
            if path.endswith("/embeddings"):
                step = embedded
            if isinstance(step, Slow):
                self._stopped.wait(step.seconds)
                step = step.step
            if isinstance(step, Until):
                step.event.wait(step.seconds)
                step = step.step
            if isinstance(step, AllAtOnce):
                step.barrier.wait(60)
                step = step.step
            status, headers, content = 200, {}, step
            if isinstance(step, tuple):
                status, headers, content = step
            if callable(content):
                content = content(body)
            if not isinstance(content, bytes):
                content = json.dumps(content).encode()
            return status, headers, content
        finally:
            with self._lock:
                self._busy -= 1


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Say nothing of those who went away."""


class Slow:
    """An answer that takes its time."""

    def __init__(self, seconds: float, step: Any) -> None:
        self.seconds = seconds
        self.step = step


class Until:
    """An answer that comes when something happened, or after so many seconds."""

    def __init__(self, event: threading.Event, step: Any, *, seconds: float = 60.0) -> None:
        self.event = event
        self.seconds = seconds
        self.step = step


class AllAtOnce:
    """An answer that comes when so many are asked for."""

    def __init__(self, count: int, step: Any) -> None:
        self.barrier = threading.Barrier(count)
        self.step = step


def embedded(body: dict[str, Any]) -> dict[str, Any]:
    """Embeddings that say how often a text has an `a` and how often a `b`."""
    data = [
        {"object": "embedding", "index": number, "embedding": [text.count("a"), text.count("b")]}
        for number, text in enumerate(body["input"])
    ]
    usage = {"prompt_tokens": 2, "total_tokens": 2}
    return {"object": "list", "model": body["model"], "data": data, "usage": usage}


def _handler(server: JudgeServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        # Connections stay open, as those of real servers do.
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            status, headers, content = server.respond(
                self.path, json.loads(self.rfile.read(length))
            )
            self.send_response(status)
            for name, value in {"content-type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            with contextlib.suppress(OSError):  # who waits no longer
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
