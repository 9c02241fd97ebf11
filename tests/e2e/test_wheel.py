"""What is installed is what was tested: the wheel, away from the checkout."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

from e2e.conftest import Project

ROOT = Path(__file__).resolve().parents[2]


def test_the_wheel_holds_everything_that_runs(project: Project, tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr.decode()
    (wheel,) = tmp_path.glob("*.whl")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)

    def memlens(*arguments: str) -> str:
        environ = {**project.environ, "PYTHONPATH": str(installed)}
        command = [sys.executable, "-m", "memlens", *arguments]
        return subprocess.run(command, cwd=project.root, env=environ, check=True, capture_output=True).stdout.decode()

    where = subprocess.run(
        [sys.executable, "-c", "import memlens; print(memlens.__file__)"],
        cwd=project.root,
        env={**project.environ, "PYTHONPATH": str(installed)},
        check=True,
        capture_output=True,
    )
    assert where.stdout.decode().startswith(str(installed))
    memlens("remember", "Run `make docs-test`; see `site/`.", "-k", "fact")
    (shown,) = [json.loads(line) for line in memlens("show", "Makefile", "--json").splitlines()]
    assert [anchor["rule"] for anchor in shown["line_level"]] == ["command"]
    assert (installed / "memlens" / "py.typed").exists()
    assert list((installed / "memlens").rglob("*.scm"))
