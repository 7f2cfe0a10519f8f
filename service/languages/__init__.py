"""Languages: a catalogue for each, and what puts texts into them."""
