"""Games as they are played: created, joined, answered and read back."""
