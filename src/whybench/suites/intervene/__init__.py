"""intervene: find out by acting.

An agent sees which entities of a small world move, may make entities move or hold them still, and
says whether one of them causes another. Whoever answers from what moves together is fooled; whoever
acts and watches need not be.
"""
