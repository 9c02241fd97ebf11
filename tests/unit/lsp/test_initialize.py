"""What is read of ``initialize``, from clients of every kind (spec 3.2)."""

from __future__ import annotations

from typing import Any

import pytest

from memlens.lsp.capabilities import ClientFeatures, client_features, server_capabilities
from memlens.lsp.errors import InvalidArguments
from memlens.lsp.initialize import read_initialize
from memlens.lsp.positions import PositionEncoding


@pytest.mark.parametrize(
    "capabilities",
    [
        {},
        {"textDocument": None, "workspace": 5, "general": []},
        {"textDocument": {"hover": None}, "general": {"positionEncodings": "utf-8"}},
        {"general": {"positionEncodings": [5, None, {}]}, "experimental": True},
        {"workspace": {"inlayHint": {"refreshSupport": "yes"}}},
    ],
)
def test_a_client_that_says_nothing_we_understand_has_no_features(capabilities: dict[str, Any]) -> None:
    assert client_features(capabilities) == ClientFeatures()


def test_every_feature_is_a_flat_fact() -> None:
    features = client_features(
        {
            "general": {"positionEncodings": ["utf-32", "utf-8"]},
            "textDocument": {"hover": {"contentFormat": ["markdown"]}, "codeLens": {}, "inlayHint": {}},
            "workspace": {
                "codeLens": {"refreshSupport": True},
                "inlayHint": {"refreshSupport": True},
                "symbol": {},
                "textDocumentContent": {},
            },
            "experimental": {"memlens": {"commandLinks": True}},
        }
    )
    assert features == ClientFeatures(PositionEncoding.UTF32, *[True] * 9)


def test_only_what_the_client_can_use_is_offered() -> None:
    assert server_capabilities(ClientFeatures(), ["memlens.status"]).keys() == {
        "positionEncoding",
        "textDocumentSync",
        "executeCommandProvider",
        "workspace",
    }
    offered = server_capabilities(ClientFeatures(hover=True, code_lens=True, inlay_hint=True), [])
    assert {"hoverProvider", "codeLensProvider", "inlayHintProvider"} <= offered.keys()
    offered = server_capabilities(ClientFeatures(text_document_content=True, workspace_symbol=True), [])
    assert offered["workspaceSymbolProvider"] is True
    assert offered["workspace"]["textDocumentContent"] == {"schemes": ["memlens"]}


@pytest.mark.parametrize(
    ("params", "folders"),
    [
        ({"workspaceFolders": [{"uri": "file:///a", "name": "a"}], "rootUri": "file:///b"}, ("file:///a",)),
        ({"workspaceFolders": [], "rootUri": "file:///b"}, ("file:///b",)),
        ({"workspaceFolders": None, "rootUri": "file:///b", "rootPath": "/c"}, ("file:///b",)),
        ({"rootUri": None, "rootPath": "/c d"}, ("file:///c%20d",)),
        ({"rootUri": None, "rootPath": "relative"}, ()),
        ({"workspaceFolders": [5, {"uri": 5}]}, ()),
        ({}, ()),
    ],
)
def test_folders_of_new_and_old_clients(params: dict[str, Any], folders: tuple[str, ...]) -> None:
    assert read_initialize({"capabilities": {}, **params}).folders == folders


@pytest.mark.parametrize(
    ("params", "process_id", "options", "trace"),
    [
        ({"processId": 5, "initializationOptions": {"a": 1}, "trace": "verbose"}, 5, {"a": 1}, "verbose"),
        ({"processId": None, "initializationOptions": None, "trace": None}, None, {}, "off"),
        ({"processId": "5", "initializationOptions": [], "trace": 5}, None, {}, "off"),
    ],
)
def test_optional_params(params: dict[str, Any], process_id: int | None, options: object, trace: str) -> None:
    start = read_initialize({"capabilities": {}, **params})
    assert (start.process_id, start.options, start.trace) == (process_id, options, trace)


@pytest.mark.parametrize("params", [None, [], "x", {}, {"capabilities": None}, {"capabilities": []}])
def test_params_without_capabilities_are_refused(params: object) -> None:
    with pytest.raises(InvalidArguments, match="capabilities"):
        read_initialize(params)
