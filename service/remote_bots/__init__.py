"""Bots that run elsewhere and have an identity: a player with an owner, a build and terms of play."""
