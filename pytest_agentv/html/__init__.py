"""Pages that people look at: a run, or a session, as one file that needs nothing else."""
