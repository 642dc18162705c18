"""Studies with people: a suite as an experiment in a browser, and what comes back from it.

`plan` says who is asked what in which order, `export` writes an experiment that needs nothing but
its folder, `server` serves it on this machine and takes the data. The experiment itself, in
JavaScript on jsPsych, is in `page`; the words that it says of itself are in `texts`.
"""
