"""Grading without pytest: a suite and a transcript in, rows out, in whatever process."""

from pytest_agentv.grading.rows import grade
from pytest_agentv.grading.suites import Suite, load_suite

__all__ = ["Suite", "grade", "load_suite"]
