"""API keys, for servers that play for many users."""
