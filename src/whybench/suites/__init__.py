"""The suites, one for each ability, and what they have in common."""
