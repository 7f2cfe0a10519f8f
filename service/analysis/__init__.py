"""Work that bots do for people: advice, decisions explained, analyses."""
