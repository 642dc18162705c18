"""Reference agents behind Inspect's model interface: known strategies, asked like any model."""
