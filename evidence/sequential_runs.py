"""Real runs until decided: where they end, and whether an interrupted run ends alike."""

PARTS = {}
