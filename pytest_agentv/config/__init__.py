"""Settings: what a user and a project say in their files, and the environment, in one place."""

from __future__ import annotations

from pytest_agentv.config.keys import KEYS, Key
from pytest_agentv.config.loading import Config, Origin, Setting, load_config

__all__ = ["KEYS", "Config", "Key", "Origin", "Setting", "load_config"]
