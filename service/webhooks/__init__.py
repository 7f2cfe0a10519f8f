"""Webhooks: events of the feed, sent to the servers of players and of API keys."""
