"""What happens in games, for readers: players, API keys and everybody."""
