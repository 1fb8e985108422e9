"""Sessions as traces of OpenTelemetry, after the semantic conventions for generative AI."""

PROVIDER = "otlp"
