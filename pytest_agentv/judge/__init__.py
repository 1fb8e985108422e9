"""Judges: language models that answer what no rule can; cached, bounded, never a silent pass."""
