"""The list of games, derived from the log."""
