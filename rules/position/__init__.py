"""A table as a client describes it: its parts, the checks that find its faults, the state built from it."""
