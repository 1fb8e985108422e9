"""Pages that people look at: a run, or one session, in one file that needs nothing else."""
