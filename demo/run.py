"""The language server on a real repository, printed as an editor shows it (see README.md beside this file).

usage: run.py [--svg FILE] [PATH ...]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import TypeVar

from lsprotocol import types
from page import FilePage, Page
from pygls.lsp.client import LanguageClient

ROOT = Path(__file__).resolve().parent.parent
MEMORY = ROOT / "demo" / "memory.jsonl"
FILES = (
    "Makefile",
    "server/memlens/core/lines.py",
    "server/memlens/storage/revisions.py",
    "server/memlens/storage/sqlite/migrations/0001_initial.sql",
    "server/memlens/lsp/stdio.py",
    "pyproject.toml",
)
RULES = ("path", "glob", "command", "evidence")

Answer = TypeVar("Answer")


class Editor:
    """Speaks to ``memlens lsp`` over stdio as an editor does, and takes the time of each answer."""

    def __init__(self, environ: dict[str, str]) -> None:
        self._client = LanguageClient("memlens-demo", "1")
        self._client.feature("memlens/changed")(lambda _params: None)
        self._environ = environ
        self.times: dict[str, list[float]] = {}

    async def start(self) -> None:
        """Start the server and initialize the session."""
        begun = time.perf_counter()
        await self._client.start_io(sys.executable, "-m", "memlens", "lsp", env=self._environ, cwd=str(ROOT))
        folder = types.WorkspaceFolder(uri=ROOT.as_uri(), name=ROOT.name)
        await self._client.initialize_async(
            types.InitializeParams(
                process_id=os.getpid(),
                root_uri=folder.uri,
                workspace_folders=[folder],
                capabilities=types.ClientCapabilities(
                    text_document=types.TextDocumentClientCapabilities(
                        hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.PlainText])
                    )
                ),
            )
        )
        self._client.initialized(types.InitializedParams())
        self.times["start"] = [time.perf_counter() - begun]

    async def show(self, path: str) -> FilePage:
        """Open a file and ask for all that an editor would show on it."""
        uri = (ROOT / path).as_uri()
        text = (ROOT / path).read_text(encoding="utf-8")
        document = types.TextDocumentIdentifier(uri=uri)
        self._client.text_document_did_open(
            types.DidOpenTextDocumentParams(
                types.TextDocumentItem(uri=uri, language_id="plaintext", version=1, text=text)
            )
        )
        whole = types.Range(types.Position(0, 0), types.Position(text.count("\n") + 1, 0))
        hints = await self._timed(
            "hints", self._client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
        )
        lenses = await self._timed("lens", self._client.text_document_code_lens_async(types.CodeLensParams(document)))
        page = FilePage(path, text.splitlines(), lenses or [], hints or [])
        for line in sorted({0, *(hint.position.line for hint in page.hints)}):
            position = types.Position(line, 0)
            page.hovers[line] = await self._timed(
                "hover", self._client.text_document_hover_async(types.HoverParams(document, position))
            )
        return page

    async def stop(self) -> None:
        """End the session as the protocol asks for."""
        await self._client.shutdown_async(None)
        self._client.exit(None)
        await self._client.stop()

    async def _timed(self, what: str, answer: Awaitable[Answer]) -> Answer:
        begun = time.perf_counter()
        result = await answer
        self.times.setdefault(what, []).append(time.perf_counter() - begun)
        return result


def memlens(environ: dict[str, str], *arguments: str) -> str:
    """Run the command line on this repository and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "memlens", "-C", str(ROOT), *arguments],
        env=environ,
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    return done.stdout


def shown_rules(environ: dict[str, str]) -> Counter[str]:
    """Return how many anchors each rule shows on the demo's files, as ``memlens show`` tells it."""
    rows = [json.loads(line) for line in memlens(environ, "show", "--json", *FILES).splitlines()]
    return Counter(anchor["rule"] for row in rows for anchor in (*row["file_level"], *row["line_level"]))


async def visit(environ: dict[str, str], page: Page, paths: Sequence[str]) -> None:
    """Open files in the language server and print them."""
    editor = Editor(environ)
    await editor.start()
    try:
        for path in paths:
            page.print_file(await editor.show(path))
    finally:
        await editor.stop()
    page.print_times(editor.times)


def main() -> int:
    """Run the demo; 1 when a rule shows nowhere."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--svg", type=Path, help="also write what is printed as a picture")
    parser.add_argument("paths", nargs="*", default=FILES, help="files to open instead of the usual ones")
    arguments = parser.parse_args()
    page = Page(record=arguments.svg is not None)
    with tempfile.TemporaryDirectory() as home:
        environ = {**os.environ, "MEMLENS_HOME": home, "MEMLENS_ACTOR": "the team", "PYTHONUTF8": "1"}
        kept = memlens(environ, "import", str(MEMORY)).count("\n")
        page.print_title(f"{kept} entries are remembered about this repository. What an editor shows of them:")
        asyncio.run(visit(environ, page, arguments.paths))
        rules = shown_rules(environ)
    page.print_rules(rules, RULES)
    if arguments.svg:
        page.save(arguments.svg)
    missing = [rule for rule in RULES if not rules[rule]]
    if missing:
        print(f"These rules show nowhere: {', '.join(missing)}.", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
