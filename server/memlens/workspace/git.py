"""The one place that runs git.

The directory may come from anywhere, so its configuration must not be able to run a command, open a connection,
prompt, or hang us. What git refuses or fails at is reported as None: everything here works without git, if less
exactly.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
from pathlib import Path

DEFAULT_TIMEOUT = 5.0
"""Seconds that git may take unless the caller says otherwise."""

_DEFAULT_MAX_OUTPUT = 1 << 20

# Command-line configuration wins over the repository's own.
_OVERRIDES = (
    "--no-pager",
    "-c", "core.fsmonitor=false",
    "-c", f"core.hooksPath={os.devnull}",
    "-c", "safe.bareRepository=explicit",
)  # fmt: skip

_FORCED_VARIABLES = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    # A partial clone would fetch what is missing: no lazy fetch, and no transport at all for a git that is older.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
}

# Where the person's own configuration is; every other GIT_* variable (a hook exports GIT_DIR, GIT_INDEX_FILE ...)
# would turn our question into one about another repository.
_KEPT_VARIABLES = frozenset({"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"})


def run_git(
    directory: Path,
    *args: str,
    timeout: float = DEFAULT_TIMEOUT,
    max_output: int = _DEFAULT_MAX_OUTPUT,
) -> bytes | None:
    """Run git in ``directory`` and return what it printed.

    Blocks for up to ``timeout`` seconds: not for the event loop.

    Args:
        directory: Where git runs.
        args: Sub-command and options; text from outside only after ``--``.
        timeout: Seconds after which git is killed.
        max_output: Bytes of output after which git is killed.

    Returns:
        Standard output, or None when git is not installed, failed, took too long or printed too much.
    """
    executable = _executable()
    if executable is None:
        return None
    try:
        process = subprocess.Popen(  # noqa: S603 - no shell, fixed executable, arguments as a list
            [executable, *_OVERRIDES, *args],
            cwd=directory,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # A session of its own: no terminal to prompt on, and one group to kill.
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, ValueError):
        return None
    return _bounded_output(process, timeout, max_output)


def _executable() -> str | None:
    """The git of the search path, but never one found in the current directory."""
    found = shutil.which("git")
    return found if found is not None and Path(found).is_absolute() else None


def _environment() -> dict[str, str]:
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().startswith("GIT_") or name in _KEPT_VARIABLES
    }
    return inherited | _FORCED_VARIABLES


def _bounded_output(process: subprocess.Popen[bytes], timeout: float, max_output: int) -> bytes | None:
    timer = threading.Timer(timeout, _kill, [process])
    timer.daemon = True
    timer.start()
    try:
        with process:
            assert process.stdout is not None  # noqa: S101 - opened as a pipe above
            output = process.stdout.read(max_output + 1)
            if len(output) > max_output:
                _kill(process)
    except BaseException:
        _kill(process)
        raise
    finally:
        timer.cancel()
    return output if process.returncode == 0 and len(output) <= max_output else None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill git and whatever it started, which might hold the pipe open."""
    try:
        if os.name == "posix":
            # The group too when git itself has ended: what it left behind may hold the pipe.
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except (ProcessLookupError, PermissionError):
        pass
