"""The SQLite adapter, through APSW (spec 1.10)."""
