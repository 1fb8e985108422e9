"""Pi."""

PROVIDER = "pi"
