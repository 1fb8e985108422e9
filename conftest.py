"""Configuration of all tests."""

from __future__ import annotations

import signal

# Runs of pytest inside a test forget the modules that they were the first to import. Adapters
# import theirs late, and structs look for their types in the module they were made in.
import pytest_agentv.adapters.claude.session
import pytest_agentv.adapters.claude.sniff
import pytest_agentv.adapters.codex.children
import pytest_agentv.adapters.codex.session
import pytest_agentv.adapters.codex.sniff
import pytest_agentv.adapters.codex.state_db
import pytest_agentv.adapters.copilot.locate
import pytest_agentv.adapters.copilot.session
import pytest_agentv.adapters.copilot.sniff  # noqa: F401

pytest_plugins = ["pytester"]

# A job in the background of a shell ignores Ctrl-C, and so would every process that it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
