"""What people read of a run: texts made of grades."""
