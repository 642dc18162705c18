"""Dotted links: diagrams of which exactly one link is unknown, and the stored cases.

`diagram` has the worlds that a diagram leaves open, `planning` the number of adaptive actions that
they need, `lists` the best score of a list of actions that is fixed in advance. `generation` draws
cases and writes the file that `cases` reads.
"""
