"""Qwen Code."""

PROVIDER = "qwen-code"
