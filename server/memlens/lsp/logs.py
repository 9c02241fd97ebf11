"""Logs go to stderr, and editors show stderr as errors: only warnings and worse, unless asked for more (spec 4)."""

from __future__ import annotations

import logging
import os
import sys

LEVEL_VARIABLE = "MEMLENS_LOG"
"""Environment variable: ``debug``, ``info``, ``warning`` or ``error``."""

_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def configure_logging() -> None:
    """Send our logs to stderr. Other libraries never log below warnings: pygls logs whole messages at INFO."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    level = _LEVELS.get(os.environ.get(LEVEL_VARIABLE, "").lower(), logging.WARNING)
    logging.getLogger("memlens").setLevel(level)
