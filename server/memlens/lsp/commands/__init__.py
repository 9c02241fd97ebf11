"""The workspace commands, usable from any client (spec 2.2). For users: docs/commands.md."""
