"""The vocabulary of the table and the log it is written to. Knows no rule."""
