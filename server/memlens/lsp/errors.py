"""Errors on the wire: every request is answered, with a code and a message that tells what to do (spec 2.6, 4)."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import traceback

from lsprotocol.types import ErrorCodes, LSPErrorCodes, ResponseError
from pygls.exceptions import JsonRpcException

from memlens.core.errors import MemLensError

_log = logging.getLogger(__name__)


class InvalidArguments(MemLensError):  # noqa: N818 -- on the wire this is InvalidParams
    """The arguments of a command have the wrong shape, or do not say which repository they mean."""

    code = "invalid_arguments"


def response_error(error: BaseException, method: str) -> ResponseError:
    """Return what to answer for ``error``; an unexpected one is logged without its message, which may quote memory."""
    if isinstance(error, asyncio.CancelledError | concurrent.futures.CancelledError):
        return ResponseError(code=LSPErrorCodes.RequestCancelled, message="The request was cancelled.")
    if isinstance(error, InvalidArguments):
        return ResponseError(code=ErrorCodes.InvalidParams, message=str(error), data={"code": error.code})
    if isinstance(error, MemLensError):
        return ResponseError(code=LSPErrorCodes.RequestFailed, message=str(error), data={"code": error.code})
    if isinstance(error, JsonRpcException):
        return error.to_response_error()
    log_unexpected(error, method)
    name = type(error).__name__
    return ResponseError(
        code=ErrorCodes.InternalError,
        message=f"{method} failed with {name}. The server log has the trace; the session goes on.",
        data={"code": MemLensError.code},
    )


def log_unexpected(error: BaseException, method: str) -> None:
    """Log where ``error`` happened, without its message and without values."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    _log.error("%s failed with %s\n%s", method, type(error).__name__, frames)
