"""Plays against a deployment over HTTP, measures it, and compares its logs with what it acknowledged."""
