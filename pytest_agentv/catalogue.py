"""Our own adapters by name: one line each says what is imported when somebody needs it.

A module that is named here has the adapter's class, and beside it the table of the client's tools:
``TOOLS``, and ``unlisted_tool`` if names that are not in the table follow a rule.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple


class Listed(NamedTuple):
    """What is known of an adapter before its module is imported."""

    # What ``agentv import`` calls it, and what a transcript's source says.
    name: str
    provider: str
    # The module below ``pytest_agentv.adapters``, and the class.
    module: str
    adapter: str

    def imported(self) -> Any:
        """The module."""
        return import_module(f"pytest_agentv.adapters.{self.module}")


ADAPTERS = (
    Listed("claude", "claude-cli", "claude.adapter", "ClaudeAdapter"),
    Listed("codex", "codex-cli", "codex.adapter", "CodexAdapter"),
    Listed("copilot", "copilot-cli", "copilot.adapter", "CopilotAdapter"),
    Listed("aider", "aider", "aider.adapter", "AiderAdapter"),
    Listed("atif", "atif", "atif.adapter", "AtifAdapter"),
    Listed("cline", "cline", "cline.adapter", "ClineAdapter"),
    Listed("cursor", "cursor", "cursor.adapter", "CursorAdapter"),
    Listed("droid", "droid", "droid", "DroidAdapter"),
    Listed("entire", "entire", "entire", "EntireAdapter"),
    Listed("gemini", "gemini-cli", "gemini.adapter", "GeminiAdapter"),
    Listed("hf-traces", "hf-traces", "hf_traces", "HfTracesAdapter"),
    Listed("kimi", "kimi-cli", "kimi.adapter", "KimiAdapter"),
    Listed("mini-swe-agent", "mini-swe-agent", "mini_swe_agent.adapter", "MiniSweAgentAdapter"),
    Listed("openai", "openai", "openai.adapter", "OpenAIAdapter"),
    Listed("opencode", "opencode", "opencode.adapter", "OpenCodeAdapter"),
    Listed("openhands", "openhands", "openhands.adapter", "OpenHandsAdapter"),
    Listed("otlp", "otlp", "otlp.adapter", "OtlpAdapter"),
    Listed("pi", "pi", "pi.adapter", "PiAdapter"),
    Listed("qwen", "qwen-code", "qwen.adapter", "QwenAdapter"),
    Listed("swe-agent", "swe-agent", "swe_agent.adapter", "SweAgentAdapter"),
)
BY_PROVIDER = {one.provider: one for one in ADAPTERS}
