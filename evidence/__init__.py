"""The figures we claim: `python -m evidence SUBJECT` prints them."""
