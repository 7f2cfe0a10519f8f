"""Explains what happened in a game: facts with their rule, and sentences in two languages."""
