"""Bots play each other at every kind of table, and what they win is written down: `croupier arena`."""
