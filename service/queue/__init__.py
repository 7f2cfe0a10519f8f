"""The queue of games that wait for a worker."""
