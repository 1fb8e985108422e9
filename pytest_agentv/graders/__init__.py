"""Graders: each judges one kind of assertion on one transcript."""
