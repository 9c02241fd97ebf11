"""Secrets are never kept (spec 1.1, 5.3)."""

from __future__ import annotations

import pytest

from memlens.core.clock import utc_now
from memlens.core.errors import SecretFoundError
from memlens.core.secrets import refuse_secrets
from memlens.core.sources import make_source
from memlens.memory.models import MemoryEntryInput
from memlens.memory.planning import NormalInput

# Put together here, so that no scanner takes this file for a leak.
SECRETS = {
    "AWS": "AKIA" + "IOSFODNN7EXAMPLE",
    "GitHub": "ghp_" + "a1B2" * 9,
    "private key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "URL": "https://deploy:" + "hunter2" + "@ci.example.invalid/x",
    "Slack": "xoxb-" + "123456789012-" + "a" * 24,
}


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_secret_is_refused_wherever_it_would_be_kept_and_never_repeated(secret: str) -> None:
    writes = (
        lambda: NormalInput.of(MemoryEntryInput("fact", f"CI signs in with {secret} at night.")),
        lambda: NormalInput.of(MemoryEntryInput("fact", "CI signs in.", reason=secret)),
        lambda: make_source("UserNoteSource", "note:1", {"text": f"first\n{secret}\nlast"}, utc_now()),
        lambda: make_source("DocumentSource", "repo:///ci", {"path": "ci", "excerpt": {"text": secret}}, utc_now()),
    )
    for write in writes:
        with pytest.raises(SecretFoundError) as caught:
            write()
        assert secret not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "The commit 3f786850e387550fdab836ed7e6dc881de23001b introduced it.",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 pins the image.",
        "Tokens are read from `DEPLOY_TOKEN`; passwords never stand in `config.toml`.",
        "密码只放在密钥环里，不写进仓库。",
        "See https://example.invalid/path?id=1 and git@example.invalid:team/app.git.",
    ],
)
def test_what_only_speaks_of_secrets_is_kept(text: str) -> None:
    refuse_secrets(text, "memory text")
    assert NormalInput.of(MemoryEntryInput("fact", text)).statement == ("fact", text)
