"""The canonical form, written a second time from docs/canonical-form.md: rfc8785 and hashlib, nothing of MemLens."""

from __future__ import annotations

import hashlib
import unicodedata
from typing import Any

import rfc8785


def sha256(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()


def normal_text(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def distinct(refs: list[dict[str, Any]], *keys: str) -> list[dict[str, Any]]:
    """Return refs without duplicates, sorted by their members in this order."""
    by_key = {tuple(ref[key] for key in keys): ref for ref in refs}
    return [by_key[key] for key in sorted(by_key)]


def source(given: dict[str, Any]) -> dict[str, str]:
    content = rfc8785.dumps(given["content"])
    content_hash = sha256(b"memlens:source-content:v1\0", content)
    identity = rfc8785.dumps({"type": given["type"], "uri": given["uri"], "content_hash": content_hash})
    return {
        "content_canonical": content.decode(),
        "content_hash": content_hash,
        "identity_canonical": identity.decode(),
        "source_id": "src_" + sha256(b"memlens:source-id:v1\0", identity)[:40],
    }


def entry(given: dict[str, Any]) -> dict[str, str]:
    canonical = rfc8785.dumps(
        {
            "kind": given["kind"],
            "text": normal_text(given["text"]),
            "refs": {
                "sources": distinct(given["sources"], "source_id", "content_hash"),
                "artifacts": distinct(given["artifacts"], "artifact_id", "revision"),
            },
        }
    )
    return {
        "canonical": canonical.decode(),
        "entry_content_hash": sha256(b"powercontext:entry-content:v1\0", canonical),
    }


def manifest_object(lines: list[dict[str, Any]]) -> dict[str, Any]:
    return {"format": "flat-v1", "entries": sorted(lines, key=lambda line: line["entry_id"].encode())}


def manifest(given: dict[str, Any]) -> dict[str, str]:
    return {"canonical": rfc8785.dumps(manifest_object(given["entries"])).decode()}


def memory_content(given: dict[str, Any]) -> dict[str, str]:
    changes = [
        {**change, "reason": normal_text(change["reason"]) if change["reason"] else None} for change in given["changes"]
    ]
    canonical = rfc8785.dumps(
        {
            "schema": "powercontext.memory.v1",
            "manifest": manifest_object(given["entries"]),
            "changes": sorted(changes, key=lambda change: change["entry_id"].encode()),
        }
    )
    return {"canonical": canonical.decode(), "content_hash": sha256(canonical)}


def embedding_profile(given: dict[str, Any]) -> dict[str, str]:
    return {"canonical": rfc8785.dumps(given).decode()}


COMPUTE = {
    "source": source,
    "entry": entry,
    "manifest": manifest,
    "memory_content": memory_content,
    "embedding_profile": embedding_profile,
}
