"""One name for one remote, however its address is spelled.

``git@Host:owner/name.git``, ``ssh://git@host/owner/name`` and ``https://user:token@host/owner/name.git/`` are all
``host/owner/name``. The user, password, query and fragment never become part of a name: it is stored and shown.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote

from memlens.workspace.files import real_path

_MAX_LENGTH = 2048

_DEFAULT_PORTS = {
    "ssh": 22,
    "git+ssh": 22,
    "ssh+git": 22,
    "git": 9418,
    "http": 80,
    "https": 443,
    "ftp": 21,
    "ftps": 990,
}

_HELPER = re.compile(r"[A-Za-z0-9][A-Za-z0-9+.-]*::")
_SCP_LIKE = re.compile(r"(?:[^@/:]*@)?(\[[^\]]+\]|[^@:/\[\]]+):(.+)")
_HOST_AND_PORT = re.compile(r"([a-z0-9_-][a-z0-9._-]*|\[[0-9a-f:.]+\])(?::([0-9]*))?", re.ASCII)
_DRIVE = re.compile(r"/?[A-Za-z]:[\\/]")


def normalize_remote(address: str, base: Path) -> str | None:
    """Return the one name of a remote, without credentials.

    Args:
        address: A remote's address as git's configuration has it.
        base: The directory from which a relative local path counts.

    Returns:
        ``host/path`` or ``host:port/path`` (host in lower case, the scheme's own port left out, case of the path
        kept, ``.git`` and slashes at the end dropped); ``file:///real/path`` for a local repository; None for an
        address that is not understood well enough to tell repositories apart, such as a remote helper's.
    """
    if not address or len(address) > _MAX_LENGTH or not address.isprintable() or _HELPER.match(address):
        return None
    if address.lower().startswith("file://"):
        return _local(unquote(address[len("file://") :]), base)
    if "://" in address:
        return _from_url(address)
    if _is_local(address):
        return _local(address, base)
    match = _SCP_LIKE.fullmatch(address)
    return _joined(match.group(1), None, match.group(2)) if match else None


def path_key(path: Path) -> str:
    """Return an absolute path as part of a key: ``/`` between names, drive letter in upper case, valid Unicode."""
    text = path.as_posix()
    if re.match(r"[a-z]:", text):
        text = text[0].upper() + text[1:]
    # Bytes of a file name that are no UTF-8 reach us as lone surrogates, which no database stores.
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _is_local(address: str) -> bool:
    """Git's own rule: a path has no colon before its first slash (except after a drive letter, on Windows)."""
    colon, slash = address.find(":"), address.find("/")
    if os.name == "nt" and _DRIVE.match(address):
        return True
    return colon == -1 or 0 <= slash < colon


def _local(text: str, base: Path) -> str | None:
    if os.name == "nt" and _DRIVE.match(text):
        text = text.removeprefix("/")  # file:///C:/x
    try:
        path = path_key(real_path(base / text))
    except (OSError, ValueError):
        return None
    # A per cent sign is the one character that reading the name back would change.
    return f"file://{'' if path.startswith('/') else '/'}{path.replace('%', '%25')}"


def _from_url(address: str) -> str | None:
    scheme, _, rest = address.partition("://")
    default_port = _DEFAULT_PORTS.get(scheme.lower())
    if default_port is None:
        return None
    rest = re.split(r"[?#]", rest, maxsplit=1)[0]
    authority, _, path = rest.partition("/")
    return _joined(authority.rpartition("@")[2], default_port, path)


def _joined(host_and_port: str, default_port: int | None, path: str) -> str | None:
    match = _HOST_AND_PORT.fullmatch(host_and_port.lower().removesuffix("."))
    cleaned = _cleaned_path(path)
    if match is None or cleaned is None:
        return None
    host, port = match.group(1), int(match.group(2) or default_port or 0)
    if port > 65535:
        return None
    return f"{host}/{cleaned}" if port in (0, default_port) else f"{host}:{port}/{cleaned}"


def _cleaned_path(path: str) -> str | None:
    # "@" is where a badly written password would show; "?" and "#" where a token would.
    if re.search(r"[@?#\\]", path):
        return None
    names = [name for name in path.split("/") if name]
    if any(name in (".", "..", "~") for name in names):
        return None
    while names and names[-1].endswith(".git"):
        names[-1] = names[-1].removesuffix(".git")
        if not names[-1]:
            names.pop()
    return "/".join(names) or None
