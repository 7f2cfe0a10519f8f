"""What happened in a game and why: facts with their rule, and sentences in two languages."""
