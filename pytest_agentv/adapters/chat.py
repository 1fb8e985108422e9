"""Chat messages as the APIs of OpenAI have them, which many clients log as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.spending import usage_of

if TYPE_CHECKING:
    from pytest_agentv.transcript.model import Usage

_BLOCKS = ("```mswea_bash_command", "```bash")
_RESULT = "<returncode>"


def usage_of_response(stated: Any) -> Usage | None:
    """The tokens of a response, of the chat API or of the newer one; caches are part of input."""
    if not isinstance(stated, dict):
        return None
    read = _part(stated, "prompt_tokens_details", "input_tokens_details")
    written = _part(stated, "completion_tokens_details", "output_tokens_details")
    return usage_of(
        input=_first(stated, "prompt_tokens", "input_tokens"),
        output=_first(stated, "completion_tokens", "output_tokens"),
        cached=_first(read, "cached_tokens", "cache_read_tokens")
        or _first(stated, "cache_read_input_tokens", "cached_tokens"),
        cache_write=_first(read, "cache_creation_tokens", "cache_write_tokens")
        or _first(stated, "cache_creation_input_tokens"),
        reasoning=_first(written, "reasoning_tokens"),
    )


def reasoning_of(message: Any) -> str | None:
    """What a message says of the model's thoughts, under whichever of the usual names."""
    if not isinstance(message, dict):
        return None
    for name in ("reasoning_content", "reasoning", "thinking"):
        if isinstance(message.get(name), str) and message[name].strip():
            return str(message[name])
    blocks = message.get("thinking_blocks")
    if not isinstance(blocks, list):
        return None
    texts = [one.get("thinking") for one in blocks if isinstance(one, dict)]
    return "\n\n".join(text for text in texts if isinstance(text, str) and text) or None


def is_of_mini(messages: list[Any]) -> bool:
    """Whether messages are of mini-swe-agent: commands in blocks, results with a return code."""
    has_block = has_result = False
    for one in messages:
        text = one.get("content") if isinstance(one, dict) else None
        if isinstance(text, str):
            if one.get("role") == "assistant":
                has_block = has_block or any(block in text for block in _BLOCKS)
            elif one.get("role") == "user":
                has_result = has_result or text.startswith(_RESULT)
    return has_block and has_result


def _part(stated: dict[str, Any], *names: str) -> dict[str, Any]:
    return next((stated[name] for name in names if isinstance(stated.get(name), dict)), {})


def _first(stated: dict[str, Any], *names: str) -> int | None:
    return next((stated[name] for name in names if type(stated.get(name)) is int), None)
