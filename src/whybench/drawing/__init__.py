"""What the figures of all suites share: charts, and for drawings sheet, style and small graphs.

`Figure` (`whybench.drawing.figure`) is what everybody gets: it knows what it shows and saves
itself. Most figures are charts (`charts`): specifications of Vega-Lite in a theme, which `vega`
draws for paper and a page draws by itself. What deserves a drawing of its own is drawn by
matplotlib on a `sheet`, in the `styled` manner of the package. What a figure is about stays with
its suite; nothing here knows any. Pictures need the extra `figures` (matplotlib and vl-convert); a
`Figure` itself does not.

Shown alike everywhere: figures are 170 mm wide and can be read in grey and by colour-blind readers;
people are black; an open mark rests on too few answers to be ranked.
"""
