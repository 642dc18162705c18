"""What the figures of all suites share: sheet, style, panels, marks, names, scales, small graphs.

`Figure` (`whybench.drawing.figure`) is what everybody gets: it knows what it shows and saves
itself. A suite's figures are drawn by functions from plain results to a matplotlib figure. These
draw on a `sheet` in the `styled` manner of the package, with the marks, scales and names of this
room. What a figure is about stays with its suite; nothing here knows any. Drawing needs the extra
`figures` (matplotlib); a `Figure` itself does not.

Shown alike everywhere: figures are 170 mm wide and can be read in grey and by colour-blind readers;
people are black; an open mark rests on too few answers to be ranked.
"""
