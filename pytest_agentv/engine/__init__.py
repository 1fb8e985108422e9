"""The engine: eval files compiled, cases paired with transcripts, assertions graded."""
