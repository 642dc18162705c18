"""Confinement of untrusted code by bubblewrap, as a sandbox environment for Inspect."""

__version__ = "0.1.0"
