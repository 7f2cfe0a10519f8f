"""Games: created, joined, played and shown."""
