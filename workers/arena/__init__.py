"""Measures bots: they play each other at every kind of table, and the results are written down.

The command is `croupier arena`.
"""
