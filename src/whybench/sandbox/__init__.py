"""Confinement of untrusted code, as an Inspect sandbox environment."""
