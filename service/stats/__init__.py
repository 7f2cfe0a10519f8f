"""What all finished games together say: counts and ratings, derived from the log."""
