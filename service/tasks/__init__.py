"""What workers are asked to think about, and what came of it."""
