"""Small estimators on bare arrays, each with its standard error."""
