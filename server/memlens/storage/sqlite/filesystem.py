"""Where a database file lies: SQLite's write-ahead log needs shared memory, which no network share gives (case D1)."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

MOUNTS = Path("/proc/self/mounts")
"""Linux's list of what is mounted where; other systems have none, and nothing is known there."""

# Network file systems, and what virtual machines, containers and WSL show of their host's disk.
_SHARED = frozenset(
    {
        "9p", "afs", "beegfs", "ceph", "cifs", "davfs", "drvfs", "fakeowner", "glusterfs", "gpfs", "grpcfuse", "lustre",
        "ncpfs", "nfs", "nfs4", "osxfs", "prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs",
    }
)  # fmt: skip
_SHARED_FUSE = frozenset(
    {"ceph", "davfs2", "gcsfuse", "glusterfs", "grpcfuse", "rclone", "s3fs", "sshfs", "vmhgfs-fuse"}
)
_OCTAL = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class FileSystem:
    """The kind of file system that a path is on, and whether another machine may write to it too."""

    kind: str
    is_shared: bool


def file_system_of(path: Path) -> FileSystem | None:
    """Return the file system of ``path``, which need not exist, or None where it cannot be told."""
    if sys.platform == "win32":
        return FileSystem("network share", True) if _is_network_share(path) else None
    try:
        lines = MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    real = Path(os.path.realpath(path))
    mounted = [(Path(_unescaped(fields[1])), fields[2]) for line in lines if len(fields := line.split(" ")) > 2]
    # Of several mounts on one directory the last one is seen.
    around = [(len(point.parts), order, kind) for order, (point, kind) in enumerate(mounted) if _is_below(real, point)]
    if not around:
        return None
    kind = max(around)[2]
    return FileSystem(kind, kind in _SHARED or kind.removeprefix("fuse.") in _SHARED_FUSE)


def _is_below(path: Path, point: Path) -> bool:
    return path.is_relative_to(point)


def _unescaped(text: str) -> str:
    return _OCTAL.sub(lambda found: chr(int(found[1], 8)), text)


def _is_network_share(path: Path) -> bool:
    """Whether Windows calls the path's drive a remote one."""
    if sys.platform == "win32":
        import ctypes

        remote = 4
        drive = os.path.splitdrive(os.path.realpath(path))[0]
        return drive.startswith("\\\\") or ctypes.windll.kernel32.GetDriveTypeW(f"{drive}\\") == remote
    return False
