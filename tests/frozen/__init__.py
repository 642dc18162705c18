"""What must not change unnoticed: items, readings, measures, comparisons and replications.

The files in `data` hold, one row a line, what the suites gave when the files were written. A change
of the code that is not meant to change an item, a reading or a number leaves every row as it is. A
change of meaning updates the files knowingly, together with the suite's version:

    python -m tests.frozen write

`sections` makes the rows, and is all that knows the package; `rows` keeps and compares them.
"""
