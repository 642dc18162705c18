"""The figures of Dettki (2025)."""
