"""WhyBench measures how a mind, a language model or a person, reasons about cause and effect."""

__all__ = ["__version__"]

__version__ = "0.1.0"
