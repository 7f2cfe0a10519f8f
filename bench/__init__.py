"""Ratios against peers, both sides measured in one run: a shared machine slows both alike."""
