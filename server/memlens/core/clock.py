"""The one way in which MemLens writes down a moment."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> str:
    """Return the present moment in UTC as ISO 8601 with microseconds, e.g. ``2026-12-01T09:30:00.000001Z``."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
