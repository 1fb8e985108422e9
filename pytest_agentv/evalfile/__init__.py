"""Eval files: what people write, read strictly."""
