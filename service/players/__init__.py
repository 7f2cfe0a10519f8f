"""Players: one name and one token for all games in which a person sits."""
