"""Names of models, as ``provider:model``."""

from __future__ import annotations


def provider_and_model(name: str) -> tuple[str, str]:
    """Both parts; the model may hold colons, and the provider is empty if none is named."""
    provider, colon, model = name.partition(":")
    return (provider, model) if colon else ("", name)
