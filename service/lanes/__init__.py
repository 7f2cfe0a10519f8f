"""Whose game is played next: fair lanes in Redis."""
