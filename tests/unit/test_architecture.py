"""docs/architecture.md shows the packages and dependencies that there are."""

from __future__ import annotations

import re
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "server" / "memlens"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")

_NODE = r'(\w+)(?:\["(\w+)"\])?'
_ARROW = re.compile(rf"\s*{_NODE}\s*-->\s*{_NODE}\s*")


def test_the_diagram_has_the_layers_of_the_import_contract_in_their_order() -> None:
    assert _layers(_arrows()) == _contract_layers()


def test_every_layer_of_the_diagram_leads_to_the_whole_next_one() -> None:
    layers = _contract_layers()
    expected = {(upper, lower) for above, below in _pairs(layers) for upper in above for lower in below}

    assert _arrows() == expected


def test_every_package_on_disk_is_in_the_diagram() -> None:
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    modules = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}

    assert packages | modules == {node for arrow in _arrows() for node in arrow}


def test_every_package_is_described() -> None:
    described = set(re.findall(r"^\| `(\w+)` \|", PAGE.partition("## Invariants")[0], re.MULTILINE))

    assert described == {node for arrow in _arrows() for node in arrow}


def test_the_tables_name_the_dependencies_of_the_project() -> None:
    project = _pyproject()
    run_time = map(_name, project["project"]["dependencies"])
    development = map(_name, project["dependency-groups"]["dev"])

    assert _table("run time") == sorted(run_time)
    assert _table("development") == sorted(development)


def _pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _contract_layers() -> list[set[str]]:
    contracts = _pyproject()["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    return [set(layer.split(" | ")) for layer in layers]


def _arrows() -> set[tuple[str, str]]:
    diagram = PAGE.partition("```mermaid\ngraph TD\n")[2].partition("```")[0]
    found = [_ARROW.fullmatch(line) for line in diagram.splitlines()]
    assert found and all(found), "each line of the diagram is one arrow"
    labels = {arrow[node]: arrow[node + 1] for arrow in found if arrow for node in (1, 3) if arrow[node + 1]}
    return {(labels.get(arrow[1], arrow[1]), labels.get(arrow[3], arrow[3])) for arrow in found if arrow}


def _layers(arrows: set[tuple[str, str]]) -> list[set[str]]:
    """Return the nodes by their longest way from the top."""
    depth = dict.fromkeys((node for arrow in arrows for node in arrow), 0)
    for _ in depth:
        for upper, lower in arrows:
            depth[lower] = max(depth[lower], depth[upper] + 1)
    return [{node for node in depth if depth[node] == level} for level in range(max(depth.values()) + 1)]


def _pairs(layers: list[set[str]]) -> list[tuple[set[str], set[str]]]:
    return list(pairwise(layers))


def _name(requirement: str) -> str:
    return re.split(r"[<>=!~; \[]", requirement, maxsplit=1)[0]


def _table(heading: str) -> list[str]:
    """Return the names in the first column of the table under ``heading``, in their order."""
    rows = PAGE.partition(f"| {heading} | why |\n")[2].partition("\n\n")[0].splitlines()
    return [row.split("`")[1] for row in rows if "`" in row]
