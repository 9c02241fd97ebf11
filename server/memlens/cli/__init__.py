"""The command line (spec 2.5, docs/cli.md)."""
