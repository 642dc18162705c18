"""The grader: a model that marks the reasons and limitations of an answer, as a secondary score.

Figures and choices are graded by rule (`analyze.grading`). What an answer says of why, and of how
far its figures carry, is free text, and a model reads it: one that is bound to a role of its own,
is never the model under test unless somebody insists, and was compared with people's labels. It is
shown the truth, the criteria, and the answer as data. It returns one verdict for each criterion;
where it does not, after being asked once more, the answer is unscored.

`prompt` renders the request, `verdicts` has the criteria and parses the reply, `calibration` holds
labelled answers, `agreement` says how well a grader does on them, and `task` is the part that knows
Inspect.
"""
