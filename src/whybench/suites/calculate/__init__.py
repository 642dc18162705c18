"""calculate: worlds told in numbers, asked about on three rungs."""
