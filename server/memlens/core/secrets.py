"""Secrets are never kept: what is stored is looked through first (spec 1.1, 2.3, 5.3).

Only detectors of unmistakable forms are used (keys with a known prefix, private keys, credentials in URLs). Those that
judge by randomness would refuse every hash that a memory names.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from inspect import getmembers, isclass
from typing import Any

from memlens.core.errors import SecretFoundError

_PLUGINS = (
    "aws",
    "azure_storage_key",
    "basic_auth",
    "cloudant",
    "discord",
    "github_token",
    "gitlab_token",
    "jwt",
    "mailchimp",
    "npm",
    "openai",
    "private_key",
    "pypi_token",
    "sendgrid",
    "slack",
    "square_oauth",
    "stripe",
    "telegram_token",
    "twilio",
)


def refuse_secrets(text: str, what: str) -> None:
    """Raise SecretFoundError, which names the kind of secret and never the secret, when ``text`` holds one."""
    for detector in _detectors():
        if next(iter(detector.analyze_string(text)), None) is not None:
            raise SecretFoundError(
                f"The {what} holds what looks like a secret ({detector.secret_type}), and secrets are never kept: "
                "take it out, and say where it is kept instead."
            )


@cache
def _detectors() -> tuple[Any, ...]:
    """Return the detectors. They are loaded at the first write: reading needs none of them."""
    base = import_module("detect_secrets.plugins.base").RegexBasedDetector
    modules = [import_module(f"detect_secrets.plugins.{name}") for name in _PLUGINS]
    return tuple(
        found()
        for module in modules
        for _, found in getmembers(module, isclass)
        if issubclass(found, base) and found.__module__ == module.__name__
    )
